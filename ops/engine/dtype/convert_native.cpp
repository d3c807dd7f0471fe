// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/dtype/convert_native.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/engine/dtype/convert_native.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/dtype/load_store-inl.h"

#ifndef ACLGRAD_OPS_ENGINE_DTYPE_CONVERT_NATIVE_ROW
#define ACLGRAD_OPS_ENGINE_DTYPE_CONVERT_NATIVE_ROW
namespace aclgrad::ops {

// For blocks of one row.
using RowFunction = void (*)(const NativeBlock&);

}  // namespace aclgrad::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// As store_both() these keep the order of elements.
HWY_INLINE Floats load_one(FloatTag d, const float* from) { return hn::LoadU(d, from); }
HWY_INLINE Floats load_one(FloatTag d, const Float16* from) {
  return floats_of_float16(d, hn::LoadU(Tag16(), reinterpret_cast<const uint16_t*>(from)));
}
HWY_INLINE Floats load_one(FloatTag d, const Bfloat16* from) {
  return floats_of_bfloat16(d, hn::LoadU(Tag16(), reinterpret_cast<const uint16_t*>(from)));
}

template <class From, class To>
HWY_INLINE void convert_each(const From* from, To* to, size_t begin, size_t end) {
  for (size_t k = begin; k < end; ++k) to[k] = from_parts<To>(real_part(from[k]), 0.0);
}

// Whole pairs from `begin` on; returns where they end.
template <StoreMode kMode, class From, class To>
HWY_ATTR size_t convert_pairs(const From* from, To* to, size_t begin, size_t count) {
  const FloatTag d;
  size_t i = begin;
  for (; i + kPairLanes <= count; i += kPairLanes) {
    if constexpr (kMode == StoreMode::kStreaming) fetch_ahead<kPairLanes * sizeof(From)>(from + i);
    const FloatPair v{load_one(d, from + i), load_one(d, from + i + kFloatLanes)};
    store_both<kMode>(d, v, to + i);
  }
  return i;
}

// The work on a row: any() for any elements; streaming() for whole vectors from an aligned one on,
// whose number of elements it returns.
template <class From, class To>
struct Conversion {
  static HWY_ATTR void any(const From* from, To* to, size_t count) {
    convert_each(from, to, convert_pairs<StoreMode::kCached>(from, to, 0, count), count);
  }
  static HWY_ATTR size_t streaming(const From* from, To* to, size_t count) {
    return convert_pairs<StoreMode::kStreaming>(from, to, 0, count);
  }
};

struct Copying {
  static void any(const uint8_t* from, uint8_t* to, size_t count) { std::memmove(to, from, count); }
  static HWY_ATTR size_t streaming(const uint8_t* from, uint8_t* to, size_t count) {
    const hn::ScalableTag<uint8_t> d;
    constexpr size_t kBytes = 2 * hn::MaxLanes(hn::ScalableTag<uint8_t>());
    size_t i = 0;
    for (; i + kBytes <= count; i += kBytes) {
      fetch_ahead<kBytes>(from + i);
      for (size_t k = i; k < i + kBytes; k += hn::Lanes(d)) {
        hn::Stream(hn::LoadU(d, from + k), d, to + k);
      }
    }
    return i;
  }
};

// One row.
template <class Way, class From, class To>
HWY_ATTR void map_row(const NativeBlock& block) {
  const auto* from = static_cast<const From*>(block.in[0]);
  auto* to = static_cast<To*>(block.out[0]);
  size_t done = 0;
  if (const size_t unaligned = elements_to_alignment(to);
      block.streaming && unaligned <= block.count) {
    Way::any(from, to, unaligned);
    done = unaligned + Way::streaming(from + unaligned, to + unaligned, block.count - unaligned);
  }
  Way::any(from + done, to + done, block.count - done);
}

template <class From, class To>
constexpr RowFunction kConvert = map_row<Conversion<From, To>, From, To>;
// Of elements of a byte.
constexpr RowFunction kCopy = map_row<Copying, uint8_t, uint8_t>;

RowFunction conversion(aclDataType from, aclDataType to) {
  static constexpr struct {
    aclDataType from;
    aclDataType to;
    RowFunction run;
  } kConversions[] = {
      {ACL_FLOAT, ACL_FLOAT16, kConvert<float, Float16>},
      {ACL_FLOAT, ACL_BF16, kConvert<float, Bfloat16>},
      {ACL_FLOAT16, ACL_FLOAT, kConvert<Float16, float>},
      {ACL_FLOAT16, ACL_BF16, kConvert<Float16, Bfloat16>},
      {ACL_BF16, ACL_FLOAT, kConvert<Bfloat16, float>},
      {ACL_BF16, ACL_FLOAT16, kConvert<Bfloat16, Float16>},
  };
  for (const auto& each : kConversions) {
    if (each.from == from && each.to == to) return each.run;
  }
  return nullptr;
}

void copy_bytes(const NativeBlock& block) { kCopy(block); }

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(conversion);
HWY_EXPORT(copy_bytes);

NativeKernel native_conversion(aclDataType from, aclDataType to) {
  return row_by_row<1, 1>(HWY_DYNAMIC_DISPATCH(conversion)(from, to));
}

bool convert_dense(const void* from, aclDataType from_dtype, void* to, aclDataType to_dtype,
                   int64_t count) {
  const RowFunction convert = HWY_DYNAMIC_DISPATCH(conversion)(from_dtype, to_dtype);
  if (convert == nullptr) return false;
  convert({.dtype = from_dtype, .in = &from, .out = &to, .count = static_cast<size_t>(count)});
  return true;
}

NativeKernel native_copy(size_t element_bytes) {
  return row_by_row<1, 1>([element_bytes](NativeBlock block) {
    block.count *= element_bytes;
    HWY_DYNAMIC_DISPATCH(copy_bytes)(block);
  });
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
