// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/convert_stored.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/convert_stored.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/cells-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// Unlike Cells, which take elements in whatever order is cheapest, these keep the order.
HWY_INLINE Floats load_one(FloatTag d, const float* from) { return hn::LoadU(d, from); }
HWY_INLINE Floats load_one(FloatTag d, const Half* from) {
  return floats_of_halves(d, hn::LoadU(ShortTag(), reinterpret_cast<const uint16_t*>(from)));
}
HWY_INLINE Floats load_one(FloatTag d, const Bfloat* from) {
  return floats_of_bfloats(d, hn::LoadU(ShortTag(), reinterpret_cast<const uint16_t*>(from)));
}

// False if nothing was stored, for a NaN among the floats.
template <Path kPath>
HWY_INLINE bool store_both(FloatTag d, FloatPair v, float* to) {
  put<kPath>(v.first, d, to);
  put<kPath>(v.second, d, to + kFloatLanes);
  return true;
}
template <Path kPath>
HWY_INLINE bool store_both(FloatTag d, FloatPair v, Half* to) {
  auto* bits = reinterpret_cast<uint16_t*>(to);
  put<kPath>(nearest_halves(d, v.first), ShortTag(), bits);
  put<kPath>(nearest_halves(d, v.second), ShortTag(), bits + kFloatLanes);
  return true;
}
template <Path kPath>
HWY_INLINE bool store_both(FloatTag d, FloatPair v, Bfloat* to) {
#if HWY_TARGET == HWY_SCALAR
  (void)d, (void)v, (void)to;
  return false;  // rather one by one
#else
  const FullShortTag ds;
  if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Or(hn::IsNaN(v.first), hn::IsNaN(v.second))))) return false;
  const auto first = hn::BitCast(ds, bfloat_words(d, v.first));
  const auto second = hn::BitCast(ds, bfloat_words(d, v.second));
  put<kPath>(hn::ConcatOdd(ds, second, first), ds, reinterpret_cast<uint16_t*>(to));
  return true;
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
    if constexpr (kPath == Path::kAround) fetch_ahead(from + i);
    const FloatPair v{load_one(d, from + i), load_one(d, from + i + kFloatLanes)};
    if (HWY_UNLIKELY(!store_both<kPath>(d, v, to + i))) convert_each(from, to, i, i + kStep);
  }
  return i;
}

template <class From, class To>
void convert_dense(const void* source, void* target, size_t count, bool around_caches) {
  const From* from = static_cast<const From*>(source);
  To* to = static_cast<To*>(target);
  size_t i = 0;
  if (const size_t head = elements_to_alignment(to); around_caches && head <= count) {
    convert_each(from, to, 0, head);
    i = convert_steps<Path::kAround>(from, to, head, count);
    hwy::FlushStream();
  }
  i = convert_steps<Path::kCached>(from, to, i, count);
  convert_each(from, to, i, count);
}

bool convert(const void* source, aclDataType from, void* target, aclDataType to, size_t count,
             bool around_caches) {
  using Conversion = void (*)(const void*, void*, size_t, bool);
  static constexpr struct {
    aclDataType from;
    aclDataType to;
    Conversion run;
  } kConversions[] = {
      {ACL_FLOAT, ACL_FLOAT16, convert_dense<float, Half>},
      {ACL_FLOAT, ACL_BF16, convert_dense<float, Bfloat>},
      {ACL_FLOAT16, ACL_FLOAT, convert_dense<Half, float>},
      {ACL_FLOAT16, ACL_BF16, convert_dense<Half, Bfloat>},
      {ACL_BF16, ACL_FLOAT, convert_dense<Bfloat, float>},
      {ACL_BF16, ACL_FLOAT16, convert_dense<Bfloat, Half>},
  };
  for (const auto& each : kConversions) {
    if (each.from != from || each.to != to) continue;
    each.run(source, target, count, around_caches);
    return true;
  }
  return false;
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(convert);

bool convert_stored(const void* source, aclDataType from, void* target, aclDataType to,
                    size_t count, bool around_caches) {
  return HWY_DYNAMIC_DISPATCH(convert)(source, from, target, to, count, around_caches);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
