// SPDX-License-Identifier: Apache-2.0
#include "tests/training/models/generate_layers.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/training/models/layers.h"

namespace aclgrad::training {
namespace {

std::int64_t divisor_of(Draw& draw, std::int64_t number) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t i = 1; i <= number; ++i) {
    if (number % i == 0) divisors.push_back(i);
  }
  return divisors[static_cast<std::size_t>(
      draw.whole(0, static_cast<std::int64_t>(divisors.size()) - 1))];
}

}  // namespace

Json LayerGenerator::layers(Shape shape, std::int64_t most, int depth) {
  Json made = Json::array();
  const std::int64_t count = draw_.whole(1, most);
  for (std::int64_t i = 0; i < count; ++i) {
    Json layer = any(shape, depth);
    Sequential unused;
    Parts parts;
    made.push_back(layer);
    try {
      shape = add_layers(unused, Json::array({layer}), shape, false, parts);
    } catch (const Error&) {
      return made;  // what builds the model says so, too
    }
  }
  return made;
}

Json LayerGenerator::named(const char* kind) {
  return {{"kind", kind}, {"name", fmt::format("l{}", count_++)}};
}

Json LayerGenerator::any(const Shape& shape, int depth) {
  if (draw_.chance(0.3)) return activation(shape);
  if (depth < 2 && draw_.chance(0.15)) return nested(shape, depth);
  if (draw_.chance(0.06)) return {{"kind", "turned"}};
  if (draw_.chance(0.04)) return named(draw_.chance(0.5) ? "dropout" : "alpha_dropout");
  switch (shape.rank()) {
    case 4:
      return for_images(shape);
    case 3:
      return for_sequences(shape);
    default:
      return for_rows(shape);
  }
}

Json LayerGenerator::activation(const Shape& shape) {
  const std::int64_t drawn = draw_.whole(0, wanted_.corners ? 15 : 9);
  const auto with = [](const char* kind, const char* name, const Json& value) {
    return Json{{"kind", kind}, {name, value}};
  };
  switch (drawn) {
    case 0:
      return with("gelu", "tanh", draw_.chance(0.5));
    case 1:
      return shape.dims().back() % 2 != 0 ? Json{{"kind", "tanh"}}
                                          : Json{{"kind", "geglu"},
                                                 {"tanh", draw_.chance(0.5)},
                                                 {"activate_left", draw_.chance(0.5)}};
    case 2:
    case 3:
      return {{"kind", "tanh"}};
    case 4:
      return {{"kind", "sigmoid"}};
    case 5:
      return {{"kind", draw_.chance(0.5) ? "silu" : "mish"}};
    case 6:
      return with("softplus", "beta", draw_.number(0.5, 2));
    case 7:
      return {{"kind", "softmax"}};
    case 8:
      return {{"kind", draw_.chance(0.5) ? "sin" : "erf"}};
    case 9:
      return with("elu", "from_result", draw_.chance(0.5));
    case 10:
      return {{"kind", "elu"},
              {"alpha", draw_.number(0.5, 2)},
              {"scale", draw_.number(0.5, 2)},
              {"input_scale", draw_.number(0.5, 2)}};
    case 11:
      return {{"kind", "selu"}};
    case 12:
      return {{"kind", "hardswish"}};
    case 13:
      return with("leaky_relu", "slope", draw_.number(0.01, 0.5));
    case 14: {
      if (draw_.chance(0.4)) return {{"kind", "abs"}};
      Json made = named("prelu");
      if (draw_.chance(0.5)) made["channels"] = shape[1];
      return made;
    }
    default:
      return {{"kind", "relu"}};
  }
}

// A residual's layers must leave the shape as it is.
Json LayerGenerator::nested(const Shape& shape, int depth) {
  if (draw_.chance(0.4)) {
    Json inner = named(draw_.chance(0.4) ? "checkpointed" : "sequential");
    inner["layers"] = layers(shape, 2, depth + 1);
    return inner;
  }
  Json inner = named("residual");
  Json within = layers(shape, 2, depth + 1);
  Sequential unused;
  Parts parts;
  Shape after;
  try {
    after = add_layers(unused, within, shape, false, parts);
  } catch (const Error&) {
    after = shape;  // refused anyhow
  }
  if (after != shape) {
    within = Json::array();
    if (shape.rank() == 4) {
      Json same = named("conv2d");
      same["out"] = shape[1];
      same["kernel"] = {3, 1};
      same["padding"] = {1, 0};
      within.push_back(same);
    } else {
      Json same = named("linear");
      same["out"] = shape.dims().back();
      within.push_back(same);
    }
    within.push_back({{"kind", "tanh"}});
  }
  inner["layers"] = within;
  return inner;
}

Json LayerGenerator::norm(const char* kind) {
  Json made = named(kind);
  if (draw_.chance(0.4)) made["eps"] = draw_.one_of({1e-3, 1e-4, 1e-6});
  return made;
}

Json LayerGenerator::group_norm(const Shape& shape) {
  Json made = norm("group_norm");
  made["groups"] = divisor_of(draw_, shape[1]);
  return made;
}

Json LayerGenerator::for_images(const Shape& shape) {
  switch (draw_.whole(0, 11)) {
    case 0:
      return {{"kind", "flatten"}};
    case 1:
      return draw_.chance(0.5) ? Json{{"kind", "global_avg_pool2d"}}
                               : Json{{"kind", "adaptive_avg_pool2d"},
                                      {"size", {draw_.whole(1, 4), draw_.whole(1, 4)}}};
    case 2:
    case 3:
      return wanted_.corners ? max_pool(shape) : avg_pool(shape);
    case 4:
      return avg_pool(shape);
    case 5:
      if (draw_.chance(0.3)) {
        return {{"kind", "upsample"}, {"factor", {draw_.whole(1, 2), draw_.whole(1, 3)}}};
      }
      return draw_.chance(0.4) && shape[2] * shape[3] > 1 ? norm("instance_norm")
                                                          : group_norm(shape);
    case 6:
    case 7: {
      if (!wanted_.batch_statistics) return group_norm(shape);
      Json made = norm("batch_norm");
      if (draw_.chance(0.4)) made["momentum"] = draw_.one_of({0.0, 0.3, 0.9, 1.0});
      return made;
    }
    case 8:
      return transposed(shape);
    default:
      return convolution(shape);
  }
}

// Kernel, stride, padding and dilation for both spatial axes, with at least one window.
void LayerGenerator::draw_window(Json& layer, const Shape& shape, bool pool) {
  std::vector<std::int64_t> kernel, stride, padding, dilation;
  bool dilated = false, strided = false, padded = false, beyond = pool && draw_.chance(0.1);
  for (const std::int64_t axis : {2, 3}) {
    const std::int64_t extent = shape[axis];
    std::int64_t size = draw_.whole(1, 4);
    std::int64_t pad = draw_.chance(0.4) ? draw_.whole(0, pool ? size / 2 : 3) : 0;
    size = std::min(size, extent + 2 * pad);
    if (pool) pad = std::min(pad, size / 2);
    size = std::min(size, extent + 2 * pad);
    if (beyond) {  // with ceil_mode there is a window, as long as it begins before the end
      size = extent + 1;
      pad = 0;
    }
    const std::int64_t most = size == 1 ? 3 : (extent + 2 * pad - 1) / (size - 1);
    const std::int64_t apart =
        !pool && draw_.chance(0.3) ? draw_.whole(1, std::min<std::int64_t>(most, 3)) : 1;
    kernel.push_back(size);
    stride.push_back(draw_.chance(0.4) && !beyond ? draw_.whole(1, 3) : pool ? size : 1);
    padding.push_back(pad);
    dilation.push_back(apart);
    dilated |= apart != 1;
    strided |= stride.back() != (pool ? size : 1);
    padded |= pad != 0;
  }
  layer["kernel"] = kernel;
  if (strided) layer["stride"] = stride;
  if (padded) layer["padding"] = padding;
  if (dilated) layer["dilation"] = dilation;
  if (beyond) layer["ceil_mode"] = true;
}

Json LayerGenerator::convolution(const Shape& shape) {
  Json made = named("conv2d");
  const std::int64_t groups = draw_.chance(0.4) ? divisor_of(draw_, shape[1]) : 1;
  made["out"] = groups * draw_.whole(1, groups > 1 ? 2 : 5);
  if (groups > 1) made["groups"] = groups;
  if (draw_.chance(0.3)) made["bias"] = false;
  draw_window(made, shape, false);
  return made;
}

Json LayerGenerator::transposed(const Shape& shape) {
  Json made = named("transposed2d");
  const std::int64_t groups = draw_.chance(0.3) ? divisor_of(draw_, shape[1]) : 1;
  made["out"] = groups * draw_.whole(1, 3);
  if (groups > 1) made["groups"] = groups;
  const std::int64_t kernel = draw_.whole(2, 3), stride = draw_.whole(1, 2);
  made["kernel"] = {kernel, draw_.whole(2, 3)};
  if (stride == 2) {
    made["stride"] = {2, 2};
    if (draw_.chance(0.5)) made["output_padding"] = {1, 0};
  }
  return made;
}

Json LayerGenerator::max_pool(const Shape& shape) {
  Json made{{"kind", "max_pool2d"}};
  draw_window(made, shape, true);
  if (draw_.chance(0.3)) made["ceil_mode"] = true;
  return made;
}

Json LayerGenerator::avg_pool(const Shape& shape) {
  Json made{{"kind", "avg_pool2d"}};
  draw_window(made, shape, true);
  if (draw_.chance(0.3)) made["ceil_mode"] = true;
  if (draw_.chance(0.3)) made["count_include_pad"] = false;
  if (draw_.chance(0.2)) made["divisor_override"] = draw_.whole(1, 5);
  return made;
}

Json LayerGenerator::attention(const Shape& shape) {
  if (draw_.chance(0.1)) return {{"kind", "positions"}};
  const bool block = draw_.chance(0.4), decodes = block && draw_.chance(0.4);
  Json made = named(decodes ? "decoder" : block ? "transformer" : "attention");
  made["heads"] = divisor_of(draw_, shape[2]);
  if (block) made["hidden"] = draw_.whole(2, 5);
  if (draw_.chance(0.5)) made["causal"] = !decodes;
  if (block || draw_.chance(0.6)) return made;
  // Every place sees itself, at least, but for the first of some.
  const bool blind = draw_.chance(0.1);
  Json mask = Json::array();
  for (std::int64_t i = 0; i < shape[1]; ++i) {
    Json row = Json::array();
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      row.push_back((i != j && draw_.chance(0.3)) || (blind && i == 0) ? 1 : 0);
    }
    mask.push_back(row);
  }
  made["mask"] = mask;
  if (draw_.chance(0.4)) made["adds"] = true;
  return made;
}

Json LayerGenerator::for_sequences(const Shape& shape) {
  switch (draw_.whole(0, 11)) {
    case 0:
      return {{"kind", "flatten"}};
    case 1:
      return {{"kind", draw_.chance(0.5) ? "mean_over_time" : "last_step"}};
    case 2:
    case 3: {
      Json made = named(draw_.chance(0.5) ? "gru" : "lstm");
      made["hidden"] = draw_.whole(2, 5);
      if (draw_.chance(0.3)) made["levels"] = 2;
      if (draw_.chance(0.3)) made["bidirectional"] = true;
      return made;
    }
    case 4: {
      Json made = named("conv1d");
      const std::int64_t kernel = draw_.whole(1, std::min<std::int64_t>(3, shape[1]));
      made["out"] = draw_.whole(2, 4);
      made["kernel"] = {kernel};
      if (draw_.chance(0.5)) made["padding"] = {kernel / 2};
      return made;
    }
    case 5:
    case 6:
    case 7:
    case 8:
      return attention(shape);
    default:
      return for_rows(shape);
  }
}

Json LayerGenerator::for_rows(const Shape& shape) {
  switch (draw_.whole(0, 8)) {
    case 0:
      return norm("layer_norm");
    case 1:
      return norm("rms_norm");
    case 2:
      if (wanted_.batch_statistics) return norm("batch_norm");
      return norm("layer_norm");
    case 3:
      return shape.rank() == 2 ? group_norm(shape) : norm("layer_norm");
    case 4: {
      Json made = named("feed_forward");
      made["hidden"] = draw_.whole(2, 5);
      made["out"] = draw_.whole(2, 6);
      made["tanh"] = draw_.chance(0.5);
      return made;
    }
    default: {
      Json made = named("linear");
      made["out"] = draw_.whole(1, 6);
      if (draw_.chance(0.3)) made["bias"] = false;
      return made;
    }
  }
}

}  // namespace aclgrad::training
