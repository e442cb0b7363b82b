#include "test/fuzz/numpy.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>

#include "test/fuzz/calls.hpp"
#include "test/fuzz/print.hpp"

namespace sinter::fuzz {

namespace {

const std::string python =
    "PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 python3 '" SINTER_SOURCE_DIR "/test/fuzz/batch.py'";

// A record is what batch.py calls one: the dtype's number, the extents, the elements.
void write_record(std::ostream& to, const snapshot& s) {
  to.put(static_cast<char>(s.type)).put(static_cast<char>(s.extents.size()));
  to.write(reinterpret_cast<const char*>(s.extents.begin()), 8 * s.extents.size());
  to.write(reinterpret_cast<const char*>(s.elements.data()), static_cast<std::streamsize>(s.elements.size()));
}

struct reply {
  snapshot value;
  std::string raised{};  // what NumPy raised instead
};

template <class T>
T read(std::istream& from) {
  T x{};
  from.read(reinterpret_cast<char*>(&x), sizeof x);
  return x;
}

// The replies by the numbers of their records.
std::map<std::size_t, reply> read_replies(const std::filesystem::path& file) {
  constexpr std::uint8_t raised = 255;
  std::ifstream in(file, std::ios::binary);
  std::map<std::size_t, reply> all;
  for (;;) {
    const auto number = static_cast<std::size_t>(read<std::int64_t>(in));
    if (!in) return all;
    reply& r = all[number];
    const auto code = read<std::uint8_t>(in);
    if (code == raised) {
      r.raised.resize(static_cast<std::size_t>(read<std::int64_t>(in)));
      in.read(r.raised.data(), static_cast<std::streamsize>(r.raised.size()));
      continue;
    }
    r.value.type = static_cast<dtype>(code);
    std::vector<std::int64_t> extents(read<std::uint8_t>(in));
    for (std::int64_t& extent : extents) extent = read<std::int64_t>(in);
    r.value.extents = shape(extents);
    r.value.elements.resize(static_cast<std::size_t>(r.value.extents.elements() * itemsize(r.value.type)));
    in.read(reinterpret_cast<char*>(r.value.elements.data()), static_cast<std::streamsize>(r.value.elements.size()));
  }
}

}  // namespace

bool numpy_batch::available() { return std::system((python + " --available >/dev/null 2>&1").c_str()) == 0; }

bool numpy_batch::knows(const program& p) { return python_text(p).find("bfloat16") == std::string::npos; }

void numpy_batch::add(const program& p, std::vector<snapshot> values) {
  entries_.push_back({p, std::move(values), records_});
  records_ += p.steps.size();
}

void numpy_batch::write() const {
  std::ofstream values(folder_ / "values", std::ios::binary), text(folder_ / "programs.py");
  for (std::size_t n = 0; n < entries_.size(); ++n) {
    for (const snapshot& s : entries_[n].values) write_record(values, s);
    text << "def program_" << n << "():\n" << python_text(entries_[n].of, entries_[n].first_record, "    ") << '\n';
  }
}

std::vector<verdict> numpy_batch::run() {
  write();
  const std::string folder = folder_.string();
  if (std::system((python + " '" + folder + "'").c_str()) != 0)
    throw std::runtime_error("python3 test/fuzz/batch.py " + folder + " failed");
  std::vector<verdict> all(entries_.size());
  const std::map<std::size_t, reply> replies = read_replies(folder_ / "replies");
  for (std::size_t n = 0; n < entries_.size(); ++n) {
    const entry& e = entries_[n];
    std::vector<snapshot> values;  // of the steps, as they are then
    for (std::size_t i = 0; i < e.of.steps.size() && all[n].fine(); ++i) {
      const step& s = e.of.steps[i];
      const std::vector<snapshot> operands = operands_of(e.of, static_cast<int>(i), values);
      values.push_back(e.values[i]);
      if (s.what == form::store) values[static_cast<std::size_t>(s.operands[0].step)] = e.values[i];
      if (s.what == form::input || draws(s)) continue;
      const std::string place = "step " + std::to_string(i) + ": ";
      const auto found = replies.find(e.first_record + i);
      if (found == replies.end()) throw std::runtime_error("batch.py has not answered for " + place);
      if (!found->second.raised.empty()) all[n] = {ways, place + "NumPy raises " + found->second.raised};
      else if (const std::string d = step_differs(s, operands, e.values[i], found->second.value, judge::numpy);
               !d.empty())
        all[n] = {ways, place + d};
    }
  }
  return all;
}

}  // namespace sinter::fuzz
