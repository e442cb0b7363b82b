// An element of both is an answer in whole numbers to offset_a + sum(stride_a * i) = offset_b + sum(stride_b * j), each index
// within its extent. With b's terms on the left and negative strides turned round that is sum(c * x) = rest with all c > 0 and
// 0 <= x <= most. NumPy's solve_may_share_memory searches the same way: largest c first, and only those x for which the
// terms that are left can still make up the rest, by size and modulo their greatest common divisor.
#include "runtime/frontend/overlap.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "runtime/frontend/nodes.hpp"

namespace sinter::runtime {

using detail::array_node;

namespace {

class equation {
 public:
  /// Side 1 adds the array's terms, side -1 those of the array it is equal to.
  void add(const array_node& a, int side) {
    rest_ -= side * static_cast<int128>(a.offset);
    for (int d = 0; d < a.extents.size(); ++d) {
      const std::int64_t most = a.extents[d] - 1, stride = side * a.strides[d];
      if (most == 0 || stride == 0) continue;
      if (stride < 0) rest_ -= static_cast<int128>(stride) * most;  // x counts from the other end
      add(stride < 0 ? -stride : stride, most);
    }
  }

  bool solvable() {
    std::sort(terms_, terms_ + count_, [](const term& a, const term& b) { return a.factor > b.factor; });
    terms_[count_] = {};
    for (int k = count_ - 1; k >= 0; --k) {
      terms_[k].divisor = std::gcd(terms_[k].factor, terms_[k + 1].divisor);
      terms_[k].reach = terms_[k + 1].reach + static_cast<int128>(terms_[k].factor) * terms_[k].most;
    }
    return search(0, rest_);
  }

 private:
  struct term {
    std::int64_t factor = 0, most = 0;
    std::int64_t divisor = 0;  // the greatest that this and all smaller factors have in common
    int128 reach = 0;          // the most that they add up to
  };

  void add(std::int64_t factor, std::int64_t most) {
    for (int k = 0; k < count_; ++k)
      if (terms_[k].factor == factor) {
        terms_[k].most += most;
        return;
      }
    terms_[count_++] = {factor, most};
  }

  // The x below `modulus` with factor * x = rest modulo it; both have been divided by what they have in common.
  static std::int64_t congruent(std::int64_t factor, int128 rest, std::int64_t modulus) {
    std::int64_t r = modulus, next = factor % modulus, inverse = 0, next_inverse = 1;
    while (next != 0) {
      const std::int64_t quotient = r / next;
      r = std::exchange(next, r - quotient * next);
      inverse = std::exchange(next_inverse, inverse - quotient * next_inverse);
    }
    const int128 x = rest % modulus * inverse % modulus;
    return static_cast<std::int64_t>(x < 0 ? x + modulus : x);
  }

  bool search(int k, int128 rest) {
    if (rest < 0 || rest > terms_[k].reach) return false;
    if (rest == 0) return true;
    const term &t = terms_[k], &after = terms_[k + 1];
    if (rest % t.divisor != 0) return false;
    if (k == count_ - 1) return true;  // x = rest / factor, which is within its reach
    const std::int64_t step = after.divisor / t.divisor;
    const int128 least = rest > after.reach ? (rest - after.reach + t.factor - 1) / t.factor : 0;
    const int128 highest = std::min<int128>(t.most, rest / t.factor);
    int128 x = congruent(t.factor / t.divisor, rest / t.divisor, step);
    if (x < least) x += (least - x + step - 1) / step * step;
    for (; x <= highest; x += step) {
      if (++steps_ > most_steps) return true;
      if (search(k + 1, rest - x * t.factor)) return true;
    }
    return false;
  }

  static constexpr int most_steps = 1000;
  term terms_[2 * max_rank + 1];
  int count_ = 0, steps_ = 0;
  int128 rest_ = 0;
};

}  // namespace

reach reach_of(const array_node& a) {
  reach r{a.offset, a.offset};
  for (int d = 0; d < a.extents.size(); ++d) {
    const std::int64_t far = a.strides[d] * (a.extents[d] - 1);
    (far < 0 ? r.low : r.high) += far;
  }
  return r;
}

namespace {

// Of views of one storage as elements of different sizes only where they begin and end is looked at.
bool bytes_overlap(const array_node& a, const array_node& b) {
  const reach of_a = reach_of(a), of_b = reach_of(b);
  const std::int64_t size_a = itemsize(a.type), size_b = itemsize(b.type);
  return (of_a.high + 1) * size_a > of_b.low * size_b && (of_b.high + 1) * size_b > of_a.low * size_a;
}

}  // namespace

bool overlap(const array_node& a, const array_node& b) {
  if (a.extents.elements() == 0 || b.extents.elements() == 0) return false;
  if (itemsize(a.type) != itemsize(b.type)) return bytes_overlap(a, b);
  const reach of_a = reach_of(a), of_b = reach_of(b);
  if (of_a.high < of_b.low || of_b.high < of_a.low) return false;
  equation e;
  e.add(a, 1);
  e.add(b, -1);
  return e.solvable();
}

bool same_elements(const array_node& a, const array_node& b) {
  return a.type == b.type && a.offset == b.offset && a.extents == b.extents &&
         std::equal(a.strides, a.strides + a.extents.size(), b.strides);
}

bool is_within(const array_node& a, const array_node& whole) {
  if (a.extents.elements() == 0) return true;
  const reach of_a = reach_of(a), all = reach_of(whole);
  return of_a.low >= all.low && of_a.high <= all.high;
}

}  // namespace sinter::runtime
