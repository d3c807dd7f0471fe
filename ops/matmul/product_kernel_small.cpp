// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/product_kernel_small.h"

#include <algorithm>
#include <utility>

#include "ops/engine/extent.h"
#include "ops/matmul/matmul_kernel_direct.h"
#include "ops/matmul/product_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/matmul/product_kernel_small.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/matmul/product_pack-inl.h"
#include "ops/matmul/product_tile-inl.h"

#ifndef ACLGRAD_OPS_MATMUL_PRODUCT_SMALL_SHAPE
#define ACLGRAD_OPS_MATMUL_PRODUCT_SMALL_SHAPE
namespace aclgrad::ops {

// Terms whose panel of b fits the stack.
constexpr int64_t kSmallTerms = 128;
static_assert(kSmallTerms <= kKc);

// Strides in elements.
struct SmallProduct {
  int64_t rows;
  int64_t columns;  // at most kPanel<float>
  int64_t terms;    // at most kSmallTerms
  int64_t a_row;
  int64_t a_term;
  int64_t b_term;
  int64_t b_column;
  int64_t c_row;
  int64_t added_row;
  bool packs_b;
  bool adds_scalar;  // where otherwise dense rows are added
};

}  // namespace aclgrad::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

HWY_INLINE void multiply_ready(const SmallProduct& product, const float* a, const float* b,
                               int64_t b_term, const float* added, float* c) {
  multiply_tiles(product.rows, product.columns,
                 Tile<float>{.a = a,
                             .a_row = product.a_row,
                             .a_term = product.a_term,
                             .b = b,
                             .b_row = b_term,
                             .b_panel = 0,
                             .c = c,
                             .c_row = product.c_row,
                             .terms = static_cast<size_t>(product.terms),
                             .columns = 0,
                             .adds = false,
                             .added = added,
                             .added_row = product.added_row,
                             .fetched = {reinterpret_cast<uintptr_t>(a), 0}});
}

HWY_NOINLINE void multiply_packed(const SmallProduct& product, const float* a, const float* b,
                                  const float* added, float* c) {
  alignas(64) float panel[kSmallTerms * kPanel<float>];
  pack_panels({b, ACL_FLOAT, ACL_FLOAT, product.b_term, product.b_column}, 0, product.terms, 0,
              product.columns, panel);
  multiply_ready(product, a, panel, kPanel<float>, added, c);
}

void multiply_small(const SmallProduct& product, const float* a, const float* b, const float* added,
                    float* c) {
  alignas(64) float scalar[kPanel<float>];
  if (product.adds_scalar) {
    std::fill_n(scalar, kPanel<float>, *added);
    added = scalar;
  }
  if (product.packs_b) return multiply_packed(product, a, b, added, c);
  multiply_ready(product, a, b, product.b_term, added, c);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(multiply_small);

namespace {

struct SmallOperand {
  size_t parameter;
  Extent extent;

  SmallOperand(const MatrixView& view, int64_t rows, int64_t columns)
      : parameter(view.parameter), extent(sizeof(float)) {
    const auto size = static_cast<int64_t>(sizeof(float));
    extent.repeat(rows, view.row_stride * size);
    extent.repeat(columns, view.column_stride * size);
  }
};

bool suits(const MatmulProblem& problem) {
  const auto is_float = [](const MatrixView& view) { return view.dtype == ACL_FLOAT; };
  const auto is_dense = [&](const MatrixView& view) {
    return is_float(view) && problem.has_dense_rows(view);
  };
  const auto is_scalar = [&](const MatrixView& view) {
    return is_float(view) && problem.m == 1 && view.column_stride == 0;
  };
  const auto& added = problem.addend;
  return problem.batch.empty() && problem.n <= kPanel<float> && problem.k <= kSmallTerms &&
         !problem.round_to_float16 && problem.alpha == 1 && is_float(problem.a) &&
         is_float(problem.b) && is_dense(problem.out) &&
         (!added || (problem.beta == 1 && (is_dense(*added) || is_scalar(*added))));
}

}  // namespace

Body small_product(const MatmulProblem& original, Body otherwise) {
  // A row of sums fills a vector, of a column each would need one.
  const MatmulProblem row = transposed(original);
  const bool is_row = row.m == 1 && suits(row);
  if (!is_row && !suits(original)) return {};
  const MatmulProblem& problem = is_row ? row : original;
  const int64_t m = problem.m;
  const int64_t n = problem.n;
  const MatrixView& b = problem.b;
  const MatrixView& added = problem.addend ? *problem.addend : problem.out;
  const bool in_place =
      reads_b_in_place({nullptr, b.dtype, b.dtype, b.row_stride, b.column_stride}, m, n);
  const SmallProduct product{.rows = m,
                             .columns = n,
                             .terms = problem.k,
                             .a_row = problem.a.row_stride,
                             .a_term = problem.a.column_stride,
                             .b_term = b.row_stride,
                             .b_column = b.column_stride,
                             .c_row = problem.out.row_stride,
                             .added_row = added.row_stride,
                             .packs_b = !in_place,
                             .adds_scalar = problem.addend && n != 1 && added.column_stride == 0};
  return [product, has_addend = problem.addend.has_value(), out = SmallOperand(problem.out, m, n),
          left = SmallOperand(problem.a, m, problem.k), right = SmallOperand(b, problem.k, n),
          third = SmallOperand(added, m, n), otherwise = std::move(otherwise)](const Run& run) {
    const auto at = [&](const SmallOperand& operand) { return run.data<float>(operand.parameter); };
    const auto reaches_out = [&](const SmallOperand& operand) {
      return overlap(at(operand), operand.extent, at(out), out.extent);
    };
    if (reaches_out(left) || reaches_out(right) || (has_addend && reaches_out(third))) {
      return otherwise(run);
    }
    HWY_DYNAMIC_DISPATCH(multiply_small)
    (product, at(left), at(right), has_addend ? at(third) : nullptr, at(out));
    return static_cast<aclError>(ACL_SUCCESS);
  };
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
