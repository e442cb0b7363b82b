// Ranges and marks for tools that look from outside, such as Nsight Systems: NVTX, where its headers were there when
// Sinter was built. Everywhere else, and where no tool listens, these do nothing.
#pragma once

#include <cstdint>

namespace sinter::runtime::nvtx {

/// Was Sinter built with NVTX?
bool built_in() noexcept;

/// `argb`: null leaves the colour to the tool. The tool copies the text.
void push(const char* text, const std::uint32_t* argb) noexcept;
void pop() noexcept;
void mark(const char* text, const std::uint32_t* argb) noexcept;

}  // namespace sinter::runtime::nvtx
