// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/convert_stored.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/convert_stored.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/cells-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

template <class From, class To>
void convert_dense(const void* source, void* target, size_t count) {
  const FloatTag d;
  const size_t lanes = hn::Lanes(d);
  const From* from = static_cast<const From*>(source);
  To* to = static_cast<To*>(target);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    FloatMask certain = hn::FirstN(d, lanes);
    Cells<To>::template store_rounded<Path::kCached>(d, Cells<From>::load(d, from + i), to + i,
                                                     certain);
    if (HWY_LIKELY(hn::AllTrue(d, certain))) continue;
    for (size_t k = i; k < i + lanes; ++k) to[k] = from_parts<To>(real_part(from[k]), 0.0);
  }
  for (; i < count; ++i) to[i] = from_parts<To>(real_part(from[i]), 0.0);
}

bool convert(const void* source, aclDataType from, void* target, aclDataType to, size_t count) {
  using Conversion = void (*)(const void*, void*, size_t);
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
    each.run(source, target, count);
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
                    size_t count) {
  return HWY_DYNAMIC_DISPATCH(convert)(source, from, target, to, count);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
