// The closed set of exceptions. Constructors live in the library, so a user's translation unit pays for none of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include <sinter/detail/config.hpp>

namespace sinter {

/// Root of everything Sinter throws. `what()` says what was asked, with shapes and dtypes, what is allowed, and where, as far
/// as the call can know: operators, stores into views and named expressions cannot.
class SINTER_API error : public std::exception {
 public:
  explicit error(const char* message);
  error(const error&) noexcept;
  error& operator=(const error&) noexcept;
  ~error() override;
  const char* what() const noexcept override;

 protected:
  error(const char* const* texts, int count);  // the first is what() says
  const char* text_number(int) const noexcept;

 private:
  struct text;  // counted, so that copying an exception cannot throw
  text* text_;
};

/// Shapes that do not broadcast, a wrong axis, a reshape that does not fit.
class SINTER_API shape_error : public error {
 public:
  using error::error;
  ~shape_error() override;
};

/// A dtype an operation does not take, or a scalar that does not fit the dtype.
class SINTER_API dtype_error : public error {
 public:
  using error::error;
  ~dtype_error() override;
};

/// An index outside its axis, or more indices than axes. One that a kernel finds among computed indices is thrown by the next
/// call that waits for the device, with SINTER_SYNC=1 by the statement, and on the CPU always.
class SINTER_API index_error : public error {
 public:
  using error::error;
  ~index_error() override;
};

/// A matrix that has no inverse, no factor or no eigenvalues that could be found. Results are NaN there. On the CPU it is thrown by
/// the statement, on a GPU by the next call that waits for the device, and with SINTER_SYNC=1 by the statement. Source:
/// numpy.linalg.LinAlgError.
class SINTER_API linalg_error : public error {
 public:
  using error::error;
  ~linalg_error() override;
};

/// A device or the host has no room. Units: bytes.
class SINTER_API out_of_memory : public error {
 public:
  out_of_memory(const char* message, std::size_t asked, std::size_t in_use, std::size_t limit,
                std::size_t largest_free = 0);
  ~out_of_memory() override;
  std::size_t asked;
  std::size_t in_use;
  std::size_t limit;         ///< 0: none
  std::size_t largest_free;  ///< the largest block that was there and unused
};

/// A kernel did not compile. `what()` is short: which compiler, which kernel, the first error, and the file that has the rest.
class SINTER_API compile_error : public error {
 public:
  explicit compile_error(const char* message, const char* log = "", const char* source = "");
  ~compile_error() override;
  /// All that the compiler said.
  const char* log() const noexcept;
  /// The kernel's text. Its lines count from 1 in the log.
  const char* source() const noexcept;
};

/// A device that is not there, or a call it refused. The program can go on.
class SINTER_API device_error : public error {
 public:
  using error::error;
  ~device_error() override;
};

/// The device's context is gone (a sticky CUDA error). Every later call repeats the first cause.
class SINTER_API device_lost : public device_error {
 public:
  using device_error::device_error;
  ~device_lost() override;
};

/// A file that cannot be read, written or understood.
class SINTER_API io_error : public error {
 public:
  using error::error;
  ~io_error() override;
};

/// A bug of Sinter's own. The message asks for the dump.
class SINTER_API internal_error : public error {
 public:
  using error::error;
  ~internal_error() override;
};

}  // namespace sinter
