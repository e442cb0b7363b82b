// Arrays over memory of other owners, and arrays handed to others: DLPack, the CUDA array interface, spans, Eigen. Nothing is copied, and
// owners are told once, after all streams are done.
#include <doctest/doctest.h>

#include <complex>
#include <memory>
#include <optional>
#include <vector>

#include <sinter/cuda_array_interface.hpp>
#include <sinter/dlpack.hpp>
#include <sinter/eigen.hpp>
#include <sinter/graph.hpp>
#include <sinter/sinter.hpp>

#include "test/include/looking.hpp"

namespace {

using namespace sinter;
using namespace sinter::test;
using doubles = std::vector<double>;

bool is_gpu() { return device::current().type() == device::kind::cuda; }

/// Counts how often it has ended.
class counted_end {
 public:
  explicit counted_end(int& ends) : ends_(&ends) {}
  counted_end(counted_end&& other) noexcept : ends_(std::exchange(other.ends_, nullptr)) {}
  ~counted_end() {
    if (ends_) ++*ends_;
  }

 private:
  int* ends_;
};

/// Elements on the current device that Sinter takes for another owner's.
struct owned_elsewhere {
  explicit owned_elsewhere(const array<double>& values) : of(values.copy()) {}
  double* data() { return of.data(); }
  array<double> of;
};

/// As DLPack's own header has them, under the same names.
namespace theirs {
struct DLManagedTensor {
  dlpack::DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
}  // namespace theirs

dlpack::DLTensor tensor_of(double* data, std::int32_t axes, std::int64_t* extents, std::int64_t* strides) {
  const dlpack::DLDevice on{is_gpu() ? dlpack::kDLCUDA : dlpack::kDLCPU, 0};
  return {data, on, axes, {dlpack::kDLFloat, 64, 1}, extents, strides, 0};
}

}  // namespace

static_assert(sizeof(dlpack::DLTensor) == 48 && sizeof(dlpack::DLManagedTensor) == 64 &&
              sizeof(dlpack::DLManagedTensorVersioned) == 80 &&
              offsetof(dlpack::DLManagedTensorVersioned, dl_tensor) == 32);

TEST_CASE("foreign: an array over memory of another owner reads it, stores into it, and gives it back once") {
  int ends = 0;
  owned_elsewhere memory(arange(12) * 1.0);
  double* const data = memory.data();
  {
    array<double> a = from_memory(data, {3, 4}, counted_end(ends), device::current());
    CHECK(place_of(a) == data);
    CHECK(a.get() == memory.of.get());
    CHECK(sum(a).item() == 66);
    const array<double> part = a(1, slice(_, _, 2));
    a(0, 0) = 50;
    CHECK(place_of(a) == data);
    CHECK(part.get() == doubles{4, 6});
    a = zeros<double>({2});
    CHECK(ends == 0);
    CHECK(part.get() == doubles{4, 6});
  }
  CHECK(ends == 1);
  CHECK(memory.of(0).item() == 50);
}

TEST_CASE("foreign: memory of any layout") {
  owned_elsewhere memory(arange(12) * 1.0);
  double* const data = memory.data();
  int ends = 0;
  {
    const array<double> turned =
        from_memory(strided_span<double>(data + 11, {4, 3}, {-1, -4}), counted_end(ends), device::current());
    CHECK(turned.get() == array<double>(memory.of.reshape(3, 4)(slice(_, _, -1), slice(_, _, -1)).T()).get());
    CHECK(turned.data() == data + 11);
    const array<double> every = from_memory(strided_span<double>(data, {6}, {2}), no_keeper{}, device::current());
    CHECK(array<double>(every * 2).get() == doubles{0, 4, 8, 12, 16, 20});
    const array<double> same =
        from_memory(strided_span<double>(data + 3, {2, 3}, {0, 1}), no_keeper{}, device::current());
    CHECK(same.get() == doubles{3, 4, 5, 3, 4, 5});
    const array<double> none = from_memory<double>(nullptr, {0, 3}, counted_end(ends), device::current());
    CHECK(none.shape() == shape{0, 3});
    CHECK(ends == 1);
    constexpr std::int64_t far = std::int64_t{1} << 62;
    CHECK_THROWS_AS((void)from_memory(strided_span<double>(data, {3, 3}, {far, far}), no_keeper{}, device::current()),
                    shape_error);
    CHECK_THROWS_AS((void)from_memory(strided_span<double>(data, {2}, {-far}), no_keeper{}, device::current()),
                    shape_error);
    const array<double> one = from_memory(data + 5, {}, no_keeper{}, device::current());
    CHECK(one.item() == 5);
  }
  CHECK(ends == 2);
}

TEST_CASE("foreign: an owner keeps what it has where no array is made") {
  int ends = 0;
  owned_elsewhere memory(arange(4) * 1.0);
  std::optional<counted_end> keeper(ends);
  auto* const odd = reinterpret_cast<double*>(reinterpret_cast<char*>(memory.data()) + 1);
  CHECK_THROWS_AS((void)from_memory(odd, {2}, no_keeper{}, device::current()), shape_error);
  CHECK_THROWS_AS((void)from_memory<double>(nullptr, {2}, no_keeper{}, device::current()), shape_error);
  std::int64_t extents[] = {4};
  static int deleted = 0;
  dlpack::DLManagedTensor t{tensor_of(memory.data(), 1, extents, nullptr), nullptr,
                            [](dlpack::DLManagedTensor*) { ++deleted; }};
  CHECK_THROWS_WITH_AS((void)from_dlpack<float>(&t), "sinter: a DLPack tensor of float64 is taken as one of float32",
                       dtype_error);
  t.dl_tensor.dtype = {3, 64, 1};
  CHECK_THROWS_WITH_AS((void)dtype_in(t.dl_tensor),
                       "sinter: a DLPack tensor of type code 3, 64 bits and 1 lanes, which is no dtype of Sinter's",
                       dtype_error);
  t.dl_tensor.dtype = {dlpack::kDLFloat, 64, 1};
  t.dl_tensor.device.device_type = 8;
  CHECK_THROWS_AS((void)from_dlpack<double>(&t), device_error);
  dlpack::DLManagedTensorVersioned newer{{2, 0}, nullptr, nullptr, 0, tensor_of(memory.data(), 1, extents, nullptr)};
  CHECK_THROWS_WITH_AS((void)from_dlpack<double>(&newer), "sinter: a DLPack tensor of version 2.0; this is version 1",
                       error);
  CHECK(deleted == 0);
}

TEST_CASE("foreign: its streams are done before the owner is told") {
  constexpr std::int64_t n = 1 << 16;
  int ends = 0;
  owned_elsewhere memory(arange(n) * 1.0);
  array<double> copy, other;
  const stream apart;
  {
    array<double> a = from_memory(memory.data(), {n}, counted_end(ends), device::current());
    copy = a * 2;
    const stream_scope on(apart);
    other = a + 1;
    a(slice(0, 10)) = 7;
  }
  apart.synchronize();
  stream::current().synchronize();
  const array<double> more = zeros<double>({8});  // what waits to be given back is looked at here
  synchronize();
  const array<double> even_more = zeros<double>({8});
  CHECK(ends == 1);
  CHECK(sum(copy).item() == static_cast<double>(n) * static_cast<double>(n - 1));
  CHECK(other(0).item() == 1);
  CHECK(memory.of(9).item() == 7);
}

TEST_CASE("foreign: a graph keeps it") {
  int ends = 0;
  owned_elsewhere memory(arange(6) * 1.0);
  array<double> out = zeros<double>({6});
  {
    std::optional<array<double>> a(from_memory(memory.data(), {6}, counted_end(ends), device::current()));
    const graph g = capture([&] { out(ellipsis) = *a * 3; });
    a.reset();
    CHECK(ends == 0);
    g.launch();
    CHECK(out.get() == doubles{0, 3, 6, 9, 12, 15});
  }
  synchronize();
  CHECK(ends == 1);
}

TEST_CASE_TEMPLATE("dlpack: there and back", T, bool, std::int8_t, std::uint16_t, std::int64_t, half, bfloat16, float,
                   double, std::complex<float>, std::complex<double>) {
  array<T> a = astype<T>(arange(24).reshape(2, 3, 4));
  const void* const place = place_of(a);
  const std::vector<T> values = a.get();
  auto* const m = to_dlpack(a);
  CHECK(m->version.major == 1);
  CHECK(m->flags == 0);
  CHECK(m->dl_tensor.data == place);
  CHECK(m->dl_tensor.ndim == 3);
  CHECK(m->dl_tensor.device.device_type == (is_gpu() ? dlpack::kDLCUDA : dlpack::kDLCPU));
  CHECK(dtype_in(m->dl_tensor) == dtype_of<T>);
  array<T> b = from_dlpack<T>(m);
  CHECK(place_of(b) == place);
  a = {};
  CHECK(b.get() == values);
  const array<T> turned = b.T();
  auto* const old = to_dlpack<theirs::DLManagedTensor>(turned);
  CHECK(old->dl_tensor.data != place);  // it cannot say that it is not to be written
  const array<T> c = from_dlpack<T>(old);
  CHECK(c.get() == turned.get());
}

TEST_CASE("dlpack: what is shared is handed over to be read, or copied first") {
  array<double> a = arange(6) * 1.0;
  const array<double> b = a;
  auto* const read = to_dlpack(b);
  CHECK(read->flags == dlpack::DLManagedTensorVersioned::read_only);
  CHECK(read->dl_tensor.data == place_of(b));
  const array<double> copied = from_dlpack<double>(read);
  CHECK(place_of(copied) != place_of(b));
  CHECK(copied.get() == b.get());
  auto* const written = to_dlpack(a);
  CHECK(place_of(a) != place_of(b));
  array<double> c = from_dlpack<double>(written);
  c(0) = 9;
  CHECK(a(0).item() == 9);  // that is what it was handed over for
  CHECK(b(0).item() == 0);
  a(1) = 5;  // another's elements do not change by a store into the array
  CHECK(c(1).item() == 1);
  auto* const computed = to_dlpack(a + 1);
  CHECK(from_dlpack<double>(computed).get() == doubles{10, 6, 3, 4, 5, 6});
}

TEST_CASE("dlpack: tensors of others") {
  owned_elsewhere memory(arange(12) * 1.0);
  std::int64_t extents[] = {3, 2}, strides[] = {4, 2};
  static int deleted = 0;
  theirs::DLManagedTensor t{tensor_of(memory.data(), 2, extents, strides), nullptr,
                            [](theirs::DLManagedTensor*) { ++deleted; }};
  t.dl_tensor.byte_offset = 8;
  {
    const array<double> a = from_dlpack<double>(&t);
    CHECK(a.get() == doubles{1, 3, 5, 7, 9, 11});
    const array<double> b = a + 0;
    CHECK(deleted == 0);
  }
  synchronize();
  CHECK(deleted == 1);
  t.deleter = nullptr;
  CHECK(from_dlpack<double>(&t).get() == doubles{1, 3, 5, 7, 9, 11});
}

TEST_CASE("the CUDA array interface") {
  array<float> a = astype<float>(arange(6).reshape(2, 3));
  if (!is_gpu()) {
    CHECK_THROWS_AS((void)to_cuda_array_interface(a), device_error);
    cuda_array_interface none{.shape = {1}, .typestr = "<f4"};
    CHECK_THROWS_AS((void)from_cuda_array_interface<float>(none), device_error);
    return;
  }
  const cuda_array_interface i = to_cuda_array_interface(a);
  CHECK(i.version == 3);
  CHECK(std::string(i.typestr) == "<f4");
  CHECK(i.shape == std::vector<std::int64_t>{2, 3});
  CHECK(i.strides.empty());
  CHECK(!i.read_only);
  CHECK(i.stream == 1);
  int ends = 0;
  {
    array<float> b = from_cuda_array_interface<float>(i, counted_end(ends));
    CHECK(place_of(b) == place_of(a));
    b(0, 0) = 8;
    CHECK(a(0, 0).item() == 8);
  }
  synchronize();
  CHECK(ends == 1);
  const array<float> turned = a.T();
  const stream apart;
  const stream_scope on(apart);
  const cuda_array_interface t = to_cuda_array_interface(turned);
  CHECK(t.strides == std::vector<std::int64_t>{4, 12});
  CHECK(t.read_only);
  CHECK(t.stream == reinterpret_cast<std::intptr_t>(apart.handle()));
  const array<float> c = from_cuda_array_interface<float>(t);
  CHECK(place_of(c) != place_of(turned));
  CHECK(c.get() == turned.get());
  CHECK_THROWS_WITH_AS((void)from_cuda_array_interface<int>(t),
                       "sinter: a CUDA array of typestr <f4 is taken as one of int32", dtype_error);
  array<bool> truth{true, false};
  CHECK(std::string(to_cuda_array_interface(truth).typestr) == "|b1");
  array<bfloat16> shorter = astype<bfloat16>(a);
  CHECK_THROWS_AS((void)to_cuda_array_interface(shorter), dtype_error);
}

TEST_CASE("spans of arrays") {
  array<double> a = arange(6) * 1.0;
  if (is_gpu()) {
    CHECK_THROWS_WITH_AS((void)as_span(a),
                         "sinter: an array of cuda:0 is no memory of the host's; copy it with to(device::cpu())",
                         device_error);
    return;
  }
  const array<double> b = a;
  CHECK(as_span(b).data() == place_of(a));
  as_span(a)[2] = 7;
  CHECK(a.get() == doubles{0, 1, 7, 3, 4, 5});
  CHECK(b.get() == doubles{0, 1, 2, 3, 4, 5});
  const array<double> turned = a.reshape(2, 3).T();
  CHECK_THROWS_WITH_AS(
      (void)as_span(turned),
      "sinter: the elements of an array of shape (3, 2) do not lie in C order; copy() of it has them so", shape_error);
  std::vector<double> mine{1, 2, 3};
  const double* const data = mine.data();
  const array<double> c = from_memory(mine.data(), {3}, std::move(mine), device::current());
  CHECK(place_of(c) == data);
  CHECK(sum(c).item() == 6);
}

#ifdef EIGEN_WORLD_VERSION
TEST_CASE("matrices of Eigen's") {
  if (is_gpu()) return;
  const device_scope on(device::cpu());
  array<double> a = (arange(6) * 1.0).reshape(2, 3);
  const array<double> t = a.T();
  const Eigen::MatrixXd product = as_eigen(t) * as_eigen(std::as_const(a));
  CHECK(product(2, 1) == 2 * 1 + 5 * 4);
  as_eigen(a)(0, 1) = 10;
  CHECK(a(0, 1).item() == 10);
  CHECK(t(1, 0).item() == 1);
  array<double> v = arange(8) * 1.0;
  const array<double> every = v(slice(_, _, 2));
  CHECK(as_eigen_vector(every).sum() == 12);
  CHECK_THROWS_AS((void)as_eigen(v), shape_error);
  CHECK_THROWS_AS((void)as_eigen_vector(a), shape_error);

  Eigen::MatrixXd m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  array<double> view = view_of_eigen(m);
  CHECK(view.get() == doubles{1, 2, 3, 4, 5, 6});
  view(1, 2) = 60;
  CHECK(m(1, 2) == 60);
  auto block = m.block(0, 1, 2, 2);
  CHECK(view_of_eigen(block).get() == doubles{2, 3, 5, 60});
  Eigen::VectorXf f(3);
  f << 1, 2, 3;
  const float* const data = f.data();
  const array<float> moved = from_eigen(std::move(f));
  CHECK(place_of(moved) == data);
  CHECK(moved.shape() == shape{3});
  CHECK(sum(moved).item() == 6);
  CHECK(from_eigen(Eigen::MatrixXd(m)).get() == doubles{1, 2, 3, 4, 5, 60});
}
#endif
