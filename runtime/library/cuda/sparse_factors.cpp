// LU factors of sparse matrices by cuDSS. It stays on the stream that it began with, so that factors have one of their own, which waits for
// the caller's, and that for it. What it keeps on the device lies in blocks of the pool, which each solution writes: so solutions in graphs
// and beside them take turns, and graphs keep the blocks.
#include "runtime/library/sparse_factors.hpp"

#include <algorithm>
#include <exception>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include <sinter/error.hpp>

#include "runtime/counters.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/frontend/nodes.hpp"
#include "runtime/library/cuda/cublas.hpp"
#include "runtime/library/cuda/cudss.hpp"
#include "runtime/memory/storage.hpp"
#include "runtime/report/recording.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/operation.hpp"
#include "runtime/stream/order.hpp"
#include "runtime/stream/table.hpp"

namespace sinter::runtime {

namespace {

const detail::array_node& array_in(const detail::handle& h) { return static_cast<const detail::array_node&>(*h.get()); }

/// Blocks of a device's memory that the library has asked for, used on one stream.
class dss_blocks {
 public:
  explicit dss_blocks(stream_state& on) : on_(on) {}

  dss_memory source() { return {this, allocate, free, "sinter"}; }
  /// Before an operation that may write them all, and after.
  void written_by(operation& op) {
    for (const block& b : all_) op.writes(b.memory.get());
  }
  void note(operation& op) {
    for (const block& b : all_) op.has_written(b.memory.get());
  }
  /// What went wrong in an allocation that the library has heard of only that it failed.
  void rethrow() {
    if (trouble_) std::rethrow_exception(std::exchange(trouble_, nullptr));
  }

 private:
  struct block {
    explicit block(detail::storage* owned) : memory(owned) {}
    storage_holder memory;
  };

  static int allocate(void* self, void** at, std::size_t size, void*) {
    auto& mine = *static_cast<dss_blocks*>(self);
    try {
      // Of a stream that is never captured: a block outlives the graph in whose making it may be asked for.
      storage_holder made(make_storage(size, mine.on_.device.streams().first()));
      operation op(mine.on_);
      op.writes(made.get());
      *at = made.get()->data;
      mine.all_.emplace_back(made.get());
      made.take();
      return 0;
    } catch (...) {
      mine.trouble_ = std::current_exception();
      return 1;
    }
  }
  static int free(void* self, void* at, std::size_t, void*) {
    auto& mine = *static_cast<dss_blocks*>(self);
    operation op(mine.on_);  // what the library has enqueued so far
    op.done();
    mine.all_.remove_if([&](const block& b) {
      if (b.memory.get()->data != at) return false;
      op.has_written(b.memory.get());
      return true;
    });
    return 0;
  }

  stream_state& on_;
  std::list<block> all_;
  std::exception_ptr trouble_;
};

struct columns_holder {
  const cudss& api;
  const dss_matrix matrix;
  ~columns_holder() { api.cudssMatrixDestroy(matrix); }
};

class dss_factors final : public gpu_factors {
 public:
  dss_factors(const cudss& api, const gpu_places& of, gpu_factors_kind k)
      : api_(api),
        of_(of),
        kind_(k),
        on_(array_in(of.starts).memory->device->streams().make({.non_blocking = true})),
        blocks_(on_) {}
  ~dss_factors() override;

  /// False: it does not work with this driver.
  bool begin();
  gpu_factors_kind kind() const override { return kind_; }
  bool factor(const term& values) override;
  void solve(const detail::array_node& b, detail::array_node& x, bool transposed, stream_state& on) override;

 private:
  void check(int status, const char* call);
  void execute(int phase, const char* name, dss_matrix x, dss_matrix b) {
    check(api_.cudssExecute(handle_, phase, config_, data_, matrix_, x, b), name);
  }
  template <class V>
  void set(int setting, const V& value) {
    check(api_.cudssConfigSet(config_, setting, &value, sizeof value), "cudssConfigSet");
  }
  int told(int what);
  dss_matrix make_columns(std::int64_t count, const void* at);
  bool enqueue_first();
  bool enqueue_factors(const detail::array_node& values);
  void enqueue_each(const detail::array_node& b, detail::array_node& x);
  void enqueue_together(const detail::array_node& b, detail::array_node& x);

  const cudss& api_;
  const gpu_places of_;
  const gpu_factors_kind kind_;
  stream_state& on_;  // held
  std::mutex turns_;  // of the threads that call the library
  dss_blocks blocks_;
  detail::handle values_;  // the matrix points there
  dss_handle handle_ = nullptr;
  dss_config config_ = nullptr;
  dss_data data_ = nullptr;
  dss_matrix matrix_ = nullptr, x_ = nullptr, b_ = nullptr;  // the last two: one column
  int mode_ = 0;                                             // of solutions
  bool is_analysed_ = false;
};

dss_factors::~dss_factors() {
  try {
    on_.device.use();
    for (const dss_matrix m : {matrix_, x_, b_})
      if (m) api_.cudssMatrixDestroy(m);
    if (data_) api_.cudssDataDestroy(handle_, data_);
    if (config_) api_.cudssConfigDestroy(config_);
    if (handle_) api_.cudssDestroy(handle_);
  } catch (...) {  // the device is lost, and its memory with it
  }
  release(on_);
}

void dss_factors::check(int status, const char* call) {
  if (status == dss::success) return;
  blocks_.rethrow();
  if (status == dss::no_memory)
    throw out_of_memory(detail::message("sinter: %s found no memory", call).c_str(), 0, 0, 0);
  throw device_error(detail::message("sinter: %s failed with status %d of cudssStatus_t", call, status).c_str());
}

dss_matrix dss_factors::make_columns(std::int64_t count, const void* at) {
  dss_matrix made = nullptr;
  check(api_.cudssMatrixCreateDn(&made, of_.size, count, of_.size, at, cuda_type_of(kind_.type), dss::in_columns),
        "cudssMatrixCreateDn");
  return made;
}

bool dss_factors::begin() {
  on_.device.use();
  const int status = api_.cudssCreate(&handle_);
  if (status == dss::not_initialized) return false;
  check(status, "cudssCreate");
  check(api_.cudssSetStream(handle_, on_.handle), "cudssSetStream");
  const dss_memory pool = blocks_.source();
  check(api_.cudssSetDeviceMemHandler(handle_, &pool), "cudssSetDeviceMemHandler");
  check(api_.cudssConfigCreate(&config_), "cudssConfigCreate");
  if (!kind_.in_any_order) set(dss::deterministic_mode, 1);
  // The order of rows is found by the host: with a library beside it that has threads, three times as fast.
  if (api_.cudssSetThreadingLayer(handle_, "libcudss_mtlayer_gomp.so.1") == dss::success)
    set(dss::host_threads, static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  check(api_.cudssDataCreate(handle_, &data_), "cudssDataCreate");
  check(api_.cudssMatrixCreateCsr(&matrix_, of_.size, of_.size, of_.entries, array_in(of_.starts).data(), nullptr,
                                  array_in(of_.columns).data(), nullptr, dss::int32, dss::int32,
                                  cuda_type_of(kind_.type), dss::general, dss::whole, dss::from_zero),
        "cudssMatrixCreateCsr");
  x_ = make_columns(1, nullptr), b_ = make_columns(1, nullptr);
  return true;
}

int dss_factors::told(int what) {
  int value = 0;
  std::size_t written = 0;
  check(api_.cudssDataGet(handle_, data_, what, &value, sizeof value, &written), "cudssDataGet");
  return value;
}

// With a solution of zeros, so that none later, which may be a graph's, has room to ask for.
bool dss_factors::enqueue_first() {
  const std::int64_t column = of_.size * itemsize(kind_.type);
  const auto size = static_cast<std::size_t>(2 * column);
  const storage_holder scratch(make_storage(size, on_));
  on_.device.zero(scratch.get()->data, size, on_);
  check(api_.cudssMatrixSetValues(x_, scratch.get()->data), "cudssMatrixSetValues");
  check(api_.cudssMatrixSetValues(b_, scratch.get()->data + column), "cudssMatrixSetValues");
  const int status = api_.cudssExecute(handle_, dss::analysis, config_, data_, matrix_, x_, b_);
  if (status == dss::not_supported) return false;
  check(status, "cudssExecute, analysis");
  execute(dss::factorization, "cudssExecute, factorization", x_, b_);
  execute(dss::solution, "cudssExecute, solution", x_, b_);
  return true;
}
bool dss_factors::enqueue_factors(const detail::array_node& values) {
  check(api_.cudssMatrixSetValues(matrix_, values.data()), "cudssMatrixSetValues");
  if (!is_analysed_) return is_analysed_ = enqueue_first();
  execute(dss::refactorization, "cudssExecute, refactorization", x_, b_);
  return true;
}

bool dss_factors::factor(const term& values) {
  const std::lock_guard hold(turns_);
  detail::handle elements = evaluated(values).held();
  if (!array_in(elements).contiguous) elements = detail::handle(detail::make_copy(elements.get(), detail::where{}));
  const detail::array_node* const reads[] = {&array_in(of_.starts), &array_in(of_.columns), &array_in(elements)};
  on_.device.use();
  operation op(on_);
  for (const detail::array_node* a : reads) op.reads(a->memory);
  blocks_.written_by(op);
  bool is_done = false;
  const auto enqueue = [&] { is_done = enqueue_factors(*reads[2]); };
  if (recorded()) [[unlikely]]
    noted(other_work::library, "factors of a sparse matrix", static_cast<double>(byte_size(*reads[2])), on_, enqueue);
  else enqueue();
  op.done();
  for (const detail::array_node* a : reads) op.has_read(a->memory);
  blocks_.note(op);
  bump(counter::library_calls);
  values_ = std::move(elements);
  on_.device.synchronize(on_);
  return is_done && told(dss::info) == 0 && told(dss::pivots_replaced) == 0;
}

void dss_factors::solve(const detail::array_node& b, detail::array_node& x, bool transposed, stream_state& on) {
  const std::lock_guard hold(turns_);
  on_.device.use();
  if (capture_state* const c = capture_of(on)) join_capture(*c, on_);
  order_after(on_, on);
  if (mode_ != static_cast<int>(transposed)) set(dss::solve_mode, mode_ = static_cast<int>(transposed));
  operation op(on_);
  op.reads(b.memory);
  op.writes(x.memory);
  blocks_.written_by(op);
  if (kind_.in_any_order) enqueue_together(b, x);
  else enqueue_each(b, x);
  op.done();
  blocks_.note(op);
  order_after(on, on_);
}

void dss_factors::enqueue_each(const detail::array_node& b, detail::array_node& x) {
  const std::int64_t step = of_.size * itemsize(kind_.type), size = b.extents.elements() * itemsize(kind_.type);
  for (std::int64_t at = 0; at < size; at += step) {
    check(api_.cudssMatrixSetValues(x_, x.data() + at), "cudssMatrixSetValues");
    check(api_.cudssMatrixSetValues(b_, b.data() + at), "cudssMatrixSetValues");
    execute(dss::solution, "cudssExecute, solution", x_, b_);
  }
}
void dss_factors::enqueue_together(const detail::array_node& b, detail::array_node& x) {
  const std::int64_t count = b.extents.elements() / of_.size;
  const columns_holder all_x{api_, make_columns(count, x.data())}, all_b{api_, make_columns(count, b.data())};
  execute(dss::solution, "cudssExecute, solution", all_x.matrix, all_b.matrix);
}

}  // namespace

namespace {

const cudss* find_cudss(device_impl& on, std::string& why) {
  // The loader is to find cuBLAS for cuDSS, which it does where that is there already.
  cublas_turn().begin(current_stream(on), why);
  const cudss* const api = the_cudss().get(why);
  if (!api) return nullptr;
  int major = 0;
  if (api->cudssGetProperty(0, &major) == dss::success && major == 1) return api;
  return why = detail::message("cuDSS of version %d is not known here: 1 is", major), nullptr;
}

}  // namespace

bool has_gpu_factors(device_impl& on, std::string& why) { return find_cudss(on, why) != nullptr; }

std::shared_ptr<gpu_factors> make_gpu_factors(const gpu_places& of, gpu_factors_kind k, std::string& why) {
  const cudss* const api = find_cudss(*array_in(of.starts).memory->device, why);
  if (!api) return nullptr;
  auto made = std::make_shared<dss_factors>(*api, of, k);
  if (!made->begin()) return why = "cuDSS does not work with this driver", nullptr;
  return made;
}

}  // namespace sinter::runtime
