// Loading modules and running kernels: kernels.hpp. One kernel runs at a time in the whole machine, one block of it at a
// time, in a random order; so `__shared__` variables are a module's static ones.
#include "kernels.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "fibers.hpp"
#include "mathematics.hpp"

namespace softgpu {

/// A launch that is going on: what the functions that a kernel calls work for.
class kernel_run {
 public:
  kernel_run(const kernel_work& what, execution& for_whom)
      : what_(what), execution_(for_whom), record_(*what.module_->record) {}

  result run();

  static kernel_run* now;
  static block_runner& runner() {
    static auto* const made = new block_runner;
    return *made;
  }

  void access(address at, std::size_t size, touch how, bool aligned) {
    machine& on = execution_.on;
    if (arena* where = on.memory.find(at)) [[likely]] {
      if (aligned && (at & (size - 1)) != 0) [[unlikely]]
        misaligned(at, size);
      if (where->device >= 0 && where->device != execution_.self.device && !may_reach(*where)) [[unlikely]]
        foreign(at);
      if (!on.checker.access(execution_.self, *where, at, size, how)) [[unlikely]]
        fault(illegal_address, "illegal access");
      return;
    }
    if (at - what_.module_->image_begin < what_.module_->image_end - what_.module_->image_begin) return;
    if (runner().on_stack(at) || at - dynamic_begin_ < dynamic_.size()) return;
    wild(at, size, how);
  }
  [[noreturn]] void fault(result code, const char* why) {
    outcome_ = code;
    runner().leave("%s", why);
  }
  char* dynamic_shared() { return dynamic_.data(); }

 private:
  bool may_reach(const arena& where) const { return execution_.in.peers.contains(where.device); }
  [[noreturn]] void misaligned(address at, std::size_t size) {
    execution_.on.report("misaligned access: " + execution_.on.name(execution_.self.self) + " touches " +
                         std::to_string(size) + " bytes at " + execution_.on.describe(at));
    fault(716, "misaligned access");
  }
  [[noreturn]] void foreign(address at) {
    execution_.on.report("illegal access: " + execution_.on.name(execution_.self.self) +
                         " of cuda:" + std::to_string(execution_.self.device) + " touches " +
                         execution_.on.describe(at) + " without peer access");
    fault(illegal_address, "no peer access");
  }
  [[noreturn]] void wild(address at, std::size_t size, touch how) {
    execution_.on.report("illegal access: " + execution_.on.name(execution_.self.self) +
                         (how == touch::read ? " reads " : " writes ") + std::to_string(size) + " bytes at " +
                         execution_.on.describe(at));
    fault(illegal_address, "illegal access");
  }
  void place_block(std::uint64_t number);
  std::string run_together();
  void run_one_by_one();

  const kernel_work& what_;
  execution& execution_;
  const module_record& record_;
  result outcome_ = 0;
  std::vector<index3> threads_;  // the place of each in a block
  std::vector<char> dynamic_;
  address dynamic_begin_ = 0;
};

kernel_run* kernel_run::now = nullptr;

namespace {

void hook_access(const volatile void* at, unsigned long size, touch how, bool aligned) {
  kernel_run::now->access(reinterpret_cast<address>(at), size, how, aligned);
}
void hook_barrier() { kernel_run::runner().barrier(); }
int hook_barrier_count(int holds) { return kernel_run::runner().barrier_count(holds); }
unsigned long long hook_warp(collective what, unsigned mask, unsigned long long value, unsigned from) {
  return kernel_run::runner().warp(what, mask, value, from);
}
unsigned hook_active_mask() { return kernel_run::runner().active_mask(); }
[[noreturn]] void hook_trap(const char* why) { kernel_run::now->fault(710, why); }
char* hook_dynamic_shared() { return kernel_run::now->dynamic_shared(); }

constexpr services hooks{hook_access, hook_barrier,  hook_barrier_count,  hook_warp, hook_active_mask,
                         32,          hook_trap,     hook_dynamic_shared, erfinv,    erfcinv,
                         normcdfinv,  cyl_bessel_i0, cyl_bessel_i1};

std::size_t image_size(const void* image) {
  ElfW(Ehdr) header;
  std::memcpy(&header, image, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  return header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
}

void find_extent(module_object& of) {
  link_map* map = nullptr;
  if (::dlinfo(of.library, RTLD_DI_LINKMAP, &map) != 0) return;
  ElfW(Ehdr) header;
  std::memcpy(&header, reinterpret_cast<const void*>(map->l_addr), sizeof header);
  of.image_begin = map->l_addr;
  of.image_end = map->l_addr;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) part;
    std::memcpy(&part, reinterpret_cast<const char*>(map->l_addr) + header.e_phoff + i * header.e_phentsize,
                sizeof part);
    if (part.p_type == PT_LOAD)
      of.image_end = std::max<address>(of.image_end, map->l_addr + part.p_vaddr + part.p_memsz);
  }
}

}  // namespace

module_object::~module_object() {
  if (library) ::dlclose(library);
}

namespace {

/// The linker takes files of one name for one file, and descriptors are used again: so no two names are the same.
std::string new_name(int file) {
  static unsigned long long serial = 0;
  std::string path = "/proc/self/fd";
  for (unsigned long long rest = ++serial; rest != 0; rest /= 2) path += rest % 2 ? "/../fd" : "/.";
  return path + "/" + std::to_string(file);
}

}  // namespace

std::shared_ptr<module_object> load_module(const void* image, std::string* why) {
  const std::size_t size = image_size(image);
  *why = "the image is not one that softgpu's NVRTC made";
  if (size == 0) return nullptr;
  const int file = ::memfd_create("softgpu_module", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  const std::string path = new_name(file);
  bool whole = true;
  for (std::size_t done = 0; done < size && whole;) {
    const ssize_t now = ::write(file, static_cast<const char*>(image) + done, size - done);
    whole = now > 0;
    done += whole ? static_cast<std::size_t>(now) : 0;
  }
  auto made = std::make_shared<module_object>();
  if (whole) made->library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (whole && !made->library) *why = ::dlerror();
  ::close(file);
  if (!made->library) return nullptr;
  made->record = static_cast<const module_record*>(::dlsym(made->library, "softgpu_module"));
  if (!made->record || made->record->version != module_version) return nullptr;
  *made->record->functions = hooks;
  find_extent(*made);
  for (unsigned i = 0; i < made->record->kernel_count; ++i) {
    const kernel_record& kernel = made->record->kernels[i];
    if (kernel.name) made->functions[kernel.name] = {made.get(), &kernel};
  }
  for (unsigned i = 0; i < made->record->variable_count; ++i)
    if (const variable_record& variable = made->record->variables[i]; variable.name)
      made->variables[variable.name] = variable;
  return made;
}

namespace {

std::string label_of(const kernel_record& record) {
  const std::string title = record.title;
  return std::string("kernel ") + record.name + (title.empty() ? "" : " (" + title + ")");
}

}  // namespace

kernel_work::kernel_work(std::shared_ptr<module_object> module, const kernel_record& record, const launch_shape& shape,
                         std::vector<char> arguments)
    : work(work_kind::kernel, label_of(record)),
      module_(std::move(module)),
      record_(record),
      shape_(shape),
      arguments_(std::move(arguments)) {}

bool kernel_work::replaceable_by(const work& other) const {
  return other.kind == kind && &static_cast<const kernel_work&>(other).record_ == &record_;
}

result kernel_work::run(execution& for_whom) { return kernel_run(*this, for_whom).run(); }

void kernel_run::place_block(std::uint64_t number) {
  const unsigned* grid = what_.shape_.grid;
  *record_.block = {static_cast<unsigned>(number % grid[0]), static_cast<unsigned>(number / grid[0] % grid[1]),
                    static_cast<unsigned>(number / grid[0] / grid[1])};
  if (record_.shared_begin)
    std::memset(record_.shared_begin, poison, static_cast<std::size_t>(record_.shared_end - record_.shared_begin));
  if (!dynamic_.empty()) std::memset(dynamic_.data(), poison, dynamic_.size());
}

std::string kernel_run::run_together() {
  const unsigned* block = what_.shape_.block;
  const char* const arguments = what_.arguments_.data();
  if (threads_.empty())
    for (unsigned z = 0; z < block[2]; ++z)
      for (unsigned y = 0; y < block[1]; ++y)
        for (unsigned x = 0; x < block[0]; ++x) threads_.push_back({x, y, z});
  return runner().run(
      static_cast<unsigned>(threads_.size()), [&](unsigned) { what_.record_.call(arguments); },
      [&](unsigned thread) { *record_.thread = threads_[thread]; }, execution_.on.random_source());
}

void kernel_run::run_one_by_one() {
  const unsigned* block = what_.shape_.block;
  const char* const arguments = what_.arguments_.data();
  index3& thread = *record_.thread;
  for (thread.z = 0; thread.z < block[2]; ++thread.z)
    for (thread.y = 0; thread.y < block[1]; ++thread.y)
      for (thread.x = 0; thread.x < block[0]; ++thread.x) what_.record_.call(arguments);
}

result kernel_run::run() {
  now = this;
  const launch_shape& shape = what_.shape_;
  dynamic_.resize(shape.shared_bytes);
  dynamic_begin_ = reinterpret_cast<address>(dynamic_.data());
  *record_.block_size = {shape.block[0], shape.block[1], shape.block[2]};
  *record_.grid_size = {shape.grid[0], shape.grid[1], shape.grid[2]};
  const std::uint64_t blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  // Every block once: a step that has no factor in common with their number.
  const std::uint64_t start = execution_.on.random(blocks);
  std::uint64_t stride = 1 + execution_.on.random(blocks);
  while (std::gcd(stride, blocks) != 1) ++stride;
  std::string why;
  if (record_.fibers) {
    for (std::uint64_t i = 0; i < blocks && why.empty(); ++i) {
      place_block((start + i * stride) % blocks);
      why = run_together();
    }
  } else {
    why = runner().run_alone([&] {
      for (std::uint64_t i = 0; i < blocks; ++i) {
        place_block((start + i * stride) % blocks);
        run_one_by_one();
      }
    });
  }
  now = nullptr;
  if (why.empty()) return 0;
  if (outcome_ == 0) outcome_ = launch_failed;
  execution_.on.report("launch failed (" + std::to_string(outcome_) + "): " + execution_.on.name(execution_.self.self) +
                       ", block (" + std::to_string(record_.block->x) + ", " + std::to_string(record_.block->y) + ", " +
                       std::to_string(record_.block->z) + "), thread (" + std::to_string(record_.thread->x) + ", " +
                       std::to_string(record_.thread->y) + ", " + std::to_string(record_.thread->z) + "): " + why);
  return outcome_;
}

}  // namespace softgpu
