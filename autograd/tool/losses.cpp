// SPDX-License-Identifier: Apache-2.0
// Losses: mean squared error, negative log likelihood.
#include <fmt/format.h>

#include "aclgrad/error.h"
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_mse_loss_out.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "tool/catalogue.h"

namespace aclgrad::gradcheck::detail {
namespace {

const char* const kReductions[] = {"none", "mean", "sum"};

Array reduced(const Array& values, int reduction, Number divisor) {
  if (reduction == 0) return values;
  Number sum = 0;
  for (const Number value : values.values) sum += value;
  return {{}, {reduction == 1 ? sum / divisor : sum}};
}

void name_reduction(Subject& s, int reduction) {
  if (reduction < 0 || reduction > 2) {
    throw ValueError("reduction is 0 (none), 1 (mean) or 2 (sum)");
  }
  s.checked.attributes = fmt::format("reduction={}", kReductions[reduction]);
  s.checked.reproduce = fmt::format("--reduction {}", reduction);
  s.checked.model = kRoundedOnce;
}

// Entry points that take (inputs, reduction, outputs).
Subject mse_loss(const LibraryPointer& library, const Attributes& a,
                 const std::optional<Dims>& wanted) {
  const Dims shape = wanted.value_or(Dims{3, 4});
  const int reduction = a.reduction;
  Subject s;
  name_reduction(s, reduction);
  const Dims loss = reduction == 0 ? shape : Dims{};
  auto* forward = ACLGRAD_LOOKUP(aclnnMseLossGetWorkspaceSize);
  auto* backward = ACLGRAD_LOOKUP(aclnnMseLossBackwardGetWorkspaceSize);
  const auto plan = [=](std::int64_t how) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return backward(t[0], t[1], t[2], how, t[3], size, executor);
    };
  };
  s.forward = {
      .api = "aclnnMseLoss",
      .tensors = {{.name = "self", .shape = shape, .free_dtype = true},
                  {.name = "target", .shape = shape, .free_dtype = true},
                  {.name = "out", .shape = loss, .free_dtype = true}},
      .inputs = 2,
      .plan = [=](auto t, auto* size,
                  auto** executor) { return forward(t[0], t[1], reduction, t[2], size, executor); },
      .highest_rank = 8};
  // The same under another name, unless it reduces only the first of several dimensions.
  if (reduction == 0 || shape.size() <= 1) {
    auto* forward_out = ACLGRAD_LOOKUP(aclnnMseLossOutGetWorkspaceSize);
    EntryPoint& second_name = s.other_forms.emplace_back(s.forward);
    second_name.api = "aclnnMseLossOut";
    second_name.plan = [=](auto t, auto* size, auto** executor) {
      return forward_out(t[0], t[1], reduction, t[2], size, executor);
    };
  }
  s.backward = EntryPoint{
      .api = "aclnnMseLossBackward",
      .tensors = {{.name = "gradOutput", .shape = loss},
                  {.name = "self", .shape = shape},
                  {.name = "target", .shape = shape},
                  {.name = "out", .shape = shape, .free_dtype = true}},
      .inputs = 3,
      .plan = plan(reduction),
      .highest_rank = 8,
      .refusals = {{"reduction 3", 161002, plan(3)}, {"reduction -1", 161002, plan(-1)}}};
  s.checked.name = s.backward->api;
  s.checked.inputs = {Input{.name = "self", .shape = shape},
                      Input{.name = "target", .shape = shape, .differentiable = false}};
  s.checked.forward = [reduction](const Arrays& in) {
    Array squares = in[0];
    for (std::size_t i = 0; i < squares.values.size(); ++i) {
      const Number difference = in[0].values[i] - in[1].values[i];
      squares.values[i] = difference * difference;
    }
    return Arrays{reduced(squares, reduction, static_cast<Number>(squares.values.size()))};
  };
  s.checked.backward = from_executors(library, s.backward->api, s.backward->plan);
  return s;
}

constexpr std::int64_t kIgnored = 2;

Number weight_of(const Array& weight, Number target) {
  return target == kIgnored ? 0 : weight.values[static_cast<std::size_t>(target)];
}

Arrays nll_of(const Arrays& in, int reduction) {
  const auto classes = static_cast<std::size_t>(in[0].shape.back());
  Array losses{in[1].shape, {}};
  Number total = 0;
  for (std::size_t i = 0; i < in[1].values.size(); ++i) {
    const Number target = in[1].values[i];
    const Number weight = weight_of(in[2], target);
    losses.values.push_back(-weight * in[0].values[i * classes + static_cast<std::size_t>(target)]);
    total += weight;
  }
  return {reduced(losses, reduction, total), Array{{}, {reduction == 0 ? 1 : total}}};
}

Arrays nll_backward_of(const Arrays& given, int reduction) {
  Array out{given[1].shape, std::vector<Number>(given[1].values.size(), 0)};
  const auto classes = static_cast<std::size_t>(given[1].shape.back());
  for (std::size_t i = 0; i < given[2].values.size(); ++i) {
    const Number target = given[2].values[i];
    const Number g = given[0].values[reduction == 0 ? i : 0];
    out.values[i * classes + static_cast<std::size_t>(target)] =
        -weight_of(given[3], target) * g / (reduction == 1 ? given[4].values[0] : 1);
  }
  return {out};
}

Subject nll_loss(const LibraryPointer& library, const Attributes& a,
                 const std::optional<Dims>& wanted) {
  const Dims shape = wanted.value_or(Dims{6, 5});
  if (shape.size() != 2 || shape[1] < 4) {
    throw ValueError("nll_loss is checked on NxC tensors of at least 4 classes");
  }
  const int reduction = a.reduction;
  Subject s;
  name_reduction(s, reduction);
  const Dims rows = {shape[0]};
  const Dims classes = {shape[1]};
  const Dims loss = reduction == 0 ? rows : Dims{};
  auto* forward = ACLGRAD_LOOKUP(aclnnNLLLossGetWorkspaceSize);
  auto* backward = ACLGRAD_LOOKUP(aclnnNLLLossBackwardGetWorkspaceSize);
  const auto plan = [=](std::int64_t how) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return backward(t[0], t[1], t[2], t[3], how, kIgnored, t[4], t[5], size, executor);
    };
  };
  const TensorArgument target{.name = "target", .shape = rows, .dtype = DType::int64};
  s.forward = {.api = "aclnnNLLLoss",
               .tensors = {{.name = "self", .shape = shape},
                           target,
                           {.name = "weight", .shape = classes},
                           {.name = "out", .shape = loss, .free_dtype = true},
                           {.name = "totalWeightOut", .shape = {}, .free_dtype = true}},
               .inputs = 3,
               .plan =
                   [=](auto t, auto* size, auto** executor) {
                     return forward(t[0], t[1], t[2], reduction, kIgnored, t[3], t[4], size,
                                    executor);
                   },
               .highest_rank = 2};
  s.backward = EntryPoint{.api = "aclnnNLLLossBackward",
                          .tensors = {{.name = "gradOutput", .shape = loss},
                                      {.name = "self", .shape = shape},
                                      target,
                                      {.name = "weight", .shape = classes},
                                      {.name = "totalWeight", .shape = {}},
                                      {.name = "out", .shape = shape, .free_dtype = true}},
                          .inputs = 5,
                          .plan = plan(reduction),
                          .highest_rank = 2,
                          .refusals = {{"reduction 3", 161002, plan(3)}}};
  s.checked.name = s.backward->api;
  s.checked.inputs = {
      Input{.name = "self", .shape = shape},
      Input{.name = "target",
            .shape = rows,
            .low = 0,
            .high = static_cast<Number>(shape[1] - 1),
            .differentiable = false,
            .dtype = DType::int64},
      Input{.name = "weight", .shape = classes, .low = 0.5L, .high = 2, .differentiable = false}};
  s.checked.forward = [reduction](const Arrays& in) { return nll_of(in, reduction); };
  // The sum of the weights is left alone where nothing is divided by it.
  s.reference = [reduction](const Arrays& in, DType) {
    Arrays results = nll_of(in, reduction);
    if (reduction == 0) results[1].values.clear();
    return results;
  };
  s.checked.saved = [](const Arrays& in, const Arrays& outputs, const Array& cotangent) {
    return Arrays{cotangent, in[0], in[1], in[2], outputs[1]};
  };
  s.checked.saved_dtypes = {std::nullopt, std::nullopt, DType::int64};
  s.checked.exact_backward = [reduction](const Arrays& given) {
    return nll_backward_of(given, reduction);
  };
  s.checked.backward = from_executors(library, s.backward->api, s.backward->plan);
  return s;
}

}  // namespace

std::vector<KnownOperator> loss_operators() {
  const std::vector<Attributes> reductions = {{.reduction = 0}, {.reduction = 1}, {.reduction = 2}};
  return {{"mse_loss", mse_loss, reductions, {"--reduction"}},
          {"nll_loss", nll_loss, reductions, {"--reduction"}}};
}

}  // namespace aclgrad::gradcheck::detail
