// SPDX-License-Identifier: Apache-2.0
#include "ops/arithmetic/float_arithmetic_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/arithmetic/float_arithmetic_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/native-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// a + factor b for 16-bit elements, which are rounded from more than the nearest float: it may be a
// tie of theirs that the exact sum is not.
#if HWY_TARGET <= HWY_AVX3
// The exact value lies between the sums rounded down and up. If those differ, the one that is odd
// follows from the one nearer to 0 by setting its last bit.
template <class D, class V, class M>
HWY_INLINE V sum16(D d, V a, V factor, V b, M&) {
  constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
  constexpr int kUp = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
  const hn::RebindToUnsigned<D> du;
  const auto down = hn::BitCast(du, V{_mm512_fmadd_round_ps(factor.raw, b.raw, a.raw, kDown)});
  const auto up = hn::BitCast(du, V{_mm512_fmadd_round_ps(factor.raw, b.raw, a.raw, kUp)});
  const auto last_bit = hn::And(hn::Or(down, up), hn::Set(du, 1u));
  return hn::BitCast(d, hn::Or(hn::Min(down, up), last_bit));
}
#else
template <class D, class V, class M>
HWY_INLINE V sum16(D d, V a, V factor, V b, M& valid) {
  const V high = mul_add(d, factor, b, a);
  const Expansion<V> product = two_product(d, factor, b);
  const Expansion<V> sum = two_sum(product.high, a);
  const V rest = hn::Add(hn::Sub(sum.high, high), hn::Add(sum.low, product.low));
  const auto finite = hn::IsFinite(high);
  // Below 2^-100 the rounding error may underflow.
  const auto large = hn::Gt(hn::Abs(high), hn::Set(d, 0x1p-100f));
  valid = hn::Or(hn::Or(large, hn::Eq(high, hn::Zero(d))), hn::Not(finite));
  return hn::IfThenElse(finite, round_to_odd(d, high, rest), high);
}
#endif

void add(const NativeBlock& block, float factor, const RealKernel& exact) {
  if (factor == 1) {
    map_native<2, 1>(
        block, [](auto, const auto& x, auto& y) HWY_ATTR { y[0] = hn::Add(x[0], x[1]); }, exact);
  } else if (block.dtype == ACL_FLOAT) {
    map_floats<2, 1>(
        block,
        [=](auto d, const auto& x, auto& y)
            HWY_ATTR { y[0] = mul_add(d, hn::Set(d, factor), x[1], x[0]); },
        exact);
  } else {
    map_16bit<2, 1, Outputs::kRoundedToOdd>(
        block,
        [=](auto d, const auto& x, auto& y, auto& valid)
            HWY_ATTR { y[0] = sum16(d, x[0], hn::Set(d, factor), x[1], valid); },
        exact);
  }
}

void add_constant(const NativeBlock& block, float factor, float constant, const RealKernel& exact) {
  if (block.dtype == ACL_FLOAT) {
    map_floats<1, 1>(
        block,
        [=](auto d, const auto& x, auto& y)
            HWY_ATTR { y[0] = mul_add(d, hn::Set(d, factor), hn::Set(d, constant), x[0]); },
        exact);
  } else {
    map_16bit<1, 1, Outputs::kRoundedToOdd>(
        block,
        [=](auto d, const auto& x, auto& y, auto& valid)
            HWY_ATTR { y[0] = sum16(d, x[0], hn::Set(d, factor), hn::Set(d, constant), valid); },
        exact);
  }
}

// A product by the formula; of BF16, which may be subnormal where a float is, by another one.
template <size_t kIn, class Formula, class OfBfloat16>
void map_product(const NativeBlock& block, const Formula& formula, const OfBfloat16& of_bfloat16,
                 const RealKernel& exact) {
  constexpr Outputs kOdd = Outputs::kRoundedToOdd;
  if (block.dtype == ACL_FLOAT) {
    map_floats<kIn, 1>(block, formula, exact);
  } else if (block.dtype == ACL_FLOAT16) {
    NativeMap<Float16, kIn, 1, kOdd, kOdd, Formula, RealKernel>(formula, exact)(block);
  } else {
    NativeMap<Bfloat16, kIn, 1, kOdd, kOdd, OfBfloat16, RealKernel>(of_bfloat16, exact)(block);
  }
}

void multiply(const NativeBlock& block, const RealKernel& exact) {
  map_product<2>(
      block, [](auto, const auto& x, auto& y) HWY_ATTR { y[0] = hn::Mul(x[0], x[1]); },
      [](auto d, const auto& x, auto& y) HWY_ATTR { y[0] = multiply_elements(d, x[0], x[1]); },
      exact);
}

void multiply_by_constant(const NativeBlock& block, float constant, const RealKernel& exact) {
  if (constant == -1) {  // a sign, where products of subnormal numbers would take long
    return map_native<1, 1>(
        block, [](auto, const auto& x, auto& y) HWY_ATTR { y[0] = hn::Neg(x[0]); }, exact);
  }
  map_product<1>(
      block,
      [=](auto d, const auto& x, auto& y) HWY_ATTR { y[0] = hn::Mul(x[0], hn::Set(d, constant)); },
      [=](auto d, const auto& x, auto& y)
          HWY_ATTR { y[0] = multiply_elements(d, x[0], hn::Set(d, constant)); },
      exact);
}

template <class Bits>
HWY_ATTR void choose_bits(const NativeBlock& row) {
  const hn::ScalableTag<Bits> d;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  const auto* condition = static_cast<const uint8_t*>(row.in[0]);
  const auto* chosen = static_cast<const Bits*>(row.in[1]);
  const auto* other = static_cast<const Bits*>(row.in[2]);
  auto* out = static_cast<Bits*>(row.out[0]);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= row.count; i += hn::Lanes(d)) {
    const auto is_chosen = hn::Ne(hn::PromoteTo(d, hn::LoadU(bytes, condition + i)), hn::Zero(d));
    hn::StoreU(hn::IfThenElse(is_chosen, hn::LoadU(d, chosen + i), hn::LoadU(d, other + i)), d,
               out + i);
  }
  for (; i < row.count; ++i) out[i] = condition[i] != 0 ? chosen[i] : other[i];
}

void choose(const NativeBlock& row) {
  row.dtype == ACL_FLOAT ? choose_bits<uint32_t>(row) : choose_bits<uint16_t>(row);
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <limits>

namespace aclgrad::ops {

HWY_EXPORT(add);
HWY_EXPORT(add_constant);
HWY_EXPORT(multiply);
HWY_EXPORT(multiply_by_constant);
HWY_EXPORT(choose);

namespace {

// A NaN without the bits that BF16 does not hold: rounding to it would carry them over.
float without_payload(float constant) {
  return constant == constant ? constant : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace

NativeKernel native_sum(float factor, RealKernel exact) {
  return [factor = without_payload(factor), exact = std::move(exact)](const NativeBlock& block) {
    HWY_DYNAMIC_DISPATCH(add)(block, factor, exact);
  };
}

NativeKernel native_sum_with(float factor, float constant, RealKernel exact) {
  return [factor = without_payload(factor), constant = without_payload(constant),
          exact = std::move(exact)](const NativeBlock& block) {
    HWY_DYNAMIC_DISPATCH(add_constant)(block, factor, constant, exact);
  };
}

NativeKernel native_product(RealKernel exact) {
  return [exact = std::move(exact)](const NativeBlock& block) {
    HWY_DYNAMIC_DISPATCH(multiply)(block, exact);
  };
}

NativeKernel native_product_with(float constant, RealKernel exact) {
  return
      [constant = without_payload(constant), exact = std::move(exact)](const NativeBlock& block) {
        HWY_DYNAMIC_DISPATCH(multiply_by_constant)(block, constant, exact);
      };
}

NativeKernel native_choice() {
  return row_by_row<3, 1>([](const NativeBlock& row) { HWY_DYNAMIC_DISPATCH(choose)(row); });
}

NativeKernel native_constant(double value) {
  return row_by_row<0, 1>([value](const NativeBlock& row) {
    visit_element_type(row.dtype, [&](auto tag) {
      using Element = typename decltype(tag)::type;
      std::fill_n(static_cast<Element*>(row.out[0]), row.count, from_parts<Element>(value, 0.0));
    });
  });
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
