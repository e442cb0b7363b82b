// Reductions, rows and scans.
#include <sinter/reduce.hpp>

#include "test/fuzz/author.hpp"

namespace sinter::fuzz {

bool author::reduce(int from) {
  step s;
  s.what = form::reduce;
  s.operands = {{from}};
  s.folding = static_cast<fold>(pick(std::size(fold_names)));
  if (s.folding > fold::sum && one_in(3)) s.folding = fold::sum;
  const dtype given = known(from).type;
  if (!facts_of(s.folding)) {
    s.type = one_in(6) ? detail::is_complex(given) ? dtype::complex64 : dtype::float32 : detail::mean_dtype(given);
    if (s.folding > fold::mean) s.type = detail::real_part_of(s.type);
  } else if (chooses_dtype(s.folding) && one_in(6)) s.type = types_[pick(types_.size())];
  else s.type = detail::reduced_dtype(static_cast<detail::reduction>(s.folding), given);
  s.keepdims = one_in(2);
  s.ddof = s.folding > fold::mean && one_in(3) ? 1 : 0;
  const int rank = known(from).extents.size();
  if (!one_in(4)) {
    s.axes.emplace();
    for (int d = 0; d < rank; ++d)
      if (one_in(2)) s.axes->push_back(one_in(4) ? d - rank : d);
  }
  if (s.axes && facts_of(s.folding) && facts_of(s.folding)->takes_position()) {
    if (rank == 0) s.axes.reset();
    else s.axes = {static_cast<int>(pick(rank))};
  }
  if (one_in(4)) choose_options(s);
  return add(std::move(s));
}

// A mask, a first value, or what leaves NaN out.
void author::choose_options(step& s) {
  if (takes_initial(s.folding) && one_in(2)) s.initial = pick(2);
  if (skips_nan(s.folding) && one_in(2)) s.skips_nan = true;
  else
    for (int tries = 0; tries < 6 && s.operands.size() < 2; ++tries)
      if (const int at = any(); known(at).type == dtype::bool_) {
        s.operands.push_back({at});
        if (!outline_of(s, known_)) s.operands.pop_back();
      }
}

// What is folded of rows used along the same rows, as in a softmax: once or twice.
bool author::rows(int from) {
  const int rank = known(from).extents.size();
  if (rank == 0) return false;
  const std::vector<int> axes = one_in(3) ? std::vector<int>() : std::vector<int>{static_cast<int>(pick(rank))};
  for (unsigned n = 1 + pick(2); n > 0; --n) {
    if (!reduce(from)) return false;
    step folded = p_.steps.back();
    drop_last();
    folded.keepdims = true;
    if (axes.empty()) folded.axes.reset();
    else folded.axes = axes;
    if (!add(std::move(folded))) return false;
    step use;
    use.what = form::apply;
    use.code = some_op(false);
    for (int i = 0; i < detail::facts(use.code).arity; ++i) use.operands.push_back({i == 0 ? from : count() - 1});
    if (!add(std::move(use))) return false;
    from = count() - 1;
  }
  return true;
}

// e / sum(e) of e = exp(x - max(x)), or the same of another fold and another function.
bool author::softmax(int from) {
  const int rank = known(from).extents.size();
  if (rank == 0 || how_.whole) return rows(from);
  const std::vector<int> axes{static_cast<int>(pick(rank))};
  const auto folded = [&](fold what, int of) {
    step s;
    s.what = form::reduce;
    s.operands = {{of}};
    s.folding = what;
    s.type = detail::reduced_dtype(static_cast<detail::reduction>(what), known(of).type);
    s.keepdims = true;
    s.axes = axes;
    return add(std::move(s));
  };
  const auto applied = [&](op code, std::vector<operand> operands) {
    step s;
    s.what = form::apply;
    s.code = code;
    s.operands = std::move(operands);
    return add(std::move(s));
  };
  if (!folded(fold::max, from) || !applied(op::subtract, {{from}, {count() - 1}})) return false;
  static constexpr op functions[] = {op::exp, op::exp, op::tanh, op::square};
  if (!applied(one_of(functions), {{count() - 1}})) return false;
  const int e = count() - 1;
  return folded(fold::sum, e) && applied(op::divide, {{e}, {count() - 1}});
}

// ptp, or count_nonzero: what is made of other steps.
bool author::spread(int from) {
  step first, second, last;
  last.what = form::apply;
  if (!reduce(from)) return false;
  first = p_.steps.back();
  drop_last();
  if (one_in(2)) {
    step truth;
    truth.what = form::cast;
    truth.type = dtype::bool_;
    truth.operands = {{from}};
    first.folding = fold::sum;
    first.type = dtype::int64;
    first.ddof = 0;
    first.operands = {{count()}};
    return add(std::move(truth)) && add(std::move(first));
  }
  first.folding = fold::max;
  first.type = known(from).type;
  first.ddof = 0;
  second = first;
  second.folding = fold::min;
  last.code = op::subtract;
  last.operands = {{count()}, {count() + 1}};
  return add(std::move(first)) && add(std::move(second)) && add(std::move(last));
}

bool author::scan(int from) {
  using detail::reduction;
  static constexpr reduction all[] = {reduction::sum, reduction::sum, reduction::prod,
                                      reduction::min, reduction::max, reduction::logaddexp};
  step s;
  s.what = form::scan;
  s.operands = {{from}};
  s.scanning = one_of(all);
  const dtype given = known(from).type;
  s.type = s.scanning == reduction::logaddexp ? detail::mean_dtype(given) : detail::reduced_dtype(s.scanning, given);
  if (detail::facts(s.scanning).gives == detail::folded_dtype::sums && one_in(6)) s.type = types_[pick(types_.size())];
  const int rank = known(from).extents.size();
  if (rank > 0 && !one_in(5)) s.axes = {static_cast<int>(pick(rank)) - (one_in(4) ? rank : 0)};
  return add(std::move(s));
}

}  // namespace sinter::fuzz
