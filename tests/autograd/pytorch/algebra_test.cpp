// SPDX-License-Identifier: Apache-2.0
// Reductions, order, algebra and what is made from nothing, with their gradients, beside PyTorch.
#include <gtest/gtest.h>

#include <limits>

#include "tests/autograd/pytorch/numbers.h"

namespace aclgrad::pytorch {
namespace {

namespace algebra {

using X = const Values&;
struct Case {
  const char* name;
  std::function<Values(X)> record;
};

void expect(const std::vector<Case>& cases) {
  for (const Case& each : cases) expect_as_in_pytorch(each.name, each.record);
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(AlgebraBesidePyTorch, Reductions) {
  expect({
      {"prod", [](X x) -> Values { return {prod(x[0])}; }},
      {"prod dim", [](X x) -> Values { return {prod(x[0], 1)}; }},
      {"prod keepdim", [](X x) -> Values { return {prod(x[0], 0, true)}; }},
      {"prod of one zero", [](X x) -> Values { return {prod(x[0])}; }},
      {"prod of zeros", [](X x) -> Values { return {prod(x[0], 1)}; }},
      {"max of all", [](X x) -> Values { return {max(x[0])}; }},
      {"min of all", [](X x) -> Values { return {min(x[0])}; }},
      {"min dim", [](X x) -> Values { return {min(x[0], 1).values}; }},
      {"aminmax",
       [](X x) -> Values {
         const auto [least, most] = aminmax(x[0], {1});
         return {least, most};
       }},
      {"cummax", [](X x) -> Values { return {cummax(x[0], 1).values}; }},
      {"cummin", [](X x) -> Values { return {cummin(x[0], 0).values}; }},
      {"cummax of equal", [](X x) -> Values { return {cummax(x[0], 1).values}; }},
      {"nansum", [](X x) -> Values { return {nansum(masked_fill(x[0], eq(x[0], 9), kNaN), {1})}; }},
      {"var_mean",
       [](X x) -> Values {
         const auto [spread, middle] = var_mean(x[0], {1});
         return {spread, middle};
       }},
      {"std_mean biased",
       [](X x) -> Values {
         const auto [spread, middle] = stddev_mean(x[0], {0}, {.unbiased = false, .keepdim = true});
         return {spread, middle};
       }},
      {"truth",
       [](X x) -> Values {
         return {all(x[0], {1}),  any(x[0], {1}),          count_nonzero(x[0], {1}),
                 argmin(x[0], 1), cummax(x[0], 1).indices, cummin(x[0], 1).indices};
       }},
  });
}

TEST(AlgebraBesidePyTorch, Order) {
  expect({
      {"median", [](X x) -> Values { return {median(x[0])}; }},
      {"median of equal", [](X x) -> Values { return {median(x[0])}; }},
      {"median dim", [](X x) -> Values { return {median(x[0], 1).values}; }},
      {"nanmedian dim",
       [](X x) -> Values { return {nanmedian(masked_fill(x[0], gt(x[0], 0.5), kNaN), 0).values}; }},
      {"kthvalue", [](X x) -> Values { return {kthvalue(x[0], 2, 1, true).values}; }},
      {"sort stable", [](X x) -> Values { return {sort(x[0], 1, true).values}; }},
      {"argsort",
       [](X x) -> Values {
         return {argsort(x[0], 1, true), argsort(x[0], 1)};
       }},
      {"searchsorted",
       [](X x) -> Values {
         return {searchsorted(x[0], x[1]), searchsorted(x[0], x[1], {.right = true}),
                 searchsorted(x[2], x[1]), searchsorted(x[3], x[1], {.sorter = x[4]}),
                 bucketize(x[1], x[0]),    bucketize(x[1], x[0], true)};
       }},
      {"bincount",
       [](X x) -> Values {
         return {bincount(x[0], 6), bincount(x[0], 6, x[1])};
       }},
      {"histc",
       [](X x) -> Values {
         return {histc(x[0], 4, -1, 1), histc(x[0], 5)};
       }},
  });
}

TEST(AlgebraBesidePyTorch, ElementsThatAreThere) {
  const Json of = numbers_of("unique");
  const Tensor x = tensor_of(of.at("inputs")[0]);
  const auto [values, inverse, counts] = unique(x);
  const std::vector<Tensor> found = {values, inverse, counts, nonzero(x),
                                     masked_select(x, gt(x, 0))};
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(bitwise_equal(found[i], tensor_of(of.at("results")[i]))) << i << ": " << found[i];
  }
}

TEST(AlgebraBesidePyTorch, Products) {
  expect({
      {"dot", [](X x) -> Values { return {dot(x[0], x[1])}; }},
      {"mv", [](X x) -> Values { return {mv(x[0], x[1])}; }},
      {"outer", [](X x) -> Values { return {outer(x[0], x[1])}; }},
      {"addmv", [](X x) -> Values { return {addmv(x[0], x[1], x[2], 0.5, -2)}; }},
      {"addr", [](X x) -> Values { return {addr(x[0], x[1], x[2], -0.5, 3)}; }},
      {"addbmm", [](X x) -> Values { return {addbmm(x[0], x[1], x[2], 0.5, 2)}; }},
      {"kron", [](X x) -> Values { return {kron(x[0], x[1])}; }},
      {"kron of ranks", [](X x) -> Values { return {kron(x[0], x[1])}; }},
      {"tensordot", [](X x) -> Values { return {tensordot(x[0], x[1])}; }},
      {"tensordot dims",
       [](X x) -> Values {
         return {tensordot(x[0], x[1], {0, 2}, {2, 0})};
       }},
      {"cross", [](X x) -> Values { return {cross(x[0], x[1])}; }},
      {"cross dim", [](X x) -> Values { return {cross(x[0], x[1], 0)}; }},
  });
}

TEST(AlgebraBesidePyTorch, SumsOfProducts) {
  for (const char* equation : {"ij,jk->ik",
                               "bhqd,bhkd->bhqk",
                               "a,b->ab",
                               "ii->i",
                               "ii",
                               "ij->ji",
                               "ij->",
                               "ij,jk",
                               "ba,ca->cb",
                               "bij,bjk->bik",
                               "...ij,...jk->...ik",
                               "i...,i...->...",
                               "b...",
                               "ij,ij->i",
                               "i,i",
                               "ij,jk,kl->il",
                               "bn,anm,bm->ba",
                               "ijk,k->i j",
                               "iij,jk->ik",
                               "aBc,cB->Ba",
                               "ij,kj->ik"}) {
    expect_as_in_pytorch(std::string("einsum ") + equation,
                         [&](X x) -> Values { return {einsum(equation, x)}; });
  }
}

TEST(AlgebraBesidePyTorch, DiagonalsAndEquations) {
  expect({
      {"trace", [](X x) -> Values { return {trace(x[0])}; }},
      {"diag of a vector", [](X x) -> Values { return {diag(x[0], -1)}; }},
      {"diag of a matrix", [](X x) -> Values { return {diag(x[0], 2)}; }},
      {"diag below", [](X x) -> Values { return {diag(x[0], -1)}; }},
      {"diagonal", [](X x) -> Values { return {diagonal(x[0], 1, 0, 2)}; }},
      {"diagonal below", [](X x) -> Values { return {diagonal(x[0], -2)}; }},
      {"diag_embed", [](X x) -> Values { return {diag_embed(x[0])}; }},
      {"diag_embed above", [](X x) -> Values { return {diag_embed(x[0], 2)}; }},
      {"diag_embed below", [](X x) -> Values { return {diag_embed(x[0], -1)}; }},
      {"inverse", [](X x) -> Values { return {inverse(x[0])}; }},
      {"slogdet", [](X x) -> Values { return {slogdet(x[0]).logabsdet}; }},
      {"det", [](X x) -> Values { return {det(x[0])}; }},
      {"solve lower", [](X x) -> Values { return {solve_triangular(x[0], x[1])}; }},
      {"solve upper",
       [](X x) -> Values {
         return {solve_triangular(x[0], x[1], {.upper = true, .unitriangular = true})};
       }},
      {"solve transposed",
       [](X x) -> Values { return {solve_triangular(x[0], x[1], {.transpose = true})}; }},
      {"qr",
       [](X x) -> Values {
         const auto [q, r] = qr(x[0]);
         return {q, r};
       }},
      {"qr tall",
       [](X x) -> Values {
         const auto [q, r] = qr(x[0]);
         return {q, r};
       }},
      {"qr wide",
       [](X x) -> Values {
         const auto [q, r] = qr(x[0]);
         return {q, r};
       }},
      {"slogdet signs",
       [](X x) -> Values {
         const auto [sign, logarithm] = slogdet(x[0]);
         return {sign, logarithm};
       }},
  });
}

TEST(AlgebraBesidePyTorch, MadeFromNothing) {
  expect_as_in_pytorch("making", [](X x) -> Values {
    const Graph graph = x[0].graph();
    const Value classes = graph.constant(Tensor::from({2, 2}, {2, 0, 1, 2}, DType::int64));
    constexpr DType kWide = DType::float64;
    return {ones_like(x[0]) + x[0],
            eye(graph, 2, 3),
            linspace(graph, -1, 2, 5),
            linspace(graph, 3, -1, 4, DType::int64),
            logspace(graph, -1, 2, 4, 10, kWide),
            logspace(graph, 0, 3, 3, 2, kWide),
            one_hot(classes, 4),
            tril_indices(graph, 3, 4, -1),
            triu_indices(graph, 3, 4, 1)};
  });
}

}  // namespace algebra
}  // namespace
}  // namespace aclgrad::pytorch
