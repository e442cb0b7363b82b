// Objects that outlive every destructor: static arrays of a program may be dropped when all else is gone.
#pragma once

namespace sinter::runtime {

/// An object in static memory whose destructor never runs, so that asking for it needs no memory and cannot fail.
template <class T>
union never_destroyed {
  template <class... A>
  constexpr explicit never_destroyed(A... arguments) : object(arguments...) {}
  ~never_destroyed() {}
  T object;
};

}  // namespace sinter::runtime
