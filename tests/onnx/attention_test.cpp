// SPDX-License-Identifier: Apache-2.0
// Attention and RotaryEmbedding of opset 23, against their formulas in double.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "aclgrad/aclgrad.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/onnx/models_of.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

class OnnxAttention : public testing::Test {
 protected:
  // All outputs of a model of one node, for these inputs.
  std::vector<Tensor> run(const ModelOf& model, const std::vector<Tensor>& inputs) {
    const onnx::Model loaded = model.load(folder_.path() / "model.onnx");
    const Graph graph(Mode::evaluation);
    std::vector<Value> values;
    for (const Tensor& each : inputs) values.push_back(graph.constant(each));
    const std::vector<Value> outputs = loaded(values);
    Session session(graph, {outputs.begin(), outputs.end()});
    const Results results = session.run();
    std::vector<Tensor> all;
    for (const Value& output : outputs) all.push_back(results[output]);
    return all;
  }

  TemporaryFolder folder_;
};

constexpr double kHidden = -std::numeric_limits<double>::infinity();

// What is added to the score of a query's place beside a key's.
using Shift = std::function<double(std::int64_t query, std::int64_t key)>;

// Of [N, heads, T, size] and [N, key heads, S, size].
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const Shift& shift) {
  const std::int64_t size = q.shape()[3], places = k.shape()[2];
  Tensor made = Tensor::zeros({q.shape()[0], q.shape()[1], q.shape()[2], v.shape()[3]});
  for (std::int64_t n = 0; n < q.shape()[0]; ++n) {
    for (std::int64_t h = 0; h < q.shape()[1]; ++h) {
      const std::int64_t of_key = h / (q.shape()[1] / k.shape()[1]);
      for (std::int64_t t = 0; t < q.shape()[2]; ++t) {
        std::vector<double> weights;
        double sum = 0;
        for (std::int64_t s = 0; s < places; ++s) {
          double score = 0;
          for (std::int64_t i = 0; i < size; ++i) {
            score += q.at({n, h, t, i}) * k.at({n, of_key, s, i});
          }
          weights.push_back(std::exp(score / std::sqrt(static_cast<double>(size)) + shift(t, s)));
          sum += weights.back();
        }
        for (std::int64_t i = 0; i < v.shape()[3]; ++i) {
          double mixed = 0;
          for (std::int64_t s = 0; s < places; ++s) {
            mixed += weights[static_cast<std::size_t>(s)] / sum * v.at({n, of_key, s, i});
          }
          made.set({n, h, t, i}, mixed);
        }
      }
    }
  }
  return made;
}

// [N, S, heads size] of [N, heads, S, size], and the other way round.
Tensor heads_last(const Tensor& x) {
  const Shape& shape = x.shape();
  return x.transpose(1, 2).reshape({shape[0], shape[2], shape[1] * shape[3]});
}

TEST_F(OnnxAttention, OfThreeAxesHasFewerHeadsOfKeysAndAShift) {
  const Tensor q = init::normal({2, 4, 3, 2}, 1), k = init::normal({2, 2, 5, 2}, 2),
               v = init::normal({2, 2, 5, 3}, 3), shift = init::normal({3, 5}, 4);
  ModelOf model(23);
  model.input("q", {2, 3, 8}).input("k", {2, 5, 4}).input("v", {2, 5, 6}).input("m", {3, 5});
  model.output("y", {2, 3, 12});
  ::onnx::NodeProto& node = model.node("Attention", {"q", "k", "v", "m"}, {"y"});
  set_attribute(node, "q_num_heads", 4);
  set_attribute(node, "kv_num_heads", 2);
  const Tensor expected = heads_last(attention(q, k, v, [&](std::int64_t t, std::int64_t s) {
    return shift.at({t, s});
  }));
  const std::vector<Tensor> found =
      run(model, {heads_last(q), heads_last(k), heads_last(v), shift});
  EXPECT_EQ(found[0].shape(), expected.shape());
  EXPECT_TRUE(allclose(found[0], expected, 1e-5, 1e-6));
}

TEST_F(OnnxAttention, IsCausal) {
  const Tensor q = init::normal({1, 2, 4, 3}, 1), k = init::normal({1, 2, 4, 3}, 2);
  ModelOf model(23);
  model.input("q", {1, 2, 4, 3}).input("k", {1, 2, 4, 3}).output("y", {1, 2, 4, 3});
  set_attribute(model.node("Attention", {"q", "k", "k"}, {"y"}), "is_causal", 1);
  const Tensor expected =
      attention(q, k, k, [](std::int64_t t, std::int64_t s) { return s > t ? kHidden : 0; });
  EXPECT_TRUE(allclose(run(model, {q, k})[0], expected, 1e-5, 1e-6));
}

TEST_F(OnnxAttention, GoesOnFromPastKeys) {
  const Tensor q = init::normal({2, 2, 2, 3}, 1), all = init::normal({2, 2, 5, 3}, 2);
  const Tensor seen = Tensor::from({2, 5}, {1, 0, 1, 1, 0, 1, 1, 0, 1, 1}, DType::boolean);
  ModelOf model(23);
  model.input("q", {2, 2, 2, 3}).input("k", {2, 2, 2, 3}).input("m", {2, 5}, DType::boolean);
  model.input("past", {2, 2, 3, 3});
  model.output("y", {2, 2, 2, 3}).output("keys", {2, 2, 5, 3}).output("values", {2, 2, 5, 3});
  model.node("Attention", {"q", "k", "k", "m", "past", "past"}, {"y", "keys", "values"});
  const std::vector<Tensor> found = run(model, {q, all.slice(2, 3), seen, all.slice(2, 0, 3)});
  const Tensor expected = attention(q, all, all, [&](std::int64_t t, std::int64_t s) {
    return seen.at({t, s}) == 0 ? kHidden : 0;
  });
  EXPECT_TRUE(allclose(found[0], expected, 1e-5, 1e-6));
  EXPECT_TRUE(bitwise_equal(found[1], all));
  EXPECT_TRUE(bitwise_equal(found[2], all));
}

TEST_F(OnnxAttention, SaysWhatItHasNot) {
  ModelOf model(23);
  model.input("q", {1, 3, 6}).output("y", {1, 3, 6});
  model.node("Attention", {"q", "q", "q"}, {"y"});
  const Tensor q = init::normal({1, 3, 6}, 1);
  EXPECT_THAT(message_of<ValueError>([&] { run(model, {q}); }),
              HasSubstr("0 is no number of heads of [1, 3, 6]: `q_num_heads` must divide"));
  ModelOf scores(23);
  scores.input("q", {1, 1, 3, 6}).output("y", {1, 1, 3, 6}).output("s", {1, 1, 3, 3});
  scores.node("Attention", {"q", "q", "q"}, {"y", "", "", "s"});
  EXPECT_THAT(message_of<ValueError>([&] {
                run(scores, {q.reshape({1, 1, 3, 6})});
              }),
              HasSubstr("there is no output 3, the scores, here"));
}

// Elements i and `partner` of the first `turned` ones are a point, which is turned.
Tensor turned_by(const Tensor& x, const Tensor& cos, const Tensor& sin, const Tensor& places,
                 std::int64_t turned, bool interleaves) {
  Tensor made = x;
  for (std::int64_t n = 0; n < x.shape()[0]; ++n) {
    for (std::int64_t h = 0; h < x.shape()[1]; ++h) {
      for (std::int64_t s = 0; s < x.shape()[2]; ++s) {
        for (std::int64_t i = 0; i < turned / 2; ++i) {
          const std::int64_t first = interleaves ? 2 * i : i;
          const std::int64_t second = interleaves ? 2 * i + 1 : i + turned / 2;
          const auto place = static_cast<std::int64_t>(places.at({n, s}));
          const double c = cos.at({place, i}), d = sin.at({place, i});
          const double a = x.at({n, h, s, first}), b = x.at({n, h, s, second});
          made.set({n, h, s, first}, a * c - b * d);
          made.set({n, h, s, second}, a * d + b * c);
        }
      }
    }
  }
  return made;
}

TEST_F(OnnxAttention, TurnsByRotaryAngles) {
  const Tensor x = init::normal({2, 3, 4, 6}, 1), cos = init::normal({7, 2}, 2),
               sin = init::normal({7, 2}, 3);
  const Tensor places = Tensor::from({2, 4}, {0, 3, 6, 1, 2, 2, 5, 4}, DType::int64);
  for (const bool interleaves : {false, true}) {
    ModelOf model(23);
    model.input("x", {2, 4, 18}).input("c", {7, 2}).input("s", {7, 2});
    model.input("p", {2, 4}, DType::int64).output("y", {2, 4, 18});
    ::onnx::NodeProto& node = model.node("RotaryEmbedding", {"x", "c", "s", "p"}, {"y"});
    set_attribute(node, "num_heads", 3);
    set_attribute(node, "rotary_embedding_dim", 4);
    set_attribute(node, "interleaved", interleaves ? 1 : 0);
    const Tensor expected = heads_last(turned_by(x, cos, sin, places, 4, interleaves));
    const std::vector<Tensor> found = run(model, {heads_last(x), cos, sin, places});
    EXPECT_TRUE(allclose(found[0], expected, 1e-5, 1e-6)) << interleaves;
  }
}

}  // namespace
}  // namespace aclgrad
