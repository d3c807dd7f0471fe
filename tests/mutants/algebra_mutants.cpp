// SPDX-License-Identifier: Apache-2.0
// Wrong rules of products, order, diagonals and equations.
#include "aclgrad/ops.h"
#include "tests/mutants/rule_mutant.h"

namespace aclgrad::mutants {
namespace {

// Files are compiled together.
namespace of_algebra {

using gradcheck::Build;
using gradcheck::Dims;
using Given = const RuleCall&;
using V = const Value&;

Value turned(V matrices) { return transpose(matrices, -2, -1); }
Value zeros_of(V x) { return mul(x, 0); }

void add_reductions(std::vector<Mutant>& all) {
  const Build product = [](const auto& x) { return prod(x[0], 1); };
  const auto column = [](V x) { return reshape(x, {x.shape()[0], 1}); };
  const auto of_product = [&](std::string edit, auto rule) {
    all.push_back(rule_mutant<ProdDimOp>(
        std::move(edit), {{2, 3}}, product, [=](const ProdDimOp&, Given call) {
          return InputGradients{
              mul(column(call.gradient()), rule(call.input(), column(call.output())))};
        }));
  };
  of_product("prod: its own factor left in", [](V x, V y) { return expand(y, x.shape()); });
  of_product("prod: of what comes before", [](V x, V) { return cumprod(pad(x, {1, -1}, 1), 1); });
  of_product("prod: divided twice", [](V x, V y) { return div(div(y, x), x); });
  all.push_back(rule_mutant<ProdOp>(
      "prod: of rows only", {{2, 3}}, [](const auto& x) { return prod(x[0]); },
      [](const ProdOp&, Given call) {
        const Value rows = prod(call.input(), 1, true);
        return InputGradients{mul(call.gradient(), div(rows, call.input()))};
      }));
  all.push_back(rule_mutant<NansumOp>(
      "nansum: divided by the count", {{2, 3}}, [](const auto& x) { return nansum(x[0], {1}); },
      [=](const NansumOp&, Given call) {
        return InputGradients{expand(mul(column(call.gradient()), 1.0 / 3), call.input().shape())};
      }));
  all.push_back(rule_mutant<AminmaxOp>(
      "aminmax: exchanged", {{2, 3}},
      [](const auto& x) {
        const auto [least, most] = aminmax(x[0], {1});
        return add(mul(least, 2), most);
      },
      [=](const AminmaxOp&, Given call) {
        const auto part = [&](std::size_t gradient, std::size_t output) {
          const Value is_it = eq(call.input(), column(call.output(output)));
          return mul(column(call.gradient(gradient)), cast(is_it, call.gradient(gradient).dtype()));
        };
        return InputGradients{add(part(0, 1), part(1, 0))};
      }));
  all.push_back(rule_mutant<MinOp>(
      "min: to the largest", {{2, 3}}, [](const auto& x) { return min(x[0], 1, true).values; },
      [](const MinOp& op, Given call) {
        const Value place = argmax(call.input(), op.dim, true);
        return InputGradients{scatter_add(zeros_of(call.input()), 1, place, call.gradient())};
      }));
  const Build running = [](const auto& x) { return cummax(x[0], 1).values; };
  all.push_back(rule_mutant<CummaxOp>(
      "cummax: to the element itself", {{3, 4}}, running,
      [](const CummaxOp&, Given call) { return InputGradients{call.gradient()}; }));
  all.push_back(rule_mutant<CummaxOp>(
      "cummax: only the last that arrives", {{3, 4}}, running, [](const CummaxOp& op, Given call) {
        return InputGradients{
            scatter(zeros_of(call.input()), op.dim, call.output(1), call.gradient())};
      }));
}

void add_order(std::vector<Mutant>& all) {
  const Build sorted = [](const auto& x) { return sort(x[0], 1).values; };
  all.push_back(rule_mutant<SortOp>(
      "sort: not put back", {{2, 4}}, sorted,
      [](const SortOp&, Given call) { return InputGradients{call.gradient()}; }));
  all.push_back(rule_mutant<SortOp>(
      "sort: the order taken for its inverse", {{2, 4}}, sorted, [](const SortOp& op, Given call) {
        return InputGradients{gather(call.gradient(), op.dim, call.output(1))};
      }));
  all.push_back(rule_mutant<MedianDimOp>(
      "median: to the one in the middle before it is sorted", {{2, 5}},
      [](const auto& x) { return median(x[0], 1, true).values; },
      [](const MedianDimOp&, Given call) {
        return InputGradients{pad(call.gradient(), {2, 2})};
      }));
  all.push_back(rule_mutant<MedianOp>(
      "median: shared among all", {{5}}, [](const auto& x) { return median(x[0]); },
      [](const MedianOp&, Given call) {
        return InputGradients{expand(mul(call.gradient(), 0.2), call.input().shape())};
      }));
  all.push_back(rule_mutant<KthvalueOp>(
      "kthvalue: one too far", {{2, 4}},
      [](const auto& x) { return kthvalue(x[0], 2, 1, true).values; },
      [](const KthvalueOp& op, Given call) {
        const Value place = kthvalue(call.input(), op.k + 1, op.dim, true).indices;
        return InputGradients{scatter_add(zeros_of(call.input()), 1, place, call.gradient())};
      }));
}

void add_products(std::vector<Mutant>& all) {
  all.push_back(rule_mutant<DotOp>(
      "dot: factors exchanged", {{4}, {4}}, [](const auto& x) { return dot(x[0], x[1]); },
      [](const DotOp&, Given call) {
        const Value& g = call.gradient();
        return InputGradients{mul(g, call.input(0)), mul(g, call.input(1))};
      }));
  all.push_back(rule_mutant<MvOp>(
      "mv: matrix not turned", {{3, 3}, {3}}, [](const auto& x) { return mv(x[0], x[1]); },
      [](const MvOp&, Given call) {
        const Value& g = call.gradient();
        return InputGradients{outer(g, call.input(1)), mv(call.input(0), g)};
      }));
  all.push_back(rule_mutant<OuterOp>(
      "outer: gradient not turned", {{3}, {3}}, [](const auto& x) { return outer(x[0], x[1]); },
      [](const OuterOp&, Given call) {
        const Value& g = call.gradient();
        return InputGradients{mv(g, call.input(1)), mv(g, call.input(0))};
      }));
  all.push_back(rule_mutant<AddmvOp>(
      "addmv: alpha and beta exchanged", {{3}, {3, 4}, {4}},
      [](const auto& x) { return addmv(x[0], x[1], x[2], 0.5, -2); },
      [](const AddmvOp& op, Given call) {
        const Value& g = call.gradient();
        return InputGradients{mul(g, op.alpha), mul(outer(g, call.input(2)), op.beta),
                              mul(mv(turned(call.input(1)), g), op.beta)};
      }));
  all.push_back(rule_mutant<AddrOp>(
      "addr: alpha forgotten", {{3, 4}, {3}, {4}},
      [](const auto& x) { return addr(x[0], x[1], x[2], 0.5, -2); },
      [](const AddrOp& op, Given call) {
        const Value& g = call.gradient();
        return InputGradients{mul(g, op.beta), mv(g, call.input(2)), mv(turned(g), call.input(1))};
      }));
  all.push_back(rule_mutant<CrossOp>(
      "cross: order of factors", {{2, 3}, {2, 3}}, [](const auto& x) { return cross(x[0], x[1]); },
      [](const CrossOp& op, Given call) {
        const Value& g = call.gradient();
        return InputGradients{cross(g, call.input(1), op.dim), cross(call.input(0), g, op.dim)};
      }));
  // Sums of products are made of products of matrices.
  all.push_back(rule_mutant<MatmulOp>(
      "einsum: second factor not turned", {{3, 3}, {3, 3}},
      [](const auto& x) {
        return einsum("ij,kj->ik", {x[0], x[1]});
      },
      [](const MatmulOp&, Given call) {
        const Value& g = call.gradient();
        return InputGradients{matmul(g, call.input(1)), matmul(turned(call.input(0)), g)};
      }));
}

void add_equations(std::vector<Mutant>& all) {
  all.push_back(rule_mutant<TraceOp>(
      "trace: to every element", {{3, 3}}, [](const auto& x) { return trace(x[0]); },
      [](const TraceOp&, Given call) {
        return InputGradients{expand(call.gradient(), call.input().shape())};
      }));
  all.push_back(rule_mutant<DiagOp>(
      "diag: the main diagonal", {{3, 3}}, [](const auto& x) { return diag(x[0], 1); },
      [](const DiagOp&, Given call) {
        return InputGradients{pad(diag(call.gradient()), {0, 1, 0, 1})};
      }));
  // Far from singular.
  const auto apart = [](V x) { return add(mul(x, 0.25), mul(eye(x.graph(), 3, 3, x.dtype()), 3)); };
  const Build inverted = [apart](const auto& x) { return inverse(apart(x[0])); };
  const auto of_inverse = [&](std::string edit, auto rule) {
    all.push_back(rule_mutant<InverseOp>(
        std::move(edit), {{3, 3}}, inverted, [rule](const InverseOp&, Given call) {
          return InputGradients{rule(call.gradient(), call.output())};
        }));
  };
  of_inverse("inverse: not turned", [](V g, V y) { return mul(matmul(y, matmul(g, y)), -1); });
  of_inverse("inverse: sign reversed",
             [](V g, V y) { return matmul(turned(y), matmul(g, turned(y))); });
  of_inverse("inverse: element by element", [](V g, V y) { return mul(mul(mul(y, y), g), -1); });
  all.push_back(rule_mutant<SlogdetOp>(
      "slogdet: inverse not turned", {{3, 3}},
      [apart](const auto& x) { return slogdet(apart(x[0])).logabsdet; },
      [](const SlogdetOp&, Given call) {
        return InputGradients{mul(call.gradient(1), inverse(call.input()))};
      }));
  const auto of_solution = [&](std::string edit, bool turns, bool reads_half) {
    all.push_back(rule_mutant<SolveTriangularOp>(
        std::move(edit), {{3, 3}, {3, 2}},
        [apart](const auto& x) { return solve_triangular(apart(x[0]), x[1]); },
        [=](const SolveTriangularOp&, Given call) {
          const Value h = solve_triangular(call.input(1), call.gradient(), {.transpose = turns});
          const Value product = mul(matmul(h, turned(call.output(0))), -1);
          return InputGradients{h, reads_half ? tril(product) : product};
        }));
  };
  of_solution("solve_triangular: not turned", false, true);
  of_solution("solve_triangular: to the whole matrix", true, false);
  all.push_back(rule_mutant<QrOp>(
      "qr: one half of the symmetric part", {{4, 3}},
      [](const auto& x) {
        const auto [q, r] = qr(x[0]);
        return matmul(mul(q, q), r);
      },
      [](const QrOp&, Given call) {
        const Value &q = call.output(0), &r = call.output(1);
        const Value &of_q = call.gradient(0), &of_r = call.gradient(1);
        const Value half = triu(sub(matmul(of_r, turned(r)), matmul(turned(q), of_q)));
        const Value sum = add(matmul(q, half), of_q);
        return InputGradients{turned(solve_triangular(r, turned(sum), {.upper = true}))};
      }));
}

}  // namespace of_algebra
}  // namespace

std::vector<Mutant> algebra_mutants() {
  using namespace of_algebra;
  std::vector<Mutant> all;
  add_reductions(all);
  add_order(all);
  add_products(all);
  add_equations(all);
  return all;
}

}  // namespace aclgrad::mutants
