// SPDX-License-Identifier: Apache-2.0
// Operators declared as data: what their Ops say, and what their calls are given.
#include <gmock/gmock.h>

#include "aclgrad/aclgrad.h"
#include "aclnnop/aclnn_elu.h"

namespace aclgrad {
namespace {

std::string text(const Value& value) { return value.node().op->attributes(); }

TEST(Declaration, AttributesAreNamedInListings) {
  Graph graph;
  const Value x = graph.input("x", {2, 4});
  const Value half = graph.input("half", {2, 2});
  const Value t = graph.input("t", {2}, DType::int64);
  const Value w = graph.parameter("w", Tensor::zeros({4}));
  EXPECT_EQ(text(selu(x)), "");
  EXPECT_EQ(text(elu(x, 0.5)), "alpha=0.5, scale=1, input_scale=1");
  EXPECT_EQ(text(elu_backward(x, x, 1, 2, 3, BackwardFrom::result)),
            "alpha=1, scale=2, input_scale=3, is_result=true");
  EXPECT_EQ(text(hardswish(x)), "");
  EXPECT_EQ(text(gelu(x)), "approximate=none");
  EXPECT_EQ(text(gelu_backward(x, x, Approximate::tanh)), "approximate=tanh");
  EXPECT_EQ(text(geglu_backward(half, x, half, 1, Approximate::tanh, true)),
            "dim=1, approximate=tanh, activate_left=true");
  EXPECT_EQ(text(add(x, x)), "");
  EXPECT_EQ(text(sub(x, x, 2)), "alpha=2");
  EXPECT_EQ(text(mul(x, 0.1)), "0.1");
  EXPECT_EQ(text(addmm(w, graph.input("a", {2, 3}), graph.input("b", {3, 4}), 0.5)),
            "beta=0.5, alpha=1");
  EXPECT_EQ(text(softmax(x, 0)), "dim=0");
  EXPECT_EQ(text(log_softmax_backward(x, x, -1)), "dim=-1");
  EXPECT_EQ(text(layer_norm(x, w, w, 0.25)), "eps=0.25");
  EXPECT_EQ(text(mse_loss(x, x, Reduction::sum)), "reduction=sum");
  EXPECT_EQ(text(nll_loss(x, t)), "reduction=mean, ignore_index=-100");
  EXPECT_EQ(text(mean(x, {-1}, true)), "axes=[1], keepdim");
  EXPECT_EQ(text(full(graph, {2}, 1.5)), "1.5");
  EXPECT_EQ(text(normal(graph, {2}, 0, 1, 7, 8)), "mean=0, stddev=1, seed=7, offset=8");
  EXPECT_EQ(text(uniform(graph, {2}, -1, 1, 7)), "low=-1, high=1, seed=7, offset=0");
  EXPECT_EQ(text(accumulate(w, w * 2, 0.5)), "decay=0.5");
  EXPECT_EQ(text(roll(x, {1, 2}, {0, 1})), "shifts=[1, 2], dims=[0, 1]");
  EXPECT_EQ(text(leaky_relu_backward(x, x, 0.5)), "negative_slope=0.5");
  EXPECT_EQ(text(matmul(x, graph.input("c", {4, 2}))), "");  // a constant has no name
}

TEST(Declaration, SaysWhichMemoryOutputsHave) {
  const SeluOp own_or_shared;
  EXPECT_TRUE(own_or_shared.may_overwrite(0, 0));
  EXPECT_EQ(own_or_shared.updated_input(0), std::nullopt);
  EXPECT_TRUE(own_or_shared.reads_input(0));
  EXPECT_FALSE(MatmulOp().may_overwrite(0, 1));
  const GegluBackwardOp where_x_lay;
  EXPECT_TRUE(where_x_lay.may_overwrite(0, 1));
  EXPECT_FALSE(where_x_lay.may_overwrite(0, 0));
  EXPECT_TRUE(MseLossOp({Reduction::none}).may_overwrite(0, 1));
  EXPECT_FALSE(MseLossOp({Reduction::mean}).may_overwrite(0, 1));
  const AdamWOp three;
  for (const std::size_t k : {0, 1, 2}) EXPECT_EQ(three.updated_input(k), std::optional(k));
  EXPECT_FALSE(three.may_overwrite(0, 3));
  EXPECT_TRUE(three.reads_input(0));
  const AssignOp assigned;
  EXPECT_EQ(assigned.updated_input(0), std::optional<std::size_t>(0));
  EXPECT_FALSE(assigned.reads_input(0));
  EXPECT_TRUE(assigned.reads_input(1));
}

TEST(Declaration, OneOfSeveralByTheAttributes) {
  Graph graph;
  const Value image = graph.input("image", {2, 4, 4}), volume = graph.input("volume", {2, 4, 4, 4});
  const auto named = [](const Value& value) { return value.node().op->name(); };
  EXPECT_EQ(named(max_pool2d(image, 2)), "max_pool2d");
  EXPECT_EQ(named(max_pool3d(volume, 2)), "max_pool3d");
  EXPECT_EQ(text(max_pool3d(volume, 2)), "kernel=[2, 2, 2], stride=[2, 2, 2], padding=[0, 0, 0]");
  const Value mean = adaptive_avg_pool3d(volume, 2);
  EXPECT_EQ(text(mean), "");
  EXPECT_EQ(named(adaptive_avg_pool_backward(mean, volume, {{2, 2, 2}})),
            "adaptive_avg_pool3d_backward");
  EXPECT_EQ(named(pad(image, {1, 1}, PadMode::replicate)), "replication_pad1d");
  EXPECT_EQ(named(interpolate(volume, {.size = 8, .mode = Interpolation::linear})),
            "upsample_bilinear2d");
}

// CELU, as a program outside would declare it: its arguments are not in the order of the call.
struct CeluAttributes {
  double a;
  auto arguments() const { return named({"a"}, a); }
};
constexpr Declaration<CeluAttributes> kCelu = {
    "celu", ACLGRAD_C(aclnnElu), elementwise, [](const auto& values, AclnnCall& call, auto... end) {
      return aclnnEluGetWorkspaceSize(call.input(0), call.scalar(values.a), call.scalar(1),
                                      call.scalar(1 / values.a), call.output(0), end...);
    }};
using CeluOp = DeclaredOp<kCelu>;

TEST(Declaration, OfAProgram) {
  Graph graph;
  const Value x = graph.input("x", {2});
  Recorder record("celu", {x}, std::source_location::current());
  const Value y = record.add<CeluOp>({2}, record.like(0));
  EXPECT_EQ(text(y), "a=2");
  const ScopedRule<CeluOp> rule([](const CeluOp& op, const RuleCall& call) {
    return InputGradients{elu_backward(call.gradient(), call.input(), op.a, 1, 1 / op.a)};
  });
  const gradcheck::Report report = check_gradients(y, {}, {{x, Tensor::from({2}, {-1, 2})}});
  EXPECT_TRUE(report.passed()) << report.to_string();
}

}  // namespace
}  // namespace aclgrad
