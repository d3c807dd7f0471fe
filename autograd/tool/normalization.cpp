// SPDX-License-Identifier: Apache-2.0
// Softmax, its logarithm, layer normalization.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "aclgrad/error.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "tool/catalogue.h"

namespace aclgrad::gradcheck::detail {
namespace {

const DTypes kWithDouble = {DType::float32, DType::float16, DType::bfloat16, DType::float64};

// ---- Softmax and its logarithm ------------------------------------------------------------------

// Calls visit(indices of the elements of a line) for every line along the axis.
template <class Visit>
void for_each_line(const Dims& shape, std::size_t axis, Visit visit) {
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  const std::int64_t length = shape[axis];
  std::vector<std::size_t> line(static_cast<std::size_t>(length));
  for (std::int64_t o = 0; o < count_of(shape) / (inner * length); ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      for (std::int64_t k = 0; k < length; ++k) {
        line[static_cast<std::size_t>(k)] = static_cast<std::size_t>((o * length + k) * inner + i);
      }
      visit(line);
    }
  }
}

Array softmax_of(const Array& x, std::size_t axis, bool logarithm) {
  Array out = x;
  for_each_line(x.shape, axis, [&](const std::vector<std::size_t>& line) {
    Number sum = 0;
    for (const std::size_t i : line) sum += std::exp(x.values[i]);
    for (const std::size_t i : line) {
      out.values[i] = logarithm ? x.values[i] - std::log(sum) : std::exp(x.values[i]) / sum;
    }
  });
  return out;
}

Array softmax_backward_of(const Array& g, const Array& y, std::size_t axis, bool logarithm) {
  Array out = g;
  for_each_line(g.shape, axis, [&](const std::vector<std::size_t>& line) {
    Number sum = 0;
    for (const std::size_t i : line) sum += logarithm ? g.values[i] : g.values[i] * y.values[i];
    for (const std::size_t i : line) {
      out.values[i] =
          logarithm ? g.values[i] - std::exp(y.values[i]) * sum : y.values[i] * (g.values[i] - sum);
    }
  });
  return out;
}

struct SoftmaxCalls {
  std::string name;
  decltype(aclnnSoftmaxGetWorkspaceSize)* forward;
  decltype(aclnnSoftmaxBackwardGetWorkspaceSize)* backward;
  bool logarithm;
  DTypes backward_dtypes;
};

Subject any_softmax(const LibraryPointer& library, const SoftmaxCalls& calls, const Attributes& a,
                    const std::optional<Dims>& wanted) {
  const Dims shape = wanted.value_or(Dims{3, 2, 5});
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank == 0 || a.dim < -rank || a.dim >= rank || count_of(shape) == 0) {
    throw ValueError(fmt::format("dim {} does not fit shape {}", a.dim, dims_text(shape)));
  }
  const auto axis = static_cast<std::size_t>(a.dim < 0 ? a.dim + rank : a.dim);
  const bool logarithm = calls.logarithm;
  const std::int64_t dim = a.dim;
  const auto plan = [backward = calls.backward](std::int64_t d) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return backward(t[0], t[1], d, t[2], size, executor);
    };
  };
  Subject s;
  s.forward = {.api = calls.name,
               .tensors = {{.name = "self", .shape = shape, .free_dtype = true},
                           {.name = "out", .shape = shape, .free_dtype = true}},
               .inputs = 1,
               .plan = [forward = calls.forward, dim](
                           auto t, auto* size,
                           auto** executor) { return forward(t[0], dim, t[1], size, executor); },
               .highest_rank = 8,
               .dtypes = kWithDouble};
  s.backward = EntryPoint{.api = calls.name + "Backward",
                          .tensors = {{.name = "gradOutput", .shape = shape},
                                      {.name = "output", .shape = shape},
                                      {.name = "out", .shape = shape, .free_dtype = true}},
                          .inputs = 2,
                          .plan = plan(dim),
                          .highest_rank = 8,
                          .refusals = {{"dim out of range", 161002, plan(rank)}},
                          .dtypes = calls.backward_dtypes};
  s.checked.name = s.backward->api;
  s.checked.attributes = fmt::format("dim={}", dim);
  s.checked.reproduce = fmt::format("--dim {}", dim);
  s.checked.inputs = {Input{.name = "self", .shape = shape}};
  s.checked.forward = [=](const Arrays& in) { return Arrays{softmax_of(in[0], axis, logarithm)}; };
  s.checked.saved = [](const Arrays&, const Arrays& outputs, const Array& cotangent) {
    return Arrays{cotangent, outputs[0]};
  };
  s.checked.exact_backward = [=](const Arrays& given) {
    return Arrays{softmax_backward_of(given[0], given[1], axis, logarithm)};
  };
  s.forward_ulp_16bit = 0.501;
  // Sums of the cotangent cancel, so the magnitudes of the result are not those of the terms.
  s.checked.model = {.final_ulp_16bit = 0.51, .final_ulp = 0.51, .inner = 0.5};
  s.checked.backward = from_executors(library, s.backward->api, s.backward->plan);
  if (!logarithm) {
    // In DOUBLE exponentials are good to 2^-49.
    s.forward_ulp = 8;
    return s;
  }
  s.magnitude = [axis](const Arrays& in) {
    Array out = softmax_of(in[0], axis, true);
    for (std::size_t i = 0; i < out.values.size(); ++i) {
      const Number x = in[0].values[i];
      out.values[i] = std::abs(x) + std::abs(x - out.values[i]);
    }
    return Arrays{out};
  };
  return s;
}

Subject log_softmax(const LibraryPointer& library, const Attributes& a,
                    const std::optional<Dims>& wanted) {
  return any_softmax(library,
                     {"aclnnLogSoftmax", ACLGRAD_LOOKUP(aclnnLogSoftmaxGetWorkspaceSize),
                      ACLGRAD_LOOKUP(aclnnLogSoftmaxBackwardGetWorkspaceSize), true, kFloats},
                     a, wanted);
}

Subject softmax(const LibraryPointer& library, const Attributes& a,
                const std::optional<Dims>& wanted) {
  return any_softmax(library,
                     {"aclnnSoftmax", ACLGRAD_LOOKUP(aclnnSoftmaxGetWorkspaceSize),
                      ACLGRAD_LOOKUP(aclnnSoftmaxBackwardGetWorkspaceSize), false, kWithDouble},
                     a, wanted);
}

// ---- Layer normalization ------------------------------------------------------------------------

constexpr double kLayerNormEps = 1e-3;

// Over the last dimension. Inputs: input, weight, bias. Results: out, mean, rstd.
Arrays layer_norm_of(const Arrays& in, const Dims& numbers) {
  Array out = in[0];
  Array means{numbers, {}};
  Array rstds{numbers, {}};
  const auto n = static_cast<std::size_t>(out.shape.back());
  const auto count = static_cast<Number>(n);
  for (std::size_t first = 0; first < out.values.size(); first += n) {
    Number* const row = out.values.data() + first;
    Number mean = 0;
    Number variance = 0;
    for (std::size_t i = 0; i < n; ++i) mean += row[i] / count;
    for (std::size_t i = 0; i < n; ++i) variance += (row[i] - mean) * (row[i] - mean) / count;
    const Number rstd = 1 / std::sqrt(variance + static_cast<Number>(kLayerNormEps));
    for (std::size_t i = 0; i < n; ++i) {
      row[i] = (row[i] - mean) * rstd * in[1].values[i] + in[2].values[i];
    }
    means.values.push_back(mean);
    rstds.values.push_back(rstd);
  }
  return {out, means, rstds};
}

// Given: gradOut, input, mean, rstd, weight. Results: the gradients of input, weight, bias.
Arrays layer_norm_backward_of(const Arrays& given) {
  Array input = given[0];
  Array weight = given[4];
  std::fill(weight.values.begin(), weight.values.end(), Number{0});
  Array bias = weight;
  const std::size_t n = weight.values.size();
  for (std::size_t row = 0; row * n < input.values.size(); ++row) {
    const Number* const g = given[0].values.data() + row * n;
    const Number rstd = given[3].values[row];
    const auto normalized = [&](std::size_t i) {
      return (given[1].values[row * n + i] - given[2].values[row]) * rstd;
    };
    Number plain = 0;
    Number along = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Number h = g[i] * given[4].values[i];
      plain += h / static_cast<Number>(n);
      along += h * normalized(i) / static_cast<Number>(n);
      weight.values[i] += g[i] * normalized(i);
      bias.values[i] += g[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      const Number h = g[i] * given[4].values[i];
      input.values[row * n + i] = rstd * (h - plain - normalized(i) * along);
    }
  }
  return {input, weight, bias};
}

Subject layer_norm(const LibraryPointer& library, const Attributes&,
                   const std::optional<Dims>& wanted) {
  const Dims shape = wanted.value_or(Dims{3, 2, 5});
  if (shape.empty() || count_of(shape) == 0) {
    throw ValueError("layer_norm is checked on tensors of at least one dimension, not empty");
  }
  const Dims vector = {shape.back()};
  Dims numbers = shape;
  numbers.back() = 1;
  const aclIntArray* sizes = library->int_array(vector);
  auto* create = ACLGRAD_LOOKUP(aclCreateBoolArray);
  auto* destroy = ACLGRAD_LOOKUP(aclDestroyBoolArray);
  const bool all[] = {true, true, true, true};
  const auto mask = [&](std::uint64_t size) {
    return std::shared_ptr<const aclBoolArray>(create == nullptr ? nullptr : create(all, size),
                                               [library, destroy](const aclBoolArray* made) {
                                                 if (made != nullptr && destroy != nullptr)
                                                   destroy(made);
                                               });
  };
  auto* forward = ACLGRAD_LOOKUP(aclnnLayerNormGetWorkspaceSize);
  auto* backward = ACLGRAD_LOOKUP(aclnnLayerNormBackwardGetWorkspaceSize);
  const auto plan = [=](std::shared_ptr<const aclBoolArray> outputs) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return backward(t[0], t[1], sizes, t[2], t[3], t[4], nullptr, outputs.get(), t[5], t[6], t[7],
                      size, executor);
    };
  };
  Subject s;
  s.forward = {
      .api = "aclnnLayerNorm",
      .tensors =
          {{.name = "input", .shape = shape, .free_dtype = true},
           {.name = "weightOptional", .shape = vector, .optional = true},
           {.name = "biasOptional", .shape = vector, .optional = true},
           {.name = "out", .shape = shape, .free_dtype = true},
           {.name = "meanOutOptional", .shape = numbers, .free_dtype = true, .optional = true},
           {.name = "rstdOutOptional", .shape = numbers, .free_dtype = true, .optional = true}},
      .inputs = 3,
      .plan =
          [=](auto t, auto* size, auto** executor) {
            return forward(t[0], sizes, t[1], t[2], kLayerNormEps, t[3], t[4], t[5], size,
                           executor);
          },
      .highest_rank = 8};
  s.backward =
      EntryPoint{.api = "aclnnLayerNormBackward",
                 .tensors = {{.name = "gradOut", .shape = shape},
                             {.name = "input", .shape = shape},
                             {.name = "mean", .shape = numbers, .free_dtype = true},
                             {.name = "rstd", .shape = numbers, .free_dtype = true},
                             {.name = "weightOptional", .shape = vector, .optional = true},
                             {.name = "gradInputOut", .shape = shape, .free_dtype = true},
                             {.name = "gradWeightOut", .shape = vector, .free_dtype = true},
                             {.name = "gradBiasOut", .shape = vector, .free_dtype = true}},
                 .inputs = 5,
                 .plan = plan(mask(3)),
                 .highest_rank = 8,
                 .refusals = {{"an outputMask of 4 values", 161002, plan(mask(4))},
                              {"a null outputMask", 161001, plan(nullptr)}}};
  s.checked.name = s.backward->api;
  s.checked.inputs = {Input{.name = "input", .shape = shape},
                      Input{.name = "weight", .shape = vector},
                      Input{.name = "bias", .shape = vector}};
  s.checked.forward = [numbers](const Arrays& in) { return layer_norm_of(in, numbers); };
  s.checked.saved = [](const Arrays& in, const Arrays& outputs, const Array& cotangent) {
    return Arrays{cotangent, in[0], outputs[1], outputs[2], in[1]};
  };
  s.forward_ulp_16bit = 0.501;
  s.checked.exact_backward = layer_norm_backward_of;
  s.checked.model = {.final_ulp_16bit = 0.51, .final_ulp = 0.51, .inner = 0.5};
  s.checked.backward = from_executors(library, s.backward->api, s.backward->plan);
  // What the cancelling differences are made of.
  s.magnitude = [numbers](const Arrays& in) {
    Arrays right = layer_norm_of(in, numbers);
    const std::size_t n = in[1].values.size();
    for (std::size_t i = 0; i < in[0].values.size(); ++i) {
      Number largest = 0;
      for (std::size_t k = 0; k < n; ++k) {
        largest = std::max(largest, std::abs(in[0].values[i / n * n + k]));
      }
      right[1].values[i / n] = largest;
      right[0].values[i] = largest * right[2].values[i / n] * std::abs(in[1].values[i % n]) +
                           std::abs(in[2].values[i % n]);
    }
    return right;
  };
  return s;
}

}  // namespace

std::vector<KnownOperator> normalization_operators() {
  const std::vector<Attributes> axes = {{.dim = -1}, {.dim = 0}, {.dim = 1}};
  return {{"softmax", softmax, axes, {"--dim"}},
          {"log_softmax", log_softmax, axes, {"--dim"}},
          {"layer_norm", layer_norm, {{}}}};
}

}  // namespace aclgrad::gradcheck::detail
