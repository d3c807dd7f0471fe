// SPDX-License-Identifier: Apache-2.0
// Every operator of the graph with its own rule, used once and twice: none of them may be blamed.
#include <fmt/format.h>

#include "aclgrad/gradcheck/graph.h"
#include "aclgrad/ops.h"
#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

using gradcheck::Build;
using gradcheck::Dims;

struct Recorded {
  const char* name;
  std::vector<Dims> shapes;
  Build build;
  double roundings = 4;
};

std::vector<Recorded> recorded_operators() {
  return {
      {"add", {{2, 3}, {3}}, [](const auto& x) { return add(x[0], x[1], 0.75); }},
      {"sub", {{2, 1}, {2, 3}}, [](const auto& x) { return sub(x[0], x[1], 1.5); }},
      {"mul", {{2, 3}, {2, 1}}, [](const auto& x) { return mul(x[0], x[1]); }},
      {"adds, muls", {{2, 3}}, [](const auto& x) { return add(mul(x[0], 1.5), -2); }},
      {"matmul", {{2, 3}, {3, 4}}, [](const auto& x) { return matmul(x[0], x[1]); }},
      {"matmul, batched", {{2, 2, 3}, {3, 2}}, [](const auto& x) { return matmul(x[0], x[1]); }},
      {"addmm",
       {{4}, {2, 3}, {3, 4}},
       [](const auto& x) { return addmm(x[0], x[1], x[2], 0.5, -2); }},
      {"reduce_sum",
       {{2, 3, 2}},
       [](const auto& x) {
         return reduce_sum(x[0], {0, 2});
       }},
      {"mean", {{2, 3}}, [](const auto& x) { return mean(x[0]); }},
      {"permute",
       {{2, 3, 2}},
       [](const auto& x) {
         return contiguous(permute(x[0], {2, 0, 1}));
       }},
      {"reshape",
       {{2, 3}},
       [](const auto& x) {
         return mul(reshape(x[0], {3, 2}), 2.0);
       }},
      {"expand",
       {{1, 3}},
       [](const auto& x) {
         return contiguous(expand(x[0], {2, 3}));
       }},
      {"mse_loss", {{2, 3}, {2, 3}}, [](const auto& x) { return mse_loss(x[0], x[1]); }},
      {"log_softmax", {{2, 4}}, [](const auto& x) { return log_softmax(x[0]); }},
      {"exp", {{2, 3}}, [](const auto& x) { return exp(x[0]); }},
      {"reciprocal", {{2, 3}}, [](const auto& x) { return reciprocal(x[0]); }},
      {"sin", {{2, 3}}, [](const auto& x) { return sin(x[0]); }},
      {"cos", {{2, 3}}, [](const auto& x) { return cos(x[0]); }},
      {"erf", {{2, 3}}, [](const auto& x) { return erf(x[0]); }},
      {"neg", {{2, 3}}, [](const auto& x) { return neg(x[0]); }},
      {"tanh", {{2, 3}}, [](const auto& x) { return tanh(x[0]); }},
      {"sigmoid", {{2, 3}}, [](const auto& x) { return sigmoid(x[0]); }},
      {"relu", {{2, 3}}, [](const auto& x) { return relu(x[0]); }},
      {"silu", {{2, 3}}, [](const auto& x) { return silu(x[0]); }},
      {"leaky_relu", {{2, 3}}, [](const auto& x) { return leaky_relu(x[0]); }},
      {"softplus", {{2, 3}}, [](const auto& x) { return softplus(x[0]); }},
      {"log, sqrt, rsqrt",
       {{2, 3}},
       [](const auto& x) {
         const Value positive = add(mul(x[0], x[0]), 0.5);
         return add(log(positive), mul(sqrt(positive), rsqrt(add(positive, 1))));
       }},
      {"exp2, expm1", {{2, 3}}, [](const auto& x) { return exp2(x[0]) + expm1(x[0]); }, 8},
      {"log1p, log2, log10",
       {{2, 3}},
       [](const auto& x) {
         const Value positive = square(x[0]) + 0.5;
         return log1p(positive) + log2(positive) + log10(positive);
       },
       8},
      {"atan, asinh, erfc",
       {{2, 3}},
       [](const auto& x) { return atan(x[0]) + asinh(x[0]) + erfc(x[0]); },
       8},
      {"sinh, cosh, sinc", {{2, 3}}, [](const auto& x) { return sinh(x[0]) * sinc(x[0]); }, 16},
      {"asin, acos, atanh, erfinv, tan",
       {{2, 3}},
       [](const auto& x) {
         const Value inside = tanh(x[0]) * 0.5;
         return asin(inside) * acos(inside) + atanh(inside) + erfinv(inside) + tan(inside);
       },
       16},
      {"atan2, logaddexp",
       {{2, 3}, {2, 1}},
       [](const auto& x) { return atan2(x[0], x[1]) + logaddexp(x[0], x[1]); },
       16},
      {"lerp, clamp by tensors",
       {{2, 3}, {3}, {2, 1}},
       [](const auto& x) { return lerp(x[0], x[1], x[2]) + clamp(x[0], x[1], x[2]); },
       8},
      {"remainder, floor, frac",
       {{2, 3}},
       [](const auto& x) { return remainder(x[0], 1.5) * floor(x[0]) + frac(x[0]); },
       8},
      {"selu", {{2, 3}}, [](const auto& x) { return selu(x[0]); }},
      {"elu", {{2, 3}}, [](const auto& x) { return elu(x[0], 1.25, 0.75, 1.5); }},
      {"hardswish", {{2, 3}}, [](const auto& x) { return hardswish(x[0]); }},
      {"gelu, tanh form", {{2, 3}}, [](const auto& x) { return gelu(x[0], Approximate::tanh); }},
      {"gelu, erf form", {{2, 3}}, [](const auto& x) { return gelu(x[0]); }},
      {"geglu", {{2, 4}}, [](const auto& x) { return geglu(x[0]); }},
      {"prod", {{2, 3}}, [](const auto& x) { return prod(x[0], 1); }},
      {"sort", {{2, 4}}, [](const auto& x) { return sort(x[0]).values; }},
      {"cummax", {{2, 4}}, [](const auto& x) { return cummax(x[0], 1).values; }},
      {"median", {{2, 5}}, [](const auto& x) { return median(x[0], 1).values; }},
      {"dot, outer, mv",
       {{3}, {3}, {3}},
       [](const auto& x) { return mul(mv(outer(x[0], x[1]), x[2]), dot(x[0], x[2])); }},
      {"cross", {{2, 3}, {2, 3}}, [](const auto& x) { return cross(x[0], x[1]); }},
      {"einsum",
       {{2, 2, 3}, {2, 4, 3}},
       [](const auto& x) {
         return einsum("bij,bkj->bik", {x[0], x[1]});
       }},
      {"lstm",
       {{3, 2, 2}, {2, 2, 2}, {8, 2}, {8, 2}, {8, 2}, {8, 2}},
       [](const auto& x) {
         const std::vector<Value> params(x.begin() + 2, x.end());
         const RecurrentFunctionOptions options{.has_biases = false, .bidirectional = true};
         return lstm(x[0], {x[1], x[1]}, params, options).output;
       },
       64},
      {"gru",
       {{2, 3, 2}, {1, 2, 2}, {6, 2}, {6, 2}},
       [](const auto& x) {
         return gru(x[0], x[1], {x[2], x[3]}, {.has_biases = false, .batch_first = true}).h_n;
       },
       64},
      {"lstm_cell",
       {{2, 3}, {2, 2}, {2, 2}, {8, 3}, {8, 2}, {8}, {8}},
       [](const auto& x) {
         return lstm_cell(x[0], {x[1], x[2]}, x[3], x[4], x[5], x[6]).h;
       },
       16}};
}

}  // namespace

std::vector<Mutant> graph_operators() {
  std::vector<Mutant> all;
  for (const Recorded& row : recorded_operators()) {
    std::vector<contract::Parameter> inputs;
    for (const Dims& shape : row.shapes) {
      inputs.push_back(gradcheck::input(fmt::format("x{}", inputs.size()), shape));
    }
    for (const bool twice : {false, true}) {
      const Build build = twice ? gradcheck::used_twice(row.build) : row.build;
      all.push_back({fmt::format("graph {}{}", row.name, twice ? ", used twice" : ""), "unchanged",
                     [=] { return gradcheck::from_graph("graph", inputs, build, row.roundings); }});
    }
  }
  return all;
}

}  // namespace aclgrad::mutants
