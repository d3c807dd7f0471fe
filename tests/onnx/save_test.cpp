// SPDX-License-Identifier: Apache-2.0
// What is saved is valid for ONNX's own checker, keeps its names, takes any batch, and computes the
// same in another runtime, where there is one.
#include <gmock/gmock.h>
#include <onnx/checker.h>
#include <onnx/defs/operator_sets.h>
#include <onnx/shape_inference/implementation.h>

#include <cmath>
#include <cstdlib>

#include "aclgrad/io/npy.h"
#include "aclgrad/onnx.h"
#include "examples/mobilenet/model.h"
#include "onnx/model_file.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/onnx/saved_cases.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
namespace schema = ::onnx;

// Throws what ONNX's checker and its inference of shapes have against a model.
void check(schema::ModelProto model) {
  schema::checker::check_model(model);
  schema::shape_inference::InferShapes(
      model, schema::OpSchemaRegistry::Instance(),
      schema::ShapeInferenceOptions(/*check_type_val=*/true, /*strict_mode_val=*/1,
                                    /*data_prop_val=*/false));
}

std::filesystem::path saved_in(const TemporaryFolder& folder, const SavedCase& each) {
  const std::filesystem::path path = folder.path() / (each.name + ".onnx");
  onnx::save(path, each.record, each.examples);
  return path;
}

TEST(OnnxSave, EveryNetworkIsValid) {
  const TemporaryFolder folder;
  for (const SavedCase& each : all_saved_cases()) {
    SCOPED_TRACE(each.name);
    const schema::ModelProto model = onnx::read_model(saved_in(folder, each));
    EXPECT_NO_THROW(check(model));
    EXPECT_EQ(model.opset_import(0).version(), 17);
    // Every batch: no extent of the recordings is left.
    EXPECT_EQ(model.graph().input(0).type().tensor_type().shape().dim(0).dim_param(), "batch");
  }
}

double largest_of(const Tensor& tensor) {
  double largest = 1;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    if (std::isfinite(tensor.get(i))) largest = std::max(largest, std::abs(tensor.get(i)));
  }
  return largest;
}

// The tensor with 0 in the place of NaN, and where that was.
std::pair<Tensor, Tensor> without_nan(Tensor tensor) {
  Tensor places = Tensor::zeros(tensor.shape(), DType::boolean);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    if (!std::isnan(tensor.get(i))) continue;
    places.set(i, 1);
    tensor.set(i, 0);
  }
  return {std::move(tensor), std::move(places)};
}

void expect_close(const std::vector<Tensor>& found, const std::vector<Tensor>& expected,
                  double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].dtype(), expected[k].dtype());
    const auto [numbers, nan] = without_nan(found[k]);
    const auto [wanted, wanted_nan] = without_nan(expected[k]);
    EXPECT_TRUE(allclose(numbers, wanted, 0, tolerance * largest_of(wanted)) &&
                bitwise_equal(nan, wanted_nan))
        << "output " << k << ": " << found[k] << "\n"
        << expected[k];
  }
}

// Of batches that it was not recorded for.
void expect_to_come_back(const SavedCase& each, const std::filesystem::path& path) {
  const onnx::Model model = onnx::load(path);
  const auto record = [&](const std::vector<Value>& inputs) { return model(inputs); };
  for (const std::int64_t batch : {1, 4}) {
    const std::vector<Tensor> inputs = inputs_of(each, batch);
    expect_close(run(record, inputs), run(each.record, inputs), each.tolerance);
  }
}

TEST(OnnxSave, EveryNetworkComesBack) {
  const TemporaryFolder folder;
  for (const SavedCase& each : all_saved_cases()) {
    SCOPED_TRACE(each.name);
    EXPECT_NO_THROW(expect_to_come_back(each, saved_in(folder, each)));
  }
}

#ifdef ACLGRAD_RUN_ONNXRUNTIME

// All in one process of its own, whose ONNX need not be ours.
TEST(OnnxSave, EveryNetworkComputesTheSameInOnnxruntime) {
  const TemporaryFolder folder;
  constexpr std::int64_t kBatches[] = {1, 4};
  const auto file = [&](const SavedCase& each, std::int64_t batch, const char* what,
                        std::size_t number) {
    return folder.path() / (each.name + "." + std::to_string(batch) + "." + what + "." +
                            std::to_string(number) + ".npy");
  };
  for (const SavedCase& each : all_saved_cases()) {
    saved_in(folder, each);
    for (const std::int64_t batch : kBatches) {
      const std::vector<Tensor> inputs = inputs_of(each, batch);
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        write_npy(file(each, batch, "in", k), inputs[k]);
      }
    }
  }
  const std::string command =
      std::string(ACLGRAD_RUN_ONNXRUNTIME) + " " + folder.path().string() + " 1 4";
  ASSERT_EQ(std::system(command.c_str()), 0);
  for (const SavedCase& each : all_saved_cases()) {
    for (const std::int64_t batch : kBatches) {
      SCOPED_TRACE(each.name + " of " + std::to_string(batch));
      std::vector<Tensor> found;
      const std::vector<Tensor> expected = run(each.record, inputs_of(each, batch));
      for (std::size_t k = 0; k < expected.size(); ++k) {
        found.push_back(read_npy(file(each, batch, "out", k)));
      }
      expect_close(found, expected, each.tolerance);
    }
  }
}

#endif

std::vector<std::string> names_of(
    const google::protobuf::RepeatedPtrField<schema::TensorProto>& tensors) {
  std::vector<std::string> all;
  for (const schema::TensorProto& each : tensors) all.push_back(each.name());
  return all;
}

TEST(OnnxSave, KeepsNames) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "named.onnx";
  const Sequential network(Linear("hidden", 3, 4), Elu{}, Linear("output", 4, 2));
  onnx::save(path, network, onnx::Example("pixels", {1, 3}));
  const schema::GraphProto graph = onnx::read_model(path).graph();
  EXPECT_EQ(graph.name(), "named");
  EXPECT_EQ(graph.input(0).name(), "pixels");
  EXPECT_THAT(names_of(graph.initializer()),
              ElementsAre("hidden.weight", "hidden.bias", "output.weight", "output.bias"));
  ASSERT_EQ(graph.node_size(), 3);
  EXPECT_EQ(graph.node(0).output(0), "hidden");
  EXPECT_EQ(graph.node(1).output(0), "elu(hidden)");
  EXPECT_EQ(graph.output(0).name(), "output");
  EXPECT_EQ(graph.output(0).type().tensor_type().shape().dim(1).dim_value(), 2);

  onnx::save(path, network, Tensor::zeros({5, 3}),
             {.dynamic_batch = false, .output_names = {"scores"}});
  const schema::GraphProto fixed = onnx::read_model(path).graph();
  EXPECT_EQ(fixed.input(0).name(), "input");
  EXPECT_EQ(fixed.input(0).type().tensor_type().shape().dim(0).dim_value(), 5);
  EXPECT_EQ(fixed.output(0).name(), "scores");
}

// What is an input, a variable, or an output already is an output all the same.
TEST(OnnxSave, OutputsMayBeAnything) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "model.onnx";
  const auto several = [](const Value& x) {
    const Value y = relu(x);
    return std::vector<Value>{x, y, y, x.graph().parameter("w", Tensor::zeros({2})),
                              stop_gradient(x)};
  };
  onnx::save(path, several, onnx::Example("x", {1, 3}));
  const schema::ModelProto model = onnx::read_model(path);
  EXPECT_NO_THROW(check(model));
  EXPECT_EQ(model.graph().output_size(), 5);
}

TEST(OnnxSave, PutsWeightsBeside) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "model.onnx";
  const Linear network("layer", 64, 32);
  onnx::save(path, network, Tensor::zeros({1, 64}), {.weights = onnx::Weights::beside});
  const schema::GraphProto graph = onnx::read_model(path).graph();
  EXPECT_TRUE(bitwise_equal(onnx::tensor_of(graph.initializer(0), folder.path()),
                            network.parameters()[0].value()));
  EXPECT_GE(std::filesystem::file_size(folder.path() / "model.onnx.data"), 64u * 32 * 4);
  EXPECT_LT(std::filesystem::file_size(path), 1024u);
}

TEST(OnnxSave, EveryFloatingTypeIsValid) {
  const TemporaryFolder folder;
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float64}) {
    SCOPED_TRACE(dtype);
    const auto network = [dtype](const Value& x) {
      const Value w = x.graph().parameter("w", Tensor::full({4, 4}, 0.5, dtype));
      const Value b = x.graph().parameter("b", Tensor::full({4}, 0.5, dtype));
      return geglu(elu(gelu(layer_norm(linear(x, w, b), b, b))));
    };
    const std::filesystem::path path = folder.path() / "model.onnx";
    onnx::save(path, network, onnx::Example("x", {1, 4}, dtype));
    EXPECT_NO_THROW(check(onnx::read_model(path)));
  }
}

// A graph that is there, recorded for training.
TEST(OnnxSave, WritesDropoutAndBatchNormInTraining) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "model.onnx";
  const Graph graph;
  const Value x = graph.input("x", {4, 3, 2, 2});
  const Value y = BatchNorm2d("norm", 3)(Dropout("drop", 0.25)(AlphaDropout("alpha", 0.1)(x)));
  onnx::save(path, {y});
  const schema::ModelProto model = onnx::read_model(path);
  EXPECT_NO_THROW(check(model));
  const auto draws = [](const schema::NodeProto& node) { return node.op_type() == "Dropout"; };
  EXPECT_EQ(std::count_if(model.graph().node().begin(), model.graph().node().end(), draws), 2);
  EXPECT_EQ(model.graph().input(0).type().tensor_type().shape().dim(0).dim_value(), 4);
}

TEST(OnnxSave, SaysAllThatCannotBeSaid) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "model.onnx";
  const auto network = [](const Value& x) {
    const Value y = cumprod(x, 0).named("first");
    return cumprod(relu(y), 1) + x * (1.0 / static_cast<double>(x.shape()[0]));
  };
  EXPECT_THAT(message_of<ValueError>([&] {
                onnx::save(path, network, onnx::Example("x", {1, 3}));
              }),
              AllOf(HasSubstr("3 nodes cannot be written as ONNX"), HasSubstr("node 1 `cumprod`"),
                    HasSubstr("ONNX has running sums, but no running products"),
                    HasSubstr("its number depends on the batch, and is not whole")));
  EXPECT_FALSE(std::filesystem::exists(path));

  const auto square = [](const Value& x) {
    return reshape(matmul(x, transpose(x, 0, 1)), {x.shape()[0] * x.shape()[0]});
  };
  EXPECT_THAT(message_of<ValueError>([&] {
                onnx::save(path, square, onnx::Example("x", {1, 3}));
              }),
              HasSubstr("no whole number and a multiple of the batch"));
  const auto changing = [](const Value& x) { return x.shape()[0] == 2 ? relu(x) : selu(x); };
  EXPECT_THAT(message_of<ValueError>([&] {
                onnx::save(path, changing, onnx::Example("x", {1, 3}));
              }),
              HasSubstr("recorded with other nodes for a batch of 3"));
  EXPECT_THAT(message_of<ShapeError>([&] { onnx::save(path, square, Tensor::scalar(1)); }),
              HasSubstr("is_batch = false"));
}

// The losses of some steps of training on the same examples.
template <class Network>
std::vector<double> losses_of(const Network& network) {
  Graph graph(Mode::training);
  const Value x = graph.input("x", {6, 1, 8, 8});
  const Value classes = graph.input("classes", {6}, DType::int64);
  const Value loss = cross_entropy(network(x), classes);
  Adam optimizer({.learning_rate = 0.01});
  const Gradients gradients = backward(loss, network.parameters(graph));
  Session session(graph, {loss, optimizer.step(graph, gradients)});
  const Tensor images = init::normal({6, 1, 8, 8}, 5);
  const Tensor labels = Tensor::from({6}, {0, 1, 2, 0, 1, 2}, DType::int64);
  std::vector<double> losses;
  for (int step = 0; step < 20; ++step) {
    losses.push_back(session.run({{x, images}, {classes, labels}})[loss].item());
  }
  return losses;
}

TEST(OnnxSave, WhatComesBackTrainsAsBefore) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "model.onnx";
  const mobilenet::MobileNet network(
      {.stem = 4, .head = 6, .classes = 3, .bottlenecks = {{4, 8, 4, 3, 1}, {4, 8, 6, 3, 2}}},
      Activation::hardswish, 3);
  losses_of(network);  // what is saved is trained
  onnx::save(path, network, onnx::Example("images", {1, 1, 8, 8}));
  const onnx::Model back = onnx::load(path);
  const std::vector<double> here = losses_of(network), there = losses_of(back);
  for (std::size_t step = 0; step < here.size(); ++step) {
    EXPECT_NEAR(there[step], here[step], 1e-4 * here[step]) << "step " << step;
  }
  EXPECT_LT(there.back(), 0.5 * there.front());
}

}  // namespace
}  // namespace aclgrad
