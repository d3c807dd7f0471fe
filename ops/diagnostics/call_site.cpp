// SPDX-License-Identifier: Apache-2.0
#include "ops/diagnostics/call_site.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unwind.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace aclgrad::diagnostics {
namespace {

constexpr int kMaxFrames = 6;

struct Frame {
  std::string_view file;  // without its folder
  size_t offset = 0;      // in the file, as addr2line wants it
  const char* symbol = nullptr;
};

Frame resolve(void* address) {
  Dl_info info{};
  // A return address may belong to the next function; the call lies before it.
  const void* const call = static_cast<const char*>(address) - 1;
  if (dladdr(call, &info) == 0 || info.dli_fname == nullptr) return {};
  const char* const slash = std::strrchr(info.dli_fname, '/');
  return {slash == nullptr ? info.dli_fname : slash + 1,
          static_cast<size_t>(static_cast<const char*>(call) -
                              static_cast<const char*>(info.dli_fbase)),
          info.dli_sname};
}

bool is_ours(const Frame& frame) {
  for (const std::string_view library :
       {"libascendcl.so", "libnnopbase.so", "libopapi.so", "libhccl.so"}) {
    if (frame.file.substr(0, library.size()) == library) return true;
  }
  return false;
}

bool is_start_of_program(const Frame& frame) {
  return frame.file.substr(0, 5) == "libc." || frame.file.substr(0, 5) == "libc-";
}

const char*& current_call() {
  thread_local const char* name = nullptr;
  return name;
}

// The addresses of a stack from the innermost one, and how many are there.
template <size_t depth>
struct Stack {
  std::array<void*, depth>& addresses;
  size_t count = 0;

  // Of the compiler's runtime, as musl has no backtrace().
  static _Unwind_Reason_Code add(_Unwind_Context* frame, void* stack) {
    auto& [addresses, count] = *static_cast<Stack*>(stack);
    if (count == depth) return _URC_END_OF_STACK;
    addresses[count++] = reinterpret_cast<void*>(_Unwind_GetIP(frame));
    return _URC_NO_REASON;
  }
};

std::string demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), std::free);
  return status == 0 && name ? name.get() : symbol;
}

}  // namespace

const char* CallSite::set_call(const char* name) { return std::exchange(current_call(), name); }

CallSite CallSite::here() {
  CallSite call_site;
  Stack<kDepth> stack{call_site.stack_};
  _Unwind_Backtrace(&Stack<kDepth>::add, &stack);
  call_site.call_ = current_call();
  return call_site;
}

std::string CallSite::function() const {
  if (call_ != nullptr) return call_;
  std::string name = "a call";
  for (void* const address : stack_) {
    if (address == nullptr) break;
    const Frame frame = resolve(address);
    if (!is_ours(frame)) break;
    if (frame.symbol != nullptr) name = frame.symbol;
  }
  return name;
}

std::string CallSite::frames(const std::string& indent) const {
  std::string text;
  int shown = 0;
  bool inside = true;
  for (void* const address : stack_) {
    if (address == nullptr || shown == kMaxFrames) break;
    const Frame frame = resolve(address);
    if (inside && is_ours(frame)) continue;
    inside = false;
    if (frame.file.empty() || is_start_of_program(frame)) break;
    text += frame.symbol == nullptr
                ? fmt::format("{}at {}+{:#x}\n", indent, frame.file, frame.offset)
                : fmt::format("{}at {} ({}+{:#x})\n", indent, demangled(frame.symbol), frame.file,
                              frame.offset);
    ++shown;
  }
  return text.empty() ? indent + "at a place that the stack does not show\n" : text;
}

}  // namespace aclgrad::diagnostics
