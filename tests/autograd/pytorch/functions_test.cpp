// SPDX-License-Identifier: Apache-2.0
// The models of C functions beside PyTorch, of those too that no node of the graph calls. The
// functions are compared with their models in every dtype and layout (tests/cases).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "aclgrad_contract/contracts.h"
#include "tests/autograd/pytorch/numbers.h"

namespace aclgrad::pytorch {
namespace {

// Files are compiled together.
namespace functions {

using contract::Array;
using contract::Arrays;
using contract::Number;
using contract::Sample;
using contract::Shape;
using Settings = std::vector<std::pair<std::string, contract::Setting>>;

// A case of numbers.json, and what the models say of its inputs.
class FunctionsBesidePyTorch : public testing::Test {
 protected:
  void begin(const std::string& name) {
    name_ = name;
    numbers_ = &numbers_of(name);
  }

  Array input(std::size_t i) const { return array_of(numbers_->at("inputs").at(i)); }
  Array result(std::size_t i) const { return array_of(numbers_->at("results").at(i)); }
  Array gradient(std::size_t i) const {
    const Json& of = numbers_->at("inputs").at(i);
    return {of.at("shape").get<Shape>(), values_of(of.at("gradient"))};
  }
  // The sizes of the result's pictures.
  Shape resized() const {
    const Shape shape = result(0).shape;
    return {shape.begin() + 2, shape.end()};
  }
  // What PyTorch's gradients are of.
  Array upstream() const {
    Array g = result(0);
    for (std::size_t i = 0; i < g.values.size(); ++i) g.values[i] = 1 + Number(i % 5) / 4;
    return g;
  }

  static Arrays model(const char* function, const Settings& settings, const Arrays& inputs) {
    const contract::Arguments call(contract::find_contract(function), Sample{settings});
    return contract::results_of(call.in(ACL_DOUBLE), inputs);
  }

  void expect(const Array& got, const Array& wanted, const char* what) const {
    ASSERT_EQ(got.values.size(), wanted.values.size()) << name_ << ", " << what;
    for (std::size_t i = 0; i < wanted.values.size(); ++i) {
      const auto number = static_cast<double>(wanted.values[i]);
      EXPECT_NEAR(static_cast<double>(got.values[i]), number, 1e-12 * (1 + std::abs(number)))
          << name_ << ", element " << i << " of " << what;
    }
  }
  void expect_results(const Arrays& got) const {
    for (std::size_t i = 0; i < numbers_->at("results").size(); ++i) {
      expect(got.at(i), result(i), "a result");
    }
  }

 private:
  static std::vector<Number> values_of(const Json& list) {
    std::vector<Number> values;
    for (const Json& each : list) values.push_back(each.get<double>());
    return values;
  }
  static Array array_of(const Json& of) {
    return {of.at("shape").get<Shape>(), values_of(of.at("values"))};
  }

  std::string name_;
  const Json* numbers_ = nullptr;
};

TEST_F(FunctionsBesidePyTorch, MeansAndDeviations) {
  begin("std_mean");
  Settings settings = {
      {"self", Shape{3, 4}}, {"dim", Shape{1}}, {"correction", 1.0}, {"keepdim", 0.0}};
  expect_results(model("aclnnStdMeanCorrection", settings, {input(0)}));
  begin("std_mean of all");
  settings = {{"self", Shape{3, 4}}, {"dim", Shape{}}, {"correction", 0.0}, {"keepdim", 1.0}};
  expect_results(model("aclnnStdMeanCorrection", settings, {input(0)}));
}

TEST_F(FunctionsBesidePyTorch, LossesOfClasses) {
  for (const char* name : {"softmax_cross_entropy", "softmax_cross_entropy classes"}) {
    begin(name);
    const Arrays got = model("aclnnSoftmaxCrossEntropyWithLogits", {{"features", Shape{3, 4}}},
                             {input(0), input(1)});
    expect_results({got[0]});
    Array slopes = got[1];
    for (std::size_t i = 0; i < slopes.values.size(); ++i) {
      slopes.values[i] *= upstream().values[i / 4];
    }
    expect(slopes, gradient(0), "backprop times what arrives");
  }
  double reduction = 0;
  for (const char* how : {"none", "mean", "sum"}) {
    begin(std::string("nll_loss2d ") + how);
    const Settings settings = {
        {"self", Shape{2, 5, 1, 3}}, {"reduction", reduction}, {"ignoreIndex", 2.0}};
    const Arrays got = model("aclnnNLLLoss2d", settings, {input(0), input(1), input(2)});
    expect_results({got[0]});
    expect(model("aclnnNLLLoss2dBackward", settings,
                 {upstream(), input(0), input(1), input(2), got[1]})[0],
           gradient(0), "the gradient");
    begin(std::string("kl_div target ") + how);
    const Settings of_rows = {{"self", Shape{3, 4}}, {"reduction", reduction}, {"logTarget", 0.0}};
    expect_results(model("aclnnKlDiv", of_rows, {input(0), input(1)}));
    const Arrays given = {upstream(), input(0), input(1)};
    expect(model("aclnnKlDivBackward", of_rows, given)[0], gradient(0), "the gradient");
    expect(model("aclnnKlDivTargetBackward", of_rows, given)[0], gradient(1), "the target's");
    begin(std::string("kl_div log ") + how);
    Settings of_logarithms = of_rows;
    of_logarithms.back().second = 1.0;
    expect(model("aclnnKlDivTargetBackward", of_logarithms, {upstream(), input(0), input(1)})[0],
           gradient(1), "the target's");
    ++reduction;
  }
}

TEST_F(FunctionsBesidePyTorch, ElementsByTheirNumbers) {
  begin("repeat_interleave_tensor");
  expect_results(model("aclnnRepeatInterleaveTensor", {{"repeats", Shape{4}}}, {input(0)}));
  begin("repeat_interleave_tensor of one");
  expect_results(model("aclnnRepeatInterleaveTensor", {{"repeats", Shape{1}}}, {input(0)}));
  begin("repeat_interleave");
  expect_results(model("aclnnRepeatInterleaveInt", {{"self", Shape{3, 4}}}, {input(0)}));
  begin("repeat_interleave numbers");
  const Array times{{6}, {3, 1, 2, 2, 0, 4}};
  expect_results(model("aclnnRepeatInterleave", {{"self", Shape{2, 3}}}, {input(0), times}));
  const Settings line = {{"gradIn", Shape{6}}, {"axis", 0.0}};
  expect(model("aclnnRepeatInterleaveGrad", line, {upstream(), times})[0], gradient(0),
         "the gradient");
  begin("embedding_renorm 2");
  Settings settings = {{"selfRef", Shape{4, 3}}, {"maxNorm", 2.0}, {"normType", 2.0}};
  expect_results(model("aclnnEmbeddingRenorm", settings, {input(0), input(1)}));
  begin("embedding_renorm 1");
  settings = {{"selfRef", Shape{4, 3}}, {"maxNorm", 3.5}, {"normType", 1.0}};
  expect_results(model("aclnnEmbeddingRenorm", settings, {input(0), input(1)}));
  for (const auto& [name, reduce] : {std::pair("scatter add", 1.0), {"scatter multiply", 2.0}}) {
    begin(name);
    settings = {{"self", Shape{2, 4}}, {"dim", 1.0}, {"reduce", reduce}};
    expect_results(model("aclnnScatter", settings, {input(0), input(1), input(2)}));
  }
  begin("scatter a value");
  settings = {{"self", Shape{3, 4}}, {"dim", 1.0}, {"value", -0.5}};
  const Array columns{{3, 2}, {3, 0, 1, 2, 0, 3}};
  expect_results(model("aclnnScatterValue", settings, {input(0), columns}));
  begin("index_fill");
  settings = {{"selfRef", Shape{3, 4}}, {"dim", 0.0}, {"index", Shape{2}}, {"value", 0.75}};
  expect_results(model("aclnnInplaceIndexFill", settings, {input(0), {{2}, {2, 0}}}));
  begin("index_fill dim");
  settings = {{"selfRef", Shape{2, 2, 3}}, {"dim", -1.0}, {"index", Shape{2}}, {"value", -2.0}};
  expect_results(model("aclnnInplaceIndexFill", settings, {input(0), {{2}, {2, 0}}}));
  begin("masked_scatter");
  settings = {{"selfRef", Shape{3, 4}}};
  const Array third{{3, 4}, {0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0}};
  expect_results(model("aclnnInplaceMaskedScatter", settings, {input(0), third, input(1)}));
  begin("masked_scatter of rows");
  settings = {{"selfRef", Shape{3, 4}}, {"mask", Shape{4}}};
  expect_results(
      model("aclnnInplaceMaskedScatter", settings, {input(0), {{4}, {1, 0, 0, 1}}, input(1)}));
}

TEST_F(FunctionsBesidePyTorch, MaximaOfWindowsAndTheirPlaces) {
  Settings settings = {{"self", Shape{1, 2, 4, 5}}, {"kernelSize", Shape{2, 2}},
                       {"stride", Shape{2, 2}},     {"padding", Shape{0, 0}},
                       {"dilation", Shape{1, 1}},   {"ceilMode", 0.0}};
  for (const char* name : {"max_pool2d", "max_pool2d dilation"}) {
    begin(name);
    const Arrays got = model("aclnnMaxPool2dWithMask", settings, {input(0)});
    expect_results({got[0]});
    expect(model("aclnnMaxPool2dWithMaskBackward", settings, {upstream(), input(0), got[1]})[0],
           gradient(0), "the gradient");
    Settings plain = settings;
    for (auto& [parameter, setting] : plain) {
      for (const auto& [from, to] : {std::pair("kernelSize", "kernelShape"),
                                     {"stride", "strides"},
                                     {"padding", "pads"},
                                     {"dilation", "dilations"}}) {
        if (parameter == from) parameter = to;
      }
    }
    expect_results(model("aclnnMaxPool", plain, {input(0)}));
    settings = {{"self", Shape{1, 1, 5, 6}}, {"kernelSize", Shape{2, 3}}, {"stride", Shape{2, 1}},
                {"padding", Shape{1, 0}},    {"dilation", Shape{1, 2}},   {"ceilMode", 1.0}};
  }
  begin("max_unpool3d");
  settings = {{"self", Shape{1, 1, 2, 2, 2}}, {"outputSize", Shape{4, 4, 4}}};
  expect_results(model("aclnnMaxUnpool3d", settings, {input(0), input(1)}));
  begin("max_unpool3d size");
  settings = {{"self", Shape{2, 1, 2, 2}}, {"outputSize", Shape{2, 5, 4}}};
  expect_results(model("aclnnMaxUnpool3d", settings, {input(0), input(1)}));
}

TEST_F(FunctionsBesidePyTorch, FusedNormalizations) {
  for (const auto& [name, scale] :
       {std::pair("group_norm_swish", 1.0), {"group_norm_swish half", 0.5}}) {
    begin(name);
    const Settings settings = {
        {"x", Shape{2, 4, 3}}, {"numGroups", 2.0}, {"eps", 0.25}, {"swishScale", scale}};
    const Arrays got = model("aclnnGroupNormSwish", settings, {input(0), input(1), input(2)});
    expect_results(got);
    const Arrays gradients = model("aclnnGroupNormSwishGrad", settings,
                                   {upstream(), got[1], got[2], input(0), input(1), input(2)});
    for (std::size_t i = 0; i < 3; ++i) expect(gradients.at(i), gradient(i), "a gradient");
  }
  Shape row = {4};
  double eps = 0.25;
  for (const std::string of : {"", " rows"}) {
    begin("add_layer_norm" + of);
    const Settings settings = {{"x1", Shape{3, 2, 4}}, {"gamma", row}, {"epsilon", eps}};
    const Arrays in = {input(0), input(1), input(2), input(3)};
    const Arrays got = model("aclnnAddLayerNorm", settings, in);
    expect_results(got);
    Array nothing = upstream();
    std::ranges::fill(nothing.values, 0);
    const Arrays gradients = model("aclnnAddLayerNormGrad", settings,
                                   {upstream(), in[0], in[1], got[2], got[1], in[2], nothing});
    expect(gradients.at(0), gradient(0), "the gradient of x1");
    expect(gradients.at(0), gradient(1), "the gradient of x2");
    expect(gradients.at(1), gradient(2), "the gradient of gamma");
    expect(gradients.at(2), gradient(3), "the gradient of beta");
    begin("add_rms_norm" + of);
    expect_results(model("aclnnAddRmsNorm", settings, {input(0), input(1), input(2)}));
    row = {2, 4};
    eps = 0.125;
  }
  begin("instance_norm function");
  Settings settings = {{"x", Shape{2, 3, 4}}, {"eps", 0.25}};
  expect_results(model("aclnnInstanceNorm", settings, {input(0), input(1), input(2)}));
  begin("instance_norm function of images");
  settings = {{"x", Shape{2, 2, 3, 2}}, {"eps", 0.125}};
  expect_results(model("aclnnInstanceNorm", settings, {input(0), input(1), input(2)}));
}

TEST_F(FunctionsBesidePyTorch, MovedElements) {
  begin("unfold_grad");
  Settings settings = {{"gradIn", Shape{2, 5}}, {"dim", 1.0}, {"size", 3.0}, {"step", 2.0}};
  expect(model("aclnnUnfoldGrad", settings, {upstream()})[0], gradient(0), "the gradient");
  begin("unfold_grad dim");
  settings = {{"gradIn", Shape{3, 2}}, {"dim", 0.0}, {"size", 2.0}, {"step", 1.0}};
  expect(model("aclnnUnfoldGrad", settings, {upstream()})[0], gradient(0), "the gradient");
  begin("interpolate linear 2d scale");
  settings = {{"gradInput", Shape{1, 1, 3, 4}},
              {"outputSize", resized()},
              {"scalesH", 1.7},
              {"scalesW", 1.7}};
  expect(model("aclnnUpsampleBilinear2dBackwardV2", settings, {upstream()})[0], gradient(0),
         "the gradient");
  begin("interpolate nearest 2d scale");
  settings = {
      {"self", Shape{1, 1, 3, 4}}, {"outputSize", resized()}, {"scaleH", 1.7}, {"scaleW", 1.7}};
  expect_results(model("aclnnUpsampleNearest2dV2", settings, {input(0)}));
}

}  // namespace functions
}  // namespace
}  // namespace aclgrad::pytorch
