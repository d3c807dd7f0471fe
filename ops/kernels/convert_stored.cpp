// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/convert_stored.h"

#include <cstring>

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

// What is done with a row. Around the caches: whole vectors, from one that is aligned on; says how
// many elements these are.
template <class From, class To>
struct Conversion {
  static HWY_ATTR void any(const From* from, To* to, size_t count) {
    convert_each(from, to, convert_steps<Path::kCached>(from, to, 0, count), count);
  }
  static HWY_ATTR size_t around_caches(const From* from, To* to, size_t count) {
    return convert_steps<Path::kAround>(from, to, 0, count);
  }
};

template <class T>
struct Copying {
  static void any(const T* from, T* to, size_t count) { std::memmove(to, from, count * sizeof(T)); }
  static HWY_ATTR size_t around_caches(const T* from, T* to, size_t count) {
    const hn::ScalableTag<T> d;
    const size_t whole = count / hn::Lanes(d) * hn::Lanes(d);
    for (size_t i = 0; i < whole; i += hn::Lanes(d)) hn::Stream(hn::LoadU(d, from + i), d, to + i);
    return whole;
  }
};

template <class Way, class From, class To>
HWY_ATTR void map_row(const From* from, To* to, size_t count, bool around_caches) {
  size_t done = 0;
  if (const size_t head = elements_to_alignment(to); around_caches && head <= count) {
    Way::any(from, to, head);
    done = head + Way::around_caches(from + head, to + head, count - head);
  }
  Way::any(from + done, to + done, count - done);
}

template <class Way, class From, class To>
void map_rows(const StoredBlock& block) {
  const auto* from = static_cast<const std::byte*>(block.in[0]);
  auto* to = static_cast<std::byte*>(block.out[0]);
  for (size_t row = 0; row < block.rows; ++row) {
    if (row > 0) {
      from += block.in_steps[0];
      to += block.out_steps[0];
    }
    map_row<Way>(reinterpret_cast<const From*>(from), reinterpret_cast<To*>(to), block.count,
                 block.around_caches);
  }
  if (block.around_caches) hwy::FlushStream();
}

template <class From, class To>
void convert_rows(const StoredBlock& block) {
  map_rows<Conversion<From, To>, From, To>(block);
}

void convert(const StoredBlock& block, aclDataType from, aclDataType to) {
  static constexpr struct {
    aclDataType from;
    aclDataType to;
    void (*run)(const StoredBlock&);
  } kConversions[] = {
      {ACL_FLOAT, ACL_FLOAT16, convert_rows<float, Half>},
      {ACL_FLOAT, ACL_BF16, convert_rows<float, Bfloat>},
      {ACL_FLOAT16, ACL_FLOAT, convert_rows<Half, float>},
      {ACL_FLOAT16, ACL_BF16, convert_rows<Half, Bfloat>},
      {ACL_BF16, ACL_FLOAT, convert_rows<Bfloat, float>},
      {ACL_BF16, ACL_FLOAT16, convert_rows<Bfloat, Half>},
  };
  for (const auto& each : kConversions) {
    if (each.from == from && each.to == to) return each.run(block);
  }
}

void copy(const StoredBlock& block, size_t element_bytes) {
  if (element_bytes == 2) return map_rows<Copying<uint16_t>, uint16_t, uint16_t>(block);
  map_rows<Copying<uint32_t>, uint32_t, uint32_t>(block);
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(convert);
HWY_EXPORT(copy);

void convert_stored(const StoredBlock& block, aclDataType from, aclDataType to) {
  HWY_DYNAMIC_DISPATCH(convert)(block, from, to);
}

void copy_stored(const StoredBlock& block, size_t element_bytes) {
  HWY_DYNAMIC_DISPATCH(copy)(block, element_bytes);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
