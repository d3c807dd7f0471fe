// SPDX-License-Identifier: Apache-2.0
// aclnnPrelu, aclnnPreluBackward.
#include <fmt/format.h>

#include <algorithm>

#include "aclnnop/aclnn_prelu.h"
#include "aclnnop/aclnn_prelu_backward.h"
#include "ops/activation/formula_rules.h"
#include "ops/engine/reduce.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/prelu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/formula-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// x for x > 0, otherwise w x; g and w g.
FloatKernel prelu_formula() {
  return binary([](auto d, auto x, auto w)
                    HWY_ATTR { return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(w, x)); });
}
FloatKernel prelu_slope() {
  return ternary([](auto d, auto g, auto x, auto w)
                     HWY_ATTR { return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, hn::Mul(w, g)); });
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(prelu_formula);
HWY_EXPORT(prelu_slope);

int64_t channels(const Dims& self) { return self.size() < 2 ? 1 : self[1]; }

// One number, or a row of one for each channel.
Rule is_weight(size_t weight, size_t self) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(weight);
    const Dims& shape_of_self = arguments.shape(self);
    const int64_t count = count_elements(shape);
    bool fits = shape.size() < 2 || shape.size() == shape_of_self.size();
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape.size() > 1 && d != 1 && shape[d] != 1) fits = false;
    }
    if (fits && (count == 1 || count == channels(shape_of_self))) return std::nullopt;
    return fmt::format(
        "tensor {} must have 1 element or {}, as many as dimension 1 of {} {}, in rank 0 or 1 or "
        "along dimension 1, but is {}.",
        arguments.name(weight), channels(shape_of_self), arguments.name(self),
        to_string(shape_of_self), to_string(shape));
  });
}

// The weight over the shape of self.
Operand weight_operand(const Arguments& arguments, size_t weight, size_t self) {
  const aclDataType dtype = arguments.dtype(weight);
  Dims strides = Dims::filled(arguments.shape(self).size(), 0);
  const size_t rank = arguments.shape(weight).size();
  if (strides.size() > 1 && count_elements(arguments.shape(weight)) > 1) {
    strides[1] = arguments.strides(weight)[rank == 1 ? 0 : 1];
  }
  return {weight, dtype, strides, 0, dtype};
}

namespace of_function {

enum : size_t { kSelf, kWeight, kOut };

const OperatorSpec kSpec{
    "aclnnPrelu",
    {input("self"), input("weight"), output("out")},
    Rules{all_given(), dtype_in(kSelf, kRealFloats), same_dtype({kWeight, kOut}, kSelf),
          max_rank(kSelf), is_weight(kWeight, kSelf), same_shape(kOut, kSelf)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const Dims& shape = arguments.shape(kSelf);
  return Elementwise(shape, {operand(arguments, kOut, shape)},
                     {operand(arguments, kSelf, shape), weight_operand(arguments, kWeight, kSelf)},
                     HWY_DYNAMIC_DISPATCH(prelu_formula)())
      .plan();
}

}  // namespace of_function

namespace of_gradient {

enum : size_t { kGradOutput, kSelf, kWeight, kGradInput, kGradWeight };

Rule as_many_as_weight() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& weight = arguments.shape(kWeight);
    const Dims& gradient = arguments.shape(kGradWeight);
    if (count_elements(weight) == count_elements(gradient)) return std::nullopt;
    return fmt::format("tensor gradWeight must have as many elements as weight {}, but is {}.",
                       to_string(weight), to_string(gradient));
  });
}

const OperatorSpec kSpec{
    "aclnnPreluBackward",
    {input("gradOutput"), input("self"), input("weight"), output("gradInput"),
     output("gradWeight")},
    Rules{all_given(), dtype_in(kGradOutput, kRealFloats),
          same_dtype({kSelf, kWeight, kGradInput, kGradWeight}, kGradOutput), max_rank(kSelf),
          same_shape(kGradOutput, kSelf), is_weight(kWeight, kSelf), same_shape(kGradInput, kSelf),
          is_weight(kGradWeight, kSelf), as_many_as_weight()}};

// The sums of g x where x is not above 0, one for each weight.
struct WeightSums {
  using State = double;
  static constexpr int64_t kChunk = 1 << 16, kGrain = 1 << 15;

  Slices g, x;
  Elements out;

  int64_t terms() const { return x.index.count(); }
  int64_t outputs() const { return out.index.count(); }
  int64_t chunks() const { return std::max<int64_t>(1, (terms() + kChunk - 1) / kChunk); }
  int64_t together() const { return 1; }
  int64_t grain() const {
    return std::max<int64_t>(1, kGrain / std::clamp<int64_t>(terms(), 1, kChunk));
  }
  void reduce(const Run& run, int64_t first, int64_t, int64_t chunk, double* sum) const {
    alignas(64) double upstream[kBlock];
    alignas(64) double point[kBlock];
    *sum = 0;
    for_blocks(chunk * kChunk, std::min(terms(), (chunk + 1) * kChunk),
               [&](int64_t from, int64_t end) {
                 g.read(run, from, end, upstream, g.starts.offset(first));
                 x.read(run, from, end, point, x.starts.offset(first));
                 for (int64_t i = 0; i < end - from; ++i)
                   *sum += point[i] > 0 ? 0 : upstream[i] * point[i];
               });
  }
  void merge(double& sum, double next) const { sum += next; }
  void finish(const Run& run, int64_t first, int64_t count, const double* sums) const {
    out.write(run, sums, first, first + count);
  }
};

Plan plan(const Arguments& arguments) {
  const Dims& shape = arguments.shape(kSelf);
  if (arguments.empty(kGradWeight)) return {};
  DimSet shared;
  const bool is_one = count_elements(arguments.shape(kGradWeight)) == 1;
  for (size_t d = 0; d < shape.size(); ++d) shared[d] = is_one || d != 1;
  Plan sums = plan_reduction(WeightSums{Slices(arguments, kGradOutput, shared),
                                        Slices(arguments, kSelf, shared),
                                        Elements(arguments, kGradWeight)});
  if (arguments.empty(kSelf)) return sums;
  const Plan slopes =
      Elementwise(shape, {operand(arguments, kGradInput, shape)},
                  {operand(arguments, kGradOutput, shape), operand(arguments, kSelf, shape),
                   weight_operand(arguments, kWeight, kSelf)},
                  HWY_DYNAMIC_DISPATCH(prelu_slope)())
          .plan();
  return {[sum = sums.body, slope = slopes.body](const Run& run) {
            const aclError status = sum(run);
            return status == ACL_SUCCESS ? slope(run) : status;
          },
          sums.workspace_size};
}

}  // namespace of_gradient
}  // namespace

ACLGRAD_OPERATOR(aclnnPrelu, of_function::kSpec, of_function::plan)
ACLGRAD_OPERATOR(aclnnPreluBackward, of_gradient::kSpec, of_gradient::plan)

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
