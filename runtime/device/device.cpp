// Which devices there are and which one is current: the public functions of sinter/device.hpp over a registry of
// implementations. Each is made at first use and never destroyed, since arrays with static storage outlive any
// destructor here.
#include "runtime/device/device.hpp"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <new>
#include <ostream>
#include <string_view>

#include <sinter/error.hpp>

#include "runtime/device/module.hpp"
#include "runtime/device/process.hpp"
#include "runtime/frontend/message.hpp"
#include "runtime/stream/capture.hpp"
#include "runtime/stream/current.hpp"

namespace sinter {
namespace runtime {
namespace {

/// Slots are written once, under the mutex, and read without it.
struct registry {
  std::mutex making;
  std::atomic<device_impl*> cpu{nullptr};
  std::atomic<device_impl*> interpreter{nullptr};
  std::atomic<device_impl*> cuda[most_gpus] = {};
};
constinit registry devices;

/// What a device_scope set for this thread; null: the process's default.
thread_local constinit device_impl* current = nullptr;

std::atomic<device_impl*>* slot(device d) noexcept {
  const int ordinal = d.ordinal();
  switch (d.type()) {
    case device::kind::cpu: return ordinal == 0 ? &devices.cpu : nullptr;
    case device::kind::interpreter: return ordinal == 0 ? &devices.interpreter : nullptr;
    case device::kind::cuda: return ordinal >= 0 && ordinal < int{most_gpus} ? &devices.cuda[ordinal] : nullptr;
  }
  return nullptr;
}

[[noreturn]] void not_there(const std::string& asked, device d) {
  std::string message = "there is no device " + asked + ": ";
  if (d.type() != device::kind::cuda) {
    message += "there is one " + to_text({d.type(), 0}) + " device, number 0";
    throw device_error(message.c_str());
  }
  std::string why;
  const int count = cuda_device_count(&why);
  if (count == 0) message += why;
  else if (count == 1) message += "this machine has one GPU, cuda:0";
  else message += "this machine has " + std::to_string(count) + " GPUs, cuda:0 to cuda:" + std::to_string(count - 1);
  throw device_error(message.c_str());
}

std::unique_ptr<device_impl> make(device d) {
  switch (d.type()) {
    case device::kind::cpu: return make_cpu_device();
    case device::kind::interpreter: return make_interpreter_device();
    case device::kind::cuda: return make_cuda_device(d.ordinal());
  }
  return nullptr;
}

/// As device::available, but not to be able to find out is no answer.
bool is_there(device d) {
  if (d.type() != device::kind::cuda) return d.ordinal() == 0;
  return d.ordinal() >= 0 && d.ordinal() < int{most_gpus} && d.ordinal() < cuda_device_count(nullptr);
}

device_impl& make_and_register(device d) {
  if (!is_there(d)) not_there(to_text(d), d);
  std::atomic<device_impl*>& place = *slot(d);
  std::lock_guard hold(devices.making);
  if (device_impl* made = place.load(std::memory_order_acquire)) return *made;
  std::unique_ptr<device_impl> made = make(d);
  if (!made) not_there(to_text(d), d);
  watch_process();
  place.store(made.get(), std::memory_order_release);
  return *made.release();
}

/// The process's default, found out at first use. A failure is not kept: the next call reports it again.
device default_device() {
  static const device chosen = device_named(std::getenv("SINTER_DEVICE"));
  return chosen;
}

}  // namespace

std::string to_text(device d) {
  const std::string number = d.ordinal() == 0 ? "" : ":" + std::to_string(d.ordinal());
  switch (d.type()) {
    case device::kind::cpu: return "cpu" + number;
    case device::kind::interpreter: return "interpreter" + number;
    case device::kind::cuda: return "cuda:" + std::to_string(d.ordinal());
  }
  return "unknown device";
}

device device_named(const char* word) {
  const std::string_view text = word ? word : "";
  if (text.empty()) return is_there(device::cuda()) ? device::cuda() : device::cpu();
  if (text == "cpu") return device::cpu();
  if (text == "interpreter") return device::interpreter();
  device named = device::cuda();
  bool understood = text == "cuda";
  if (text.starts_with("cuda:")) {
    int ordinal = 0;
    const auto [rest, failure] = std::from_chars(text.data() + 5, text.data() + text.size(), ordinal);
    understood = failure == std::errc{} && rest == text.data() + text.size() && ordinal >= 0;
    named = device::cuda(ordinal);
  }
  if (!understood)
    throw error(("SINTER_DEVICE=" + std::string(text) + ": expected cpu, cuda, cuda:N or interpreter").c_str());
  if (!is_there(named)) not_there(std::string(text) + " (SINTER_DEVICE)", named);
  return named;
}

device_impl::device_impl(device which, unsigned place)
    : id(which), index(place), streams_(std::make_unique<stream_table>(*this)) {}

device_impl::~device_impl() = default;

std::unique_ptr<program_module> device_impl::load_module(const void*, std::size_t) { return nullptr; }

device_impl& implementation(device d) {
  if (const std::atomic<device_impl*>* place = slot(d))
    if (device_impl* made = place->load(std::memory_order_acquire)) [[likely]]
      return *made;
  return make_and_register(d);
}

device_impl& current_device() {
  if (current) return *current;
  return implementation(default_device());
}

}  // namespace runtime

device device::current() try {
  return runtime::current ? runtime::current->id : runtime::default_device();
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

bool device::available(device d) {
  if (d.type() != kind::cuda) return d.ordinal() == 0;
  return d.ordinal() >= 0 && d.ordinal() < cuda_count();
}

int device::cuda_count() {
  try {
    const int count = runtime::cuda_device_count(nullptr);
    return count < int{runtime::most_gpus} ? count : int{runtime::most_gpus};
  } catch (...) {
    return 0;  // no memory to look
  }
}

std::ostream& operator<<(std::ostream& out, device d) try {
  return out << runtime::to_text(d);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

device_scope::device_scope(device d) try : had_(runtime::current != nullptr) {
  if (had_) before_ = runtime::current->id;
  runtime::current = &runtime::implementation(d);
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

device_scope::~device_scope() { runtime::current = had_ ? &runtime::implementation(before_) : nullptr; }

void synchronize() try {
  runtime::device_impl& d = runtime::current_device();
  runtime::refuse_while_capturing(runtime::current_stream(d), "synchronize");
  d.streams().synchronize();
  d.troubles.report();
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

device_properties properties(device d) try {
  return runtime::implementation(d).properties();
} catch (const std::bad_alloc&) {
  detail::throw_host_is_full();
}

}  // namespace sinter
