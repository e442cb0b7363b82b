// Arrays and mdspans, of the standard library where it has them, and of CCCL where the CUDA toolkit is.
#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include <sinter/mdspan.hpp>
#include <sinter/sinter.hpp>

#if __has_include(<cuda/std/mdspan>)
#include <cuda/std/mdspan>
#endif

namespace {

using namespace sinter;

[[maybe_unused]] bool is_on_host() { return device::current().type() != device::kind::cuda; }

}  // namespace

#if __has_include(<cuda/std/mdspan>)
TEST_CASE("mdspans: of another library, both ways and of any strides") {
  if (!is_on_host()) return;
  using extents = cuda::std::dextents<int, 2>;
  using strided = cuda::std::mdspan<double, extents, cuda::std::layout_stride>;
  using strided_const = cuda::std::mdspan<const double, extents, cuda::std::layout_stride>;
  array<double> a = (arange(6) * 1.0).reshape(2, 3);
  const array<double> t = a.T();
  const auto seen = as_mdspan<strided_const>(t);
  CHECK(seen.extent(0) == 3);
  CHECK(seen(2, 1) == 5);
  as_mdspan<strided>(a)(0, 1) = 10;
  CHECK(a(0, 1).item() == 10);
  CHECK(t(1, 0).item() == 1);  // what shared the elements keeps them
  CHECK(from_mdspan(as_mdspan<strided>(a), no_keeper{}, device::current()).get() == a.get());

  std::vector<float> memory{1, 2, 3, 4, 5, 6};
  const cuda::std::mdspan<float, extents, cuda::std::layout_left> columns(memory.data(), 2, 3);
  array<float> view = from_mdspan(columns, no_keeper{}, device::current());
  CHECK(view.get() == std::vector<float>{1, 3, 5, 2, 4, 6});
  view(1, 2) = 60;
  CHECK(memory[5] == 60);
  const cuda::std::mdspan<float, cuda::std::extents<int, 3>> fixed(memory.data());
  CHECK(from_mdspan(fixed, no_keeper{}, device::current()).shape() == shape{3});
  const cuda::std::mdspan<float, cuda::std::dextents<int, 0>> one(memory.data());
  CHECK(from_mdspan(one, no_keeper{}, device::current()).item() == 1);
  array<double> row = a(0);
  CHECK_THROWS_AS((void)as_mdspan<strided>(row), shape_error);
}
#endif

#ifdef __cpp_lib_mdspan
TEST_CASE("mdspans: of the standard library") {
  if (!is_on_host()) return;
  array<double> a = (arange(6) * 1.0).reshape(2, 3);
  const array<double> t = a.T();
  CHECK(as_mdspan<2>(t)[2, 1] == 5);
  as_mdspan<2>(a)[0, 1] = 10;
  CHECK(a(0, 1).item() == 10);
  CHECK(t(1, 0).item() == 1);
  CHECK(from_mdspan(as_mdspan<2>(a), no_keeper{}, device::current()).get() == a.get());
}
#endif
