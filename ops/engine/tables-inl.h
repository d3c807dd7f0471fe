// SPDX-License-Identifier: Apache-2.0
// Per-target: functions of one 16-bit element by tables, and their products with others. Included
// by kernel files inside Highway's foreach_target loop.
//
// A table holds what the exact kernel gives for every element there is. As long as there is none,
// and where a product could be rounded to the wrong side, the accurate formula of stored-inl.h
// gives the same results.
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
#include "ops/engine/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// What a table holds of a function f for the fast formula.
enum class Entries {
  kElements,  // f(x) rounded to an element
  kNearest,   // the nearest float
  kOdd,       // f(x) if that is a float, else the float towards 0 with its last bit set
};

// A factor as the table holds it. Entries beyond a float are NaN, and so are those that are not 0
// but so small that a product could magnify what they lack: they are not known.
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

template <class Stored, Entries kEntries>
float table_entry(double value) {
  if constexpr (kEntries != Entries::kElements) {
    return factor_entry(value, kEntries == Entries::kOdd);
  }
  return static_cast<float>(real_part(from_parts<Stored>(value, 0.0)));
}

// Function: void(const double* x, double* y), over blocks of the elementwise engine.
template <class Stored, Entries kEntries, class Function>
void fill_table(const Function& function, Lut16Values& values) {
  alignas(64) double x[kBlock];
  for (size_t begin = 0; begin < Lut16Values::kEntries; begin += kBlock) {
    for (size_t i = 0; i < kBlock; ++i) {
      x[i] = real_part(Stored{static_cast<uint16_t>(begin + i)});
    }
    double* const exact = values.exact + begin;
    function(x, exact);
    for (size_t i = 0; i < kBlock; ++i) {
      values.fast[begin + i] = table_entry<Stored, kEntries>(exact[i]);
    }
  }
}

// The table of `function` for a block's dtype; null as Lut16 says, or without tables.
template <Entries kEntries, class Function>
const Lut16Values* table_for(const StoredBlock& block, Lut16s* tables, const Function& function) {
  if (tables == nullptr) return nullptr;
  return tables->of(block.dtype).get(block.rows * block.count, [&](Lut16Values& values) {
    block.dtype == ACL_FLOAT16 ? fill_table<Half, kEntries>(function, values)
                               : fill_table<Bfloat, kEntries>(function, values);
  });
}

// 16-bit elements by a formula that is given what the table has for input kArgument, in float:
// fast(d, x, value, y), or accurate(d, x, value, y), which may have a parameter `valid`; and where
// that is not sure enough in double: formula(d, x, value, y). Without a table by the exact kernel.
template <size_t kIn, size_t kOut, size_t kArgument, Outputs kOutputs, class Fast, class Accurate,
          class Formula, class Exact>
HWY_ATTR void map_tabled(const StoredBlock& block, const Lut16Values* table, const Fast& fast,
                         const Accurate& accurate, const Formula& formula, const Exact& exact) {
  if (table == nullptr) {
    return block.dtype == ACL_FLOAT16 ? map_exactly<kIn, kOut, Half>(block, exact)
                                      : map_exactly<kIn, kOut, Bfloat>(block, exact);
  }
  map_16bit<kIn, kOut, kOutputs>(block, Tabled<kArgument, Fast>{table, fast},
                                 Tabled<kArgument, Accurate>{table, accurate},
                                 Tabled<kArgument, Formula>{table, formula});
}

// 16-bit elements of a function of one input: f(x) for an exact kernel of x.
template <class Exact>
HWY_ATTR void map_lut16(const StoredBlock& block, Lut16s* tables, const Exact& exact) {
  const Lut16Values* const table = table_for<Entries::kElements>(
      block, tables, [&](const double* x, double* y) { exact(&x, &y, kBlock); });
  const auto formula = [](auto, const auto&, auto value, auto& y) HWY_ATTR { y[0] = value; };
  map_tabled<1, 1, 0, Outputs::kElements>(block, table, formula, formula, formula, exact);
}

// 16-bit elements of a product with a function: g f(x) for an exact kernel of g and x.
template <Entries kEntries, class Exact>
HWY_ATTR void map_lut16_product(const StoredBlock& block, Lut16s* tables, const Exact& exact) {
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
    // Exact entries make exact products, which often are ties. Others are odd, and so are such of
    // them as happen to be exact.
    if constexpr (kMayBeExact) y[0] = inexact_if(d, fused_minus(d, x[0], value, y[0]), y[0]);
  };
  map_tabled<2, 1, 1, kMayBeExact ? Outputs::kNearOrExact : Outputs::kNear>(
      block, table, fast, fast,
      [](auto, const auto& x, auto value, auto& y) HWY_ATTR { y[0] = hn::Mul(x[0], value); },
      exact);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
