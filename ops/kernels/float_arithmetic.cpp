// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/float_arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/float_arithmetic.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// a + factor b, and what its rounding lost.
template <class D, class V>
HWY_INLINE Twofold<V> scaled_sum(D d, V a, V factor, V b) {
  const V high = fused(d, factor, b, a);
  const Twofold<V> product = twofold_product(d, factor, b);
  const Twofold<V> sum = two_sum(product.high, a);
  return {high, hn::Add(hn::Sub(sum.high, high), hn::Add(sum.low, product.low))};
}

void add(const StoredBlock& block, float factor, const RealKernel& exact) {
  if (factor == 1) {
    map_stored<2, 1, Outputs::kRounded>(
        block, [](auto, const auto& x, auto& y, auto&) HWY_ATTR { y[0] = hn::Add(x[0], x[1]); },
        exact);
  } else {
    map_stored<2, 1, Outputs::kWithRest>(
        block,
        [=](auto d, const auto& x, auto& y, auto&)
            HWY_ATTR { y[0] = scaled_sum(d, x[0], hn::Set(d, factor), x[1]); },
        exact);
  }
}

void add_constant(const StoredBlock& block, float factor, float constant, const RealKernel& exact) {
  map_stored<1, 1, Outputs::kWithRest>(
      block,
      [=](auto d, const auto& x, auto& y, auto&)
          HWY_ATTR { y[0] = scaled_sum(d, x[0], hn::Set(d, factor), hn::Set(d, constant)); },
      exact);
}

void multiply(const StoredBlock& block, const RealKernel& exact) {
  map_stored<2, 1, Outputs::kRounded>(
      block, [](auto, const auto& x, auto& y, auto&) HWY_ATTR { y[0] = hn::Mul(x[0], x[1]); },
      exact);
}

void multiply_by_constant(const StoredBlock& block, float constant, const RealKernel& exact) {
  map_stored<1, 1, Outputs::kRounded>(
      block,
      [=](auto d, const auto& x, auto& y, auto&)
          HWY_ATTR { y[0] = hn::Mul(x[0], hn::Set(d, constant)); },
      exact);
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

namespace aclgrad::ops {

HWY_EXPORT(add);
HWY_EXPORT(add_constant);
HWY_EXPORT(multiply);
HWY_EXPORT(multiply_by_constant);

StoredKernel stored_sum(float factor, RealKernel exact) {
  return [factor, exact = std::move(exact)](const StoredBlock& block) {
    HWY_DYNAMIC_DISPATCH(add)(block, factor, exact);
  };
}

StoredKernel stored_sum_with(float factor, float constant, RealKernel exact) {
  return [factor, constant, exact = std::move(exact)](const StoredBlock& block) {
    HWY_DYNAMIC_DISPATCH(add_constant)(block, factor, constant, exact);
  };
}

StoredKernel stored_product(RealKernel exact) {
  return [exact = std::move(exact)](const StoredBlock& block) {
    HWY_DYNAMIC_DISPATCH(multiply)(block, exact);
  };
}

StoredKernel stored_product_with(float constant, RealKernel exact) {
  return [constant, exact = std::move(exact)](const StoredBlock& block) {
    HWY_DYNAMIC_DISPATCH(multiply_by_constant)(block, constant, exact);
  };
}

StoredKernel stored_constant(double value) {
  return row_by_row<0, 1>([value](const StoredBlock& row) {
    visit_stored(row.dtype, [&](auto tag) {
      using Stored = typename decltype(tag)::type;
      std::fill_n(static_cast<Stored*>(row.out[0]), row.count, from_parts<Stored>(value, 0.0));
    });
  });
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
