// Plans and their kernels. Both tables only grow: readers follow atomic pointers, writers prepend under a mutex.
#include "runtime/launch/plan.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "codegen/ir/formula.hpp"
#include "codegen/ir/program.hpp"
#include "codegen/ir/values.hpp"
#include "codegen/source/emit.hpp"
#include "runtime/counters.hpp"
#include "runtime/device/process.hpp"
#include "runtime/launch/modules.hpp"
#include "runtime/log.hpp"
#include "runtime/report/recording.hpp"

namespace sinter::runtime {

namespace {

constexpr std::size_t buckets = 4096;

struct table {
  std::atomic<plan*> bucket[buckets] = {};
  std::mutex growing;
};

table& plans() {
  static table* t = new table;  // never freed: evaluations may happen in destructors of statics
  return *t;
}

plan* find(plan* from, std::uint64_t hash, const codegen::buffer<std::uint64_t>& words) {
  for (plan* p = from; p; p = p->next)
    if (p->hash == hash && p->words == words) return p;
  return nullptr;
}

fusion make_fusion(codegen::schedule cut) {
  fusion made;
  made.temporaries = std::move(cut.temporaries);
  for (codegen::step& s : cut.steps) made.steps.push_back(std::make_unique<compiled_step>(std::move(s)));
  return made;
}

bool has_rows(const fusion& w) {
  return std::any_of(w.steps.begin(), w.steps.end(), [](auto& s) { return s->form == codegen::form::rows; });
}

plan* make_plan(std::uint64_t hash, const codegen::buffer<std::uint64_t>& words) {
  const codegen::program program = codegen::decode(words, codegen::math_mode_from_environment());
  // The plan is found by addresses. In a plugin that was unloaded they would come to name another expression.
  for (const detail::fragment* f : program.fragments) keep_loaded(f);
  auto made = std::make_unique<plan>();
  made->words = words;
  made->hash = hash;
  made->fusions.push_back(make_fusion(codegen::cut(program, true)));
  if (has_rows(made->fusions[0])) made->fusions.push_back(make_fusion(codegen::cut(program, false)));
  for (const fusion& f : made->fusions)
    for (const auto& s : f.steps) s->of = &f;
  return made.release();
}

// Nanoseconds a point takes on one core, roughly: only to decide whether a hand-off to threads pays.
double estimate(const codegen::kernel& k) {
  double ns = 0;
  for (const codegen::input& i : k.inputs) ns += 0.08 * itemsize(i.type);
  for (const codegen::value& v : k.values) {
    if (v.kind == codegen::value_kind::load) ns += 1;
    else if (codegen::is_costly(v)) ns += 1.5;
    else if (v.kind == codegen::value_kind::apply) ns += 0.15;
  }
  return ns;
}

}  // namespace

plan& plan_for(const codegen::buffer<std::uint64_t>& words, void** hint) {
  if (hint) {
    auto* last = static_cast<plan*>(__atomic_load_n(hint, __ATOMIC_ACQUIRE));
    if (last && last->words == words) return *last;
  }
  const std::uint64_t hash = XXH3_64bits(words.data(), words.size() * sizeof(words[0]));
  std::atomic<plan*>& bucket = plans().bucket[hash % buckets];
  plan* p = find(bucket.load(std::memory_order_acquire), hash, words);
  if (!p) {
    plan* fresh = make_plan(hash, words);
    const std::lock_guard lock(plans().growing);
    p = find(bucket.load(std::memory_order_relaxed), hash, words);
    if (p) {
      delete fresh;  // another thread was first
    } else {
      fresh->next = bucket.load(std::memory_order_relaxed);
      bucket.store(fresh, std::memory_order_release);
      p = fresh;
    }
  }
  if (hint) __atomic_store_n(hint, static_cast<void*>(p), __ATOMIC_RELEASE);
  return *p;
}

const compiled_kernel* compiled_step::find(const codegen::variant& v, const device_impl& on,
                                           codegen::dialect language) const {
  for (const compiled_kernel* k = kernels_.load(std::memory_order_acquire); k; k = k->next)
    if (k->device == &on && k->language == language && k->variant == v) return k;
  return nullptr;
}

const compiled_kernel* compiled_step::kernel_for(const codegen::variant& v, device_impl& on, codegen::dialect language,
                                                 bool& compiled) {
  if (const compiled_kernel* k = find(v, on, language)) return k;
  if (language != codegen::dialect::none && !on.compiler()) return nullptr;
  const std::lock_guard lock(compiling_);
  if (const compiled_kernel* k = find(v, on, language)) return k;
  compiled = true;
  const compiled_kernel* fresh = build(v, on, language);
  if (fresh) kernels_.store(fresh, std::memory_order_release);
  return fresh;
}

const compiled_kernel* compiled_step::build(const codegen::variant& v, device_impl& on,
                                            codegen::dialect language) const {
  auto k = std::make_unique<compiled_kernel>();
  k->variant = v;
  k->device = &on;
  k->language = language;
  k->parameters = codegen::parameters(step.kernel, v);
  k->block_size = 0;
  for (const codegen::parameter& p : k->parameters)
    k->block_size = (k->block_size + p.size - 1) / p.size * p.size + p.size;
  k->cost = estimate(step.kernel);
  k->next = kernels_.load(std::memory_order_relaxed);
  if (language == codegen::dialect::none) {
    k->code = on.load(nullptr, step.kernel, v);
    return k.release();
  }
  const codegen::compiler* const with = on.compiler();
  if (!with) return nullptr;  // while this thread waited for the lock
  try {
    k->code = compile(v, *with, on, language);
  } catch (const codegen::compiler_hangs& hangs) {
    if (!on.do_without_compiler(hangs.what())) throw;
    return nullptr;
  }
  return k.release();
}

loaded_kernel compiled_step::compile(const codegen::variant& v, const codegen::compiler& with, device_impl& on,
                                     codegen::dialect language) const {
  const std::string source = codegen::emit(step.kernel, v, codegen::target_here(language));
  codegen::image_origin from{};
  const stopwatch watch;
  const loaded_kernel code = kernel_of(source, step.kernel, v, with, on, from);
  if (from == codegen::image_origin::memory) return code;
  if (recorded()) note_compilation({this, from, watch.began(), source.size()});
  const bool disk = from == codegen::image_origin::disk;
  bump(disk ? counter::disk_hits : counter::compiles);
  if (log_level() >= 1)
    log(1, "%s a kernel of %zu values in %.1f ms: %s", disk ? "read" : "compiled", step.kernel.values.size(),
        watch.milliseconds(), title_of(*this).c_str());
  log(3, "%s", source.c_str());
  return code;
}

std::string title_of(const compiled_step& s) {
  constexpr std::size_t most = 160;  // formulas have no end; this much tells them apart
  std::string formula = codegen::formula(s.step.kernel);
  if (formula.size() > most) formula.replace(most - 4, std::string::npos, " ...");
  return std::string(codegen::name(s.form)) + " of " + formula;
}

}  // namespace sinter::runtime
