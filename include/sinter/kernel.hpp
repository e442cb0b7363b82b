// Kernels of the program's own: CUDA text, PTX or a cubin, launched on the current stream in order with everything else that is
// done to their arrays. Not in sinter.hpp: a program that has such kernels includes this too.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include <sinter/array.hpp>
#include <sinter/create.hpp>

namespace sinter {

namespace runtime {
class kernel_state;
class module_state;
}  // namespace runtime

namespace detail {

/// A copy of a text: of a literal, or of what has it as data() and size(), as std::string and std::string_view do.
class given_text {
 public:
  given_text(const char* text) { take(text, __builtin_strlen(text)); }
  template <class Text>
    requires(!std::convertible_to<const Text&, const char*>)
  given_text(const Text& text) {
    if constexpr (requires {
                    { text.data() } -> std::convertible_to<const char*>;
                    text.size();
                  })
      take(text.data(), text.size());
    else static_assert(never<Text>, "sinter: a text is a const char*, a std::string or a std::string_view");
  }
  const char* data() const { return characters_.data(); }  // ends with a zero
  std::size_t size() const { return characters_.size() - 1; }

 private:
  void take(const char* text, std::size_t size) {
    characters_.assign(text, text + size);
    characters_.push_back('\0');
  }
  std::vector<char> characters_;
};

}  // namespace detail

/// A file that CUDA text includes by this name, given with it.
struct module_header {
  detail::given_text name;
  detail::given_text text;
};

/// How CUDA text is compiled. The order of the members is fixed.
struct module_options {
  /// NVRTC's: `"-DTILE=32"`, `"-use_fast_math"`, `"-I/usr/include/cuda"`. The language is C++17 and the architecture the
  /// device's, unless options say otherwise.
  std::vector<detail::given_text> options = {};
  /// Files to include. What includes any others is compiled anew in each process, since those may have changed.
  std::vector<module_header> headers = {};
  /// Kernels with templates that are asked for only after the first call: `"scale<float>"`.
  std::vector<detail::given_text> names = {};
};

/// One to three numbers: of blocks, or of the threads in each.
class launch_extent {
 public:
  template <class X>
  launch_extent(X x, detail::where at = detail::where::current()) : count_{number(x), 1, 1}, at_(at) {}
  template <class X, class Y>
  launch_extent(X x, Y y, detail::where at = detail::where::current()) : count_{number(x), number(y), 1}, at_(at) {}
  template <class X, class Y, class Z>
  launch_extent(X x, Y y, Z z, detail::where at = detail::where::current())
      : count_{number(x), number(y), number(z)}, at_(at) {}
  std::int64_t operator[](int axis) const { return count_[axis]; }
  const detail::where& at() const { return at_; }  // library use: the line it stands in

 private:
  template <class X>
  static std::int64_t number(X x) {
    if constexpr (std::is_integral_v<X>) return static_cast<std::int64_t>(x);
    else static_assert(detail::never<X>, "sinter: a grid or a block is one to three integers");
  }

  std::int64_t count_[3];
  detail::where at_;
};

namespace detail {
/// Comes first where members are to be named: `f({16, 16}, 64, a)` says an extent, not a shape.
struct by_name {};
}  // namespace detail

/// How a kernel is launched: `{.grid = 64, .block = {32, 8}, .shared_bytes = 65536}`. The order of the members is fixed.
struct launch_shape {
  detail::by_name named = {};
  launch_extent grid = 1;
  launch_extent block = 1;
  std::size_t shared_bytes = 0;  ///< dynamic shared memory of each block; beyond 48 KiB too, where the device has it
};

/// What a compiled kernel takes. Source: cupy.RawKernel.attributes.
struct kernel_attributes {
  int registers = 0;                         ///< of a thread
  std::size_t shared_bytes = 0;              ///< of a block, without dynamic shared memory
  std::size_t local_bytes = 0;               ///< of a thread: what does not fit its registers
  std::size_t constant_bytes = 0;            ///< variables in constant memory
  int max_threads = 0;                       ///< of a block
  std::size_t max_dynamic_shared_bytes = 0;  ///< that a launch may ask for on this device
  int ptx_version = 0, binary_version = 0;   ///< 90 for 9.0
};

namespace detail {

/// An argument of a kernel, seen without its type.
struct kernel_argument {
  enum kind : std::uint8_t { value, read, written } what;
  const void* bytes = nullptr;  // value
  std::size_t size = 0, alignment = 1;
  node* array = nullptr;     // read
  handle* target = nullptr;  // written
};

template <class A>
inline constexpr bool is_array = false;
template <element T>
inline constexpr bool is_array<array<T>> = true;

/// An expression's value, until the kernel is enqueued.
template <class T>
struct evaluated_argument {
  array<T> value;
  operator kernel_argument() const { return {kernel_argument::read, nullptr, 0, 1, value.node(), nullptr}; }
};

/// A named array that is not const is written, a const one read, as by array::data; an expression is evaluated and read.
template <class A>
auto pass(A&& a) {
  using U = std::remove_cvref_t<A>;
  if constexpr (is_array<U>) {
    if constexpr (std::is_same_v<A, U&>)
      return kernel_argument{kernel_argument::written, nullptr, 0, 1, nullptr, &a.own()};
    else return kernel_argument{kernel_argument::read, nullptr, 0, 1, a.node(), nullptr};
  } else if constexpr (is_selection<U>) {
    static_assert(never<A>, "sinter: a kernel writes into whole arrays; array(a(0)) passes a view to be read");
    return kernel_argument{};
  } else if constexpr (expression<U>) {
    return evaluated_argument<element_in<U>>{array<element_in<U>>(std::forward<A>(a))};
  } else if constexpr (std::is_trivially_copyable_v<U> && !std::is_array_v<U>) {
    return kernel_argument{kernel_argument::value, &a, sizeof(U), alignof(U), nullptr, nullptr};
  } else {
    static_assert(never<A>, "sinter: a kernel takes arrays, numbers and trivially copyable structs");
    return kernel_argument{};
  }
}

SINTER_API void read_variable(runtime::module_state&, const char* name, void* to, std::size_t size);
SINTER_API void write_variable(runtime::module_state&, const char* name, const void* from, std::size_t size);
SINTER_API void write_variable(runtime::module_state&, const char* name, node* from);
SINTER_API node* copy_variable(runtime::module_state&, const char* name, dtype);
SINTER_API void* address_of_variable(runtime::module_state&, const char* name, std::size_t* size);

}  // namespace detail

class raw_kernel;

/// A `__device__` or `__constant__` variable of a module, each device's own. Kernels launched later see what is set, those before
/// do not, on every stream. Copies are the same variable. Source: cupy.RawModule.get_global.
template <class T>
class module_variable;

/// CUDA text, PTX or a cubin with kernels and variables. It is compiled by NVRTC for a device at the first call that needs it,
/// and kept on disk. Copies are the same module, and so are modules of the same text, options and names; a module stays loaded.
/// Any thread. Source: cupy.RawModule.
class SINTER_API raw_module {
 public:
  explicit raw_module(const detail::given_text& source, const module_options& = {});
  /// Of PTX or a cubin in host memory, or in a file. Names are those in the image: `_Z1fIfEvPT_`. Errors: `io_error`.
  static raw_module from_image(const void* image, std::size_t size);
  static raw_module load(const detail::given_text& path);

  raw_module(const raw_module&) noexcept;
  raw_module& operator=(const raw_module&) noexcept;
  ~raw_module();

  /// A kernel by its name, which may have template arguments and a namespace: `ns::scale<float>`. Compiles nothing. One with
  /// template arguments, or without extern "C", has to be asked for before the first call, or be among `names`. Errors: `error`
  /// where that is too late. Source: RawModule.get_function.
  raw_kernel kernel(const detail::given_text& name) const;
  /// A variable by its name. Compiles nothing. Errors: as kernel's.
  template <class T>
  module_variable<T> global(const detail::given_text& name) const {
    add_variable(name);
    return module_variable<T>(*this, name);
  }
  /// Compiles and loads it for the current device now. Errors: `compile_error` with the log; `error` for names that it does not
  /// have; `device_error`. Source: RawModule.compile.
  void compile() const;

  runtime::module_state& state() const { return *state_; }  // library use

 private:
  explicit raw_module(runtime::module_state* owned) noexcept : state_(owned) {}
  void add_variable(const detail::given_text& name) const;
  friend class raw_kernel;

  runtime::module_state* state_;
};

/// A kernel of CUDA text. Copies are the same kernel. Any thread. Source: cupy.RawKernel.
class SINTER_API raw_kernel {
 public:
  raw_kernel(const detail::given_text& source, const detail::given_text& name, const module_options& = {});
  raw_kernel(const raw_kernel&) noexcept;
  raw_kernel& operator=(const raw_kernel&) noexcept;
  ~raw_kernel();

  /// Launches it: `f({blocks}, {threads}, a, std::as_const(b), 2.0f, n)`. A named array is passed as the address of its first
  /// element: to be written, unless it is const, and then it gets elements of its own where others share them, as at a store. An
  /// expression is evaluated and passed to be read. Numbers, pointers and trivially copyable structs are passed by value, as the
  /// type they have. It runs on the device of its arrays, or else on the current one. No blocks: nothing is done. Errors:
  /// `compile_error` at the first call; `dtype_error` where number or sizes of the arguments are not the kernel's, as far as
  /// the driver tells; `device_error` for arrays on several devices, for one that runs no CUDA text, and for more threads,
  /// blocks or shared memory than there may be. Stream behaviour: enqueued on the current stream, in order with what other
  /// streams do to the arrays; can be captured. Source: RawKernel.__call__.
  template <class... A>
  void operator()(const launch_extent& grid, const launch_extent& block, A&&... arguments) const {
    launch({.grid = grid, .block = block}, {detail::pass(std::forward<A>(arguments))...});
  }
  /// The same with dynamic shared memory: `f({.grid = 64, .block = {32, 8}, .shared_bytes = 65536}, a)`.
  template <class... A>
  void operator()(const launch_shape& shape, A&&... arguments) const {
    launch(shape, {detail::pass(std::forward<A>(arguments))...});
  }

  /// On the current device. Errors: as compile's. Source: RawKernel.attributes.
  kernel_attributes attributes() const;
  /// Compiles and loads it for the current device now. Errors: as raw_module::compile. Source: RawKernel.compile.
  void compile() const;

 private:
  explicit raw_kernel(runtime::kernel_state* owned) noexcept : state_(owned) {}
  void launch(const launch_shape&, std::initializer_list<detail::kernel_argument>) const;
  friend class raw_module;

  runtime::kernel_state* state_;
};

template <class T>
class module_variable {
  static_assert(std::is_trivially_copyable_v<T>, "sinter: a variable of a module is trivially copyable");

 public:
  /// How many T it has room for. Errors of all members: as raw_module::compile's; `shape_error` where it has no whole number of
  /// T, or another one than is given.
  std::size_t size() const {
    std::size_t bytes = 0;
    detail::address_of_variable(module_.state(), name_.data(), &bytes);
    return bytes / sizeof(T);
  }
  /// Its address on the current device, for kernels. Stream behaviour: as array::data's to write.
  T* data() const { return static_cast<T*>(detail::address_of_variable(module_.state(), name_.data(), nullptr)); }

  /// Stores a value, or the elements of an array or an expression. Stream behaviour: enqueued, does not wait.
  void set(const T& value) const { detail::write_variable(module_.state(), name_.data(), &value, sizeof value); }
  template <class E>
    requires detail::expression<E>
  void set(const E& e) const {
    const array<T> elements = astype<T>(e);
    detail::write_variable(module_.state(), name_.data(), elements.node());
  }
  template <detail::host_range R>
    requires(!detail::expression<R>)
  void set(const R& elements) const { set(asarray(elements)); }
  void set(std::initializer_list<T> elements) const { set(std::vector<T>(elements)); }

  /// A copy of its elements. Stream behaviour: enqueued, does not wait.
  array<T> get() const requires element<T> {
    return array<T>(detail::copy_variable(module_.state(), name_.data(), dtype_of<T>));
  }
  /// The value of a variable that is one T. Stream behaviour: waits.
  T item() const {
    T value;
    detail::read_variable(module_.state(), name_.data(), &value, sizeof value);
    return value;
  }

 private:
  friend class raw_module;
  module_variable(const raw_module& module, const detail::given_text& name) : module_(module), name_(name) {}

  raw_module module_;
  detail::given_text name_;
};

}  // namespace sinter
