// The fuzzer itself: that it sees a difference where there is one, and that what it says about one can be used.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include <sinter/index.hpp>

#include "test/fuzz/calls.hpp"
#include "test/fuzz/compare.hpp"
#include "test/fuzz/generate.hpp"
#include "test/fuzz/print.hpp"
#include "test/fuzz/shrink.hpp"

namespace {

using namespace sinter;
using namespace sinter::fuzz;

template <class T>
snapshot value_of_elements(const std::vector<T>& elements) {
  snapshot s{dtype_of<T>, shape(elements.size()), std::vector<std::byte>(elements.size() * sizeof(T))};
  std::memcpy(s.elements.data(), elements.data(), s.elements.size());
  return s;
}
step input_of(const std::vector<float>& elements) {
  step s;
  s.extents = {static_cast<std::int64_t>(elements.size())};
  s.elements = value_of_elements(elements).elements;
  return s;
}
step made_by(form what, std::vector<operand> operands) {
  step s;
  s.what = what;
  s.operands = std::move(operands);
  return s;
}

// The sum of a square that has no name, and a store of a part of an array, turned round, into another part.
program example() {
  program p;
  p.steps = {input_of({1.5f, -0.0f, 3}), made_by(form::apply, {{0}, {-1, number_of(2.0)}}),
             made_by(form::reduce, {{1}}), made_by(form::view, {{0}}), made_by(form::store, {{0}, {3}})};
  p.steps[1].code = op::power;
  p.steps[1].temporary = p.steps[3].temporary = true;
  p.steps[2].axes = {-1};
  p.steps[2].keepdims = true;
  p.steps[3].items = {detail::to_index(slice(2, 0, -1))};
  p.steps[4].items = {detail::to_index(slice(_, 2))};
  p.results = {2, 0};
  return p;
}

}  // namespace

TEST_CASE("fuzz: a program as statements") {
  REQUIRE(outlines_of(example()));
  CHECK(cpp_text(example()) ==
        "array<float> v0 = asarray(std::vector<float>{1.5f, -0.0f, 3.0f}, {3});\n"
        "auto v2 = sum<float>(power(v0, 2.0), {.axis = {-1}, .keepdims = true});\n"
        "v0(slice(_, 2)) = v0(slice(2, 0, -1));\n"
        "auto [r0, r1] = eval(v2, v0);\n"
        "std::cout << r0 << '\\n';\n"
        "std::cout << r1 << '\\n';\n");
  CHECK(python_text(example()) ==
        "v0 = np.array([1.5, -0.0, 3.0], np.float32).reshape((3,))\n"
        "v1 = sn.power(v0, 2.0)\n"
        "v2 = sn.sum(v1, axis=(-1,), keepdims=True, dtype=np.float32)\n"
        "v3 = np.array(v0[2:0:-1])\n"
        "v0[:2] = sn.astype(v3, v0.dtype)\n"
        "print(v2)\n"
        "print(v0)\n");
}

TEST_CASE("fuzz: scans, gathers and stores through indices and masks as statements") {
  program p;
  p.steps = {input_of({1, 2, 3}), made_by(form::scan, {{0}}), made_by(form::cast, {{0}}),
             made_by(form::pick, {{1}, {2}}), made_by(form::store, {{0}, {-1, number_of(0.5)}, {2}})};
  p.steps[1].scanning = detail::reduction::max;
  p.steps[1].axes = {-1};
  p.steps[2].type = dtype::int64;
  detail::index_item first = detail::index_of_kind(detail::index_item::integers);
  first.start = 0;
  p.steps[3].items = {first, detail::to_index(newaxis)};
  p.steps[4].items = {first};
  p.steps[4].updates = true;
  p.results = {3, 0};
  REQUIRE(outlines_of(p));
  CHECK((*outlines_of(p))[3].extents == shape{3, 1});
  CHECK(cpp_text(p).find("auto v1 = cummax(v0, -1);\n"
                         "auto v2 = astype<std::int64_t>(v0);\n"
                         "auto v3 = v1(astype<std::int64_t>(v2) % 6LL - 3LL, newaxis);\n"
                         "v0(astype<std::int64_t>(v2) % 6LL - 3LL) += 0.5;\n") != std::string::npos);
  CHECK(python_text(p).find("v1 = np.maximum.accumulate(sn.astype(v0, np.float32), -1, dtype=np.float32)\n") !=
        std::string::npos);
  p.steps[2].type = dtype::bool_;
  CHECK_FALSE(outlines_of(p));  // no integers
  p.steps[3] = made_by(form::cast, {{1}});
  p.steps[4].items = {};
  p.steps[4].into = storing::mask;
  REQUIRE(outlines_of(p));
  CHECK(cpp_text(p).find("v0(v2) += 0.5;\n") != std::string::npos);
  CHECK(python_text(p).find("v0[v2] = sn.astype(sn.add(v0[v2], 0.5), v0.dtype)\n") != std::string::npos);
}

TEST_CASE("fuzz: parts of complex numbers, masks of reductions and calls as statements") {
  using complex = std::complex<double>;
  program p;
  p.steps = {input_of({1, 2, 3}),
             made_by(form::apply, {{0}, {-1, number_of(complex(0, 2))}}),
             made_by(form::array, {{1}}),
             made_by(form::store, {{2}, {-1, number_of(0.5)}}),
             made_by(form::apply, {{0}, {-1, number_of(2.0)}}),
             made_by(form::reduce, {{2}, {4}}),
             made_by(form::call, {{0}})};
  p.steps[3].into = storing::imag;
  p.steps[3].items = {detail::to_index(slice(_, 2))};
  p.steps[4].code = op::less;
  p.steps[5].type = dtype::complex64;
  p.steps[5].initial = 1;
  p.steps[6].axes = {0};
  p.steps[6].extents = {0, 0};
  p.results = {2, 5, 6};
  REQUIRE(outlines_of(p));
  CHECK((*outlines_of(p))[5].type == dtype::complex64);
  CHECK((*outlines_of(p))[6].extents == shape{2});
  CHECK(cpp_text(p).find("auto v1 = add(v0, std::complex<double>(0.0, 2.0));\n"
                         "array<std::complex<float>> v2 = v1;\n"
                         "v2(slice(_, 2)).imag() = 0.5;\n"
                         "auto v4 = less(v0, 2.0);\n"
                         "auto v5 = sum<std::complex<float>>(v2, {.initial = 1, .where = v4});\n"
                         "auto v6 = diff(v0, 1, 0);\n") != std::string::npos);
  CHECK(python_text(p).find("v2[:2] = sn.astype(sn.make_complex(np.real(v2[:2]), 0.5), v2.dtype)\n"
                            "v4 = sn.less(v0, 2.0)\n"
                            "v5 = sn.sum(v2, initial=1, where=v4, dtype=np.complex64)\n"
                            "v6 = np.diff(v0, 1, 0)\n") != std::string::npos);
  p.steps[3].into = storing::items;
  p.steps[5].operands.pop_back();
  p.steps[5].skips_nan = true;
  REQUIRE(outlines_of(p));
  CHECK(cpp_text(p).find("nansum<std::complex<float>>(v2, {.initial = 1})") != std::string::npos);
  p.steps[4].operands = {{2}, {-1, number_of(complex(1, 1))}};
  p.steps[4].code = op::floor_divide;
  CHECK_FALSE(outlines_of(p));  // of real numbers
}

TEST_CASE("fuzz: complex results may be apart by their size") {
  using complex = std::complex<float>;
  const auto differ = [](const step& s, const std::vector<complex>& from, complex got, complex wanted) {
    return !step_differs(s, {value_of_elements(from)}, value_of_elements<complex>({got}),
                         value_of_elements<complex>({wanted}), judge::device)
                .empty();
  };
  step s = made_by(form::apply, {{0}});
  s.code = op::exp;
  CHECK_FALSE(differ(s, {{0, 0}}, {1e6f, 0.01f}, {1e6f, 0.02f}));
  CHECK(differ(s, {{0, 0}}, {1e6f, 1}, {1e6f, 2}));
  CHECK(differ(s, {{0, 0}}, {1, INFINITY}, {1, 2}));
  s.code = op::negative;
  CHECK(differ(s, {{0, 0}}, {0, -0.0f}, {0, 0}));
  step sum = made_by(form::reduce, {{0}});
  sum.type = dtype::complex64;
  CHECK_FALSE(differ(sum, {{1, 1}, {2, -1}}, {3, 1e-8f}, {3, 0}));
  CHECK(differ(sum, {{1, 1}, {2, -1}}, {3, 1e-3f}, {3, 0}));
}

TEST_CASE("fuzz: a temporary has one user, and no store comes between") {
  program p = example();
  CHECK(may_be_temporary(p, 1));
  CHECK_FALSE(may_be_temporary(p, 0));
  CHECK_FALSE(may_be_temporary(p, 2));  // used after the store
  p.results.push_back(1);
  CHECK_FALSE(may_be_temporary(p, 1));
  CHECK_FALSE(outlines_of(p));
}

TEST_CASE("fuzz: what a step may give is known to the last bit that counts") {
  const float one = 1, next = std::nextafter(one, 2.0f), nan = std::nanf("");
  const auto differ = [](const step& s, const snapshot& from, std::vector<float> got, std::vector<float> wanted) {
    return !step_differs(s, {from}, value_of_elements(got), value_of_elements(wanted), judge::device).empty();
  };
  const snapshot ones = value_of_elements(std::vector<float>(100, 1.0f));
  step s = made_by(form::apply, {{0}});
  s.code = op::sqrt;
  CHECK(differ(s, ones, {next}, {one}));
  CHECK(differ(s, ones, {0.0f}, {-0.0f}));
  CHECK_FALSE(differ(s, ones, {nan}, {-nan}));
  s.code = op::exp;
  CHECK_FALSE(differ(s, ones, {next}, {one}));
  CHECK(differ(s, ones, {one + 100 * (next - one)}, {one}));
  step sum = made_by(form::reduce, {{0}});
  CHECK_FALSE(differ(sum, ones, {std::nextafter(100.0f, 0.0f)}, {100}));
  CHECK(differ(sum, ones, {99}, {100}));
  CHECK(differ(sum, ones, {nan}, {100}));
  step running = made_by(form::scan, {{0}});
  running.axes = {0};
  const snapshot two = value_of_elements(std::vector<float>{1, 1e-9f});
  CHECK_FALSE(differ(running, two, {1, next}, {1, 1}));
  CHECK(differ(running, two, {1, 1 + 20 * (next - one)}, {1, 1}));
  CHECK(differ(running, two, {1, nan}, {1, 1}));
  running.scanning = detail::reduction::max;
  CHECK(differ(running, two, {1, next}, {1, 1}));
  const float most = std::numeric_limits<float>::max();
  CHECK_FALSE(
      differ(sum, value_of_elements(std::vector<float>{most, most, -most}), {most}, {INFINITY}));  // by the order
}

namespace {

int calling(const std::string& name) {
  step s;
  for (s.calling = 0; s.calling < call_count(); ++s.calling)
    if (row_of(s).name == name) return s.calling;
  FAIL("no row ", name);
  return 0;
}
step call_of(const char* name, std::vector<operand> operands, std::vector<std::int64_t> numbers = {0, 0}) {
  step s = made_by(form::call, std::move(operands));
  s.calling = calling(name);
  s.axes = {0};
  s.extents = std::move(numbers);
  return s;
}

}  // namespace

TEST_CASE("fuzz: calls of libraries and puts as statements") {
  program p;
  p.steps = {input_of({4, 1, 3, 2}),
             made_by(form::reshape, {{0}}),
             call_of("matmul", {{1}, {1}}, {2, 0}),
             call_of("transform", {{0}}, {1, 1}),
             call_of("einsum of two", {{1}, {1}}),
             call_of("inv", {{1}}),
             made_by(form::cast, {{0}}),
             made_by(form::store, {{0}, {2}, {6}})};
  p.steps[1].extents = {2, 2};
  p.steps[6].type = dtype::int32;
  p.steps[7].into = storing::put;
  p.results = {0, 3, 4, 5};
  REQUIRE(outlines_of(p));
  CHECK((*outlines_of(p))[3].extents == shape{7});
  CHECK((*outlines_of(p))[3].type == dtype::complex64);
  CHECK(cpp_text(p).find("auto v2 = matmul(v1, matrix_transpose(v1));\n"
                         "auto v3 = fft::fft(v0, {.n = v0.shape()[0] + 3, .axis = 0, .norm = fft::norm::ortho});\n"
                         "auto v4 = einsum(\"ij,kj->ik\", v1, v1);\n") != std::string::npos);
  CHECK(cpp_text(p).find("put(v0, astype<std::int64_t>(v6) % 8LL - 4LL, v2);\n") != std::string::npos);
  CHECK(python_text(p).find("v2 = np.matmul(sn.astype(v1, np.float32), fz.turned(sn.astype(v1, np.float32)))\n"
                            "v3 = fz.transform(np.fft.fft, v0, 1, 0, \"ortho\", np.complex64)\n") != std::string::npos);
  CHECK(python_text(p).find("v5 = np.linalg.inv(fz.well_behaved(v1, np.float32))\n") != std::string::npos);
  CHECK(python_text(p).find(
            "np.put(v0, (np.remainder(sn.astype(v6, np.int64), 2 * 4) - 4), sn.astype(v2, v0.dtype))\n") !=
        std::string::npos);
  p.steps[7].operands[2] = {0};
  CHECK_FALSE(outlines_of(p));  // places are integers
}

TEST_CASE("fuzz: what a call leaves open is followed through a program") {
  const auto matrix = [](const std::vector<float>& elements) {
    snapshot s = value_of_elements(elements);
    s.extents = shape{2, 2};
    return s;
  };
  const snapshot whole = matrix({1, 2, 3, 4}), parts = matrix({0.1f, 0.2f, 0.3f, 0.4f}),
                 result = matrix({7, 10, 15, 22});
  const step product = call_of("matmul", {{0}, {0}});
  const long double signs = slack_of(product, {whole, whole}, {0, 0}, result, true);
  CHECK(signs > 0);
  CHECK(differ_by_more(matrix({0, 1, 2, 3}), matrix({-0.0f, 1, 2, 3}), signs).empty());
  CHECK_FALSE(differ_by_more(matrix({0, 1, 2, 3}), matrix({0, 1, 2, std::nextafter(3.0f, 4.0f)}), signs).empty());
  const long double slack = slack_of(product, {parts, parts}, {0, 0}, parts, true);
  CHECK((slack > 1e-8L && slack < 1e-5L));
  step on = made_by(form::apply, {{0}, {-1, number_of(8.0)}});
  on.code = op::multiply;
  const long double longer = slack_of(on, {parts}, {slack}, result, true);
  CHECK((longer >= 8 * slack && longer < 1e-3L));
  CHECK(slack_of(on, {parts}, {0}, result, true) == 0);
  CHECK(slack_of(made_by(form::transpose, {{0}}), {parts}, {slack}, parts, true) == slack);
  on = made_by(form::apply, {{0}});
  on.code = op::exp;
  CHECK(std::isinf(slack_of(on, {parts}, {slack}, parts, true)));
  const snapshot places = value_of_elements(std::vector<std::int64_t>{0, 1, 0, 1});
  const step order = call_of("argsort", {{0}});
  CHECK(slack_of(order, {whole}, {signs}, places, true) == 0);
  CHECK(std::isinf(slack_of(order, {parts}, {slack}, places, true)));
}

TEST_CASE("fuzz: a failing program becomes a small one") {
  const auto fails = [](const program& p) {
    for (const step& s : p.steps)
      if (s.what == form::reduce && s.folding == fold::prod) return true;
    return false;
  };
  int shrunk = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const program p = generate(seed);
    REQUIRE(outlines_of(p));
    if (!fails(p)) continue;
    const program small = shrink(p, fails);
    INFO("seed ", seed, "\n", cpp_text(small));
    CHECK(fails(small));
    CHECK(small.steps.size() == 2);
    CHECK((*outlines_of(small))[0].extents.elements() <= 1);
    ++shrunk;
  }
  CHECK(shrunk > 3);
}
