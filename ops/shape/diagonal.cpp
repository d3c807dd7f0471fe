// SPDX-License-Identifier: Apache-2.0
// aclnnEye, aclnnInplaceFillDiagonal.
#include <fmt/format.h>

#include <algorithm>
#include <complex>

#include "aclnnop/aclnn_eye.h"
#include "aclnnop/aclnn_fill_diagonal.h"
#include "ops/arithmetic/arithmetic_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/iterate.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::diagonal {
namespace {

// ---- Eye ----------------------------------------------------------------------------------------

namespace eye {

enum : size_t { kRows, kColumns, kOut };

Dims shape(const Arguments& arguments) {
  return {arguments.integer(kRows), arguments.integer(kColumns)};
}

const OperatorSpec kSpec{"aclnnEye",
                         {attribute("n"), attribute("m"), output("out")},
                         Rules{not_null({kOut}), dtype_in(kOut, kAllDtypes),
                               has_shape_of(kOut, shape, given({kRows, kColumns}))}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  constexpr auto kGrain = static_cast<int64_t>(32 * kBlock);
  const int64_t columns = arguments.integer(kColumns);
  return {[=, out = Elements(arguments, kOut)](const Run& run) -> aclError {
    parallel_pieces(out.index.count(), kGrain, [&](int64_t begin, int64_t end) {
      int64_t block[kBlock];
      for_blocks(begin, end, [&](int64_t first, int64_t stop) {
        std::fill_n(block, stop - first, 0);
        // The diagonal's elements lie columns + 1 apart, until the last column.
        for (int64_t i = (first + columns) / (columns + 1); i < columns; ++i) {
          const int64_t place = i * (columns + 1);
          if (place >= stop) break;
          block[place - first] = 1;
        }
        out.write(run, block, first, stop);
      });
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace eye

// ---- InplaceFillDiagonal ------------------------------------------------------------------------

namespace fill {

enum : size_t { kSelf, kValue, kWrap };

Rule is_square_beyond_rank_2() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(kSelf);
    if (shape.size() <= 2) return std::nullopt;
    if (std::all_of(shape.begin(), shape.end(), [&](int64_t size) { return size == shape[0]; })) {
      return std::nullopt;
    }
    return fmt::format(
        "tensor {} must have equal sizes in all of more than 2 dimensions, but is {}.",
        arguments.name(kSelf), to_string(shape));
  });
}

const OperatorSpec kSpec{
    "aclnnInplaceFillDiagonal",
    {in_out("selfRef"), attribute("fillValue"), attribute("wrap")},
    Rules{not_null({kSelf, kValue}), dtype_in(kSelf, kAllDtypes), real_beside_real(kValue, kSelf),
          min_rank(kSelf, 2), max_rank(kSelf), is_square_beyond_rank_2()}};

template <class T>
Plan plan_in(const Arguments& arguments, T value) {
  const Dims& shape = arguments.shape(kSelf);
  const Dims& strides = arguments.strides(kSelf);
  int64_t step = 0;
  for (const int64_t stride : strides) step += stride;
  const int64_t size = *std::min_element(shape.begin(), shape.end());
  // Wrapped, a diagonal begins again in every (columns + 1)-th row.
  const int64_t rows = arguments.flag(kWrap) ? shape[0] : size;
  return {[=, start = strides[0], self = Elements(arguments, kSelf)](const Run& run) -> aclError {
    T block[kBlock];
    std::fill_n(block, kBlock, value);
    for (int64_t row = 0; row < rows; row += size + 1) {
      const int64_t count = std::min(size, rows - row);
      for_blocks(0, count, [&](int64_t first, int64_t stop) {
        store(block, self.at(run, row * start + first * step), self.dtype, step,
              static_cast<size_t>(stop - first));
      });
    }
    return ACL_SUCCESS;
  }};
}

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  const aclDataType dtype = arguments.dtype(kSelf);
  const KernelScalar value = KernelScalar::of(arguments.scalar(kValue), dtype);
  if (is_complex(dtype)) return plan_in(arguments, value.complex);
  return is_floating(dtype) ? plan_in(arguments, value.real) : plan_in(arguments, value.integer);
}

}  // namespace fill
}  // namespace

ACLGRAD_OPERATOR(aclnnEye, eye::kSpec, eye::plan)
ACLGRAD_OPERATOR(aclnnInplaceFillDiagonal, fill::kSpec, fill::plan)

}  // namespace aclgrad::ops::diagonal
