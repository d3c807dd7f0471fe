// SPDX-License-Identifier: Apache-2.0
// aclnnReduceSum, aclnnReduceNansum; aclnnTrace, and aclnnSum of a list.
#include "aclnnop/aclnn_reduce_sum.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclnnop/aclnn_reduce_nansum.h"
#include "aclnnop/aclnn_sum.h"
#include "aclnnop/aclnn_trace.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/tree_sum.h"
#include "ops/meta/dtypes.h"
#include "ops/reduction/reduction_rules.h"

namespace aclgrad::ops::reduce_sum {
namespace {

// ---- Over dimensions ----------------------------------------------------------------------------

using P = ReductionParameters;

OperatorSpec sum(const char* name, const char* dims, const char* keep, const DtypeSet& dtypes) {
  return {name,
          {input("self"), attribute(dims), attribute(keep), attribute("dtype"), output("out")},
          {not_null({P::kSelf, P::kDims, P::kOut}), dtype_in(P::kSelf, dtypes),
           dtype_in(P::kOut, dtypes), attribute_dtype_in(P::kDtype, dtypes),
           out_has_dtype(P::kOut, P::kDtype), max_rank(P::kSelf), max_rank(P::kOut),
           dims_in_range(), dims_are_distinct(), out_is_reduced()}};
}

const OperatorSpec kReduceSum = sum("aclnnReduceSum", "dims", "keepDims", kNumbersAndBool);
const OperatorSpec kReduceNansum = sum("aclnnReduceNansum", "dim", "keepDim", kRealNumbersAndBool);

template <Reduction kReduction>
Plan plan_sum(const Arguments& arguments) {
  return plan_reduction(arguments, arguments.dtype(P::kOut), kReduction);
}

// ---- Of a diagonal ------------------------------------------------------------------------------

namespace trace {

enum : size_t { kSelf, kOut };

const OperatorSpec kSpec{"aclnnTrace",
                         {input("self"), output("out")},
                         {not_null({kSelf, kOut}), dtype_in(kSelf, kRealNumbersAndBool),
                          dtype_in(kOut, kRealNumbersAndBool), can_cast_tensor(kSelf, kOut),
                          require([](const Arguments& arguments) -> std::optional<std::string> {
                            if (arguments.shape(kSelf).size() == 2) return std::nullopt;
                            return fmt::format("tensor {} must have 2 dimensions, but is {}.",
                                               arguments.name(kSelf),
                                               to_string(arguments.shape(kSelf)));
                          }),
                          max_rank(kOut), has_one_element(kOut)}};

template <class T>
Plan plan_for(const Arguments& arguments) {
  const Dims& shape = arguments.shape(kSelf);
  const Dims& strides = arguments.strides(kSelf);
  Elements diagonal(arguments, kSelf);
  diagonal.index = StridedIndex({std::min(shape[0], shape[1])}, {strides[0] + strides[1]});
  return {[diagonal, out = Elements(arguments, kOut)](const Run& run) -> aclError {
    AccumulatorSum<T> sum;
    alignas(64) T block[kBlock];
    for_blocks(0, diagonal.index.count(), [&](int64_t begin, int64_t end) {
      diagonal.read_through(run, begin, end, block, out.dtype);
      sum.add(block, static_cast<size_t>(end - begin));
    });
    const T total = diagonal.index.count() == 0 ? T{} : sum.total();
    out.write_through(run, &total, out.dtype, 0, 1);
    return ACL_SUCCESS;
  }};
}

Plan plan(const Arguments& arguments) {
  return is_floating(arguments.dtype(kOut)) ? plan_for<double>(arguments)
                                            : plan_for<int64_t>(arguments);
}

}  // namespace trace

// ---- Of a list ----------------------------------------------------------------------------------

namespace list {

enum : size_t { kTensors, kOut };

// At least one, and none null.
Rule has_tensors() {
  return [](const Arguments& arguments) -> CheckResult {
    if (arguments.members(kTensors).count == 0) {
      return {kInvalidParameter, fmt::format("{} must have at least one tensor, but has none.",
                                             arguments.name(kTensors))};
    }
    return all_members(kTensors, [](size_t i) { return not_null({i}); })(arguments);
  };
}

const OperatorSpec kSpec{
    "aclnnSum",
    {input("tensors"), output("out")},
    {not_null({kTensors, kOut}), has_tensors(), dtype_in(kOut, kRealNumbers),
     all_members(kTensors, [](size_t i) { return same_dtype(i, kOut); }), max_rank(kOut),
     all_members(kTensors, [](size_t i) { return same_shape(i, kOut); })}};

template <class T>
Plan plan_for(const Arguments& arguments) {
  const Dims& shape = arguments.shape(kOut);
  const auto [first, count] = arguments.members(kTensors);
  std::vector<Operand> terms;
  for (size_t i = first; i < first + count; ++i) terms.push_back(operand(arguments, i, shape));
  const auto add = [terms = count](const T* const* in, T* const* out, size_t elements) {
    std::copy_n(in[0], elements, out[0]);
    for (size_t k = 1; k < terms; ++k) {
      for (size_t i = 0; i < elements; ++i) out[0][i] = wrapping_sum(out[0][i], in[k][i]);
    }
  };
  return Elementwise(shape, {operand(arguments, kOut, shape)}, terms, BlockKernel<T>(add)).plan();
}

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  return is_floating(arguments.dtype(kOut)) ? plan_for<double>(arguments)
                                            : plan_for<int64_t>(arguments);
}

}  // namespace list
}  // namespace

ACLGRAD_OPERATOR(aclnnReduceSum, kReduceSum, plan_sum<Reduction::kSum>)
ACLGRAD_OPERATOR(aclnnReduceNansum, kReduceNansum, plan_sum<Reduction::kNansum>)
ACLGRAD_OPERATOR(aclnnTrace, trace::kSpec, trace::plan)
ACLGRAD_OPERATOR(aclnnSum, list::kSpec, list::plan)

}  // namespace aclgrad::ops::reduce_sum
