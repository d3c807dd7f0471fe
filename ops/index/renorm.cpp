// SPDX-License-Identifier: Apache-2.0
// aclnnRenorm, aclnnInplaceRenorm, aclnnEmbeddingRenorm.
#include "aclnnop/aclnn_renorm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_embedding_renorm.h"
#include "ops/arithmetic/arithmetic_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/math/scalar_math.h"
#include "ops/index/index_rules.h"
#include "ops/index/placed_kernel.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::renorm {
namespace {

namespace renorm {

// What a slice's norm is held to.
struct Limit {
  double p, most;
};

// A scalar, or an attribute that is a number.
double number_of(const Arguments& arguments, size_t parameter) {
  if (arguments[parameter].kind() == Argument::Kind::kReal) return arguments.real(parameter);
  return KernelScalar::of(arguments.scalar(parameter), ACL_DOUBLE).real;
}

Rule is_norm(size_t p) {
  return require([p](const Arguments& arguments) -> std::optional<std::string> {
    const double value = number_of(arguments, p);
    if (value > 0) return std::nullopt;
    return fmt::format("{} must be above 0, but is {}.", arguments.name(p), value);
  });
}

Rule is_limit(size_t most) {
  return require([most](const Arguments& arguments) -> std::optional<std::string> {
    const double value = number_of(arguments, most);
    if (value >= 0) return std::nullopt;
    return fmt::format("{} must be at least 0, but is {}.", arguments.name(most), value);
  });
}

struct Renorm {
  Slices self, out;
  Limit limit;

  double norm_of(const Run& run, int64_t slice) const {
    double total = 0;
    for_blocks(0, self.index.count(), [&](int64_t begin, int64_t end) {
      double block[kBlock];
      self.read(run, begin, end, block, self.starts.offset(slice));
      for (int64_t i = 0; i < end - begin; ++i) {
        const double x = std::abs(block[i]);
        if (limit.p == 2) {
          total += x * x;
        } else if (limit.p == 1) {
          total += x;
        } else if (std::isinf(limit.p)) {
          if (!(x <= total) && !std::isnan(total)) total = x;
        } else {
          total += power(x, limit.p);
        }
      }
    });
    if (limit.p == 2) return std::sqrt(total);
    return limit.p == 1 || std::isinf(limit.p) ? total : power(total, 1 / limit.p);
  }

  // A norm that is NaN is not above the limit.
  void run_slice(const Run& run, int64_t slice) const {
    const double norm = norm_of(run, slice);
    const double factor = norm > limit.most ? limit.most / (norm + 1e-7) : 1;
    for_blocks(0, self.index.count(), [&](int64_t begin, int64_t end) {
      double block[kBlock];
      self.read(run, begin, end, block, self.starts.offset(slice));
      for (int64_t i = 0; i < end - begin; ++i) block[i] *= factor;
      out.write(run, block, begin, end, out.starts.offset(slice));
    });
  }
};

// ---- Along a dimension --------------------------------------------------------------------------

// In place, kDim and kMaxNorm follow kP as well, and kSelf is overwritten.
enum : size_t { kSelf, kP, kDim, kMaxNorm, kOut };

const OperatorSpec kOutOfPlace{
    "aclnnRenorm",
    {input("self"), attribute("p"), attribute("dim"), attribute("maxNorm"), output("out")},
    {not_null({kSelf, kP, kMaxNorm, kOut}), dtype_in(kSelf, kRealFloats),
     scalar_castable_to_float(kP), scalar_castable_to_float(kMaxNorm), same_dtype(kOut, kSelf),
     min_rank(kSelf, 2), max_rank(kSelf), axis_of(kDim, kSelf), is_norm(kP), is_limit(kMaxNorm),
     same_shape(kOut, kSelf)}};

const OperatorSpec kInPlace{
    "aclnnInplaceRenorm",
    {in_out("selfRef"), attribute("p"), attribute("dim"), attribute("maxNorm")},
    {not_null({kSelf, kP, kMaxNorm}), dtype_in(kSelf, kRealFloats), scalar_castable_to_float(kP),
     scalar_castable_to_float(kMaxNorm), min_rank(kSelf, 2), max_rank(kSelf), axis_of(kDim, kSelf),
     is_norm(kP), is_limit(kMaxNorm)}};

Plan plan(const Arguments& arguments, size_t out) {
  if (arguments.empty(kSelf)) return {};
  const Dims& shape = arguments.shape(kSelf);
  const size_t along = normalize_axis(arguments.integer(kDim), shape.size());
  DimSet inside = dimensions(0, shape.size());
  inside[along] = false;
  const Renorm renorm{Slices(arguments, kSelf, inside),
                      Slices(arguments, out, inside),
                      {number_of(arguments, kP), number_of(arguments, kMaxNorm)}};
  return {[renorm, count = shape[along]](const Run& run) -> aclError {
    parallel_pieces(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) renorm.run_slice(run, k);
    });
    return ACL_SUCCESS;
  }};
}

// ---- Of the rows that are named -----------------------------------------------------------------

namespace embedding {

enum : size_t { kWeight, kIndices, kMost, kNorm };

const OperatorSpec kSpec{
    "aclnnEmbeddingRenorm",
    {in_out("selfRef"), input("indices"), attribute("maxNorm"), attribute("normType")},
    {not_null({kWeight, kIndices}), dtype_in(kWeight, kRealFloats),
     dtype_in(kIndices, kIndexDtypes), min_rank(kWeight, 2), max_rank(kWeight, 2),
     max_rank(kIndices), is_limit(kMost), is_norm(kNorm)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kIndices)) return {};
  const Slices rows(arguments, kWeight, dimensions(1, 1));
  const Renorm renorm{rows, rows, {arguments.real(kNorm), arguments.real(kMost)}};
  const Places places = index_places(arguments.shape(kIndices),
                                     {IndexTerm(arguments, kIndices, Elements(arguments, kIndices),
                                                arguments.shape(kWeight)[0], 1)});
  // Each row once, however often it is named.
  return {[renorm, places](const Run& run) -> aclError {
            auto* const numbers = aligned<int64_t>(run.workspace());
            places.fill(run, numbers, nullptr);
            std::sort(numbers, numbers + places.count);
            const int64_t count = std::unique(numbers, numbers + places.count) - numbers;
            parallel_pieces(count, 1, [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) renorm.run_slice(run, numbers[i]);
            });
            return ACL_SUCCESS;
          },
          static_cast<uint64_t>(places.count + 1) * sizeof(int64_t)};
}

}  // namespace embedding
}  // namespace renorm
}  // namespace

ACLGRAD_OPERATOR(aclnnRenorm, renorm::kOutOfPlace,
                 [](const Arguments& arguments) { return renorm::plan(arguments, renorm::kOut); })
ACLGRAD_OPERATOR(aclnnInplaceRenorm, renorm::kInPlace,
                 [](const Arguments& arguments) { return renorm::plan(arguments, renorm::kSelf); })
ACLGRAD_OPERATOR(aclnnEmbeddingRenorm, renorm::embedding::kSpec, renorm::embedding::plan)

}  // namespace aclgrad::ops::renorm
