// SPDX-License-Identifier: Apache-2.0
// Copies and fills of acl/acl_rt.h. The direction that the caller names is checked and otherwise
// ignored: all memory is addressable from everywhere.
#include <cstring>

#include "ops/runtime/call/hooks.h"
#include "ops/runtime/capture/capture.h"
#include "ops/runtime/context/context.h"
#include "ops/runtime/context/synchronize.h"
#include "ops/runtime/memory/memory.h"

namespace aclgrad::runtime {
namespace {

// Rows of bytes; a plain copy is one row.
struct Copy {
  void* to;
  const void* from;
  size_t to_pitch;
  size_t from_pitch;
  size_t width;
  size_t height;
};

struct Fill {
  void* at;
  int value;
  size_t count;
};

aclError run_copy(void* argument) {
  const Copy& copy = *static_cast<const Copy*>(argument);
  auto* to = static_cast<std::byte*>(copy.to);
  const auto* from = static_cast<const std::byte*>(copy.from);
  // Where both begin at the same byte, no row may be overwritten before it is read.
  const bool from_last = copy.to_pitch > copy.from_pitch;
  for (size_t i = 0; i < copy.height; ++i) {
    const size_t row = from_last ? copy.height - 1 - i : i;
    std::memmove(to + row * copy.to_pitch, from + row * copy.from_pitch, copy.width);
  }
  return ACL_SUCCESS;
}

aclError run_fill(void* argument) {
  const Fill& fill = *static_cast<const Fill*>(argument);
  std::memset(fill.at, fill.value, fill.count);
  return ACL_SUCCESS;
}

// Bytes from the first to behind the last one of the rows; the largest size when that overflows.
size_t span_of(size_t pitch, size_t width, size_t height) {
  size_t span = 0;
  if (__builtin_mul_overflow(pitch, height - 1, &span)) return SIZE_MAX;
  if (__builtin_add_overflow(span, width, &span)) return SIZE_MAX;
  return span;
}

// The checks of a plain copy after count 0, in the documented order.
void check_copy(const Call& call, const void* dst, size_t destMax, const void* src, size_t count,
                aclrtMemcpyKind kind) {
  call.require(dst, "dst");
  call.require(src, "src");
  if (!is_member(kind, ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)) {
    call.bad_value(ACL_ERROR_INVALID_PARAM, "kind", static_cast<int>(kind),
                   "a direction of aclrtMemcpyKind (0..5)");
  }
  if (destMax < count) {
    call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "destMax", destMax,
                   "at least the value of argument count");
  }
}

void check_ranges(const Call& call, const Copy& copy) {
  const size_t to_span = span_of(copy.to_pitch, copy.width, copy.height);
  const size_t from_span = span_of(copy.from_pitch, copy.width, copy.height);
  check_range(call, "dst", copy.to, to_span);
  check_range(call, "src", copy.from, from_span);
}

// An operand of single bytes.
void tell_rows(OperandSink& sink, const char* argument, const void* address, size_t pitch,
               size_t width, size_t height, bool is_written) {
  const int64_t shape[] = {static_cast<int64_t>(height), static_cast<int64_t>(width)};
  const int64_t strides[] = {static_cast<int64_t>(pitch), 1};
  sink.add(
      {argument, address, shape, strides, 2, 1, is_written ? 0 : 1, is_written ? 1 : 0, nullptr});
}

void describe(const Copy& copy, OperandSink& sink) {
  tell_rows(sink, "dst", copy.to, copy.to_pitch, copy.width, copy.height, /*is_written=*/true);
  tell_rows(sink, "src", copy.from, copy.from_pitch, copy.width, copy.height, /*is_written=*/false);
}

void describe(const Fill& fill, OperandSink& sink) {
  tell_rows(sink, "devPtr", fill.at, fill.count, fill.count, 1, /*is_written=*/true);
}

template <class Work>
Effects effects_of(const Work& work) {
  return {.describe = [](const void* subject,
                         OperandSink& sink) { describe(*static_cast<const Work*>(subject), sink); },
          .subject = &work,
          .is_copy = true};
}

// The checks of memory that is touched at once.
template <class Work>
void check_now(const Call& call, const Work& work) {
  if (RuntimeHooks* const active = hooks()) active->before_access(call, effects_of(work));
}

bool is_in_place(const Copy& copy) {
  return copy.to == copy.from && (copy.height == 1 || copy.to_pitch == copy.from_pitch);
}

// Memory that the program may change or give back as soon as the call returns.
bool is_pageable(const void* address) { return !find_memory(address).known; }

void copy_now(const Call& call, Copy copy) {
  const Context& context = require_context(call);
  check_unsafe_call(call, ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
  check_ranges(call, copy);
  if (is_in_place(copy)) return;
  if (!is_pageable(copy.to) || !is_pageable(copy.from)) finish_computing(context);
  check_now(call, copy);
  run_copy(&copy);
}

void copy_in_stream(const Call& call, aclrtStream handle, const Copy& copy) {
  const BorrowedStream chosen = choose_stream(call, handle);
  check_ranges(call, copy);
  if (is_in_place(copy)) return;
  const bool waits = is_pageable(copy.to) || is_pageable(copy.from);
  if (waits) {
    check_unsafe_call(call, ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC);
    // Recorded (in mode RELAXED), the copy has nothing to wait for.
    if (!chosen->capture() && chosen->is_running_here()) inside_own_task(call);
  }
  uint64_t ticket = 0;
  submit(call, *chosen, make_task("memory copy", run_copy, copy), &ticket, effects_of(copy));
  // Recorded, the copy has no ticket.
  if (!waits || ticket == 0) return;
  if (chosen->wait(ticket) != Stream::WaitResult::kDone) process_ends(call);
}

void check_fill(const Call& call, const void* devPtr, size_t maxCount, size_t count) {
  call.require(devPtr, "devPtr");
  if (count > maxCount) {
    call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "count", count,
                   "at most the value of argument maxCount");
  }
}

void check_rows(const Call& call, const Copy& copy, aclrtMemcpyKind kind) {
  call.require(copy.to, "dst");
  call.require(copy.from, "src");
  if (copy.width > copy.to_pitch || copy.width > copy.from_pitch) {
    call.bad_value(ACL_ERROR_INVALID_PARAM, "width", copy.width,
                   "at most the values of arguments dpitch and spitch");
  }
  if (!is_member(kind, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEFAULT)) {
    call.bad_value(ACL_ERROR_INVALID_PARAM, "kind", static_cast<int>(kind),
                   "a direction of aclrtMemcpyKind from 1 to 4");
  }
}

}  // namespace
}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
  return entry(__func__, [&](const Call& call) {
    if (count == 0) return;
    check_copy(call, dst, destMax, src, count, kind);
    copy_now(call, {dst, src, count, count, count, 1});
  });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    if (count == 0) return;
    check_copy(call, dst, destMax, src, count, kind);
    if (kind == ACL_MEMCPY_HOST_TO_HOST) {
      call.unsupported("an asynchronous copy from host to host does not exist", "Use aclrtMemcpy.");
    }
    copy_in_stream(call, stream, {dst, src, count, count, count, 1});
  });
}

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                       size_t height, aclrtMemcpyKind kind) {
  return entry(__func__, [&](const Call& call) {
    if (width == 0 || height == 0) return;
    const Copy copy{dst, src, dpitch, spitch, width, height};
    check_rows(call, copy, kind);
    copy_now(call, copy);
  });
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    if (width == 0 || height == 0) return;
    const Copy copy{dst, src, dpitch, spitch, width, height};
    check_rows(call, copy, kind);
    copy_in_stream(call, stream, copy);
  });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return entry(__func__, [&](const Call& call) {
    if (count == 0) return;
    check_fill(call, devPtr, maxCount, count);
    const Context& context = require_context(call);
    check_unsafe_call(call, ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    check_range(call, "devPtr", devPtr, count);
    if (!is_pageable(devPtr)) finish_computing(context);
    Fill fill{devPtr, value, count};
    check_now(call, fill);
    run_fill(&fill);
  });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    if (count == 0) return;
    check_fill(call, devPtr, maxCount, count);
    const BorrowedStream chosen = choose_stream(call, stream);
    check_range(call, "devPtr", devPtr, count);
    const Fill fill{devPtr, value, count};
    submit(call, *chosen, make_task("memory fill", run_fill, fill),
           /*ticket=*/nullptr, effects_of(fill));
  });
}

aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream) {
  constexpr size_t kStatusSize = 64;
  return entry(__func__, [&](const Call& call) {
    call.require(outputAddr, "outputAddr");
    if (outputSize < kStatusSize) {
      call.bad_value(ACL_ERROR_INVALID_PARAM, "outputSize", outputSize, "at least 64");
    }
    const BorrowedStream chosen = choose_stream(call, stream);
    check_range(call, "outputAddr", outputAddr, kStatusSize);
    const Fill fill{outputAddr, 0, kStatusSize};
    submit(call, *chosen, make_task("overflow status", run_fill, fill),
           /*ticket=*/nullptr, effects_of(fill));
  });
}
