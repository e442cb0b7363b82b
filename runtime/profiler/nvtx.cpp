// NVTX has headers only: its first call looks for the library of a tool, which the tool names in the environment, and
// without one every later call is a test of a pointer. So nothing is linked, and a program starts without CUDA.
#include "runtime/profiler/nvtx.hpp"

#ifdef SINTER_HAVE_NVTX

#include <nvtx3/nvToolsExt.h>

namespace sinter::runtime::nvtx {
namespace {

nvtxEventAttributes_t attributes(const char* text, const std::uint32_t* argb) noexcept {
  nvtxEventAttributes_t a{};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = text;
  if (argb) {
    a.colorType = NVTX_COLOR_ARGB;
    a.color = *argb;
  }
  return a;
}

}  // namespace

bool built_in() noexcept { return true; }

void push(const char* text, const std::uint32_t* argb) noexcept {
  const nvtxEventAttributes_t a = attributes(text, argb);
  nvtxRangePushEx(&a);
}

void pop() noexcept { nvtxRangePop(); }

void mark(const char* text, const std::uint32_t* argb) noexcept {
  const nvtxEventAttributes_t a = attributes(text, argb);
  nvtxMarkEx(&a);
}

}  // namespace sinter::runtime::nvtx

#else

namespace sinter::runtime::nvtx {

bool built_in() noexcept { return false; }
void push(const char*, const std::uint32_t*) noexcept {}
void pop() noexcept {}
void mark(const char*, const std::uint32_t*) noexcept {}

}  // namespace sinter::runtime::nvtx

#endif
