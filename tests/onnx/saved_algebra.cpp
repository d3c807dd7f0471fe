// SPDX-License-Identifier: Apache-2.0
// Reductions, orders, products and losses.
#include "tests/onnx/saved_helpers.h"

namespace aclgrad {
namespace {

using namespace saved;

Values both(const ValuesAndIndices& found) { return {found.values, found.indices}; }

Values joined(std::initializer_list<Values> lists) {
  Values all;
  for (const Values& each : lists) all.insert(all.end(), each.begin(), each.end());
  return all;
}

// So many matrices [4, 4] as x has rows, none of them singular.
Value matrices(const Value& x) {
  const Value product = bmm(transpose(x, 1, 2), x);
  return product + eye(x.graph(), 4);
}

std::vector<SavedCase> reduction_cases() {
  const std::pair<const char*, Values (*)(const Value&)> kEach[] = {
      {"products",
       [](const Value& x) {
         return Values{prod(x), prod(x, 1), prod(x, 2, true), prod(cast(x * 2.0, DType::int32), 1)};
       }},
      {"truth_of_all",
       [](const Value& x) {
         const Value a = gt(x, -1.0);
         return Values{all(a), any(a), all(a, {1}), any(relu(x), {0, 2}, true)};
       }},
      {"extremes_of_all",
       [](const Value& x) {
         const MinAndMax ends = aminmax(x, {1});
         return joined({{aclgrad::max(x), aclgrad::min(x), ends.min, ends.max, argmin(x, 1)},
                        both(aclgrad::max(x, 1)),
                        both(aclgrad::min(x, 2, true))});
       }},
      {"stop_gradient", [](const Value& x) { return Values{stop_gradient(x) * 2.0}; }},
      {"nansum",
       [](const Value& x) {
         return Values{nansum(log(x)), nansum(log(x), {1}, true)};
       }},
      {"repeat_interleave_by_numbers",
       [](const Value& x) {
         return Values{repeat_interleave(x, fixed_numbers(x, {2, 0, 1, 3}, {4}), 6, 2)};
       }},
      {"eye_and_linspace",
       [](const Value& x) {
         const Graph graph = x.graph();
         return Values{eye(graph, 3, 5), eye(graph, x.shape()[0], 2),
                       x * linspace(graph, -1, 2, 4)};
       }},
  };
  std::vector<SavedCase> made;
  for (const auto& [name, function] : kEach) {
    made.push_back(of_several(name, {2, 6, 4}, function));
  }
  made.push_back(of_numbers("one_hot", {2, 3}, [](const Value& x) {
    return Values{one_hot(x, 5), one_hot(x, 6, DType::int64)};
  }));
  return made;
}

std::vector<SavedCase> order_cases() {
  const std::pair<const char*, Values (*)(const Value&)> kEach[] = {
      {"sort",
       [](const Value& x) {
         return joined(
             {both(sort(x)), both(sort(x, 1, true)), both(sort(x, 0)), {argsort(relu(x), 1)}});
       }},
      {"kthvalue",
       [](const Value& x) {
         return joined({both(kthvalue(x, 2, 1)), both(kthvalue(x, 3, 2, true))});
       }},
      {"median",
       [](const Value& x) {
         return joined({{median(x), median(cast(x * 9.0, DType::int32)), median(log(x))},
                        both(median(relu(x), 1)),
                        both(median(x, 2, true)),
                        both(median(log(x + 1.5), 1)),
                        both(median(x, 0))});
       }},
      {"searchsorted",
       [](const Value& x) {
         const Value ends = x.graph().constant(Tensor::from({5}, {-1, -0.5, 0, 0, 1}));
         const ValuesAndIndices rows = sort(x, 2);
         return Values{searchsorted(ends, relu(x)),
                       searchsorted(ends, relu(x), {.right = true}),
                       searchsorted(rows.values, x * 0.5),
                       searchsorted(x, x * 0.5, {.sorter = rows.indices}),
                       bucketize(log(x), ends),
                       bucketize(relu(x), ends, true)};
       }},
  };
  std::vector<SavedCase> made;
  for (const auto& [name, function] : kEach) {
    made.push_back(of_several(name, {2, 6, 4}, function));
  }
  made.push_back(of_numbers("bincount", {2, 3}, [](const Value& x) {
    const Value line = reshape(x, {x.shape()[0] * 3});
    return Values{bincount(line, 4), bincount(line, 6, cast(line, DType::float32) * 0.3)};
  }));
  return made;
}

std::vector<SavedCase> product_cases() {
  const std::pair<const char*, Values (*)(const Value&)> kEach[] = {
      {"vectors",
       [](const Value& x) {
         const Value line = reshape(x, {x.shape()[0] * 24}), side = fixed(x, {5});
         const Value rows = reshape(x, {x.shape()[0] * 6, 4}), column = fixed(x, {4});
         return Values{dot(line, line * 0.5),
                       mv(rows, column),
                       addmv(mv(rows, column), rows, column, 0.5, 2),
                       outer(line, side),
                       addr(side, line, side, 2, 0.25),
                       addr(side, line, side, 0)};
       }},
      {"cross",
       [](const Value& x) {
         return Values{cross(slice(x, 1, 0, 3), fixed(x, {3, 1}), 1),
                       cross(slice(x, 2, 0, 3), fixed(x, {3}))};
       }},
      {"diagonals",
       [](const Value& x) {
         const Value matrix = mean(x, {0}), line = mean(x, {0, 1});
         return Values{trace(matmul(transpose(matrix, 0, 1), matrix)),
                       diag(matrix),
                       diag(matrix, 2),
                       diag(matrix, -3),
                       diag(line),
                       diag(line, 1),
                       diag(line, -2),
                       diagonal(x, 1, 1, 2),
                       diag_embed(x, -1)};
       }},
      {"determinants",
       [](const Value& x) {
         const SignAndLogarithm found = slogdet(matrices(x));
         return Values{found.sign, found.logabsdet, det(matrices(x) * 0.1)};
       }},
      {"einsum",
       [](const Value& x) {
         return Values{einsum("bij,bkj->bik", {x, x}), einsum("bij,j->b", {x, fixed(x, {4})}),
                       tensordot(x, fixed(x, {4, 3}), 1)};
       }},
  };
  std::vector<SavedCase> made;
  for (const auto& [name, function] : kEach) {
    made.push_back(of_several(name, {2, 6, 4}, function));
  }
  return made;
}

std::vector<SavedCase> loss_cases() {
  const std::pair<const char*, Values (*)(const Value&)> kEach[] = {
      {"distances",
       [](const Value& x) {
         const Value target = expand(fixed(x, {4}), x.shape());
         return Values{mse_loss(x, target),
                       mse_loss(x, target, Reduction::none),
                       l1_loss(x, target, Reduction::sum),
                       smooth_l1_loss(x, target, {.beta = 0.6}),
                       smooth_l1_loss(x, target, {.beta = 0}),
                       huber_loss(x, target, {.delta = 0.6}),
                       soft_margin_loss(x, sign(target) + sign(target - 0.05))};
       }},
      {"binary_cross_entropy",
       [](const Value& x) {
         const Value target = sigmoid(x * 0.5), positive = fixed(x, {4}) + 1.0;
         return Values{bce_with_logits(x * 40.0, target),
                       bce_with_logits(x, target, {.weight = target, .pos_weight = positive}),
                       bce_with_logits(x, target, {.reduction = Reduction::none}),
                       bce_with_logits(x, target, {.pos_weight = positive}),
                       binary_cross_entropy(clamp(x, {.min = 0, .max = 1}), target),
                       binary_cross_entropy(sigmoid(x), target, {.weight = positive})};
       }},
  };
  std::vector<SavedCase> made;
  for (const auto& [name, function] : kEach) {
    made.push_back(of_several(name, {2, 6, 4}, function));
  }
  const auto classes = [](const Values& in) {
    const Value scores = log_softmax(in[0]), weight = fixed(in[0], {4}) + 1.0;
    return Values{nll_loss(scores, in[1]), nll_loss(scores, in[1], {.weight = weight}),
                  nll_loss(scores, in[1], {.ignore_index = 2, .reduction = Reduction::none}),
                  cross_entropy(in[0], in[1], {.label_smoothing = 0.1})};
  };
  made.push_back({"classes",
                  classes,
                  {onnx::Example("x", {2, 6, 4}), onnx::Example("t", {2, 6}, DType::int64)},
                  1e-5,
                  4});
  return made;
}

}  // namespace

const std::vector<SavedCase>& saved_algebra() {
  static const std::vector<SavedCase> all = [] {
    std::vector<SavedCase> made = reduction_cases();
    for (const auto& some : {order_cases(), product_cases(), loss_cases()}) {
      made.insert(made.end(), some.begin(), some.end());
    }
    return made;
  }();
  return all;
}

}  // namespace aclgrad
