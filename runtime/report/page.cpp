// A recording as one HTML page: its data as JSON, and the style and the script that show it, which are files beside this one. The
// page loads nothing.
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "codegen/ir/formula.hpp"
#include "codegen/source/emit.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/device.hpp"
#include "runtime/launch/measure.hpp"
#include "runtime/report/json.hpp"
#include "runtime/report/record.hpp"

namespace sinter::runtime {
namespace {

constexpr char style[] =
#include "runtime/report/page_style.inc"
    ;
constexpr char script_of_tools[] =
#include "runtime/report/page_tools.inc"
    ;
constexpr char script_of_charts[] =
#include "runtime/report/page_charts.inc"
    ;
constexpr char script_of_kernels[] =
#include "runtime/report/page_kernels.inc"
    ;

constexpr const char* kinds_of_work[] = {"library", "program", "graph", "copy", "copy", "copy"};
constexpr const char* names_of_counters[] = {"launches",        "compiles",     "memory_hits",  "disk_hits",
                                             "bytes_allocated", "bytes_copied", "library_calls"};
static_assert(std::size(names_of_counters) == counter_kinds);

std::string program_name() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return "a program";
  const std::string_view whole(path, static_cast<std::size_t>(length));
  return std::string(whole.substr(whole.rfind('/') + 1));
}

const char* name_of(codegen::dialect d) {
  return d == codegen::dialect::cuda ? "CUDA C++" : d == codegen::dialect::c ? "C" : "interpreted";
}

const char* name_of(codegen::image_origin o) {
  return o == codegen::image_origin::compiled ? "compiled" : o == codegen::image_origin::disk ? "disk" : "memory";
}

class page {
 public:
  page(const recording& r, report_clock::time_point ended) : r_(r), ended_(ended) {
    for (device_impl* d : r.device_of_lane)
      if (std::find(devices_.begin(), devices_.end(), d) == devices_.end()) devices_.push_back(d);
  }

  std::string data() {
    out_.open('{').member("version", SINTER_VERSION).member("program", program_name()).member("process", getpid());
    out_.member("began", r_.began_at).member("seconds", r_.at(ended_));
    out_.member("left_out", r_.left_out).member("missed", r_.missed);
    out_.key("counters").open('{');
    for (unsigned c = 0; c < counter_kinds; ++c)
      out_.member(names_of_counters[c], count_of(static_cast<counter>(c)) - r_.counters_before[c]);
    out_.close('}');
    out_.list("devices", devices_, [](json& to, device_impl* d) { add_device(to, *d); });
    out_.key("lanes").open('[');
    for (std::size_t i = 0; i < r_.lanes.size(); ++i)
      out_.open('{').member("name", r_.lanes[i]).member("device", number_of(r_.device_of_lane[i])).close('}');
    out_.close(']');
    out_.list("work", r_.work, [this](json& to, const work_record& w) { add_work(to, w); });
    out_.list("programs", r_.programs, add_program);
    out_.list("events", r_.events, [](json& to, const timeline_event& e) {
      to.open('[').value(e.lane).value(e.work).value(e.began).value(e.lasted).close(']');
    });
    out_.list("ranges", r_.ranges, [](json& to, const range_record& e) {
      to.open('[').value(e.thread).value(e.name).value(e.began).value(e.lasted).close(']');
    });
    out_.list("compilations", r_.compilations, [](json& to, const compilation_record& c) {
      to.open('{').member("name", c.name).member("from", name_of(c.from)).member("began", c.began);
      to.member("seconds", c.lasted).member("text", c.text_size).close('}');
    });
    out_.list("memory", r_.memory, [this](json& to, const auto& of) {
      to.open('{').member("device", number_of(of.first)).member("most", of.second.most_used);
      to.list("samples", of.second.samples(), [](json& list, const memory_sample& s) {
        list.open('[').value(s.at).value(s.used).value(s.total).close(']');
      });
      to.close('}');
    });
    out_.close('}');
    return out_.text();
  }

 private:
  int number_of(const device_impl* d) const {
    const auto at = std::find(devices_.begin(), devices_.end(), d);
    return at == devices_.end() ? -1 : static_cast<int>(at - devices_.begin());
  }

  static void add_device(json& to, const device_impl& d) {
    const memory_speed speed = speed_of(d);
    to.open('{').member("name", to_text(d.id)).member("description", d.description());
    to.member("bandwidth", speed.bandwidth).member("measured", speed.measured);
    to.member("operations", d.stated_operations()).close('}');
  }

  void add_work(json& to, const work_record& w) const {
    to.open('{').member("name", w.name).member("launches", w.launches).member("timed", w.timed);
    to.member("captured", w.captured).member("seconds", w.total).member("least", w.least).member("most", w.most);
    to.member("bytes", w.bytes);
    to.list("places", w.places, [](json& list, const auto& p) {
      list.open('[').value(p.first.first).value(p.first.second).value(p.second).close(']');
    });
    if (w.step) add_kernel(to, w);
    else to.member("kind", kinds_of_work[static_cast<int>(w.what)]);
    to.close('}');
  }

  void add_kernel(json& to, const work_record& w) const {
    const codegen::kernel& k = w.step->step.kernel;
    const auto text = [&](codegen::dialect d, const codegen::variant& v) {
      return codegen::emit(k, v, codegen::target_here(d));
    };
    to.member("kind", "kernel").member("form", codegen::name(w.step->form)).member("over", w.over);
    to.member("device", number_of(w.kernel->device)).member("ran", name_of(w.kernel->language));
    to.member("operations", w.points * runtime::operations(k)).member("per_point", runtime::operations(k));
    to.member("reason", w.step->step.reason).member("shared_out", codegen::print(k, w.kernel->variant));
    to.member("program", w.program).member("part", w.part);
    to.list("formulas", codegen::formulas(k), [](json& list, const std::string& f) { list.value(f); });
    to.list("operands", w.operands, [](json& list, const std::string& o) { list.value(o); });
    to.member("ir", codegen::print(k));
    to.member("registers", w.compiled.registers).member("spilled", w.compiled.spilled_bytes);
    to.member("occupancy", w.compiled.occupancy);
    if (w.has_cuda) to.member("cuda", text(codegen::dialect::cuda, w.as_cuda));
    if (w.has_c) to.member("c", text(codegen::dialect::c, w.as_c));
  }

  static void add_program(json& to, const program_graph& g) {
    constexpr const char* kinds[] = {"array", "view", "position", "between", "operation", "fold", "result", "call"};
    to.open('{');
    to.list("vertices", g.vertices, [&](json& list, const program_graph::vertex& v) {
      list.open('{').member("kind", kinds[v.what]).member("kernel", v.kernel).member("label", v.label);
      list.member("of", v.of).close('}');
    });
    to.list("edges", g.edges,
            [](json& list, const program_graph::edge& e) { list.open('[').value(e.from).value(e.to).close(']'); });
    to.close('}');
  }

  const recording& r_;
  const report_clock::time_point ended_;
  std::vector<device_impl*> devices_;
  json out_;
};

}  // namespace

std::string page_of(const recording& r, report_clock::time_point ended) {
  std::string html =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data:\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>Sinter report</title>\n<style>";
  html += style;
  html +=
      "</style>\n</head>\n<body>\n<main id=\"page\"><noscript>This page shows its data by a "
      "script.</noscript></main>\n";
  html += "<script type=\"application/json\" id=\"data\">" + page(r, ended).data() + "</script>\n<script>\n";
  html += script_of_tools;
  html += script_of_charts;
  html += script_of_kernels;
  html += "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace sinter::runtime
