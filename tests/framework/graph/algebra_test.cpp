// SPDX-License-Identifier: Apache-2.0
// Functions of order, algebra and making where they are not PyTorch's of floating tensors, which
// tests/autograd/pytorch compares: whole numbers, nothing at all, and what is refused.
#include <gmock/gmock.h>

#include <limits>

#include "aclgrad/aclgrad.h"
#include "tests/framework/graph/operators.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using Algebra = Operators;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST_F(Algebra, OfWholeNumbers) {
  const Value a = whole({2, 3}, {4, 1, 3, 2, 2, 5}), v = whole({3}, {1, -2, 3});
  expect(prod(a), {}, {240});
  expect(prod(a, -1), {2}, {12, 20});
  expect(nansum(a, {0}), {3}, {6, 3, 8});
  expect(max(a), {}, {5});
  expect(min(a, 1).indices, {2}, {1, 0});
  expect(cummin(a, 1).values, {2, 3}, {4, 1, 1, 2, 2, 2});
  expect(median(a), {}, {2});
  expect(kthvalue(a, 3, 1).indices, {2}, {0, 2});
  expect(dot(v, v), {}, {14});
  expect(mv(a, v), {2}, {11, 13});
  expect(outer(v, v), {3, 3}, {1, -2, 3, -2, 4, -6, 3, -6, 9});
  expect(addmv(whole({}, {10}), a, v, 2, -1), {2}, {9, 7});
  expect(cross(v, whole({3}, {0, 1, 0})), {3}, {-3, 0, 1});
  expect(trace(slice(a, 1, 0, 2)), {}, {6});
  expect(einsum("ij,j->i", {a, v}), {2}, {11, 13});
  expect(tensordot(a, a, {1}, {1}), {2, 2}, {26, 25, 25, 33});
  EXPECT_EQ(prod(a).dtype(), DType::int64);
  EXPECT_EQ(einsum("ij->j", {a}).dtype(), DType::int64);
}

TEST_F(Algebra, OfTruth) {
  const Value mask = value({2, 2}, {1, 0, 1, 1}, DType::boolean);
  expect(all(mask), {}, {0});
  expect(any(mask, {0}, true), {1, 2}, {1, 1});
  expect(all(value({2}, {kNaN, 2})), {}, {1});
  expect(count_nonzero(value({2, 2}, {kNaN, 0, 3, -0.0})), {}, {2});
  expect(sort(mask, 1).values, {2, 2}, {0, 1, 1, 1});
  expect(nonzero_static(mask, 2), {2, 2}, {0, 0, 1, 0});
  expect(nonzero_static(mask, 5, -7), {5, 2}, {0, 0, 1, 0, 1, 1, -7, -7, -7, -7});
  expect(nonzero_static(value({3}, {0, 0, 0.5}), 2), {2, 1}, {2, -1});
  expect(eye(graph_, 2, 3, DType::boolean), {2, 3}, {1, 0, 0, 0, 1, 0});
}

TEST_F(Algebra, OfNothing) {
  const Value none = value({0}, {}), rows = value({0, 3}, {}), columns = value({3, 0}, {});
  expect(prod(none), {}, {1});
  expect(prod(rows, 0), {3}, {1, 1, 1});
  expect(all(rows, {0}), {3}, {1, 1, 1});
  expect(any(none), {}, {0});
  expect(nansum(none), {}, {0});
  expect(sort(rows, 0).values, {0, 3}, {});
  expect(ne(median(none), median(none)), {}, {1});
  expect(dot(none, none), {}, {0});
  expect(mv(columns, none), {3}, {0, 0, 0});
  expect(outer(none, value({2}, {1, 2})), {0, 2}, {});
  expect(einsum("ij,jk->ik", {columns, rows}), {3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0});
  expect(einsum("ij,ik->jk", {columns, value({3, 2}, {1, 2, 3, 4, 5, 6})}), {0, 2}, {});
  expect(kron(none, rows), {0, 0}, {});
  expect(diag(none, 1), {1, 1}, {0});
  expect(diag(value({2, 2}, {1, 2, 3, 4}), 5), {0}, {});
  expect(diagonal(value({2, 2}, {1, 2, 3, 4}), 5), {0}, {});
  expect(diagonal(rows), {0}, {});
  expect(diag_embed(none, 1), {1, 1}, {0});
  expect(inverse(value({0, 2, 2}, {})), {0, 2, 2}, {});
  expect(bincount(whole({0}, {}), 2), {2}, {0, 0});
  expect(nonzero_static(rows, 1), {1, 2}, {-1, -1});
  expect(linspace(graph_, 1, 2, 0), {0}, {});
  expect(tril_indices(graph_, 0, 3), {2, 0}, {});
  expect(one_hot(whole({0}, {}), 2), {0, 2}, {});
}

TEST_F(Algebra, MadeFromNothing) {
  const Value x = value({2}, {3, 4}, DType::float16);
  EXPECT_EQ(zeros_like(x).dtype(), DType::float16);
  expect(ones_like(x) + full_like(x, 2) * zeros_like(x), {2}, {1, 1});
  expect(ones(graph_, {2}, DType::int32), {2}, {1, 1});
  expect(eye(graph_, 2), {2, 2}, {1, 0, 0, 1});
  expect(linspace(graph_, 5, 7, 1), {1}, {5});
  expect(logspace(graph_, 0, 2, 3, 10, DType::bfloat16), {3}, {1, 10, 100});
  // Numbers that are no class, and such as do not fit the counts.
  expect(one_hot(whole({3}, {1, 2, -1}), 2), {3, 2}, {0, 1, 0, 0, 0, 0});
  expect(bincount(whole({4}, {1, 5, 1, 0}), 2), {2}, {1, 2});
  EXPECT_EQ(one_hot(whole({1}, {0}), 2, DType::boolean).dtype(), DType::boolean);
}

TEST_F(Algebra, DiagonalsAreViews) {
  const Value x = graph_.input("x", {2, 3, 3});
  const Value on = diagonal(x, 1, 1, 2);
  EXPECT_TRUE(on.root() == x);
  EXPECT_EQ(on.shape(), (Shape{2, 2}));
}

TEST_F(Algebra, RefusesWhatHasNoMeaning) {
  const Value m = graph_.input("m", {2, 3}), v = graph_.input("v", {3});
  const Value n = graph_.input("n", {3}, DType::int64), s = graph_.input("s", {});
  const Value mask = graph_.input("mask", {3}, DType::boolean);
  EXPECT_THROW(dot(v, n), DTypeError);
  EXPECT_THROW(dot(m, m), ShapeError);
  EXPECT_THROW(dot(mask, mask), DTypeError);
  EXPECT_THROW(mv(m, graph_.input("w", {2})), ShapeError);
  EXPECT_THROW(addmv(m, m, v), ShapeError);
  EXPECT_THROW(addmv(whole({}, {1}), reshape(n, {1, 3}), n, 0.5), ValueError);
  EXPECT_THROW(outer(m, v), ShapeError);
  EXPECT_THROW(addr(m, v, v), ShapeError);
  EXPECT_THROW(addbmm(m, m, m), ShapeError);
  EXPECT_THROW(cross(m, m, 0), ShapeError);
  EXPECT_THROW(cross(s, s), ShapeError);
  EXPECT_THROW(trace(v), ShapeError);
  EXPECT_THROW(diag(s), ShapeError);
  EXPECT_THROW(diagonal(m, 0, 1, -1), ShapeError);
  EXPECT_THROW(inverse(m), ShapeError);
  EXPECT_THROW(inverse(whole({1, 1}, {1})), DTypeError);
  EXPECT_THROW(slogdet(value({1, 1}, {1}, DType::float16)), DTypeError);
  EXPECT_THROW(solve_triangular(m, m), ShapeError);
  EXPECT_THROW(qr(v), ShapeError);
  EXPECT_THROW(tensordot(m, m, 3), ValueError);
  EXPECT_THROW(tensordot(m, m, {0}, {1}), ShapeError);
  EXPECT_THROW(tensordot(m, m, {0, 0}, {0, 0}), ValueError);
  EXPECT_THROW(median(mask), DTypeError);
  EXPECT_THROW(median(whole({0}, {})), ShapeError);
  EXPECT_THROW(kthvalue(v, 0), ValueError);
  EXPECT_THROW(max(value({0}, {})), ShapeError);
  EXPECT_THROW(aminmax(value({0, 2}, {}), {0}), ShapeError);
  EXPECT_THROW(argmin(mask, 0), DTypeError);
  EXPECT_THROW(searchsorted(m, v), ShapeError);
  EXPECT_THROW(searchsorted(v, v, {.sorter = v}), DTypeError);
  EXPECT_THROW(bucketize(v, m), ShapeError);
  EXPECT_THROW(bincount(v, 2), DTypeError);
  EXPECT_THROW(histc(v, 0), ValueError);
  EXPECT_THROW(histc(v, 2, 1, 0), ValueError);
  EXPECT_THROW(one_hot(v, 2), DTypeError);
  EXPECT_THROW(linspace(graph_, kNaN, 1, 2), ValueError);
  EXPECT_THROW(logspace(graph_, 0, 1, 2, -1), ValueError);
  EXPECT_THROW(eye(graph_, -1), ValueError);
  EXPECT_THROW(nonzero_static(s, 1), ShapeError);
}

TEST_F(Algebra, SaysWhatAnEquationLacks) {
  const Value m = graph_.input("m", {2, 3});
  const auto message = [&](const char* equation, const std::vector<Value>& operands) {
    return message_of<Error>([&] { einsum(equation, operands); });
  };
  using testing::HasSubstr;
  EXPECT_THAT(message("ij,jk", {m}), HasSubstr("is of 2 operands, got 1"));
  EXPECT_THAT(message("i", {m}), HasSubstr("does not name the dimensions of `m`, of shape [2, 3]"));
  EXPECT_THAT(message("...ijk", {m}), HasSubstr("does not name the dimensions"));
  EXPECT_THAT(message("i1", {m}), HasSubstr("a sign that is no letter"));
  EXPECT_THAT(message("ij->k", {m}), HasSubstr("no operand has what the result has"));
  EXPECT_THAT(message("ij->ii", {m}), HasSubstr("names a dimension of the result twice"));
  EXPECT_THAT(message("ij,jk", {m, m}), HasSubstr("the extent 2, which is 3 elsewhere"));
  EXPECT_THAT(message("ii", {m}), HasSubstr("have no diagonal"));
  EXPECT_THROW(einsum("", std::vector<Value>{}), ValueError);
}

TEST_F(Algebra, OfASingularMatrixFailsTheRun) {
  const Value x = inverse(value({2, 2}, {1, 2, 2, 4}));
  EXPECT_THROW(computed(x), Error);
  expect(det(value({2, 2}, {1, 2, 2, 4})), {}, {0});
}

}  // namespace
}  // namespace aclgrad
