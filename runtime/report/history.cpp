// The public face of the work that is remembered.
#include <sinter/report.hpp>

#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <ostream>

#include <sinter/error.hpp>

#include "runtime/frontend/message.hpp"
#include "runtime/profiler/columns.hpp"
#include "runtime/report/record.hpp"

namespace sinter {

struct launch_history::state {
  std::vector<runtime::history_line> lines;
  std::vector<launch_record> records;
};

launch_history::launch_history(state* made) noexcept : state_(made) {}
launch_history::launch_history(launch_history&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
launch_history::~launch_history() { delete state_; }
const std::vector<launch_record>& launch_history::records() const { return state_->records; }

void keep_history(std::size_t last) try { runtime::remember_work(last); } catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

launch_history history() try {
  auto made = std::make_unique<launch_history::state>();
  made->lines = runtime::remembered_work_so_far();
  for (const runtime::history_line& l : made->lines)
    made->records.push_back({l.name.c_str(), l.stream.c_str(), l.file.c_str(), l.line, l.began, l.lasted,
                             static_cast<std::int64_t>(l.bytes)});
  return launch_history(made.release());
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

std::ostream& operator<<(std::ostream& out, const launch_history& h) {
  const std::vector<launch_record>& all = h.records();
  if (all.empty()) return out << "no history: nothing was launched since keep_history\n";
  std::size_t streams = 6, places = 5;
  std::vector<std::string> where;
  for (const launch_record& r : all) {
    const char* const name = std::strrchr(r.file, '/');
    where.push_back(r.line ? std::string(name ? name + 1 : r.file) + ":" + std::to_string(r.line) : "");
    streams = std::max(streams, std::strlen(r.stream));
    places = std::max(places, runtime::characters(where.back()));
  }
  const auto time = [](double seconds) {
    return std::isnan(seconds) ? std::string(12, ' ') : runtime::fixed(1e6 * seconds, 12);
  };
  out << "      at, us    took, us  " << runtime::left("stream", streams) << "  " << runtime::left("where", places)
      << "  what\n";
  for (std::size_t i = 0; i < all.size(); ++i)
    out << time(all[i].began) << time(all[i].seconds) << "  " << runtime::left(all[i].stream, streams) << "  "
        << runtime::left(where[i], places) << "  " << all[i].name << '\n';
  return out;
}

void report(const char* path) try {
  runtime::watchers();  // what the environment asks for comes first
  path ? runtime::begin_report(path) : runtime::end_report();
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

}  // namespace sinter
