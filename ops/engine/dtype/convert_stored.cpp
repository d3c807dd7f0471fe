// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/dtype/convert_stored.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/engine/dtype/convert_stored.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/dtype/cells-inl.h"

#ifndef ACLGRAD_OPS_ENGINE_DTYPE_CONVERT_STORED_ROW
#define ACLGRAD_OPS_ENGINE_DTYPE_CONVERT_STORED_ROW
namespace aclgrad::ops {

// For blocks of one row.
using RowFunction = void (*)(const StoredBlock&);

}  // namespace aclgrad::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// Unlike Cells, which take elements in whatever order is cheapest, these keep the order.
HWY_INLINE Floats load_one(FloatTag d, const float* from) { return hn::LoadU(d, from); }
HWY_INLINE Floats load_one(FloatTag d, const Half* from) {
  return floats_of_halves(d, hn::LoadU(Tag16(), reinterpret_cast<const uint16_t*>(from)));
}
HWY_INLINE Floats load_one(FloatTag d, const Bfloat* from) {
  return floats_of_bfloats(d, hn::LoadU(Tag16(), reinterpret_cast<const uint16_t*>(from)));
}

template <Path kPath>
HWY_INLINE void store_both(FloatTag d, FloatPair v, float* to) {
  put<kPath>(v.first, d, to);
  put<kPath>(v.second, d, to + kFloatLanes);
}
template <Path kPath>
HWY_INLINE void store_both(FloatTag d, FloatPair v, Half* to) {
  auto* bits = reinterpret_cast<uint16_t*>(to);
  put<kPath>(nearest_halves(d, v.first), Tag16(), bits);
  put<kPath>(nearest_halves(d, v.second), Tag16(), bits + kFloatLanes);
}
template <Path kPath>
HWY_INLINE void store_both(FloatTag d, FloatPair v, Bfloat* to) {
  const auto first = bfloat_words(d, shortened_nan(d, v.first));
  const auto second = bfloat_words(d, shortened_nan(d, v.second));
#if HWY_TARGET == HWY_SCALAR
  to[0].bits = static_cast<uint16_t>(hn::GetLane(first) >> 16);
  to[1].bits = static_cast<uint16_t>(hn::GetLane(second) >> 16);
#else
  const FullTag16 ds;
  put<kPath>(hn::ConcatOdd(ds, hn::BitCast(ds, second), hn::BitCast(ds, first)), ds,
             reinterpret_cast<uint16_t*>(to));
#endif
}

template <class From, class To>
HWY_INLINE void convert_each(const From* from, To* to, size_t begin, size_t end) {
  for (size_t k = begin; k < end; ++k) to[k] = from_parts<To>(real_part(from[k]), 0.0);
}

// Whole steps from `begin` on; returns where they end.
template <Path kPath, class From, class To>
HWY_ATTR size_t convert_steps(const From* from, To* to, size_t begin, size_t count) {
  const FloatTag d;
  size_t i = begin;
  for (; i + kStep <= count; i += kStep) {
    if constexpr (kPath == Path::kStreaming) fetch_ahead<kStep * sizeof(From)>(from + i);
    const FloatPair v{load_one(d, from + i), load_one(d, from + i + kFloatLanes)};
    store_both<kPath>(d, v, to + i);
  }
  return i;
}

// What is done with a row. With streaming stores: whole vectors, from one that is aligned on; says
// how many elements these are.
template <class From, class To>
struct Conversion {
  static HWY_ATTR void any(const From* from, To* to, size_t count) {
    convert_each(from, to, convert_steps<Path::kCached>(from, to, 0, count), count);
  }
  static HWY_ATTR size_t around_caches(const From* from, To* to, size_t count) {
    return convert_steps<Path::kStreaming>(from, to, 0, count);
  }
};

template <class T>
struct Copying {
  static void any(const T* from, T* to, size_t count) { std::memmove(to, from, count * sizeof(T)); }
  static HWY_ATTR size_t around_caches(const T* from, T* to, size_t count) {
    const hn::ScalableTag<T> d;
    size_t i = 0;
    for (; i + kStep <= count; i += kStep) {
      fetch_ahead<kStep * sizeof(T)>(from + i);
      for (size_t k = i; k < i + kStep; k += hn::Lanes(d)) {
        hn::Stream(hn::LoadU(d, from + k), d, to + k);
      }
    }
    return i;
  }
};

// One row.
template <class Way, class From, class To>
HWY_ATTR void map_row(const StoredBlock& block) {
  const auto* from = static_cast<const From*>(block.in[0]);
  auto* to = static_cast<To*>(block.out[0]);
  size_t done = 0;
  if (const size_t head = elements_to_alignment(to); block.around_caches && head <= block.count) {
    Way::any(from, to, head);
    done = head + Way::around_caches(from + head, to + head, block.count - head);
  }
  Way::any(from + done, to + done, block.count - done);
}

template <class From, class To>
constexpr RowFunction kConvert = map_row<Conversion<From, To>, From, To>;
template <class T>
constexpr RowFunction kCopy = map_row<Copying<T>, T, T>;

RowFunction conversion(aclDataType from, aclDataType to) {
  static constexpr struct {
    aclDataType from;
    aclDataType to;
    RowFunction run;
  } kConversions[] = {
      {ACL_FLOAT, ACL_FLOAT16, kConvert<float, Half>},
      {ACL_FLOAT, ACL_BF16, kConvert<float, Bfloat>},
      {ACL_FLOAT16, ACL_FLOAT, kConvert<Half, float>},
      {ACL_FLOAT16, ACL_BF16, kConvert<Half, Bfloat>},
      {ACL_BF16, ACL_FLOAT, kConvert<Bfloat, float>},
      {ACL_BF16, ACL_FLOAT16, kConvert<Bfloat, Half>},
  };
  for (const auto& each : kConversions) {
    if (each.from == from && each.to == to) return each.run;
  }
  return nullptr;
}

RowFunction copying(size_t element_bytes) {
  return element_bytes == 2 ? kCopy<uint16_t> : kCopy<uint32_t>;
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(conversion);
HWY_EXPORT(copying);

StoredKernel stored_conversion(aclDataType from, aclDataType to) {
  return row_by_row<1, 1>(HWY_DYNAMIC_DISPATCH(conversion)(from, to));
}

StoredKernel stored_copy(size_t element_bytes) {
  return row_by_row<1, 1>(HWY_DYNAMIC_DISPATCH(copying)(element_bytes));
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
