// SPDX-License-Identifier: Apache-2.0
// Averages of windows of images and volumes, and the list of the family's contracts.
#include <stdexcept>

#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d_backward.h"
#include "aclnnop/aclnn_avg_pool3d.h"
#include "aclnnop/aclnn_avg_pool3d_backward.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "ops/pooling/windows_contract.h"

namespace aclgrad::contract {
namespace {

// Files are compiled together.
namespace average_pooling {

// ---- Averages -----------------------------------------------------------------------------------

AxesOf windows(size_t axes) {
  return [axes](const Arguments& a) { return averages_of(a, a.shape("self"), axes); };
}

std::vector<Sample> samples() {
  const auto with = [](Sample sample, const char* name, double value) {
    sample.settings.emplace_back(name, value);
    return sample;
  };
  const Sample padded = sample_of({{2, 3}, {2, 1}, {1, 0}});
  const Sample ceiled = sample_of({{3, 2}, {2, 3}, {1, 1}, true});
  return {padded,
          with(padded, "countIncludePad", 1),
          ceiled,
          with(ceiled, "countIncludePad", 1),
          with(padded, "divisorOverride", -3),
          sample_of({{5, 8}, {2, 3}, {0, 1}, true}),  // larger than the image, by 1 and by 0
          with(sample_of({{6, 9}, {4}, {1}, true}), "countIncludePad", 1),
          sample_of({{2}, {}, {0}}),
          sample_of({{2}, {1}, {1}, false, {2, 3, 5}})};
}

std::vector<Sample> samples_3d() {
  const auto with = [](Sample sample, const char* name, double value) {
    sample.settings.emplace_back(name, value);
    return sample;
  };
  const Sample padded = sample_of({{2, 2, 3}, {1, 2, 1}, {1, 1, 0}});
  const Sample ceiled = sample_of({{2, 3, 2}, {2, 2, 3}, {1, 1, 1}, true});
  return {padded,
          with(padded, "countIncludePad", 1),
          ceiled,
          with(ceiled, "countIncludePad", 1),
          with(padded, "divisorOverride", -3),
          sample_of({{3, 5, 8}, {2, 2, 3}, {0, 0, 1}, true}),  // larger than the volume
          sample_of({{2}, {}, {0}}),
          sample_of({{2}, {1}, {1}, false, {2, 2, 3, 5}})};
}

void add_averages(std::vector<Operator>& all) {
  const Parameter cube_math_type = no_option(declared(integer("cubeMathType", 0), "int8_t"));
  const Shape &image = right_image(2), &result = right_result(2);
  all.push_back({
      .call = ACLGRAD_CALL(aclnnAvgPool2d, shaped(in("self"), image), values("kernelSize", {2, 3}),
                           option(values("strides", {2, 1}), "stride"),
                           option(values("paddings", {1, 0}), "padding"), flag("ceilMode"),
                           flag("countIncludePad"), integer("divisorOverride", 0), cube_math_type,
                           shaped(out("out"), result)),
      .domain = of_windows(samples()),
      .results = axes_results(windows(2)),
      .error_inputs =
          wrong_windows("kernelSize", "strides", "paddings", 2,
                        {refused("self", "without rows", of_shape({1, 2, 0, 6}), "[1, 2, 0, 6]"),
                         wrong_number("cubeMathType", 5, "[0, 4]"), in_nd("self", image)}),
      .words = {"averages of windows of images", "图像窗口的平均值",
                "avg_pool2d(x, kernel, options)"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnAvgPool2dBackward, shaped(in("gradOutput"), result),
                           any_dtype(shaped(in("self"), image)), values("kernelSize", {2, 3}),
                           values("stride", {2, 1}), values("padding", {1, 0}), flag("ceilMode"),
                           flag("countIncludePad"), integer("divisorOverride", 0), cube_math_type,
                           shaped(out("gradInput"), image)),
      .domain = of_windows(samples()),
      .results = adjoint_results(windows(2), "self"),
      .gradient = from_input("aclnnAvgPool2d"),
      .error_inputs = wrong_windows("kernelSize", "stride", "padding", 2,
                                    {wrong_number("cubeMathType", 4, "[0, 3]")}),
      .words = {"the gradient of averages of windows", "窗口平均值的梯度",
                "avg_pool_backward(g, x, attributes)", "avg_pool2d"},
  });
}

void add_averages_3d(std::vector<Operator>& all) {
  const Shape &volume = right_image(3), &result = right_result(3);
  const std::vector<Parameter> attributes = {values("kernelSize", right_kernel(3)),
                                             values("stride", right_stride(3)),
                                             values("padding", right_padding(3)),
                                             flag("ceilMode"),
                                             flag("countIncludePad"),
                                             integer("divisorOverride", 0)};
  const std::vector<ErrorInput> wrong = wrong_windows("kernelSize", "stride", "padding", 3);
  Operator op{.call = ACLGRAD_CALL(aclnnAvgPool3d)};
  op.call.parameters = std::vector{shaped(in("self"), volume)} + attributes +
                       std::vector{shaped(out("out"), result)};
  op.domain = of_windows(samples_3d(), 3, kFloatsAndDouble);
  op.results = axes_results(windows(3));
  op.error_inputs = wrong + wrong_spatial("self", volume);
  op.words = {"averages of windows of volumes", "体数据窗口的平均值",
              "avg_pool3d(x, kernel, options)"};
  all.push_back(op);
  op.call = ACLGRAD_CALL(aclnnAvgPool3dBackward);
  op.call.parameters = std::vector{shaped(in("gradOutput"), result), shaped(in("self"), volume)} +
                       attributes + std::vector{shaped(out("gradInput"), volume)};
  op.results = adjoint_results(windows(3), "self");
  op.gradient = from_input("aclnnAvgPool3d");
  op.error_inputs = wrong;
  op.words = {"the gradient of averages of windows of volumes", "体数据窗口平均值的梯度",
              "avg_pool_backward(g, x, attributes)", "avg_pool3d"};
  all.push_back(std::move(op));
}

// ---- Averages of as many windows as wanted ------------------------------------------------------

// By the array of the forward, or the sizes of the gradient.
AxesOf adaptive(size_t axes) {
  return [axes](const Arguments& a) {
    const Shape size =
        a.has("outputSize") ? a.array("outputSize") : last_sizes(a.shape("gradOutput"), axes);
    return adaptive_axes(a.shape("self"), size, true);
  };
}

void add_adaptive(std::vector<Operator>& all) {
  const Shape &image = right_image(2), &result = right_result(2);
  const std::vector<Sample> samples = {adaptive_sample({3, 4}, {kN, 2, 4, 6}, {kN, 2, 3, 4}),
                                       adaptive_sample({1, 1}, {kN, 2, 4, 6}, {kN, 2, 1, 1}),
                                       adaptive_sample({2, 7}, {2, 3, 5}, {2, 2, 7})};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnAdaptiveAvgPool2d, shaped(in("self"), image),
                           values("outputSize", {3, 4}), shaped(out("out"), result)),
      .domain = of_adaptive(samples, 2, kFloats),
      .results = axes_results(adaptive(2)),
      .error_inputs = {wrong_values("outputSize", "of one value", {3}, "[3]"),
                       wrong_values("outputSize", "= [0, 4]", {0, 4}, "[0, 4]"),
                       in_nd("self", image)},
      .words = {"averages over a given number of windows", "自适应数量窗口的平均值",
                "adaptive_avg_pool2d(x, size)"},
  });

  const auto backward_arrange = [](Arguments& a) {
    const Shape& self = a.shape("self");
    require_image(self, 2);
    if (a.shape("gradOutput").size() != self.size() ||
        a.shape("gradOutput")[self.size() - 3] != self[self.size() - 3]) {
      throw std::invalid_argument("the gradient must have the channels of the image");
    }
    a.shape("gradOutput")[0] = self[0];
    a.shape("out") = self;
    // The gradient of a single average is converted.
    const Shape& gradient = a.shape("gradOutput");
    a.tensor("out").any_dtype = gradient[gradient.size() - 2] == 1 && gradient.back() == 1;
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnAdaptiveAvgPool2dBackward,
                           option(shaped(in("gradOutput"), result), "gradOutput", Sets::kShape),
                           shaped(in("self"), image), shaped(out("out"), image)),
      .domain = {.everywhere = kFloats,
                 .max_rank = 4,
                 .base = "self",
                 .base_shape = right_base(2),
                 .arrange = backward_arrange,
                 .samples = samples},
      .results = adjoint_results(adaptive(2), "self"),
      .gradient = from_input("aclnnAdaptiveAvgPool2d"),
      .words = {"the gradient of averages over a given number of windows", "自适应平均池化的梯度",
                "adaptive_avg_pool_backward(g, x, attributes)", "adaptive_avg_pool2d"},
  });
}

void add_adaptive_3d(std::vector<Operator>& all) {
  const Shape &volume = right_image(3), &result = right_result(3);
  const std::vector<Sample> samples = {
      adaptive_sample({3, 3, 4}, {kN, 2, 2, 4, 6}, {kN, 2, 3, 3, 4}),
      adaptive_sample({1, 1, 1}, {kN, 2, 2, 4, 6}, {kN, 2, 1, 1, 1}),
      adaptive_sample({2, 2, 7}, {2, 3, 3, 5}, {2, 2, 2, 7})};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnAdaptiveAvgPool3d, shaped(in("self"), volume),
                           values("outputSize", {3, 3, 4}), shaped(out("out"), result)),
      .domain = of_adaptive(samples, 3, kFloatsAndDouble),
      .results = axes_results(adaptive(3)),
      .error_inputs =
          std::vector{wrong_values("outputSize", "of one value", {3}, "[3]"),
                      wrong_values("outputSize", "= [3, 0, 4]", {3, 0, 4}, "[3, 0, 4]")} +
          wrong_spatial("self", volume),
      .words = {"averages over a given number of windows of volumes", "体数据的自适应平均值",
                "adaptive_avg_pool3d(x, size)"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnAdaptiveAvgPool3dBackward,
                           option(shaped(in("gradOutput"), result), "gradOutput", Sets::kShape),
                           shaped(in("self"), volume), shaped(out("gradInput"), volume)),
      .domain = of_adaptive(samples, 3, kFloatsAndDouble),
      .results = adjoint_results(adaptive(3), "self"),
      .gradient = from_input("aclnnAdaptiveAvgPool3d"),
      .error_inputs = wrong_spatial("gradOutput", result),
      .words = {"the gradient of averages over a given number of windows of volumes",
                "体数据自适应平均池化的梯度", "adaptive_avg_pool_backward(g, x, attributes)",
                "adaptive_avg_pool3d"},
  });
}

}  // namespace average_pooling
}  // namespace

FamilyContracts pooling_contracts() {
  FamilyContracts family{{"Pooling", "池化"}, {}};
  add_max_pools(family.operators);
  average_pooling::add_averages(family.operators);
  average_pooling::add_adaptive(family.operators);
  average_pooling::add_averages_3d(family.operators);
  average_pooling::add_adaptive_3d(family.operators);
  return family;
}

}  // namespace aclgrad::contract
