// Printing arrays as NumPy prints them, and reading and writing NumPy's .npy files.
#pragma once

#include <iosfwd>

#include <sinter/array.hpp>

namespace sinter {

/// How arrays print. Source: numpy.set_printoptions.
struct print_options {
  int precision = 8;      ///< digits after the point
  int threshold = 1000;   ///< more elements than this are summarised
  int edgeitems = 3;      ///< shown at each end of an axis then
  int linewidth = 75;     ///< characters a line
  bool suppress = false;  ///< never scientific notation
};
/// Sets the options of the whole process.
SINTER_API void set_printoptions(const print_options&);
SINTER_API print_options get_printoptions();

namespace detail {
/// The name of a file: a `const char*`, or what has it as c_str(), as `std::string` and `std::filesystem::path` do. For the
/// length of a call.
class file_name {
 public:
  file_name(const char* text) : text_(text) {}
  template <class Name>
    requires(!std::convertible_to<const Name&, const char*>)
  file_name(const Name& name) {
    if constexpr (requires {
                    { name.c_str() } -> std::convertible_to<const char*>;
                  })
      text_ = name.c_str();
    else static_assert(never<Name>, "sinter: a file's name is a const char*, a std::string or a std::filesystem::path");
  }
  const char* text() const { return text_; }

 private:
  const char* text_ = nullptr;
};

SINTER_API void print(std::ostream&, node*);
SINTER_API node* load_npy(const char* path, dtype);
SINTER_API node* map_npy(const char* path, dtype);
SINTER_API void save_npy(const char* path, node*);
SINTER_API node* load_npz(const char* path, const char* name, dtype);
/// An array of an archive, by its name.
struct named_part {
  template <expression E>
  named_part(const char* n, const E& e) : name(n), of(e.share()) {}
  const char* name;
  handle of;
};
SINTER_API void save_npz(const char* path, const named_part*, std::size_t count, bool compresses);
}  // namespace detail

/// Prints as `str(a)` does in NumPy; evaluates. Stream behaviour: waits.
template <class Stream, detail::expression E>
requires std::derived_from<Stream, std::ostream> Stream& operator<<(Stream& out, const E& e) {
  detail::print(out, detail::handle(e.share()).get());
  return out;
}

/// Reads a .npy file (versions 1 to 3, either byte order, C or Fortran order) onto the current device, converting to T.
/// Errors: `io_error` for a file that cannot be read or understood, `dtype_error` for a dtype Sinter does not have, and for complex
/// numbers that are to be real. Source: numpy.load.
template <element T>
array<T> load(detail::file_name path) {
  return array<T>(detail::load_npy(path.text(), dtype_of<T>));
}
/// How a file is mapped into memory. What is stored into such an array is never in the file, so NumPy's two modes are one.
enum class mmap_mode : unsigned char { r, c };
/// The same, but on the CPU the array's elements are the file's pages, which are read when they are used; the file has to keep its
/// length. On a GPU, and where elements have to be converted or looked at (another dtype or byte order, bool), they are read as
/// without a mode. Errors: as above.
template <element T>
array<T> load(detail::file_name path, mmap_mode) {
  return array<T>(detail::map_npy(path.text(), dtype_of<T>));
}
template <detail::not_element T>
array<T> load(detail::file_name);
template <class... None>
  requires(!sizeof...(None))
detail::refused<double, detail::fault::untyped, None...> load(detail::file_name, detail::anything = 0);
/// Writes a .npy file; evaluates. Errors: `io_error`. Stream behaviour: waits. Source: numpy.save.
template <detail::expression E>
void save(detail::file_name path, const E& e) {
  detail::save_npy(path.text(), detail::handle(e.share()).get());
}
void save(detail::file_name, detail::no_expression);
template <detail::expression E, class Name>
void save(const E&, const Name&) {
  static_assert(detail::never<E>, "sinter: a file's name comes before what is saved: save(name, a)");
}

/// Reads one array of a .npz file, converting to T. Errors: `io_error` where there is none of that name, or where the archive is
/// compressed and Sinter was built without zlib; as those of a .npy file. Source: numpy.load of a .npz file.
template <element T>
array<T> load(detail::file_name path, const char* name) {
  return array<T>(detail::load_npz(path.text(), name, dtype_of<T>));
}
/// Writes several arrays into one .npz file: `savez("a.npz", {{"x", a}, {"y", b + 1}});` evaluates. Errors: `io_error`. Stream
/// behaviour: waits. Source: numpy.savez.
inline void savez(detail::file_name path, std::initializer_list<detail::named_part> arrays) {
  detail::save_npz(path.text(), arrays.begin(), arrays.size(), false);
}
/// The same, compressed. Errors: `io_error`, also where Sinter was built without zlib. Source: numpy.savez_compressed.
inline void savez_compressed(detail::file_name path, std::initializer_list<detail::named_part> arrays) {
  detail::save_npz(path.text(), arrays.begin(), arrays.size(), true);
}

}  // namespace sinter
