// SPDX-License-Identifier: Apache-2.0
#include "tests/onnx/saved_helpers.h"

namespace aclgrad {
namespace {

using namespace saved;

using Cases = std::vector<SavedCase>;

void add_activations(Cases& all) {
  const std::pair<const char*, Value (*)(const Value&)> kEach[] = {
      {"selu", [](const Value& x) { return selu(x); }},
      {"elu", [](const Value& x) { return elu(x, 0.7); }},
      {"elu_scaled", [](const Value& x) { return elu(x, 0.7, 1.3); }},
      {"elu_of_three", [](const Value& x) { return elu(x, 0.7, 1.3, 0.6); }},
      {"hardswish", [](const Value& x) { return hardswish(x); }},
      {"gelu", [](const Value& x) { return gelu(x); }},
      {"gelu_tanh", [](const Value& x) { return gelu(x, Approximate::tanh); }},
      {"geglu", [](const Value& x) { return geglu(x); }},
      {"geglu_left", [](const Value& x) { return geglu(x, 1, Approximate::tanh, true); }},
      {"glu", [](const Value& x) { return glu(x); }},
      {"swiglu", [](const Value& x) { return swiglu(x); }},
      {"silu", [](const Value& x) { return silu(x); }},
      {"mish", [](const Value& x) { return mish(x); }},
      {"relu", [](const Value& x) { return relu(x); }},
      {"tanh", [](const Value& x) { return aclgrad::tanh(x); }},
      {"sigmoid", [](const Value& x) { return sigmoid(x); }},
      {"leaky_relu", [](const Value& x) { return leaky_relu(x, 0.2); }},
      {"softplus", [](const Value& x) { return softplus(x, 2, 3); }},
      {"hardtanh", [](const Value& x) { return hardtanh(x, -0.5, 0.7); }},
      {"hardshrink", [](const Value& x) { return hardshrink(x); }},
      {"softshrink", [](const Value& x) { return softshrink(x, 0.3); }},
      {"hardsigmoid", [](const Value& x) { return hardsigmoid(x); }},
      {"threshold", [](const Value& x) { return threshold(x, 0.2, -3); }},
      {"celu", [](const Value& x) { return celu(x, 1.5); }},
      {"fast_gelu", [](const Value& x) { return fast_gelu(x); }},
      {"log_sigmoid", [](const Value& x) { return log_sigmoid(x); }},
      {"logit", [](const Value& x) { return logit(sigmoid(x), 0.3); }},
      {"prelu", [](const Value& x) { return prelu(x, parameter(x, "slope", {6})); }},
  };
  for (const auto& [name, function] : kEach) all.push_back(of_one(name, {2, 6, 4}, function));
}

void add_arithmetic(Cases& all) {
  const std::pair<const char*, Value (*)(const Value&)> kEach[] = {
      {"add", [](const Value& x) { return add(x, fixed(x, {4}), 0.5); }},
      {"sub",
       [](const Value& x) {
         return sub(x, fixed(x, {6, 1}), 2);
       }},
      {"div", [](const Value& x) { return x / (abs(x) + 1.0); }},
      {"numbers", [](const Value& x) { return (x * 3.0 - 1.0) / 2.0; }},
      {"extremes", [](const Value& x) { return minimum(maximum(x, fixed(x, {4})), x * 0.5); }},
      {"functions",
       [](const Value& x) {
         const Value y = abs(x) + 0.5;
         return exp(-x) + log(y) + sqrt(y) + rsqrt(y) + reciprocal(y) + sin(x) + cos(x) + erf(x) +
                sign(x) + neg(x);
       }},
      {"powers",
       [](const Value& x) { return pow(abs(x) + 0.1, 1.5) + pow(abs(x), fixed(x, {4})); }},
      {"clamp", [](const Value& x) { return clamp(x, {.min = -0.5}) + clamp(x, {.max = 0.2}); }},
      {"comparisons",
       [](const Value& x) {
         const Value y = fixed(x, {4});
         Value sum = cast(gt(x, y), DType::float32);
         for (const Value& each : {ge(x, y), lt(x, y), le(x, y), eq(x, y), ne(x, y), gt(x, 0.1),
                                   ge(x, 0.1), lt(x, 0.1), le(x, 0.1), eq(x, 0.1), ne(x, 0.1)}) {
           sum = sum * 0.5 + cast(each, DType::float32);
         }
         return sum;
       }},
      {"of_bool",
       [](const Value& x) {
         const Value a = gt(x, 0.0), b = lt(x, 0.5);
         return cast(maximum(minimum(a, b), eq(a, b)), DType::float32);
       }},
      {"choices",
       [](const Value& x) { return where(gt(x, 0.0), masked_fill(x, gt(x, 1.0), 7), x * 2.0); }},
      {"fused", [](const Value& x) { return addcdiv(addcmul(x, x, x, 2), x, abs(x) + 1.0, 0.5); }},
      {"dtypes", [](const Value& x) { return add(cast(x * 3.0, DType::int32), x); }},
  };
  for (const auto& [name, function] : kEach) all.push_back(of_one(name, {2, 6, 4}, function));
}

void add_products_and_norms(Cases& all) {
  const std::pair<const char*, Value (*)(const Value&)> kEach[] = {
      {"matmul",
       [](const Value& x) {
         return matmul(x, parameter(x, "w", {4, 3}));
       }},
      {"linear",
       [](const Value& x) {
         return linear(x, parameter(x, "w", {4, 3}), parameter(x, "b", {3}));
       }},
      {"bmm", [](const Value& x) { return bmm(x, transpose(x, 1, 2)); }},
      {"baddbmm", [](const Value& x) { return baddbmm(x, bmm(x, transpose(x, 1, 2)), x, 0.5, 2); }},
      {"softmax", [](const Value& x) { return softmax(x, 1); }},
      {"log_softmax", [](const Value& x) { return log_softmax(x); }},
      {"layer_norm",
       [](const Value& x) {
         return layer_norm(x, parameter(x, "w", {6, 4}), parameter(x, "b", {6, 4}));
       }},
      {"rms_norm", [](const Value& x) { return rms_norm(x, parameter(x, "w", {4})); }},
      {"deep_norm",
       [](const Value& x) {
         return deep_norm(x, x * 2.0, parameter(x, "b", {4}), parameter(x, "w", {4}));
       }},
      {"scaled_masked_softmax",
       [](const Value& x) {
         return scaled_masked_softmax(x, gt(x, 0.5), 0.5) +
                scaled_masked_softmax(x, gt(x, 0.5), 2, true);
       }},
      {"batch_norm",
       [](const Value& x) {
         return batch_norm(x, parameter(x, "w", {6}), parameter(x, "b", {6}),
                           parameter(x, "m", {6}), abs(parameter(x, "v", {6})) + 0.5,
                           {.training = false});
       }},
      {"group_norm",
       [](const Value& x) {
         return group_norm(x, 3, parameter(x, "w", {6}), parameter(x, "b", {6}));
       }},
  };
  for (const auto& [name, function] : kEach) all.push_back(of_one(name, {2, 6, 4}, function));
}

void add_images(Cases& all) {
  const std::pair<const char*, Value (*)(const Value&)> kEach[] = {
      {"conv2d",
       [](const Value& x) {
         return conv2d(x, parameter(x, "w", {6, 2, 3, 2}), parameter(x, "b", {6}),
                       {.stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}, .groups = 2});
       }},
      {"conv_transpose2d",
       [](const Value& x) {
         return conv_transpose2d(x, parameter(x, "w", {4, 3, 3, 2}), {},
                                 {.stride = 2, .padding = 1, .groups = 2, .output_padding = 1});
       }},
      {"max_pool2d", [](const Value& x) { return max_pool2d(x, 3, {.stride = 2, .padding = 1}); }},
      {"max_pool2d_ceil",
       [](const Value& x) { return max_pool2d(x, 2, {.stride = 3, .ceil_mode = true}); }},
      {"max_pool2d_indices",
       [](const Value& x) {
         const ValuesAndIndices both = max_pool2d_with_indices(x, 2);
         return both.values + cast(both.indices, DType::float32) +
                max_pool2d(max_unpool2d(both.values, both.indices, {7, 5}), 2);
       }},
      {"avg_pool2d", [](const Value& x) { return avg_pool2d(x, 3, {.stride = 2, .padding = 1}); }},
      {"avg_pool2d_ceil",
       [](const Value& x) {
         return avg_pool2d(x, 2, {.stride = 3, .padding = 1, .ceil_mode = true}) +
                avg_pool2d(
                    x, 2,
                    {.stride = 3, .padding = 1, .ceil_mode = true, .count_include_pad = false});
       }},
      {"avg_pool2d_divisor",
       [](const Value& x) { return avg_pool2d(x, 2, {.padding = 1, .divisor_override = 3}); }},
      {"adaptive_pools",
       [](const Value& x) {
         return adaptive_avg_pool2d(x, {3, 2}) + adaptive_max_pool2d(x, {3, 2}) +
                adaptive_avg_pool2d(x, 1) + adaptive_max_pool2d(x, 1);
       }},
      {"pads",
       [](const Value& x) {
         return pad(pad(pad(x, {1, 2, 0, 1}, 0.5), {1, 1, 2, 0}, PadMode::reflect), {1, 0},
                    PadMode::replicate);
       }},
      {"pad_circular",
       [](const Value& x) {
         return pad(x, {1, 2, 3, -1}, PadMode::circular);
       }},
      {"unfold",
       [](const Value& x) {
         return unfold(x, {2, 3}, {.dilation = {2, 1}, .padding = 1, .stride = {1, 2}});
       }},
      {"fold",
       [](const Value& x) {
         const UnfoldOptions options{.dilation = {2, 1}, .padding = 1, .stride = {1, 2}};
         return fold(unfold(x, {2, 3}, options), {7, 5}, {2, 3}, options);
       }},
      {"interpolate_nearest",
       [](const Value& x) {
         return interpolate(x, {.size = {9, 4}}) +
                interpolate(x, {.size = {9, 4}, .mode = Interpolation::nearest_exact});
       }},
      {"interpolate_linear",
       [](const Value& x) {
         return interpolate(x, {.size = {9, 4}, .mode = Interpolation::linear}) +
                interpolate(x,
                            {.size = {9, 4}, .mode = Interpolation::linear, .align_corners = true});
       }},
      {"interpolate_scaled",
       [](const Value& x) {
         return interpolate(x, {.scale_factor = {1.5, 2}, .mode = Interpolation::linear});
       }},
      {"interpolate_cubic",
       [](const Value& x) {
         return interpolate(x, {.size = {9, 4}, .mode = Interpolation::cubic});
       }},
      {"grid_sample",
       [](const Value& x) {
         const Value grid = expand(fixed(x, {1, 3, 4, 2}, 0.25), {x.shape()[0], 3, 4, 2});
         return grid_sample(x, grid) + grid_sample(x, grid, {.padding = GridPadding::border});
       }},
  };
  for (const auto& [name, function] : kEach) all.push_back(of_one(name, {2, 4, 7, 5}, function));
  all.push_back(of_one("conv1d", {2, 4, 9}, [](const Value& x) {
    return conv1d(x, parameter(x, "w", {3, 4, 2}), {}, {.padding = 1});
  }));
  all.push_back(of_one("conv3d", {2, 2, 4, 5, 3}, [](const Value& x) {
    return max_pool3d(conv3d(x, parameter(x, "w", {3, 2, 2, 2, 2}), parameter(x, "b", {3})), 2);
  }));
}

void add_shapes(Cases& all) {
  const std::pair<const char*, Value (*)(const Value&)> kEach[] = {
      {"views",
       [](const Value& x) {
         const std::int64_t batch = x.shape()[0];
         const Value rows = reshape(transpose(x, 1, 2), {batch * 4, 6});
         return slice(reshape(rows, {batch, 2, 2, 6}), 3, 1, 6, 2);
       }},
      {"expand",
       [](const Value& x) {
         return expand(reshape(slice(x, 1, 0, 1), {x.shape()[0], 1, 1, 4}),
                       {x.shape()[0], 3, 2, 4});
       }},
      {"expand_to_batch",
       [](const Value& x) {
         return expand(fixed(x, {1, 4}), {x.shape()[0], 4}) + mean(x, {1});
       }},
      {"without_the_first",
       [](const Value& x) {
         return slice(cat({x, x}), 0, 1);
       }},
      {"joined",
       [](const Value& x) {
         return stack({x, cat({slice(x, 1, 2), slice(x, 1, 0, 2)}, 1)}, 1);
       }},
      {"flip_and_roll",
       [](const Value& x) {
         return roll(flip(x, {1, 2}), {2, -1}, {1, 2});
       }},
      {"repeat",
       [](const Value& x) {
         return repeat(x, {2, 1, 2, 3});
       }},
      {"repeat_interleave", [](const Value& x) { return repeat_interleave(x, 3, 1); }},
      {"repeat_interleave_batch", [](const Value& x) { return repeat_interleave(x, 2, 0); }},
      {"triangles", [](const Value& x) { return tril(x, 1) + triu(x, -1); }},
      {"made",
       [](const Value& x) {
         const Graph graph = x.graph();
         const std::int64_t batch = x.shape()[0];
         return x * full(graph, {batch, 6, 4}, 2) + zeros(graph, {batch, 1, 4}) +
                reshape(arange(graph, 1, static_cast<double>(batch + 1)), {batch, 1, 1}) +
                graph.constant(Tensor::full({batch, 1, 1}, 0.5));
       }},
      {"sums",
       [](const Value& x) {
         return reduce_sum(x, {1}) + mean(x, {1}) + amax(x, {1}) + amin(x, {1}) +
                logsumexp(x, {1}) + mean(x, {0, 1});
       }},
      {"variances",
       [](const Value& x) {
         return var(x, {1}) + stddev(x, {1}, {.unbiased = false}) + var(cat({x, x}), {0, 1});
       }},
      {"norms",
       [](const Value& x) {
         return norm(x, {1}) + norm(x, {1}, {.p = 1}) + norm(x, {1}, {.p = 3}) +
                norm(x, {1}, {.p = 0}) +
                norm(x, {1}, {.p = std::numeric_limits<double>::infinity()});
       }},
      {"cumsum",
       [](const Value& x) {
         return cumsum(x, 1) + cumsum(x, 2, {.exclusive = true, .reverse = true});
       }},
      {"cdist", [](const Value& x) { return cdist(x, x * 2.0 + 1.0) + cdist(x, x + 1.0, 1); }},
      {"search",
       [](const Value& x) {
         const ValuesAndIndices largest = max(x, 1), ordered = topk(x, 2, 1);
         return largest.values + cast(largest.indices + argmax(x, 1), DType::float32) +
                reduce_sum(ordered.values + cast(ordered.indices, DType::float32), {1});
       }},
      {"index",
       [](const Value& x) {
         const Value i = fixed_numbers(x, {5, -1, 0}, {3}), j = fixed_numbers(x, {1, 3}, {2, 1});
         return cat({index(x, {{}, i, j}), index(slice(x, 2, 0, 3), {{}, slice(i, 0, 1)})}, 1);
       }},
      {"index_apart",
       [](const Value& x) {
         const Value n = fixed_numbers(x, {0, 0}, {2}), j = fixed_numbers(x, {1, 3}, {2});
         return index(x, {n, {}, j});
       }},
      {"gather",
       [](const Value& x) {
         const Value index =
             expand(fixed_numbers(x, {3, 1, 0, 2}, {1, 2, 2}), {x.shape()[0], 2, 2});
         return gather(x, 2, index);
       }},
      {"index_updates",
       [](const Value& x) {
         const Value i = fixed_numbers(x, {4, 1}, {2}), rows = slice(x, 1, 0, 2);
         return index_copy(index_add(x, 1, i, rows, 2), 2, fixed_numbers(x, {3}, {1}),
                           slice(x, 2, 0, 1)) +
                index_fill(x, 1, i, 0.5);
       }},
      {"scatter",
       [](const Value& x) {
         const Value index =
             expand(fixed_numbers(x, {3, 1, 0, 2}, {1, 2, 2}), {x.shape()[0], 2, 2});
         return scatter(scatter_add(x, 2, index, x), 2, index, 0.25);
       }},
      {"masked_scatter", [](const Value& x) { return masked_scatter(x, gt(x, 0.0), x * 2.0); }},
  };
  for (const auto& [name, function] : kEach) all.push_back(of_one(name, {2, 6, 4}, function));

  const auto of_numbers = [&](const char* name, Shape shape, Value (*function)(const Value&)) {
    all.push_back({name,
                   [function](const Values& in) { return Values{function(in[0])}; },
                   {onnx::Example("tokens", std::move(shape), DType::int64)}});
  };
  of_numbers("embedding", {2, 3}, [](const Value& x) {
    return embedding(parameter(x, "rows", {5, 4}), x);
  });
  of_numbers("embedding_bag", {2, 3}, [](const Value& x) {
    const Value rows = parameter(x, "rows", {5, 4});
    return embedding_bag(rows, x) + embedding_bag(rows, x, {}, {.mode = BagMode::max});
  });
}

Value attended(const Value& x, std::int64_t key_heads, const Value& mask,
               const AttentionOptions& options = {}) {
  return scaled_dot_product_attention(x, slice(x, 1, 0, key_heads), slice(x, 1, 0, key_heads) * 2.0,
                                      mask, options);
}

void add_sequences(Cases& all) {
  const std::pair<const char*, Value (*)(const Value&)> kEach[] = {
      {"attention", [](const Value& x) { return attended(x, 4, {}); }},
      {"attention_causal",
       [](const Value& x) { return attended(x, 4, {}, {.is_causal = true, .scale = 0.3}); }},
      {"attention_hidden",
       [](const Value& x) { return attended(x, 4, gt(slice(x, 3, 0, 5), 0.0)); }},
      {"attention_grouped",
       [](const Value& x) { return attended(x, 2, gt(slice(slice(x, 3, 0, 5), 1, 0, 1), -1.0)); }},
      {"attention_added",
       [](const Value& x) { return attended(x, 2, slice(x, 3, 0, 5), {.is_causal = true}); }},
      {"rotary",
       [](const Value& x) {
         const Value angles = fixed(x, {5, 6});
         return rotary_position_embedding(x, cos(angles), sin(angles)) +
                rotary_position_embedding(x, cos(angles), sin(angles), RotaryMode::interleave);
       }},
  };
  for (const auto& [name, function] : kEach) all.push_back(of_one(name, {2, 4, 5, 6}, function));

  const auto layers = [&](const char* name, auto layer) {
    all.push_back(of_one(name, {2, 5, 3}, [layer](const Value& x) { return layer(x); }));
  };
  layers("lstm", Lstm("lstm", 3, 4, {.num_layers = 2, .bidirectional = true}));
  layers("gru", Gru("gru", 3, 4, {.num_layers = 2, .bidirectional = true}));
  layers("gru_states", [gru = Gru("gru", 3, 4)](const Value& x) { return gru.run(x).state.h; });
  layers("lstm_lengths", [lstm = Lstm("lstm", 3, 4, {.bidirectional = true})](const Value& x) {
    const Value lengths = cast(reduce_sum(gt(slice(x, 2, 0, 1), 0.0), {1, 2}), DType::int64);
    return lstm.run(x, {.lengths = lengths}).outputs;
  });
  layers("cells", [lstm = LstmCell("lstm", 3, 4), gru = GruCell("gru", 3, 4)](const Value& x) {
    const Value step = reshape(slice(x, 1, 0, 1), {x.shape()[0], 3});
    const Value h = zeros(x.graph(), {x.shape()[0], 4});
    const RecurrentState next = lstm(step, {h, h});
    return gru(step, lstm(step, next).h) + next.c;
  });
}

}  // namespace

const std::vector<SavedCase>& saved_nodes() {
  static const Cases all = [] {
    Cases made;
    add_activations(made);
    add_arithmetic(made);
    add_products_and_norms(made);
    add_images(made);
    add_shapes(made);
    add_sequences(made);
    return made;
  }();
  return all;
}

}  // namespace aclgrad
