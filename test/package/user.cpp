// A library of the user's, which uses Sinter and passes its arrays and exceptions on.
#include "user.hpp"

namespace sn = sinter;

sn::device current_in_library() { return sn::device::current(); }
std::size_t limit_in_library() { return sn::default_memory_pool().get_limit(); }
std::uint64_t launches_in_library() { return sn::counters().launches; }
sn::array<double> doubled_in_library(const sn::array<double>& a) { return a * 2; }
void throw_in_library() { const sn::array<double> never = sn::zeros({2}) + sn::zeros({3}); }
