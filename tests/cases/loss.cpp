// SPDX-License-Identifier: Apache-2.0
// Losses and their backwards. `reduction`: 0 none, 1 mean, 2 sum.
#include <cmath>

#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_mse_loss_out.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

constexpr int64_t kClasses = 5;
constexpr int64_t kIgnored = 2;  // this class does not count in the NLL rows
const char* const kReductions[] = {"reduction=none", "reduction=mean", "reduction=sum"};

Array reduced(Array values, int64_t reduction, long double divisor) {
  if (reduction == 0) return values;
  long double sum = 0;
  for (long double value : values.values) sum += value;
  return {{}, {reduction == 1 ? sum / divisor : sum}};
}

// Over the first dimension.
Array reduced_rows(const Array& values, int64_t reduction) {
  if (reduction == 0) return values;
  const auto rows = static_cast<size_t>(values.shape[0]);
  const size_t columns = values.values.size() / rows;
  Array out{{values.shape.begin() + 1, values.shape.end()}, std::vector<long double>(columns, 0)};
  for (size_t i = 0; i < values.values.size(); ++i) out.values[i % columns] += values.values[i];
  for (long double& sum : out.values) {
    if (reduction == 1) sum /= static_cast<long double>(rows);
  }
  return out;
}

Array squared_differences(const Arrays& in) {
  Array out = in[0];
  for (size_t i = 0; i < out.values.size(); ++i) {
    const long double difference = in[0].values[i] - in[1].values[i];
    out.values[i] = difference * difference;
  }
  return out;
}

Reference mse(int64_t reduction) {
  return [reduction](const Arrays& in) {
    const auto count = static_cast<long double>(in[0].values.size());
    return Arrays{reduced(squared_differences(in), reduction, count)};
  };
}

// Inputs: gradOutput, self, target.
Reference mse_backward(int64_t reduction) {
  return [reduction](const Arrays& in) {
    Array out = in[1];
    const auto count = static_cast<long double>(out.values.size());
    for (size_t i = 0; i < out.values.size(); ++i) {
      const long double g = in[0].values[reduction == 0 ? i : 0];
      out.values[i] = 2 * (in[1].values[i] - in[2].values[i]) * g / (reduction == 1 ? count : 1);
    }
    return Arrays{out};
  };
}

// Along the last dimension.
Arrays log_softmax(const Arrays& in) {
  Array out = in[0];
  const auto width = static_cast<size_t>(out.shape.back());
  for (size_t row = 0; row < out.values.size(); row += width) {
    long double sum = 0;
    for (size_t i = 0; i < width; ++i) sum += std::exp(in[0].values[row + i]);
    for (size_t i = 0; i < width; ++i) out.values[row + i] -= std::log(sum);
  }
  return {out};
}

// What the difference x - log(sum) is made of: it nearly cancels for a class that is almost
// certain.
Arrays log_softmax_magnitude(const Arrays& in) {
  Array out = log_softmax(in)[0];
  for (size_t i = 0; i < out.values.size(); ++i) {
    const long double x = in[0].values[i];
    out.values[i] = std::fabs(x) + std::fabs(x - out.values[i]);
  }
  return {out};
}

// Inputs: gradOutput, output.
Arrays log_softmax_backward(const Arrays& in) {
  Array out = in[0];
  const auto width = static_cast<size_t>(out.shape.back());
  for (size_t row = 0; row < out.values.size(); row += width) {
    long double sum = 0;
    for (size_t i = 0; i < width; ++i) sum += in[0].values[row + i];
    for (size_t i = 0; i < width; ++i) out.values[row + i] -= std::exp(in[1].values[row + i]) * sum;
  }
  return {out};
}

// What the cancelling difference of the backward is made of.
Arrays log_softmax_backward_magnitude(const Arrays& in) {
  Array out = in[0];
  const auto width = static_cast<size_t>(out.shape.back());
  for (size_t row = 0; row < out.values.size(); row += width) {
    long double sum = 0;
    for (size_t i = 0; i < width; ++i) sum += std::fabs(in[0].values[row + i]);
    for (size_t i = 0; i < width; ++i) {
      out.values[row + i] =
          std::fabs(in[0].values[row + i]) + std::exp(in[1].values[row + i]) * sum;
    }
  }
  return {out};
}

long double weight_of(const Array& weight, long double target) {
  return target == kIgnored ? 0 : weight.values[static_cast<size_t>(target)];
}

// Inputs: self [n, C], target [n], weight [C]. Outputs: loss, total weight.
Reference nll(int64_t reduction) {
  return [reduction](const Arrays& in) {
    Array losses{in[1].shape, {}};
    long double total = 0;
    for (size_t i = 0; i < in[1].values.size(); ++i) {
      const long double target = in[1].values[i];
      const long double weight = weight_of(in[2], target);
      const size_t at = i * kClasses + static_cast<size_t>(target);
      losses.values.push_back(-weight * in[0].values[at]);
      total += weight;
    }
    Array total_weight{{}, {}};
    if (reduction != 0) total_weight.values.push_back(total);
    return Arrays{reduced(losses, reduction, total), total_weight};
  };
}

// Inputs: gradOutput, self, target, weight, totalWeight.
Reference nll_backward(int64_t reduction) {
  return [reduction](const Arrays& in) {
    Array out{in[1].shape, std::vector<long double>(in[1].values.size(), 0)};
    for (size_t i = 0; i < in[2].values.size(); ++i) {
      const long double target = in[2].values[i];
      const long double g = in[0].values[reduction == 0 ? i : 0];
      const long double divisor = reduction == 1 ? in[4].values[0] : 1;
      out.values[i * kClasses + static_cast<size_t>(target)] =
          -weight_of(in[3], target) * g / divisor;
    }
    return Arrays{out};
  };
}

std::vector<Case> mse_cases() {
  const std::vector<int64_t> shape = {kN, 3, 4};
  std::vector<Case> rows;
  for (int64_t reduction : {0, 1, 2}) {
    const std::vector<int64_t> loss = reduction == 0 ? shape : std::vector<int64_t>{};
    const std::string attributes = kReductions[reduction];
    rows.push_back({.api = "aclnnMseLoss",
                    .attributes = attributes,
                    .dtypes = kFloatTypes,
                    .inputs = {{shape}, {shape}},
                    .outputs = {{loss}},
                    .phase_one =
                        [reduction](auto t, auto* size, auto** executor) {
                          return aclnnMseLossGetWorkspaceSize(t[0], t[1], reduction, t[2], size,
                                                              executor);
                        },
                    .phase_two = aclnnMseLoss,
                    .reference = mse(reduction)});
    Case over_rows = rows.back();
    over_rows.api = "aclnnMseLossOut";
    over_rows.phase_one = [reduction](auto t, auto* size, auto** executor) {
      return aclnnMseLossOutGetWorkspaceSize(t[0], t[1], reduction, t[2], size, executor);
    };
    over_rows.phase_two = aclnnMseLossOut;
    if (reduction != 0) over_rows.outputs = {{{3, 4}}};
    over_rows.reference = [reduction](const Arrays& in) {
      return Arrays{reduced_rows(squared_differences(in), reduction)};
    };
    rows.push_back(std::move(over_rows));
    rows.push_back(
        {.api = "aclnnMseLossBackward",
         .attributes = attributes,
         .dtypes = kFloatTypes,
         .inputs = {{loss}, {shape}, {shape}},
         .outputs = {{shape}},
         .phase_one =
             [reduction](auto t, auto* size, auto** executor) {
               return aclnnMseLossBackwardGetWorkspaceSize(t[0], t[1], t[2], reduction, t[3], size,
                                                           executor);
             },
         .phase_two = aclnnMseLossBackward,
         .reference = mse_backward(reduction),
         .derivative_of = DerivativeOf{"aclnnMseLoss " + attributes,
                                       [](const Arrays& x, const Arrays&, const Array& g) {
                                         return Arrays{g, x[0], x[1]};
                                       }}});
  }
  return rows;
}

std::vector<Case> nll_cases() {
  const Slot self{{kN, kClasses}};
  const Slot target{.shape = {kN}, .low = 0, .high = kClasses - 1, .dtype = ACL_INT64};
  const Slot weight{{kClasses}, 0.5L, 2};
  std::vector<Case> rows;
  for (int64_t reduction : {0, 1, 2}) {
    std::vector<int64_t> loss;
    if (reduction == 0) loss.push_back(kN);
    const std::string attributes = kReductions[reduction];
    std::vector<Slot> outputs = {{loss}};
    outputs.push_back({{}});
    rows.push_back({.api = "aclnnNLLLoss",
                    .attributes = attributes,
                    .dtypes = kFloatTypes,
                    .inputs = {self, target, weight},
                    .outputs = outputs,
                    .phase_one =
                        [reduction](auto t, auto* size, auto** executor) {
                          return aclnnNLLLossGetWorkspaceSize(t[0], t[1], t[2], reduction, kIgnored,
                                                              t[3], t[4], size, executor);
                        },
                    .phase_two = aclnnNLLLoss,
                    .reference = nll(reduction)});
    rows.push_back(
        {.api = "aclnnNLLLossBackward",
         .attributes = attributes,
         .dtypes = kFloatTypes,
         .inputs = {{loss}, self, target, weight, {{}, 1, 8}},
         .outputs = {{{kN, kClasses}}},
         .phase_one =
             [reduction](auto t, auto* size, auto** executor) {
               return aclnnNLLLossBackwardGetWorkspaceSize(t[0], t[1], t[2], t[3], reduction,
                                                           kIgnored, t[4], t[5], size, executor);
             },
         .phase_two = aclnnNLLLossBackward,
         .reference = nll_backward(reduction),
         .derivative_of = DerivativeOf{
             "aclnnNLLLoss " + attributes, [](const Arrays& x, const Arrays& y, const Array& g) {
               const Array none{{}, {1}};
               return Arrays{g, x[0], x[1], x[2], y[1].values.empty() ? none : y[1]};
             }}});
  }
  return rows;
}

}  // namespace

std::vector<Case> loss_cases() {
  std::vector<Case> rows = mse_cases();
  for (Case& row : nll_cases()) rows.push_back(std::move(row));
  const std::vector<int64_t> shape = {kN, 3, kClasses};
  rows.push_back({.api = "aclnnLogSoftmax",
                  .attributes = "dim=-1",
                  .dtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE},
                  .inputs = {{shape}},
                  .outputs = {{shape}},
                  .phase_one =
                      [](auto t, auto* size, auto** executor) {
                        return aclnnLogSoftmaxGetWorkspaceSize(t[0], -1, t[1], size, executor);
                      },
                  .phase_two = aclnnLogSoftmax,
                  .reference = log_softmax,
                  .max_ulp = 2,
                  .max_ulp_16bit = 0.501,  // in float, with sums in double
                  // Exponentials are good to 2^-49, and so is their sum: its logarithm may be off
                  // by that much, 8 ulp of 1, however small it is.
                  .max_ulp_double = 16,
                  .magnitude = log_softmax_magnitude,
                  .least_magnitude_double = 1});
  rows.push_back({.api = "aclnnLogSoftmaxBackward",
                  .attributes = "dim=-1",
                  .dtypes = kFloatTypes,
                  .inputs = {{shape}, {shape, -4, 0}},
                  .outputs = {{shape}},
                  .phase_one =
                      [](auto t, auto* size, auto** executor) {
                        return aclnnLogSoftmaxBackwardGetWorkspaceSize(t[0], t[1], -1, t[2], size,
                                                                       executor);
                      },
                  .phase_two = aclnnLogSoftmaxBackward,
                  .reference = log_softmax_backward,
                  .max_ulp = 1,
                  .max_ulp_16bit = 0.51,
                  .magnitude = log_softmax_backward_magnitude,
                  .derivative_of = DerivativeOf{"aclnnLogSoftmax dim=-1",
                                                [](const Arrays&, const Arrays& y, const Array& g) {
                                                  return Arrays{g, y[0]};
                                                }}});
  return rows;
}

}  // namespace aclgrad::cases
