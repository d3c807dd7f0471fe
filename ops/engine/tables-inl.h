// SPDX-License-Identifier: Apache-2.0
// Per-target: functions of one 16-bit element by tables, and their products with others. Included
// by kernel files inside Highway's foreach_target loop.
//
// A table has the exact kernel's result for every 16-bit element. Before it is made the exact
// kernel is called, with equal results; so it is where the error of a product could change its
// rounding.
#if defined(ACLGRAD_OPS_ENGINE_TABLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_TABLES_INL_H_
#undef ACLGRAD_OPS_ENGINE_TABLES_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_TABLES_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ops/engine/lut16.h"
#include "ops/engine/native-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// The entries of a table of a function f, for the fast tier.
enum class Entries {
  kElements,  // f(x) rounded to an element
  kNearest,   // the nearest float
  kOdd,       // f(x) if that is a float, else the float towards 0 with its last bit set
};

// The table's entry for a factor. NaN marks entries that are not known: values beyond a float, and
// values below 2^-100, whose rounding error a product could magnify.
inline float factor_entry(double value, bool to_odd) {
  const auto nearest = static_cast<float>(value);
  if (value == 0 || std::isinf(value)) return nearest;
  if (std::isinf(nearest) || std::abs(value) < 0x1p-100) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  if (!to_odd || static_cast<double>(nearest) == value) return nearest;
  const auto bits = std::bit_cast<uint32_t>(nearest);
  const bool is_beyond = std::abs(static_cast<double>(nearest)) > std::abs(value);
  return std::bit_cast<float>((is_beyond ? bits - 1 : bits) | 1u);
}

template <class Element, Entries kEntries>
float table_entry(double value) {
  if constexpr (kEntries != Entries::kElements) {
    return factor_entry(value, kEntries == Entries::kOdd);
  }
  return static_cast<float>(real_part(from_parts<Element>(value, 0.0)));
}

// Function: void(const double* x, double* y), over blocks of the elementwise engine.
template <class Element, Entries kEntries, class Function>
void fill_table(const Function& function, Lut16Values& values) {
  alignas(64) double x[kBlock];
  for (size_t begin = 0; begin < Lut16Values::kEntries; begin += kBlock) {
    for (size_t i = 0; i < kBlock; ++i) {
      x[i] = real_part(Element{static_cast<uint16_t>(begin + i)});
    }
    double* const exact = values.exact + begin;
    function(x, exact);
    for (size_t i = 0; i < kBlock; ++i) {
      values.fast[begin + i] = table_entry<Element, kEntries>(exact[i]);
    }
  }
}

// The table of `function` for a block's dtype; null where Lut16::get() gives none, or for no
// tables.
template <Entries kEntries, class Function>
const Lut16Values* table_for(const NativeBlock& block, Lut16s* tables, const Function& function) {
  if (tables == nullptr) return nullptr;
  return tables->of(block.dtype).get(block.rows * block.count, [&](Lut16Values& values) {
    block.dtype == ACL_FLOAT16 ? fill_table<Float16, kEntries>(function, values)
                               : fill_table<Bfloat16, kEntries>(function, values);
  });
}

// 16-bit elements by formulas with the table's entry for input kArgument: fast(d, x, value, y) and
// accurate(d, x, value, y), which may have a parameter `valid`, in float; formula(d, x, value, y)
// in double. Without a table by the exact kernel.
template <size_t kIn, size_t kOut, size_t kArgument, Outputs kOutputs, class Fast, class Accurate,
          class Formula, class Exact>
HWY_ATTR void map_with_table(const NativeBlock& block, const Lut16Values* table, const Fast& fast,
                             const Accurate& accurate, const Formula& formula, const Exact& exact) {
  if (table == nullptr) {
    return block.dtype == ACL_FLOAT16 ? map_exactly<kIn, kOut, Float16>(block, exact)
                                      : map_exactly<kIn, kOut, Bfloat16>(block, exact);
  }
  map_16bit<kIn, kOut, kOutputs>(block, TableFormula<kArgument, Fast>{table, fast},
                                 TableFormula<kArgument, Accurate>{table, accurate},
                                 TableFormula<kArgument, Formula>{table, formula});
}

// 16-bit elements of a function of one input: f(x) for an exact kernel of x.
template <class Exact>
HWY_ATTR void map_lut16(const NativeBlock& block, Lut16s* tables, const Exact& exact) {
  const Lut16Values* const table = table_for<Entries::kElements>(
      block, tables, [&](const double* x, double* y) { exact(&x, &y, kBlock); });
  const auto formula = [](auto, const auto&, auto value, auto& y) HWY_ATTR { y[0] = value; };
  map_with_table<1, 1, 0, Outputs::kElements>(block, table, formula, formula, formula, exact);
}

// 16-bit elements of a product with a function: g f(x) for an exact kernel of g and x.
template <Entries kEntries, class Exact>
HWY_ATTR void map_lut16_product(const NativeBlock& block, Lut16s* tables, const Exact& exact) {
  const Lut16Values* const table =
      table_for<kEntries>(block, tables, [&](const double* x, double* y) {
        alignas(64) double ones[kBlock];
        std::fill_n(ones, kBlock, 1.0);
        const double* const in[] = {ones, x};
        exact(in, &y, kBlock);
      });
  constexpr bool kMayBeExact = kEntries == Entries::kOdd;
  const auto fast = [](auto d, const auto& x, auto value, auto& y) HWY_ATTR {
    y[0] = hn::Mul(x[0], value);
    // Products of exact entries are exact and often ties. Other entries, and products that are not
    // exact, have their last bit set.
    if constexpr (kMayBeExact) y[0] = inexact_if(d, mul_sub(d, x[0], value, y[0]), y[0]);
  };
  map_with_table<2, 1, 1, kMayBeExact ? Outputs::kNearOrExact : Outputs::kNear>(
      block, table, fast, fast,
      [](auto, const auto& x, auto value, auto& y) HWY_ATTR { y[0] = hn::Mul(x[0], value); },
      exact);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
