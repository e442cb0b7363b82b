// Bare calls of LAPACK and of cuSOLVER: the floors of bench_linalg. Matrices lie as the library wants them, in memory that is there
// already, with workspaces that are; what a call writes over is copied in front of it.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "runtime/device/device.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/library/cpu/lapack.hpp"
#include "runtime/library/cuda/cublas.hpp"
#include "runtime/library/cuda/cusolver_turn.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/stream/current.hpp"

namespace bench {

namespace sn = sinter;
using namespace sinter::runtime;

template <class T>
T* data_of(const sn::array<T>& a) {
  return reinterpret_cast<T*>(as_array_node(a.node())->data());
}

/// Work that is repeated, or why there is none.
struct bare_call {
  std::function<void()> run;
  std::string why;
};

/// `count` matrices of n x n, one call after the other.
template <class T>
class bare_on_host {
 public:
  bare_on_host(const sn::array<T>& a, int n, int count)
      : n_(n), count_(count), from_(data_of(a)), a_(size()), b_(size()), c_(size()), pivots_(pivot_count()) {
    const lapack* const found = find_lapack(why_);
    if (found) by_ = &found->of<T>();
  }

  bare_call solve(const sn::array<T>& right, int columns) {
    const T* const b = data_of(right);
    return call([this, b, columns] {
      c_.resize(static_cast<std::size_t>(n_) * static_cast<std::size_t>(columns * count_));
      std::copy_n(b, c_.size(), c_.begin());
      each([&](T* a, int i) {
        int* const pivots = pivots_.data() + i * n_;
        by_->getrf(&n_, &n_, a, &n_, pivots, &info_);
        T* const x = c_.data() + static_cast<std::ptrdiff_t>(i) * n_ * columns;
        by_->getrs("N", &n_, &columns, a, &n_, pivots, x, &n_, &info_, 1);
      });
    });
  }
  bare_call factor() {
    return call([this] { each([&](T* a, int i) { by_->getrf(&n_, &n_, a, &n_, pivots_.data() + i * n_, &info_); }); });
  }
  bare_call cholesky() {
    return call([this] { each([&](T* a, int) { by_->potrf("L", &n_, a, &n_, &info_, 1); }); });
  }
  bare_call qr() {
    return call([this] {
      T asked[2] = {};
      const int ask = -1;
      by_->geqrf(&n_, &n_, a_.data(), &n_, c_.data(), asked, &ask, &info_);
      by_->gqr(&n_, &n_, &n_, a_.data(), &n_, c_.data(), asked + 1, &ask, &info_);
      const int room = grow(std::max(asked[0], asked[1]));
      each([&](T* a, int) {
        by_->geqrf(&n_, &n_, a, &n_, c_.data(), work_.data(), &room, &info_);
        by_->gqr(&n_, &n_, &n_, a, &n_, c_.data(), work_.data(), &room, &info_);
      });
    });
  }
  bare_call eigh() {
    return call([this] {
      T asked = {};
      int integers = 0;
      const int ask = -1;
      by_->evd("V", "L", &n_, a_.data(), &n_, c_.data(), &asked, &ask, &integers, &ask, &info_, 1, 1);
      const int room = grow(asked);
      integers_.resize(static_cast<std::size_t>(integers));
      each([&](T* a, int) {
        by_->evd("V", "L", &n_, a, &n_, c_.data(), work_.data(), &room, integers_.data(), &integers, &info_, 1, 1);
      });
    });
  }
  bare_call svd(bool vectors) {
    return call([this, vectors] {
      const char* const job = vectors ? "S" : "N";
      T asked = {};
      const int ask = -1;
      integers_.resize(static_cast<std::size_t>(8 * n_));
      s_.resize(static_cast<std::size_t>(n_));
      by_->gesdd(job, &n_, &n_, a_.data(), &n_, s_.data(), b_.data(), &n_, c_.data(), &n_, &asked, &ask,
                 integers_.data(), &info_, 1);
      const int room = grow(asked);
      each([&](T* a, int) {
        by_->gesdd(job, &n_, &n_, a, &n_, s_.data(), b_.data(), &n_, c_.data(), &n_, work_.data(), &room,
                   integers_.data(), &info_, 1);
      });
    });
  }

 private:
  std::size_t size() const {
    return static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_) * static_cast<std::size_t>(count_);
  }
  std::size_t pivot_count() const { return static_cast<std::size_t>(n_) * static_cast<std::size_t>(count_); }
  bare_call call(std::function<void()> run) { return {by_ ? std::move(run) : nullptr, why_}; }
  int grow(T asked) {
    work_.resize(static_cast<std::size_t>(asked) + 1);
    return static_cast<int>(asked);
  }
  template <class F>
  void each(F with) {
    std::memcpy(a_.data(), from_, size() * sizeof(T));
    for (int i = 0; i < count_; ++i) with(a_.data() + static_cast<std::ptrdiff_t>(i) * n_ * n_, i);
  }

  const int n_, count_;
  const T* const from_;
  std::vector<T> a_, b_, c_, s_, work_;
  std::vector<int> pivots_, integers_;
  const lapack_of<T>* by_ = nullptr;
  std::string why_;
  int info_ = 0;
};

/// The same of cuSOLVER, of one matrix; of several cuBLAS's calls for all at once.
template <class T>
class bare_on_gpu {
 public:
  bare_on_gpu(const sn::array<T>& a, int n, int count)
      : n_(n),
        count_(count),
        from_(a),
        a_(sn::empty<T>(a.shape())),
        b_(sn::empty<T>(a.shape())),
        c_(b_.copy()),
        on_(current_stream(current_device())) {
    const cusolver* const api = the_cusolver<cusolver>().get(why_);
    cublas_turn blas;
    cusolver_turn solver;
    if (!api || !blas.begin(on_, why_) || !solver.begin(*api, on_)) return;
    api_ = api, handle_ = solver.handle, params_ = solver.params;
    blas_ = &blas.api(), blas_handle_ = blas.handle();
  }

  bare_call solve(const sn::array<T>& right, int columns) {
    b_ = right.copy();
    if (count_ > 1) return together(columns);
    return call([this, &right, columns] {
      const buffers w = ask([&](auto... room) {
        return api_->cusolverDnXgetrf_bufferSize(handle_, params_, n_, n_, type, at(a_), n_, type, room...);
      });
      start();
      on_.device.copy(bytes(b_), bytes(right), static_cast<std::size_t>(right.size()) * sizeof(T), on_);
      check_cusolver(api_->cusolverDnXgetrf(handle_, params_, n_, n_, type, at(a_), n_, at(pivots_), type, w.at, w.size,
                                            w.host, w.host_size, at(info_)),
                     "getrf");
      // Two triangles: cusolverDnXgetrs, which exchanges the rows as well, takes longer than they do with a kernel for that.
      for (const int is_upper : {0, 1})
        check_cublas(blas_->trsm_v2_64[letter](blas_handle_, 0, is_upper, 0, 1 - is_upper, n_, columns, one(), at(a_),
                                               n_, at(b_), n_),
                     "trsm");
    });
  }
  bare_call factor() { return together(0); }
  bare_call cholesky() {
    return call([this] {
      const buffers w = ask([&](auto... room) {
        return api_->cusolverDnXpotrf_bufferSize(handle_, params_, 0, n_, type, at(a_), n_, type, room...);
      });
      start();
      check_cusolver(api_->cusolverDnXpotrf(handle_, params_, 0, n_, type, at(a_), n_, type, w.at, w.size, w.host,
                                            w.host_size, at(info_)),
                     "potrf");
    });
  }
  bare_call qr() {
    return call([this] {
      const buffers w = ask([&](auto... room) {
        return api_->cusolverDnXgeqrf_bufferSize(handle_, params_, n_, n_, type, at(a_), n_, type, at(c_), type,
                                                 room...);
      });
      int count = 0;
      check_cusolver(api_->orgqr_bufferSize[letter](handle_, n_, n_, n_, at(a_), n_, at(c_), &count), "orgqr");
      if (static_cast<std::size_t>(count) * sizeof(T) > w.size)
        return void(more_ = static_cast<std::size_t>(count) * sizeof(T));
      start();
      check_cusolver(api_->cusolverDnXgeqrf(handle_, params_, n_, n_, type, at(a_), n_, type, at(c_), type, w.at,
                                            w.size, w.host, w.host_size, at(info_)),
                     "geqrf");
      check_cusolver(api_->orgqr[letter](handle_, n_, n_, n_, at(a_), n_, at(c_), w.at, count, at(info_)), "orgqr");
    });
  }
  bare_call eigh() {
    return call([this] {
      const buffers w = ask([&](auto... room) {
        return api_->cusolverDnXsyevd_bufferSize(handle_, params_, 1, 1, n_, type, at(a_), n_, type, at(c_), type,
                                                 room...);
      });
      start();
      check_cusolver(api_->cusolverDnXsyevd(handle_, params_, 1, 1, n_, type, at(a_), n_, type, at(c_), type, w.at,
                                            w.size, w.host, w.host_size, at(info_)),
                     "syevd");
    });
  }
  bare_call svd(bool vectors) {
    s_ = sn::empty<T>({n_});
    return call([this, vectors] {
      const int job = vectors ? 1 : 0;
      double moved_by = 0;
      const buffers w = ask([&](auto... room) {
        return api_->cusolverDnXgesvdp_bufferSize(handle_, params_, job, 1, n_, n_, type, at(a_), n_, type, at(s_),
                                                  type, at(b_), n_, type, at(c_), n_, type, room...);
      });
      start();
      check_cusolver(
          api_->cusolverDnXgesvdp(handle_, params_, job, 1, n_, n_, type, at(a_), n_, type, at(s_), type, at(b_), n_,
                                  type, at(c_), n_, type, w.at, w.size, w.host, w.host_size, at(info_), &moved_by),
          "gesvdp");
    });
  }

 private:
  static constexpr int type = cuda_type_of(sn::dtype_of<T>), letter = letter_of(sn::dtype_of<T>);
  struct buffers {
    void* at;
    std::size_t size;
    void* host;
    std::size_t host_size;
  };

  template <class V>
  static V* at(const sn::array<V>& a) {
    return data_of(a);
  }
  template <class V>
  static std::byte* bytes(const sn::array<V>& a) {
    return reinterpret_cast<std::byte*>(data_of(a));
  }
  static const T* one() {
    static constexpr T value = 1;
    return &value;
  }
  bare_call call(std::function<void()> run) { return {api_ ? std::move(run) : nullptr, why_}; }
  void start() { on_.device.copy(bytes(a_), bytes(from_), static_cast<std::size_t>(from_.size()) * sizeof(T), on_); }
  /// The workspace is there from the first call on.
  template <class Ask>
  buffers ask(Ask of) {
    std::size_t size = 0, host = 0;
    check_cusolver(of(&size, &host), "bufferSize");
    size = std::max(size, more_);
    if (static_cast<std::size_t>(work_.size()) < size)
      work_ = sn::empty<std::uint8_t>({static_cast<std::int64_t>(size)});
    host_.resize(std::max(host_.size(), host));
    return {data_of(work_), size, host_.data(), host};
  }
  bare_call together(int columns) {
    std::vector<std::int64_t> of_a, of_b;
    for (std::int64_t i = 0; i < count_; ++i) {
      of_a.push_back(reinterpret_cast<std::int64_t>(data_of(a_) + i * n_ * n_));
      of_b.push_back(reinterpret_cast<std::int64_t>(data_of(b_) + i * n_ * columns));
    }
    all_a_ = sn::asarray(of_a), all_b_ = sn::asarray(of_b);
    narrow_ = sn::empty<std::int32_t>({count_, n_});
    infos_ = sn::empty<std::int32_t>({count_});
    return call([this, columns] {
      start();
      check_cublas(blas_->getrfBatched[letter](blas_handle_, n_, at(all_a_), n_, at(narrow_), at(infos_), count_),
                   "getrfBatched");
      int info = 0;
      if (columns > 0)
        check_cublas(blas_->getrsBatched[letter](blas_handle_, 0, n_, columns, at(all_a_), n_, at(narrow_), at(all_b_),
                                                 n_, &info, count_),
                     "getrsBatched");
    });
  }

  const int n_, count_;
  const sn::array<T> from_;
  sn::array<T> a_, b_, c_, s_;
  sn::array<std::int64_t> pivots_ = sn::empty<std::int64_t>({n_}), all_a_, all_b_;
  sn::array<std::int32_t> info_ = sn::empty<std::int32_t>({1}), narrow_, infos_;
  sn::array<std::uint8_t> work_;
  std::vector<std::byte> host_;
  std::size_t more_ = 0;
  stream_state& on_;
  const cusolver* api_ = nullptr;
  const cublas* blas_ = nullptr;
  solver_handle handle_ = nullptr;
  solver_params params_ = nullptr;
  blas_handle blas_handle_ = nullptr;
  std::string why_;
};

}  // namespace bench
