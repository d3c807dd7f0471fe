// SPDX-License-Identifier: Apache-2.0
// The rules of reductions, order and algebra, and the rules of what they record, against finite
// differences in double.
#include <gmock/gmock.h>

#include <limits>

#include "tests/autograd/expect_right.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

// Files are compiled together.
namespace algebra {

using derivatives::expect_right;
using derivatives::Values;
using X = const Values&;

// Matrices that are far from singular.
Value apart(const Value& x) {
  return x * 0.25 + eye(x.graph(), x.shape()[-1], std::nullopt, x.dtype()) * 3;
}

TEST(RulesOfReductions, AreRight) {
  for (std::int64_t dim = -3; dim < 3; ++dim) {
    expect_right({{2, 3, 4}}, [&](X x) { return cummax(x[0], dim).values * x[0]; });
    expect_right({{2, 3, 4}}, [&](X x) { return cummin(x[0], dim).values; });
    for (const bool keepdim : {false, true}) {
      expect_right({{2, 3, 4}}, [&](X x) { return prod(x[0], dim, keepdim); });
      expect_right({{2, 3, 4}}, [&](X x) { return min(x[0], dim, keepdim).values; });
      expect_right({{2, 3, 4}}, [&](X x) {
        const auto [least, most] = aminmax(x[0], {dim}, keepdim);
        return mul(least, most) + nansum(x[0] * x[0], {dim}, keepdim);
      });
    }
  }
  expect_right({{2, 3}}, [](X x) { return prod(x[0]); });
  expect_right({{}}, [](X x) { return prod(x[0]) + prod(x[0], 0) * cummax(x[0], 0).values; });
  expect_right({{2, 3}}, [](X x) { return max(x[0]) * min(x[0]); });
  expect_right({{2, 3, 4}}, [](X x) {
    const auto [var, mean] = var_mean(x[0], {0, 2});
    const auto [stddev, again] = stddev_mean(x[0], {0, 2});
    return mul(var, mean) + mul(stddev, again) + aminmax(x[0], {0, 2}).max;
  });
}

// As of a product that is written out: one zero, two of them, none; second order, too.
TEST(RulesOfReductions, HoldWhereAProductIsZero) {
  Graph graph;
  const Value x = graph.input("x", {4, 3}, DType::float64);
  const Value first = backward(reduce_sum(prod(x, 1)), {x})[x];
  const Value second = backward(reduce_sum(mul(first, first)), {x})[x];
  const Tensor at = Tensor::from({4, 3}, {2, 0, 5, 0, 3, 0, 0, 0, 0, 2, 3, 5}, DType::float64);
  Session session(graph, {first, second});
  const Results results = session.run({{x, at}});
  const Tensor right = Tensor::from({4, 3}, {0, 10, 0, 0, 0, 0, 0, 0, 0, 15, 10, 6});
  EXPECT_TRUE(allclose(results[first], right, 0, 0)) << results[first];
  // 2 a (b^2 + c^2) and so on.
  const Tensor of_it = Tensor::from({4, 3}, {100, 0, 40, 0, 0, 0, 0, 0, 0, 136, 174, 130});
  EXPECT_TRUE(allclose(results[second], of_it, 0, 0)) << results[second];
}

TEST(RulesOfReductions, GiveNoGradientToNaNThatDoesNotCount) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
    Graph graph;
    const Value x = graph.input("x", {2, 3}, dtype);
    const Value loss = reduce_sum(nansum(x, {1})) + nanmedian(x) + reduce_sum(median(x, 1).values);
    const Value gradient = backward(loss, {x})[x];
    const Tensor at = Tensor::from({2, 3}, {1, kNaN, 3, 5, 2, 4}).to(dtype);
    const Tensor found = computed(gradient, {{x, at}});
    EXPECT_TRUE(allclose(found, Tensor::from({2, 3}, {1, 1, 2, 1, 1, 2}), 0, 0)) << found;
  }
}

TEST(RulesOfOrder, AreRight) {
  for (std::int64_t dim = -2; dim < 2; ++dim) {
    for (const bool is_set : {false, true}) {
      expect_right({{3, 4}}, [&](X x) { return sort(x[0], dim, is_set).values * x[0]; });
      expect_right({{3, 4}}, [&](X x) { return median(x[0], dim, is_set).values; });
      expect_right({{3, 4}}, [&](X x) { return nanmedian(x[0], dim, is_set).values; });
      expect_right({{3, 4}}, [&](X x) { return kthvalue(x[0], 2, dim, is_set).values; });
    }
  }
  expect_right({{3, 4}}, [](X x) { return median(x[0]) * nanmedian(x[0]); });
  expect_right({{}}, [](X x) {
    return sort(x[0]).values + median(x[0]) + median(x[0], 0).values + kthvalue(x[0], 1).values;
  });
}

TEST(RulesOfAlgebra, OfProductsAreRight) {
  expect_right({{4}, {4}}, [](X x) { return dot(x[0], x[1]); });
  expect_right({{3, 4}, {4}}, [](X x) { return mv(x[0], x[1]); });
  expect_right({{3}, {4}}, [](X x) { return outer(x[0], x[1]); });
  for (const Shape& c : {Shape{3}, Shape{1}, Shape{}}) {
    expect_right({c, {3, 4}, {4}}, [](X x) { return addmv(x[0], x[1], x[2], 0.5, -2); });
  }
  for (const Shape& c : {Shape{3, 4}, Shape{4}, Shape{3, 1}}) {
    expect_right({c, {3}, {4}}, [](X x) { return addr(x[0], x[1], x[2], -0.5, 3); });
    expect_right({c, {2, 3, 2}, {2, 2, 4}}, [](X x) { return addbmm(x[0], x[1], x[2], 2, -1); });
  }
  expect_right({{2, 3}, {3, 1}}, [](X x) { return kron(x[0], x[1]); });
  expect_right({{2, 3, 2}, {3, 2, 2}}, [](X x) { return tensordot(x[0], x[1]); });
  expect_right({{2, 3}, {2, 3}}, [](X x) { return cross(x[0], x[1]); });
  expect_right({{3, 2}, {4, 3, 1}}, [](X x) { return cross(x[0], x[1], 1); });
  for (const char* equation : {"ij,jk->ik", "ij,ij->j", "ij,jk->", "ij,kj->kij", "ii,jj->ij"}) {
    expect_right({{3, 3}, {3, 3}}, [&](X x) { return einsum(equation, x); });
  }
  expect_right({{2, 3}, {3, 2}, {2, 2}}, [](X x) { return einsum("ij,jk,kl->il", x); });
}

TEST(RulesOfAlgebra, OfDiagonalsAreRight) {
  expect_right({{3, 4}}, [](X x) { return trace(x[0]); });
  for (const std::int64_t k : {-2, 0, 1}) {
    expect_right({{3}}, [&](X x) { return diag(x[0], k); });
    for (const Shape& shape : {Shape{3, 4}, Shape{5, 2}}) {
      expect_right({shape}, [&](X x) { return diag(x[0], k); });
    }
    expect_right({{2, 3, 4}}, [&](X x) { return diagonal(x[0], k, -1, 1); });
    expect_right({{2, 3}}, [&](X x) { return diag_embed(x[0], k); });
  }
}

TEST(RulesOfAlgebra, OfEquationsAreRight) {
  for (const Shape& shape : {Shape{3, 3}, Shape{2, 1, 3, 3}}) {
    expect_right({shape}, [](X x) { return inverse(apart(x[0])); });
    expect_right({shape}, [](X x) { return slogdet(apart(x[0])).logabsdet; });
    expect_right({shape}, [](X x) { return det(apart(x[0])); });
  }
  for (const bool upper : {false, true}) {
    for (const bool transpose : {false, true}) {
      for (const bool unitriangular : {false, true}) {
        expect_right({{3, 3}, {2, 3, 2}}, [&](X x) {
          return solve_triangular(apart(x[0]), x[1], {upper, transpose, unitriangular});
        });
      }
    }
  }
  for (const Shape& shape : {Shape{3, 3}, Shape{2, 4, 3}}) {
    expect_right({shape}, [](X x) {
      const auto [q, r] = qr(x[0]);
      return reduce_sum(mul(q, q * x[0])) + reduce_sum(r * r * r);
    });
    expect_right({shape}, [](X x) { return qr(x[0]).q; });
    expect_right({shape}, [](X x) { return qr(x[0]).r; });
  }
}

TEST(RulesOfAlgebra, SayWhatHasNone) {
  Graph graph;
  const Value wide = graph.input("wide", {2, 3});
  EXPECT_THAT(message_of<ValueError>([&] { (void)backward(reduce_sum(qr(wide).r), {wide}); }),
              testing::HasSubstr("no gradient for a matrix of more columns than rows"));
  EXPECT_THAT(message_of<ValueError>([&] { (void)backward(reduce_sum(histc(wide)), {wide}); }),
              testing::HasSubstr("no gradient rule"));
  const Value x = graph.input("x", {2, 2});
  const Value sign = slogdet(x).sign;
  const Tensor gradient = computed(backward(sign, {x})[x]);
  EXPECT_TRUE(allclose(gradient, Tensor::zeros({2, 2}), 0, 0))
      << "of a singular matrix, too: x is not read";
}

}  // namespace algebra
}  // namespace
}  // namespace aclgrad
