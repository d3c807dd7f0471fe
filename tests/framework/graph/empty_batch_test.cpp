// SPDX-License-Identifier: Apache-2.0
// A batch of no examples goes through every layer, loss and recording function, forward and back: a
// sum of nothing is 0, a mean of nothing NaN, a gradient has its value's shape, and those of
// parameters are 0. Sessions poison their memory, so that what an operator leaves unwritten is NaN.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/framework/graph/every_layer.h"
#include "tests/support/run.h"

namespace aclgrad::empty_batch_test {
namespace {

using Function = std::function<Value(const Value& x)>;

struct Case {
  std::string name;
  Shape input;
  Function apply;
  bool is_mean = false;  // of nothing: NaN
};

Value indices_like(const Value& x, Shape shape) {
  return x.graph().constant(Tensor::zeros(std::move(shape), DType::int64));
}

Value ones(const Value& x, Shape shape) {
  return x.graph().constant(Tensor::full(std::move(shape), 1, x.dtype()));
}

// Of a batch of no rows.
std::vector<Case> functions() {
  const Shape rows{0, 4}, images{0, 2, 4, 4};
  std::vector<Case> all;
  const auto add_case = [&](std::string name, const Shape& shape, Function apply,
                            bool is_mean = false) {
    all.push_back({std::move(name), shape, std::move(apply), is_mean});
  };
  using V = const Value&;
  using Unary = Value (*)(Operand);
  const std::vector<std::pair<std::string, Unary>> unary = {{"exp", exp},
                                                            {"log", log},
                                                            {"sqrt", sqrt},
                                                            {"rsqrt", rsqrt},
                                                            {"reciprocal", reciprocal},
                                                            {"sin", sin},
                                                            {"cos", cos},
                                                            {"erf", erf},
                                                            {"abs", abs},
                                                            {"sign", sign},
                                                            {"neg", neg},
                                                            {"tanh", tanh},
                                                            {"relu", relu},
                                                            {"silu", silu},
                                                            {"sigmoid", sigmoid},
                                                            {"selu", selu},
                                                            {"copy", copy},
                                                            {"tan", tan},
                                                            {"sinc", sinc},
                                                            {"lgamma", lgamma},
                                                            {"floor", floor},
                                                            {"frac", frac},
                                                            {"square", square}};
  for (const auto& [name, function] : unary) {
    add_case(name, rows, [f = function](V x) { return f(x); });
  }
  add_case("leaky_relu", rows, [](V x) { return leaky_relu(x); });
  add_case("softplus", rows, [](V x) { return softplus(x); });
  add_case("hardtanh", rows, [](V x) { return hardtanh(x) + threshold(x, 0, 1); });
  add_case("shrinks", rows, [](V x) { return hardshrink(x) + softshrink(x); });
  add_case("mish", rows, [](V x) { return mish(x) + hardsigmoid(x) + celu(x); });
  add_case("logit", rows, [](V x) { return logit(x) + log_sigmoid(x) + fast_gelu(x); });
  add_case("gates", rows, [](V x) { return glu(x) + swiglu(x); });
  add_case("elu", rows, [](V x) { return elu(x); });
  add_case("hardswish", rows, [](V x) { return hardswish(x); });
  add_case("gelu", rows, [](V x) { return gelu(x) + gelu(x, Approximate::tanh); });
  add_case("geglu", rows, [](V x) { return geglu(x); });
  add_case("arithmetic", rows, [](V x) {
    return (x + x * 2 - x * x) / (x + 3) + maximum(x, x * 2) - minimum(x, 1 / x);
  });
  add_case("broadcast", rows, [](V x) { return x * ones(x, {4}) + ones(x, {1, 4}); });
  add_case("pow", rows, [](V x) { return pow(x, 3) + pow(x, 0) + pow(x, x); });
  add_case("clamp", rows, [](V x) { return clamp(x, {.min = -1, .max = 1}) + clamp(x, x, x); });
  add_case("of two", rows, [](V x) {
    return atan2(x, x + 1) + logaddexp(x, x) + remainder(x, 2) + fmod(x, x) + lerp(x, x, 0.5);
  });
  add_case("where", rows, [](V x) { return where(gt(x, 0), x, x * 2); });
  add_case("masked_fill", rows, [](V x) { return masked_fill(x, le(x, 0), 5); });
  add_case("addcmul", rows, [](V x) { return addcmul(x, x, x, 2) + addcdiv(x, x, x, 2); });
  add_case("dropout", rows,
           [](V x) { return dropout(x, 0.5, Generator(1)) + alpha_dropout(x, 0.5, Generator(2)); });
  add_case("cast", rows, [](V x) { return cast(cast(x, DType::float16), DType::float32); });
  add_case("softmax", rows, [](V x) { return softmax(x) + log_softmax(x); });
  add_case("softmax over nothing", rows, [](V x) { return softmax(x, 0) + log_softmax(x, 0); });
  add_case("layer_norm", rows, [](V x) { return layer_norm(x, ones(x, {4}), ones(x, {4})); });
  add_case("rms_norm", rows, [](V x) { return rms_norm(x, ones(x, {4})); });
  add_case("group_norm", images, [](V x) { return group_norm(x, 2, ones(x, {2}), ones(x, {2})); });
  add_case("rotary_position_embedding", {0, 2, 4}, [](V x) {
    return rotary_position_embedding(x, ones(x, {2, 4}), ones(x, {2, 4}));
  });
  add_case("scaled_masked_softmax", rows, [](V x) { return scaled_masked_softmax(x, le(x, 0)); });
  add_case("deep_norm", rows, [](V x) { return deep_norm(x, x, ones(x, {4}), ones(x, {4})); });
  add_case("recurrent", {3, 0, 2}, [](V x) {
    const Value w = ones(x, {8, 2}), v = ones(x, {6, 2}), state = ones(x, {1, 0, 2});
    const RecurrentFunctionOptions options{.has_biases = false};
    return lstm(x, {state, state}, {w, w}, options).output + gru(x, state, {v, v}, options).output;
  });
  add_case("lstm_cell", {0, 2}, [](V x) {
    const Value w = ones(x, {8, 2});
    return lstm_cell(x, {x, x}, w, w).h;
  });
  add_case("attention", {0, 2, 3, 4}, [](V x) {
    return scaled_dot_product_attention(x, x, x) +
           scaled_dot_product_attention(x, x, x, {}, {.is_causal = true});
  });
  add_case("attention to nothing", {2, 1, 0, 4}, [](V x) {
    return scaled_dot_product_attention(ones(x, {2, 1, 3, 4}), x, x);
  });
  add_case("matmul", rows, [](V x) { return matmul(x, ones(x, {4, 3})); });
  add_case("matmul from the right", rows, [](V x) { return matmul(ones(x, {3, 0}), x); });
  add_case("matmul of vectors", {0}, [](V x) { return matmul(x, x); });
  add_case("matmul of batches", {0, 2, 3}, [](V x) { return matmul(x, transpose(x, 1, 2)); });
  add_case("bmm", {0, 2, 3}, [](V x) { return bmm(x, permute(x, {0, 2, 1})); });
  add_case("addmm", rows, [](V x) { return addmm(ones(x, {3}), x, ones(x, {4, 3}), 2, 3); });
  add_case("linear", {0, 5, 4}, [](V x) { return linear(x, ones(x, {4, 3}), ones(x, {3})); });
  add_case("linear of nothing each", {5, 0, 4}, [](V x) {
    return linear(x, ones(x, {4, 3}), ones(x, {3}));
  });
  add_case("conv2d", images, [](V x) {
    return conv2d(x, ones(x, {3, 2, 3, 3}), ones(x, {3}), {.padding = 1});
  });
  add_case("conv_transpose2d", images, [](V x) {
    return conv_transpose2d(x, ones(x, {2, 3, 3, 3}), ones(x, {3}));
  });
  add_case("conv1d", {0, 2, 5}, [](V x) { return conv1d(x, ones(x, {3, 2, 3})); });
  add_case("max_pool2d", images, [](V x) { return max_pool2d(x, 2); });
  add_case("avg_pool2d", images, [](V x) { return avg_pool2d(x, 2); });
  add_case("adaptive_avg_pool2d", images, [](V x) { return adaptive_avg_pool2d(x, 2); });
  add_case("adaptive_max_pool2d", images, [](V x) { return adaptive_max_pool2d(x, 2); });
  add_case("max_unpool2d", images, [](V x) {
    const auto [values, indices] = max_pool2d_with_indices(x, 2);
    return max_unpool2d(values, indices, 4);
  });
  add_case("pooling of volumes", {0, 2, 4, 4, 4}, [](V x) {
    return max_pool3d(x, 2) + avg_pool3d(x, 2) + adaptive_avg_pool3d(x, 2) +
           adaptive_max_pool3d(x, 2);
  });
  add_case("pad", images, [](V x) {
    return pad(x, {1, 1}, PadMode::reflect) + pad(x, {2, 0}, PadMode::replicate) +
           pad(x, {0, 2}, PadMode::circular);
  });
  add_case("grid_sample", images, [](V x) { return grid_sample(x, ones(x, {0, 2, 2, 2})); });
  add_case("unfold", images, [](V x) { return fold(unfold(x, 2), x.shape().dims()[2], 2); });
  add_case("interpolate", images, [](V x) {
    return interpolate(x, {.size = 3}) + interpolate(x, {.size = 3, .mode = Interpolation::cubic});
  });
  add_case("reduce_sum", rows, [](V x) { return reduce_sum(x, {1}); });
  add_case("reduce_sum over the batch", rows, [](V x) { return reduce_sum(x, {0}); });
  add_case("amax", rows, [](V x) { return amax(x, {1}) + amin(x, {1}); });
  add_case("norm", rows,
           [](V x) { return norm(x, {1}) + norm(x, {1}, {.p = 1}) + norm(x, {1}, {.p = 0}); });
  add_case("norm of all", rows, [](V x) { return norm(x); });
  add_case("var", rows, [](V x) { return var(x, {1}); });
  add_case("stddev", rows, [](V x) { return stddev(x, {1}); });
  add_case("logsumexp", rows, [](V x) { return logsumexp(x, {1}); });
  add_case("cumprod", rows, [](V x) { return cumprod(x, 0) + cumprod(x, 1); });
  add_case("prod", rows, [](V x) { return prod(x, 0) + prod(x) + reduce_sum(prod(x, 1)); });
  add_case("nansum", rows, [](V x) { return nansum(x, {0}); });
  add_case("aminmax", rows, [](V x) { return aminmax(x, {1}).min + min(x, 1).values; });
  add_case("cummax", rows, [](V x) { return cummax(x, 0).values + cummin(x, 1).values; });
  add_case("median", rows, [](V x) { return median(x, 1).values + kthvalue(x, 2, 1).values; });
  add_case("median of all", rows, [](V x) { return nansum(median(x)); });
  add_case("mv", rows, [](V x) { return mv(x, ones(x, {4})); });
  add_case("outer", {0}, [](V x) { return outer(x, ones(x, {3})) + dot(x, x); });
  add_case("addr", {0}, [](V x) { return addr(ones(x, {3}), x, ones(x, {3})); });
  add_case("cross", {0, 3}, [](V x) { return cross(x, ones(x, {3})); });
  add_case("einsum", rows, [](V x) { return einsum("ij,kj->ik", {x, ones(x, {2, 4})}); });
  add_case("einsum over the batch", rows, [](V x) { return einsum("ij,ik->jk", {x, x}); });
  add_case("diag", {0}, [](V x) { return diag(x, 1) + reduce_sum(diag_embed(x)); });
  add_case("diagonal", {0, 2, 2}, [](V x) { return diagonal(x, 0, 1, 2); });
  add_case("inverse", {0, 2, 2}, [](V x) { return inverse(x); });
  add_case("slogdet", {0, 2, 2}, [](V x) { return det(x); });
  add_case("solve_triangular", {0, 2, 2}, [](V x) { return solve_triangular(x, x); });
  add_case("flip", rows, [](V x) { return flip(x, {0, 1}) + roll(x, {1}, {0}) + roll(x, {3}); });
  add_case("cumsum", rows, [](V x) { return cumsum(x, 0) + cumsum(x, 1); });
  add_case("max", rows, [](V x) { return max(x, 1).values; });
  add_case("topk", rows, [](V x) { return topk(x, 2).values; });
  add_case("cat", rows, [](V x) { return cat({x, ones(x, {2, 4}), x}, 0); });
  add_case("cat along another axis", rows, [](V x) { return cat({x, x}, 1); });
  add_case("stack", rows, [](V x) { return stack({x, x}, 1); });
  add_case("slice", rows, [](V x) { return slice(x, 1, 1, 4, 2); });
  add_case("slice of the batch", rows, [](V x) { return slice(x, 0, 0, 3); });
  add_case("slice to nothing", {3, 4}, [](V x) { return slice(x, 0, 1, 1); });
  add_case("split", rows, [](V x) {
    return split(x, 2, 1)[0] + split(x, std::vector<std::int64_t>{1, 3}, 1)[0];
  });
  add_case("split of the batch", rows, [](V x) { return split(x, 2, 0)[0]; });
  add_case("pad", rows, [](V x) { return pad(x, {1, 2}); });
  add_case("pad of the batch", rows, [](V x) { return pad(x, {0, 0, 1, 2}); });
  add_case("pad to nothing", {2, 3}, [](V x) { return pad(x, {-1, -2}); });
  add_case("repeat", rows, [](V x) { return repeat(x, {2, 3}); });
  add_case("repeat of nothing", {2, 3}, [](V x) { return repeat(x, {0, 1}); });
  add_case("repeat in new axes", {2, 3}, [](V x) { return repeat(x, {0, 2, 1}); });
  add_case("tril", rows, [](V x) { return tril(x) + triu(x); });
  add_case("views", rows, [](V x) {
    return expand(reshape(permute(x, {1, 0}), {4, -1}), {3, 4, 0});
  });
  add_case("index_select", rows, [](V x) { return index_select(x, 1, indices_like(x, {3})); });
  add_case("index_select of nothing", {3, 4},
           [](V x) { return index_select(x, 0, indices_like(x, {0})); });
  add_case("index_add", rows, [](V x) {
    return index_add(x, 1, indices_like(x, {3}), ones(x, {0, 3})) +
           index_add(x, 0, indices_like(x, {0}), ones(x, {0, 4}));
  });
  add_case("scatter_add of nothing", rows, [](V x) {
    return scatter_add(ones(x, {3, 4}), 0, indices_like(x, {0, 4}), x);
  });
  add_case("index", rows, [](V x) { return index(x, {Value(), indices_like(x, {3})}); });
  add_case("index of nothing", {3, 4}, [](V x) { return index(x, {indices_like(x, {0})}); });
  add_case("index_put of nothing", rows, [](V x) {
    return index_put(ones(x, {3, 4}), {indices_like(x, {0})}, x);
  });
  add_case("repeat_interleave", rows, [](V x) { return repeat_interleave(x, 2, 1); });
  add_case("cdist", rows, [](V x) { return cdist(x, ones(x, {2, 4})); });
  add_case("sort", rows, [](V x) { return sort(x, 0).values; });
  add_case("gather", rows, [](V x) { return gather(x, 1, indices_like(x, {0, 2})); });
  add_case("gather of nothing", {3, 4}, [](V x) { return gather(x, 0, indices_like(x, {0, 4})); });
  add_case("embedding_bag of nothing", {3, 4}, [](V x) {
    return embedding_bag(x, indices_like(x, {0}), indices_like(x, {2})) +
           embedding_bag(x, indices_like(x, {2, 0}), {}, {.mode = BagMode::max});
  });
  add_case("embedding_bag of no rows", rows, [](V x) {
    return embedding_bag(x, indices_like(x, {0}), indices_like(x, {2}), {.mode = BagMode::max});
  });
  add_case("embedding_bag of no bags", {3, 4},
           [](V x) { return embedding_bag(x, indices_like(x, {0}), indices_like(x, {0})); });
  add_case("renorm", rows, [](V x) { return renorm(x, 2, 0, 1); });
  add_case("embedding of nothing", {3, 4}, [](V x) {
    return embedding(x, indices_like(x, {0, 2}));
  });
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    const auto add_loss = [&](const char* name, const Shape& shape, Function apply) {
      add_case(std::string(name) + " " + to_string(reduction), shape, std::move(apply),
               reduction == Reduction::mean);
    };
    add_loss("mse_loss", rows, [=](V x) { return mse_loss(x, ones(x, {0, 4}), reduction); });
    add_loss("l1_loss", rows, [=](V x) { return l1_loss(x, ones(x, {0, 4}), reduction); });
    add_loss("smooth_l1_loss", rows, [=](V x) {
      return smooth_l1_loss(x, ones(x, {0, 4}), {.reduction = reduction});
    });
    add_loss("bce_with_logits", rows, [=](V x) {
      return bce_with_logits(x, ones(x, {0, 4}), {.reduction = reduction});
    });
    add_loss("binary_cross_entropy", rows, [=](V x) {
      return binary_cross_entropy(x, ones(x, {0, 4}), {.reduction = reduction});
    });
    add_loss("multilabel_margin_loss", rows, [=](V x) {
      return multilabel_margin_loss(x, indices_like(x, {0, 4}), reduction);
    });
    add_loss("soft_margin_loss", rows, [=](V x) {
      return soft_margin_loss(x, ones(x, {0, 4}), reduction);
    });
    add_loss("cross_entropy", rows,
             [=](V x) { return cross_entropy(x, indices_like(x, {0}), {.reduction = reduction}); });
    add_loss("cross_entropy of places", {0, 3, 4}, [=](V x) {
      return cross_entropy(x, indices_like(x, {0, 3}),
                           {.label_smoothing = 0.1, .reduction = reduction});
    });
    add_loss("cross_entropy of probabilities", rows, [=](V x) {
      return cross_entropy(x, ones(x, {0, 4}), {.reduction = reduction});
    });
    add_loss("huber_loss", rows, [=](V x) {
      return huber_loss(x, ones(x, {0, 4}), {.delta = 2, .reduction = reduction});
    });
    add_loss("kl_div", rows, [=](V x) {
      return kl_div(x, ones(x, {0, 4}), {.reduction = reduction});
    });
    add_loss("cosine_embedding_loss", rows, [=](V x) {
      return cosine_embedding_loss(x, ones(x, {0, 4}), indices_like(x, {0}),
                                   {.reduction = reduction});
    });
    add_loss("triplet_margin_loss", rows, [=](V x) {
      return triplet_margin_loss(x, ones(x, {0, 4}), ones(x, {0, 4}), {.reduction = reduction});
    });
  }
  add_case(
      "mean", rows, [](V x) { return mean(x); }, true);
  add_case(
      "var of all", rows, [](V x) { return var(x); }, true);
  return all;
}

// A tensor of the shape whose elements are all 0.
void expect_zeros(const Tensor& tensor, const Shape& shape, const std::string& what) {
  EXPECT_EQ(tensor.shape(), shape) << what;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) EXPECT_EQ(tensor.get(i), 0) << what;
}

TEST(EmptyBatch, GoesThroughEveryFunctionAndItsGradient) {
  for (const Case& test : functions()) {
    try {
      Graph graph;
      const Value x = graph.parameter("x", Tensor::zeros(test.input));
      const Value y = test.apply(x);
      const Gradients gradients = backward(reduce_sum(y), {x});
      Session session(graph, {y, gradients[x]}, {.poison = true});
      const Results results = session.run();
      const Tensor result = results[y];
      EXPECT_EQ(result.shape(), y.shape()) << test.name;
      for (std::int64_t i = 0; i < result.numel(); ++i) {
        EXPECT_TRUE(test.is_mean ? std::isnan(result.get(i)) : std::isfinite(result.get(i)))
            << test.name << ", element " << i << ": " << result.get(i);
      }
      expect_zeros(results[gradients[x]], test.input, test.name);
    } catch (const std::exception& error) {
      ADD_FAILURE() << test.name << ": " << error.what();
    }
  }
}

// In training and in evaluation. A step leaves parameters and running statistics as they are.
TEST(EmptyBatch, GoesThroughEveryLayer) {
  struct LayerCase {
    std::string name;
    Sequential network;
    Shape input;
    bool of_indices = false;
  };
  std::vector<LayerCase> layers = {
      {"linear of places", Sequential(Linear("a", 4, 3)), {0, 2, 4}},
      {"attention over nothing", Sequential(SelfAttention("a", 4, 2)), {2, 0, 4}},
      {"transformer over nothing", Sequential(TransformerBlock("a", 4, 2, 3)), {2, 0, 4}}};
  for (const every_layer::Case& each : every_layer::layers()) {
    Dims dims = each.input.dims();
    dims.front() = 0;
    layers.push_back({each.name, each.make(DType::float32), Shape(dims), each.of_indices});
  }
  for (const LayerCase& test : layers) {
    try {
      const Tensor input =
          Tensor::zeros(test.input, test.of_indices ? DType::int64 : DType::float32);
      EXPECT_EQ(predict(test.network, input).numel(), 0) << test.name;
      const std::vector<Tensor> before = contents_of(test.network.state());
      Sgd optimizer({.learning_rate = 0.1, .momentum = 0.9});
      Graph graph;
      const Value x = graph.input("x", input.shape(), input.dtype());
      const Value y = test.network(x);
      const Value loss = mse_loss(y, ones(y, y.shape()), Reduction::sum);
      const Gradients gradients = backward(loss, test.network.parameters(graph));
      std::vector<Fetch> fetches = {loss, optimizer.step(graph, gradients)};
      for (const auto& [value, gradient] : gradients) fetches.push_back(gradient);
      Session session(graph, fetches, {.poison = true});
      const Results results = session.run({{x, input}});
      EXPECT_EQ(results[loss].item(), 0) << test.name;
      for (const auto& [value, gradient] : gradients) {
        expect_zeros(results[gradient], value.shape(), test.name + " " + value.name());
      }
      std::size_t next = 0;
      for (const Variable& variable : test.network.state()) {
        const Tensor& was = before[next++];
        if (!is_floating(variable.dtype())) continue;  // counts of random masks
        EXPECT_TRUE(bitwise_equal(variable.value(), was)) << variable.name();
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << test.name << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace aclgrad::empty_batch_test
