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

// What a table's values are used for.
enum class Entries {
  kResults,  // they are results
  kFactors,  // they are factors of results, which a product may magnify
};

// The table's entry: the value if that is a float, else the float towards 0 with its last bit set
// (rounded to odd). NaN marks entries that are not known: factors that are not normal floats.
inline float table_entry(double value, Entries entries) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value)) return nearest;
  if (entries == Entries::kFactors && (std::isinf(nearest) || std::abs(value) < 0x1p-126)) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  const auto bits = std::bit_cast<uint32_t>(nearest);
  const bool is_beyond = std::abs(static_cast<double>(nearest)) > std::abs(value);
  return std::bit_cast<float>((is_beyond ? bits - 1 : bits) | 1u);
}

// The table of `function`, void(const double* x, double* y) over blocks of the elementwise engine,
// for a block's dtype; null where Lut16::get() gives none, or for no tables.
template <class Function>
const Lut16Values* table_for(const NativeBlock& block, Lut16s* tables, Entries entries,
                             const Function& function) {
  if (tables == nullptr) return nullptr;
  return tables->of(block.dtype).get(block.rows * block.count, [&](Lut16Values& values) {
    alignas(64) double x[kBlock];
    for (size_t begin = 0; begin < Lut16Values::kEntries; begin += kBlock) {
      for (size_t i = 0; i < kBlock; ++i) {
        const auto bits = static_cast<uint16_t>(begin + i);
        x[i] = block.dtype == ACL_FLOAT16 ? real_part(Float16{bits}) : real_part(Bfloat16{bits});
      }
      double* const exact = values.exact + begin;
      function(x, exact);
      for (size_t i = 0; i < kBlock; ++i) values.fast[begin + i] = table_entry(exact[i], entries);
    }
  });
}

// 16-bit elements by formula(d, x, value, y, valid), with the table's entry for input kArgument. It
// is called with vectors of float and, where those do not tell the nearest element, with vectors of
// double. Without a table by the exact kernel.
template <size_t kIn, size_t kOut, size_t kArgument, Outputs kOutputs, Outputs kOthers = kOutputs,
          class Formula, class Exact>
HWY_ATTR void map_with_table(const NativeBlock& block, const Lut16Values* table,
                             const Formula& formula, const Exact& exact) {
  if (table == nullptr) {
    return block.dtype == ACL_FLOAT16 ? map_exactly<kIn, kOut, Float16>(block, exact)
                                      : map_exactly<kIn, kOut, Bfloat16>(block, exact);
  }
  const TableFormula<kArgument, Formula> with_table{table, formula};
  map_16bit<kIn, kOut, kOutputs, kOthers>(block, with_table, with_table);
}

// 16-bit elements of a function of one input, given by an exact kernel.
template <class Exact>
HWY_ATTR void map_lut16(const NativeBlock& block, Lut16s* tables, const Exact& exact) {
  const Lut16Values* const table = table_for(
      block, tables, Entries::kResults, [&](const double* x, double* y) { exact(&x, &y, kBlock); });
  map_with_table<1, 1, 0, Outputs::kRoundedToOdd>(
      block, table, [](auto, const auto&, auto value, auto& y, auto&) HWY_ATTR { y[0] = value; },
      exact);
}

// 16-bit elements of a product with a function: g f(x), given by an exact kernel of g and x. With
// kMayBeExact products are marked: where values of f are short they are often ties.
template <bool kMayBeExact, class Exact>
HWY_ATTR void map_lut16_product(const NativeBlock& block, Lut16s* tables, const Exact& exact) {
  const Lut16Values* const table =
      table_for(block, tables, Entries::kFactors, [&](const double* x, double* y) {
        alignas(64) double ones[kBlock];
        std::fill_n(ones, kBlock, 1.0);
        const double* const in[] = {ones, x};
        exact(in, &y, kBlock);
      });
  map_with_table<2, 1, 1, kMayBeExact ? Outputs::kWithin5UlpOrExact : Outputs::kWithin3Ulp>(
      block, table,
      [](auto d, const auto& x, auto value, auto& y, auto&)
          HWY_ATTR { y[0] = multiply_marked<kMayBeExact>(d, x[0], value); },
      exact);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
