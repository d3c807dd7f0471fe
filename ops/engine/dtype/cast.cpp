// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/dtype/cast.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>

#include "ops/engine/dtype/convert_native.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/dtype/sixteen_bits.h"
#include "ops/engine/native_loop.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

using Complex = std::complex<double>;

constexpr int64_t kGrain = 32 * static_cast<int64_t>(kBlock);

struct alignas(16) Slot {
  unsigned char bytes[16];
};

bool is_integral(aclDataType dtype) { return is_integer(dtype) || dtype == ACL_BOOL; }

// A double has fewer bits than these, so a detour through it would round twice.
bool is_long(aclDataType dtype) { return dtype == ACL_INT64 || dtype == ACL_UINT64; }

template <class T>
void cast_in(const CastSource& source, const CastTarget& target, int64_t begin, int64_t end) {
  alignas(64) T block[kBlock];
  read_elements(source.data, source.dtype, source.index, begin, end, block);
  write_elements(block, target.data, target.dtype, target.index, begin, end);
}

void cast_long_to_floating(const CastSource& source, const CastTarget& target, int64_t begin,
                           int64_t end) {
  alignas(64) int64_t integers[kBlock];
  alignas(64) double reals[kBlock];
  read_elements(source.data, source.dtype, source.index, begin, end, integers);
  const bool has_sign = source.dtype == ACL_INT64;
  for (int64_t i = 0; i < end - begin; ++i) {
    const int64_t value = integers[i];
    reals[i] = has_sign ? integer_to_odd(value) : integer_to_odd(static_cast<uint64_t>(value));
  }
  write_elements(reals, target.data, target.dtype, target.index, begin, end);
}

// Between equal dtypes elements keep their bits, NaN payloads included: they are read as integers
// of their size.
void copy_block(const CastSource& source, const CastTarget& target, int64_t begin, int64_t end) {
  static constexpr aclDataType kBySize[] = {ACL_DT_UNDEFINED, ACL_INT8,         ACL_INT16,
                                            ACL_DT_UNDEFINED, ACL_INT32,        ACL_DT_UNDEFINED,
                                            ACL_DT_UNDEFINED, ACL_DT_UNDEFINED, ACL_INT64};
  const size_t size = element_size(source.dtype);
  if (size > 8) return cast_in<Complex>(source, target, begin, end);
  const aclDataType bits = kBySize[size];
  cast_in<int64_t>({source.data, bits, source.index}, {target.data, bits, target.index}, begin,
                   end);
}

void cast_block(const CastSource& source, const CastTarget& target, int64_t begin, int64_t end) {
  if (source.dtype == target.dtype) return copy_block(source, target, begin, end);
  if (is_integral(source.dtype) && is_integral(target.dtype)) {
    return cast_in<int64_t>(source, target, begin, end);
  }
  if (is_long(source.dtype) && (has_native_kernel(target.dtype) || target.dtype == ACL_COMPLEX64)) {
    return cast_long_to_floating(source, target, begin, end);
  }
  if (is_complex(source.dtype)) return cast_in<Complex>(source, target, begin, end);
  cast_in<double>(source, target, begin, end);
}

// The compute type in which a value of either dtype stays what it is.
template <class T>
aclDataType holder() {
  if constexpr (std::is_same_v<T, Complex>) return ACL_COMPLEX128;
  return std::is_same_v<T, double> ? ACL_DOUBLE : ACL_INT64;
}

const StridedIndex& block_index() {
  static const StridedIndex index({static_cast<int64_t>(kBlock)}, {1});
  return index;
}

}  // namespace

void cast_elements(const CastSource& source, const CastTarget& target, int64_t begin, int64_t end) {
  if (source.index.dense() && target.index.dense()) {
    const void* const from = element(source.data, source.dtype, begin);
    void* const to = element(target.data, target.dtype, begin);
    if (source.dtype == target.dtype) {
      const int64_t size = static_cast<int64_t>(element_size(source.dtype));
      std::memmove(to, from, static_cast<size_t>((end - begin) * size));
      return;
    }
    if (convert_dense(from, source.dtype, to, target.dtype, end - begin)) return;
  }
  for (int64_t i = begin; i < end; i += static_cast<int64_t>(kBlock)) {
    cast_block(source, target, i, std::min(end, i + static_cast<int64_t>(kBlock)));
  }
}

namespace {

template <class T>
Body copy_in(const ViewCopy& copy) {
  const auto identity = [](const T* const* in, T* const* out, size_t count) {
    std::copy_n(in[0], count, out[0]);
  };
  return Elementwise(copy.shape, {copy.to}, {copy.from}, BlockKernel<T>(identity)).plan().body;
}

// Where a value is rounded to a third dtype on its way.
Body copy_through(const ViewCopy& copy) {
  const aclDataType through = copy.to.intermediate_dtype;
  if (is_integral(through)) return copy_in<int64_t>(copy);
  return is_complex(through) ? copy_in<Complex>(copy) : copy_in<double>(copy);
}

// For elements of one dtype, and conversions between FLOAT, FLOAT16 and BF16; null for others.
NativeKernel native_kernel_of(aclDataType from, aclDataType to) {
  if (from == to) return native_copy(element_size(from));
  return has_native_kernel(from) && has_native_kernel(to) ? native_conversion(from, to) : nullptr;
}

Body copy_native(ViewCopy copy, NativeKernel kernel) {
  Dims* const strides[] = {&copy.to.strides, &copy.from.strides};
  collapse_dimensions(copy.shape, strides);
  const auto loop = std::make_shared<const NativeLoop>(copy.shape, std::vector{copy.to},
                                                       std::vector{copy.from}, std::move(kernel));
  return [loop](const Run& run) -> aclError {
    loop->run(run);
    return ACL_SUCCESS;
  };
}

Body copy_elements(const ViewCopy& copy) {
  const auto indices = std::make_shared<const std::pair<StridedIndex, StridedIndex>>(
      StridedIndex(copy.shape, copy.from.strides), StridedIndex(copy.shape, copy.to.strides));
  return [indices, from = copy.from, to = copy.to](const Run& run) -> aclError {
    const auto at = [&run](const Operand& operand) {
      return element(run.data(operand.parameter), operand.dtype, operand.offset);
    };
    const CastSource source{at(from), from.dtype, indices->first};
    const CastTarget target{at(to), to.dtype, indices->second};
    parallel_pieces(target.index.count(), kGrain,
                    [&](int64_t begin, int64_t end) { cast_elements(source, target, begin, end); });
    return ACL_SUCCESS;
  };
}

Body body_of(const ViewCopy& copy) {
  const aclDataType through = copy.to.intermediate_dtype;
  if (through != copy.to.dtype && through != copy.from.dtype) return copy_through(copy);
  NativeKernel native = native_kernel_of(copy.from.dtype, copy.to.dtype);
  return native ? copy_native(copy, std::move(native)) : copy_elements(copy);
}

}  // namespace

Plan plan_copies(const std::vector<ViewCopy>& copies) {
  std::vector<Body> bodies;
  for (const ViewCopy& copy : copies) {
    if (count_elements(copy.shape) > 0) bodies.push_back(body_of(copy));
  }
  if (bodies.empty()) return {};
  return {[bodies = std::move(bodies)](const Run& run) -> aclError {
    for (const Body& each : bodies) {
      if (const aclError error = each(run); error != ACL_SUCCESS) return error;
    }
    return ACL_SUCCESS;
  }};
}

Plan plan_cast(const Arguments& arguments, size_t source, size_t target) {
  const Dims& shape = arguments.shape(target);
  if (count_elements(shape) == 0) return {};
  return plan_copies(
      {{shape, operand(arguments, target, shape), operand(arguments, source, shape)}});
}

bool converts_exactly(aclDataType dtype, aclDataType wider) {
  if (dtype == wider) return true;
  const bool small = dtype == ACL_INT8 || dtype == ACL_UINT8 || dtype == ACL_INT16 ||
                     dtype == ACL_BOOL || dtype == ACL_FLOAT16 || dtype == ACL_BF16;
  switch (wider) {
    case ACL_FLOAT:
    case ACL_COMPLEX64:
      return small || dtype == ACL_FLOAT;
    case ACL_DOUBLE:
    case ACL_COMPLEX128:
      return small || dtype == ACL_INT32 || dtype == ACL_FLOAT || dtype == ACL_DOUBLE;
    default:
      return false;
  }
}

template <class T>
void load_through(const void* source, aclDataType dtype, aclDataType through, int64_t stride,
                  T* block, size_t count) {
  if (converts_exactly(dtype, through)) return load(source, dtype, stride, block, count);
  Slot slots[kBlock];
  const StridedIndex from({static_cast<int64_t>(count)}, {stride});
  cast_block({source, dtype, from}, {slots, through, block_index()}, 0,
             static_cast<int64_t>(count));
  load(slots, through, 1, block, count);
}

template <class T>
void store_through(const T* block, void* target, aclDataType through, aclDataType dtype,
                   int64_t stride, size_t count) {
  if (through == dtype || converts_exactly(holder<T>(), through)) {
    return store(block, target, dtype, stride, count);
  }
  Slot slots[kBlock];
  store(block, slots, through, 1, count);
  const StridedIndex to({static_cast<int64_t>(count)}, {stride});
  cast_block({slots, through, block_index()}, {target, dtype, to}, 0, static_cast<int64_t>(count));
}

template void load_through(const void*, aclDataType, aclDataType, int64_t, double*, size_t);
template void load_through(const void*, aclDataType, aclDataType, int64_t, int64_t*, size_t);
template void load_through(const void*, aclDataType, aclDataType, int64_t, Complex*, size_t);
template void store_through(const double*, void*, aclDataType, aclDataType, int64_t, size_t);
template void store_through(const int64_t*, void*, aclDataType, aclDataType, int64_t, size_t);
template void store_through(const Complex*, void*, aclDataType, aclDataType, int64_t, size_t);

}  // namespace aclgrad::ops
