// The errors of the library: which class, what the message says - what was asked, with shapes and dtypes, what is
// allowed, where - and that a call that failed changed nothing.
#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <utility>

#include "test/codegen/scratch.hpp"
#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using floats = std::vector<float>;

static_assert(std::is_base_of_v<std::exception, error>);
template <class... E>
constexpr bool errors = (std::is_base_of_v<error, E> && ...);
static_assert(errors<shape_error, dtype_error, index_error, out_of_memory, compile_error, device_error, io_error,
                     internal_error>);
static_assert(std::is_base_of_v<device_error, device_lost> && !std::is_base_of_v<shape_error, index_error>);

/// The message of the error of class E that f throws.
template <class E, class F>
std::string message_of(F f) {
  try {
    if constexpr (std::is_void_v<decltype(f())>) f();
    else static_cast<void>(f().shape());
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& other) {
    return std::string("another class: ") + other.what();
  }
  return "nothing was thrown";
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
std::string here(int line) { return "errors.cpp:" + std::to_string(line); }

/// Does f throw because what it uses was moved from?
template <class F>
bool moved(F f) {
  return has(message_of<error>(f), "was moved from");
}

constexpr std::int64_t one = 1;

}  // namespace

TEST_CASE("errors: shapes that do not broadcast, with both of them and the place") {
  const array<float> a = zeros<float>({2, 3}), b = zeros<float>({4}), c = zeros<float>({2, 3});
  const int line = __LINE__ + 1;
  const std::string said = message_of<shape_error>([&] { array<float> r = a * c + b; });
  CHECK(has(said, "(2, 3) and (4,)"));
  CHECK(has(said, "broadcast"));
  CHECK(has(said, here(line)));
  CHECK(has(message_of<shape_error>([&] { return exp(a) + exp(b); }), "(2, 3) and (4,)"));
  CHECK(has(message_of<shape_error>([&] { return where(a > 0, b, c); }), "(2, 3) and (4,)"));
  CHECK(has(message_of<shape_error>([&] { eval(a + b, a); }), "(2, 3) and (4,)"));
  CHECK(has(message_of<shape_error>([&] { return sum(a + b); }), "(2, 3) and (4,)"));
  array<float> target = a;
  CHECK(has(message_of<shape_error>([&] { target += b; }), "(2, 3) and (4,)"));
  CHECK(has(message_of<shape_error>([&] { target(_, 0) = b; }), "(4,)"));
  CHECK(has(message_of<shape_error>([&] { target(_, 0) = b; }), "(2,)"));
  CHECK(target.get() == a.get());
}

TEST_CASE("errors: items, host memory and lists of the wrong size") {
  array<float> a = zeros<float>({2, 3});
  const int line = __LINE__ + 1;
  CHECK(has(message_of<shape_error>([&] { static_cast<void>(a.item()); }), here(line)));
  CHECK(has(message_of<shape_error>([&] { static_cast<void>(a.item()); }), "(2, 3)"));
  CHECK(has(message_of<shape_error>([&] { static_cast<void>(float(a + 1)); }), "(2, 3)"));
  CHECK(has(message_of<shape_error>([&] { a.set(floats(5)); }), "5 elements do not fill shape (2, 3)"));
  floats five(5);
  CHECK(has(message_of<shape_error>([&] { a.get(five); }), "5 elements do not fill shape (2, 3)"));
  CHECK(has(message_of<shape_error>([&] { return asarray(five, {2, 3}); }), "5 elements do not fill shape (2, 3)"));
  CHECK(has(message_of<shape_error>([&] { return array<int>{{1, 2}, {3}}; }), "differ in length"));
  CHECK(a.get() == floats(6));
}

TEST_CASE("errors: shapes that cannot be") {
  CHECK(has(message_of<shape_error>([] { return zeros({2, -1}); }), "-1"));
  CHECK(has(message_of<shape_error>([] { return zeros({1, 1, 1, 1, 1, 1, 1, 1, 1}); }), "at most 8"));
  CHECK(has(message_of<shape_error>([] { return zeros(std::vector<int>{2, -3}); }), "-3"));
  CHECK(ones(std::vector<int>{2, 3}).shape() == shape{2, 3});
  CHECK(has(message_of<shape_error>([] { return arange(0, 5, 0); }), "step of zero"));
  CHECK(has(message_of<shape_error>([] { return arange(0.0, 1.0, 0.0); }), "no length"));
  CHECK(has(message_of<shape_error>([] { return linspace(0, 1, -5); }), "-5"));
  CHECK(has(message_of<shape_error>([] { return eye(-2); }), "-2"));
}

TEST_CASE("errors: more elements than can be counted") {
  const array<float> x{1};
  const auto refused = [](auto f) {
    try {
      f();
    } catch (const shape_error&) {
      return true;
    } catch (const out_of_memory&) {
      return true;
    }
    return false;
  };
  CHECK(refused([] { return empty<float>({one << 40, one << 40}); }));
  CHECK(refused([] { return empty<double>({one << 61}); }));
  CHECK(refused([] { return empty<double>({one << 62, one * 4, one * 2}); }));
  CHECK(refused([] { return empty<float>({3'037'000'500, 3'037'000'500, one * 2}); }));
  CHECK(refused([&] { return array<float>(broadcast_to(x, {one << 40, one << 40})); }));
  CHECK(refused([&] { return array<float>(broadcast_to(x, {one << 40, one}) + broadcast_to(x, {one << 40})); }));
  CHECK(refused([] { return asarray(std::vector<float>(), {one << 40, one << 40}); }));
  // NumPy counts the extents beside one of 0 as well.
  CHECK(refused([] { return zeros({one * 0, one << 32, one << 32}); }));
  CHECK(refused([] { return zeros({one << 62, one * 0, one << 62}); }));
  CHECK_FALSE(refused([] { return zeros({one * 0, one << 58}); }));
  CHECK_FALSE(refused([] { return zeros({one << 29, one * 0, one << 29}); }));
}

TEST_CASE("errors: products of extents that would wrap round to what is there") {
  const array<int> six = arange<int>(6), none = zeros<int>({0}), thin = zeros<int>({0, 3});
  const std::int64_t third = 6'148'914'691'236'517'206;  // times 9 is 6, in 64 bits
  CHECK_THROWS_AS(six.reshape({third, 9}), shape_error);
  CHECK_THROWS_AS((six + 1).reshape({third, 9}), shape_error);
  CHECK_THROWS_AS(reshape(six, {third, one * 9}), shape_error);
  CHECK_THROWS_AS(none.reshape({one << 32, one << 32}), shape_error);
  CHECK_THROWS_AS((none + 1).reshape({one << 32, one << 32}), shape_error);
  CHECK_THROWS_AS(none.reshape({0, one << 32, one << 32}), shape_error);
  CHECK_THROWS_AS(six.reshape({one << 32, one << 32, -1}), shape_error);
  CHECK_THROWS_AS(asarray(std::vector<int>(6), {third, one * 9}), shape_error);
  CHECK_THROWS_AS(broadcast_to(six, {one << 60, one * 6}), shape_error);
  CHECK_THROWS_AS(broadcast_to(zeros<int>({1}), {one * 0, one << 32, one << 32}), shape_error);
  CHECK_THROWS_AS(strided_span<int>(nullptr, {one << 32, one << 32}, {1, 1}), shape_error);
  CHECK_THROWS_AS(empty_pinned<float>({one << 32, one << 32}), shape_error);
  CHECK_THROWS_AS(arange(INT64_MIN, INT64_MAX), shape_error);
  CHECK_THROWS_AS(arange(one << 62), shape_error);
  shape written{2, 3};  // extents written afterwards
  written[0] = third;
  written[1] = 9;
  CHECK_THROWS_AS(zeros(written), shape_error);
  CHECK_THROWS_AS(six.reshape(written), shape_error);
  CHECK_THROWS_AS(broadcast_to(six(0), written), shape_error);
  CHECK_THROWS_AS(asarray(std::vector<int>(6), written), shape_error);
  CHECK_THROWS_AS(zeros_pinned(written), shape_error);
  // Neither of these is too large, and what they give together is.
  const array<int> dot = zeros<int>({1});
  const auto wide = broadcast_to(dot, {1, one << 40}), tall = broadcast_to(dot, {one << 40, 1});
  CHECK_THROWS_AS((wide + tall).size(), shape_error);
  CHECK_THROWS_AS(where(wide > 0, tall, 1).ravel(), shape_error);
  CHECK_THROWS_AS(sum(wide * tall), shape_error);
  CHECK(wide.ravel().shape() == shape{one << 40});
  // -1 stands for one extent, and beside one of 0 for none.
  CHECK_THROWS_AS(thin.reshape({0, -1}), shape_error);
  CHECK_THROWS_AS(six.reshape({4, -1}), shape_error);
  CHECK_THROWS_AS(six.reshape({0, -1}), shape_error);
  CHECK(thin.reshape({3, -1}).shape() == shape{3, 0});
  CHECK(thin.reshape({-1}).shape() == shape{0});
  CHECK(thin.reshape({0, 7}).shape() == shape{0, 7});
  CHECK(has(message_of<shape_error>([&] { return six.reshape({4, -1}); }), "6 elements of shape (6,)"));
  // Steps that reach no second element may be of any size.
  CHECK(six(slice(_, _, INT64_MIN)).get() == std::vector<int>{5});
  CHECK(six(slice(1, _, INT64_MAX)).get() == std::vector<int>{1});
  CHECK((six + 0)(slice(_, _, INT64_MAX)).get() == std::vector<int>{0});
}

TEST_CASE("errors: indices, by axis and shape") {
  array<float> a = zeros<float>({2, 3});
  CHECK(has(message_of<index_error>([&] { a(2) = 1; }),
            "index 2 is out of range for axis 0 of an array of shape (2, 3)"));
  CHECK(has(message_of<index_error>([&] { return (a + 1)(0, 0, 0); }), "3 indices for an array of shape (2, 3)"));
  CHECK(has(message_of<index_error>([&] { return a(slice(_, _, 0)); }), "step of zero"));
  CHECK(a.get() == floats(6));
}

TEST_CASE("errors: dtypes that a call does not take") {
  const array<int> n{1, 2};
  CHECK(has(message_of<dtype_error>([&] { return n + (one << 33); }), "8589934592 does not fit int32"));
  CHECK(has(message_of<dtype_error>([&] { return n + (one << 33); }), "strong"));  // and what to do
  CHECK(has(message_of<dtype_error>([&] { return mean<int>(n); }), "int32"));
  CHECK(has(message_of<dtype_error>([&] { return stddev<std::int8_t>(n); }), "int8"));
}

TEST_CASE("errors: an expression that was moved from") {
  array<float> a = asarray(floats{1, 2, 3}), b = a.copy();
  auto e = a + b;
  const auto taken = std::move(e) * 2;
  CHECK(moved([&] { static_cast<void>(e.shape()); }));
  CHECK(moved([&] { static_cast<void>(e.get()); }));
  CHECK(moved([&] { array<float> r = e; }));
  CHECK(moved([&] { return e + 1; }));
  CHECK(moved([&] { return b - e; }));
  CHECK(moved([&] { return std::move(e) * 2; }));
  CHECK(moved([&] { return b - std::move(e); }));
  CHECK(moved([&] { return exp(b) - (std::move(e) - b); }));
  CHECK(moved([&] { return where(b > 0, std::move(e), b); }));
  CHECK(moved([&] { return sum(e); }));
  CHECK(moved([&] { return stddev(e, 0); }));
  CHECK(moved([&] { return e(0); }));
  CHECK(moved([&] { return e.reshape({3, 1}).T(); }));
  CHECK(moved([&] { return broadcast_to(e, {2, 3}); }));
  CHECK(moved([&] { a(0) = e; }));
  CHECK(moved([&] { a(ellipsis) = std::move(e); }));
  CHECK(moved([&] { a += e; }));
  CHECK(moved([&] { eval(a, e); }));
  CHECK(moved([&] { lazy<float> l = e; }));
  CHECK(moved([&] { explain(e); }));
  CHECK(moved([&] { dump(e); }));
  CHECK(moved([&] { to_dot(e); }));
  CHECK(moved([&] { std::ostringstream() << e; }));
  CHECK(moved([&] {
    auto twice = a * b;
    return std::move(twice) + std::move(twice);
  }));
  CHECK(moved([&] {
    auto thrice = a * b;
    return fma(std::move(thrice), b, std::move(thrice));
  }));
  CHECK(a.get() == floats{1, 2, 3});
  CHECK(taken.get() == floats{4, 8, 12});
  CHECK(holders_of(b) == 1);
}

TEST_CASE("errors: a lazy that was moved from") {
  array<float> a = asarray(floats{1, 2, 3});
  lazy<float> l = a * 3;
  const lazy<float> other = std::move(l);
  CHECK(moved([&] { static_cast<void>(l.item()); }));
  CHECK(moved([&] { return l + a; }));
  CHECK(moved([&] { return a + std::move(l); }));
  CHECK(moved([&] { return max(l); }));
  CHECK(moved([&] { return l(_, newaxis); }));
  CHECK(moved([&] { a(0) = l; }));
  CHECK(moved([&] { array<float> r = std::move(l); }));
  CHECK(moved([&] { static_cast<void>(l.to(device::current())); }));
  CHECK(moved([&] {
    const lazy<float> copy = l;
    static_cast<void>(copy.shape());
  }));
  CHECK(a.get() == floats{1, 2, 3});
  CHECK(other.get() == floats{3, 6, 9});
}

TEST_CASE("errors: a view that was moved from") {
  array<float> a = asarray(floats{1, 2, 3});
  auto&& s = a(slice(1, _));
  const auto from = std::move(s) + 1;
  CHECK(moved([&] { static_cast<void>(s.shape()); }));
  CHECK(moved([&] { return s + 1; }));
  CHECK(moved([&] { std::move(s) = 3; }));
  CHECK(moved([&] { std::move(s) += 3; }));
  CHECK(moved([&] { a(0) = std::move(s); }));
  CHECK(a.get() == floats{1, 2, 3});
  CHECK(from.get() == floats{3, 4});
}

TEST_CASE("errors: a store into a view whose array has another value by now") {
  const auto rebound = [](auto f) { return has(message_of<error>(f), "another value since"); };
  array<float> a = zeros<float>({1000});
  auto&& last = a(999);
  a = zeros<float>({2});
  CHECK(rebound([&] { std::move(last) = 3; }));
  CHECK(rebound([&] { std::move(last) += 3; }));
  CHECK(a.get() == floats{0, 0});
  CHECK(last.item() == 0);
  array<float> c = zeros<float>({4});
  auto&& whole = c(ellipsis);
  const array<float> d = std::move(c);
  CHECK(rebound([&] { std::move(whole) = 1; }));
  CHECK(d.get() == floats(4));
  // To a part of the same storage, which another array holds too.
  array<float> e = arange<float>(100);
  auto&& far = e(99);
  const array<float> kept = e;
  e = array<float>(e(slice(_, 2)));
  CHECK(rebound([&] { std::move(far) = 3; }));
  CHECK(e.get() == floats{0, 1});
  CHECK(kept(99).item() == 99);
}

TEST_CASE("errors: devices that are not there") {
  const device before = device::current();
  CHECK(has(message_of<device_error>([] { device_scope in(device::cuda(63)); }), "cuda:63"));
  CHECK(has(message_of<device_error>([] { device_scope in(device(device::kind::cpu, 3)); }), "cpu:3"));
  CHECK_FALSE(device::available(device::cuda(63)));
  CHECK_FALSE(device::available(device::cuda(-1)));
  CHECK(device::current() == before);
}

TEST_CASE("errors: operands on two devices") {
  if (device::current() == device::interpreter()) return;  // then there is but one that is always there
  array<float> here = asarray(floats{1, 2, 3}), there;
  {
    device_scope in(device::interpreter());
    there = asarray(floats{4, 5, 6});
  }
  CHECK(there.device() == device::interpreter());
  CHECK(has(message_of<device_error>([&] { static_cast<void>(array<float>(here + there)); }), "interpreter"));
  CHECK(has(message_of<device_error>([&] { here += there; }), "interpreter"));
  CHECK(has(message_of<device_error>([&] { here(slice(0, 2)) = there(slice(1, _)) * 2; }), "interpreter"));
  CHECK(has(message_of<device_error>([&] { eval(here + 1, there + 1); }), "interpreter"));
  CHECK(here.get() == floats{1, 2, 3});
  CHECK(there.get() == floats{4, 5, 6});
  CHECK(holders_of(here) == 1);
  there += 1;  // each works where it lives, whatever device is current
  here += 1;
  CHECK(array<float>(there * 2).device() == device::interpreter());
  CHECK(there.get() == floats{5, 6, 7});
  CHECK(array<float>(here * 2).device() == device::current());
}

TEST_CASE("errors: an exception is copied, assigned and kept") {
  std::exception_ptr kept;
  std::string said;
  try {
    zeros({2}).item();
  } catch (error& e) {
    said = e.what();
    kept = std::current_exception();
    error copy = e;
    error other("another");
    other = copy;
    CHECK(other.what() == said);
    other = error("a third");
    CHECK(copy.what() == said);
  }
  CHECK_THROWS_AS(std::rethrow_exception(kept), shape_error);
  const out_of_memory full("text", 3, 2, 1);
  const out_of_memory copied = full;
  CHECK(copied.asked == 3);
  CHECK(copied.in_use == 2);
  CHECK(copied.limit == 1);
}

TEST_CASE("errors: a device with no room says what was asked, what is in use and the limit") {
  const rerun child("process with a memory limit: out of memory", {{"SINTER_MEMORY_LIMIT", "64M"}});
  INFO(child.output);
  CHECK(child.ok);
}

TEST_CASE("process with a memory limit: out of memory" * doctest::skip()) {
  array<float> a = arange<float>(1 << 20);
  const array<float> held = a;
  try {
    array<float> r = zeros<float>({1 << 26});
    CHECK(false);
  } catch (const out_of_memory& e) {
    CHECK(e.asked == std::size_t{4} << 26);
    CHECK(e.limit == std::size_t{64} << 20);
    CHECK(e.in_use >= std::size_t{4} << 20);
    CHECK(e.in_use <= e.limit);
    CHECK(has(e.what(), "268,435,456 bytes"));
    CHECK(has(e.what(), "67,108,864 bytes"));
  }
  // Neither a result nor a write to storage that is held leaves anything behind when it fails.
  const auto fails = [](auto f) { return has(message_of<out_of_memory>(f), "limit"); };
  std::vector<array<float>> ballast;
  CHECK(fails([&] {
    for (;;) ballast.push_back(zeros<float>({1 << 20}));
  }));
  const std::size_t most = ballast.size();
  CHECK(fails([&] { a += 1; }));
  CHECK(fails([&] { a(0) = 5; }));
  CHECK(fails([&] { a(slice(1, _)) = a(slice(_, -1)); }));
  CHECK(fails([&] { a = sqrt(a); }));
  CHECK(fails([&] { static_cast<void>(eval(a * 2, a * 3)); }));
  CHECK(place_of(a) == place_of(held));
  CHECK(a(77).item() == 77);
  CHECK(a((1 << 20) - 1).item() == (1 << 20) - 1);
  ballast.resize(most > 4 ? most - 4 : 0);
  a += 1;  // there is room again
  CHECK(a(77).item() == 78);
  CHECK(held(77).item() == 77);
}

TEST_CASE("errors: a variable that makes no sense is named") {
  const std::pair<std::string, std::string> wrong[] = {
      {"SINTER_DEVICE", "gpu"}, {"SINTER_MATH", "exact"}, {"SINTER_MEMORY_LIMIT", "lots"}, {"SINTER_NUM_THREADS", "0"}};
  for (const auto& [variable, value] : wrong) {
    const auto of = device::current().type();
    if (variable == "SINTER_MATH" && of == device::kind::interpreter) continue;  // it has one way
    if (variable == "SINTER_NUM_THREADS" && of != device::kind::cpu) continue;
    INFO(variable);
    const rerun child("process with a variable that makes no sense",
                      {{variable, value}, {"SINTER_TEST_VARIABLE", variable}});
    INFO(child.output);
    CHECK(child.ok);
  }
}

TEST_CASE("process with a variable that makes no sense" * doctest::skip()) {
  const char* variable = std::getenv("SINTER_TEST_VARIABLE");
  REQUIRE(variable);
  const auto work = [] {
    const array<float> a{1, 2};
    static_cast<void>(array<float>(sqrt(a) + 1).get());
  };
  const std::string said = message_of<error>(work);
  CHECK(has(said, variable));
  CHECK(has(said, std::getenv(variable)));
  CHECK(message_of<error>(work) == said);  // the same again, not something half made
}

TEST_CASE("errors: a compiler's complaint carries its log, options and the numbered source") {
  if (device::current() != device::cpu())
    return;  // the other compiler is a library that cannot be exchanged for a script
  const scratch room;
  write_text(room / "compiler",
             "#!/bin/sh\nfor a; do case $a in -shared) echo 'kernel.c:1: error: boom' >&2; exit 1;; esac; done\nexec "
             "cc \"$@\"\n");
  std::filesystem::permissions(room / "compiler", std::filesystem::perms::owner_all);
  const rerun child("process with a compiler that complains: compile_error",
                    {{"SINTER_CC", room / "compiler"}, {"SINTER_CACHE_DIR", room / "cache"}});
  INFO(child.output);
  CHECK(child.ok);
}

TEST_CASE("process with a compiler that complains: compile_error" * doctest::skip()) {
  const array<float> a = asarray(floats{1, 2});
  const std::string said = message_of<compile_error>([&] { array<float> r = a * 2 + 1; });
  CHECK(has(said, "the kernel \"map: f32 -> f32, 1 axis\""));
  CHECK(has(said, "error: boom"));
  CHECK_FALSE(has(said, "\n"));
  const std::string file = read_text(said.substr(said.rfind(' ') + 1));
  CHECK(has(file, "log:"));
  CHECK(has(file, "-shared"));
  CHECK(has(file, "    1 | // Sinter"));
  CHECK(has(file, "sinter_kernel"));
  std::filesystem::remove(said.substr(said.rfind(' ') + 1));
  try {
    array<float> r = a * 3 + 1;
  } catch (const compile_error& e) {
    CHECK(has(e.log(), "kernel.c:1: error: boom"));
    CHECK(has(e.source(), "void sinter_kernel"));
  }
}

TEST_CASE(
    "errors: a compiler that hangs is stopped and not asked again; kernels that are there stay, others are "
    "interpreted") {
  if (device::current() != device::cpu()) return;
  const scratch room;
  // It makes two kernels and then waits for ever.
  write_text(room / "compiler", "#!/bin/sh\nfor a; do case $a in -shared) echo >>" + (room / "asked") +
                                    ";; esac; done\n[ $(wc -l <" + (room / "asked") +
                                    ") -le 2 ] || exec sleep 600\nexec cc \"$@\"\n");
  std::filesystem::permissions(room / "compiler", std::filesystem::perms::owner_all);
  const rerun child("process with a compiler that hangs: kernels are interpreted",
                    {{"SINTER_CC", room / "compiler"}, {"SINTER_CC_SECONDS", "2"}, {"SINTER_CACHE_DIR", ""}});
  INFO(child.output);
  CHECK(child.ok);
  CHECK(times_in(child.output, "was stopped after 2 s") == 1);
  CHECK(times_in(child.output, "it is not asked again") == 1);
  CHECK(times_in(read_text(room / "asked"), "\n") == 3);
}

TEST_CASE("process with a compiler that hangs: kernels are interpreted" * doctest::skip()) {
  const array<double> a = arange(200'000.0).reshape({2'000, 100});
  const auto columns = [&] { return sum(a, 0)(1).item(); };
  const auto both = [&] { return (a * 2 + 1)(1, 1).item() + sum(a - 1).item(); };
  const double down = 2'000 * 1.0 + 100 * (1'999.0 * 1'000), all = 199'999.0 * 100'000 - 200'000;
  CHECK(columns() == down);  // compiled, with the layout of compiled kernels
  CHECK((a + 1)(0, 1).item() == 2);
  CHECK(both() == 203 + all);  // interpreted
  CHECK(columns() == down);
  CHECK(both() == 203 + all);
  CHECK(max(a, 1)(3).item() == 399);
  CHECK(counters().compiles == 2);
}

TEST_CASE("errors: a SINTER_CC that is no compiler is named") {
  if (device::current() != device::cpu()) return;
  const rerun child("process without a C compiler", {{"SINTER_CC", "nonsense"}});
  INFO(child.output);
  CHECK(child.ok);
  CHECK(has(child.output, "sinter: SINTER_CC=nonsense names no program"));
}

TEST_CASE("process without a C compiler" * doctest::skip()) { CHECK((arange(3.0) * 2)(2).item() == 4); }

TEST_CASE("errors: messages name what to write instead") {
  const array<double> a{{1, 2, 3}, {4, 5, 6}};
  CHECK(has(message_of<shape_error>([&] {
              if (a == a) FAIL("no truth of six");
            }),
            "shape (2, 3) has no single item; a condition is all(m) or any(m)"));
  CHECK(has(message_of<index_error>([] { static_cast<void>(nonzero(full({}, 2.0))); }), "nonzero(atleast_1d(a))"));
  CHECK(message_of<shape_error>([&] { static_cast<void>(vecmat(a, a)); }) ==
        "sinter: vecmat of arrays of shapes (2, 3) and (2, 3): axis 1 of the first has 3 elements, axis 0 of the "
        "second 2");
}
