// SPDX-License-Identifier: Apache-2.0
// Wrong gradient rules of functions, choices, movement, reductions and searches.
#include <cmath>

#include "aclgrad/ops.h"
#include "tests/mutants/rule_mutant.h"

namespace aclgrad::mutants {
namespace {

using gradcheck::Build;
using gradcheck::Dims;

const Dims kMatrix = {2, 3};

// Of a function that is given positive numbers.
template <class OpType>
Mutant positive(std::string edit, Value (*function)(const Value&),
                Value (*gradient)(const Value& g, const Value& x, const Value& y)) {
  return rule_mutant<OpType>(
      std::move(edit), {kMatrix},
      [function](const auto& x) { return function(add(mul(x[0], x[0]), 0.5)); },
      [gradient](const OpType&, const RuleCall& call) {
        return InputGradients{gradient(call.gradient(), call.input(), call.output())};
      });
}

using V = const Value&;

void add_functions(std::vector<Mutant>& all) {
  all.push_back(positive<ExpOp>(
      "exp: the input for the result", [](V x) { return exp(x); },
      [](V g, V x, V) { return mul(g, x); }));
  all.push_back(positive<LogOp>(
      "log: divided by the result", [](V x) { return log(x); },
      [](V g, V, V y) { return div(g, add(y, 3)); }));
  all.push_back(positive<LogOp>(
      "log: base 2", [](V x) { return log(x); },
      [](V g, V x, V) { return mul(div(g, x), 1 / std::log(2.0)); }));
  all.push_back(positive<SqrtOp>(
      "sqrt: half forgotten", [](V x) { return sqrt(x); }, [](V g, V, V y) { return div(g, y); }));
  all.push_back(positive<SqrtOp>(
      "sqrt: of the input", [](V x) { return sqrt(x); },
      [](V g, V x, V) { return mul(div(g, x), 0.5); }));
  all.push_back(positive<RsqrtOp>(
      "rsqrt: square for cube", [](V x) { return rsqrt(x); },
      [](V g, V, V y) { return mul(mul(g, -0.5), mul(y, y)); }));
  all.push_back(positive<ReciprocalOp>(
      "reciprocal: sign reversed", [](V x) { return reciprocal(x); },
      [](V g, V, V y) { return mul(g, mul(y, y)); }));
  all.push_back(positive<SinOp>(
      "sin: of the result", [](V x) { return sin(x); },
      [](V g, V, V y) { return mul(g, cos(y)); }));
  all.push_back(positive<CosOp>(
      "cos: sign reversed", [](V x) { return cos(x); },
      [](V g, V x, V) { return mul(g, sin(x)); }));
  all.push_back(positive<ErfOp>(
      "erf: exponent halved", [](V x) { return erf(x); },
      [](V g, V x, V) {
        return mul(mul(g, exp(mul(mul(x, x), -0.5))), 2 / std::sqrt(std::acos(-1.0)));
      }));
  const Build magnitude = [](const auto& x) { return abs(x[0]); };
  all.push_back(rule_mutant<AbsOp>(
      "abs: 1 for both sides", {kMatrix}, magnitude,
      [](const AbsOp&, const RuleCall& call) { return InputGradients{call.gradient()}; }));
}

void add_choices(std::vector<Mutant>& all) {
  const Build power = [](const auto& x) { return pow(add(mul(x[0], x[0]), 0.5), x[1]); };
  all.push_back(rule_mutant<PowNumberOp>(
      "pow: exponent not lowered", {kMatrix}, [](const auto& x) { return pow(x[0], 3); },
      [](const PowNumberOp& op, const RuleCall& call) {
        return InputGradients{
            mul(mul(call.gradient(), pow(call.input(), op.exponent)), op.exponent)};
      }));
  all.push_back(rule_mutant<PowOp>(
      "pow: logarithm forgotten", {kMatrix, kMatrix}, power,
      [](const PowOp&, const RuleCall& call) {
        const Value& g = call.gradient();
        const Value lower = pow(call.input(0), add(call.input(1), -1));
        return InputGradients{mul(g, mul(call.input(1), lower)), mul(g, call.output())};
      }));
  const Build bounded = [](const auto& x) { return clamp(x[0], {.min = -1, .max = 2}); };
  all.push_back(rule_mutant<ClampOp>("clamp: passes above the bound", {kMatrix}, bounded,
                                     [](const ClampOp& op, const RuleCall& call) {
                                       const Value inside =
                                           cast(ge(call.input(), *op.min), call.gradient().dtype());
                                       return InputGradients{mul(call.gradient(), inside)};
                                     }));
  all.push_back(rule_mutant<ClampOp>("clamp: compares the result strictly", {kMatrix}, bounded,
                                     [](const ClampOp& op, const RuleCall& call) {
                                       const Value above = cast(ge(call.output(), *op.min),
                                                                call.gradient().dtype());
                                       return InputGradients{mul(call.gradient(), above)};
                                     }));
  const Build choice = [](const auto& x) { return where(gt(x[0], 0.5), x[1], x[2]); };
  all.push_back(
      rule_mutant<WhereOp>("where: branches exchanged", {kMatrix, kMatrix, kMatrix}, choice,
                           [](const WhereOp&, const RuleCall& call) {
                             const Value held = cast(call.input(0), call.gradient().dtype());
                             const Value first = mul(call.gradient(), held);
                             return InputGradients{Value(), sub(call.gradient(), first), first};
                           }));
  all.push_back(
      rule_mutant<WhereOp>("where: both branches get it", {kMatrix, kMatrix, kMatrix}, choice,
                           [](const WhereOp&, const RuleCall& call) {
                             return InputGradients{Value(), call.gradient(), call.gradient()};
                           }));
  const Build product = [](const auto& x) { return addcmul(x[0], x[1], x[2], 0.5); };
  all.push_back(rule_mutant<AddcmulOp>(
      "addcmul: factor forgotten", {kMatrix, kMatrix, kMatrix}, product,
      [](const AddcmulOp&, const RuleCall& call) {
        const Value& g = call.gradient();
        return InputGradients{g, mul(g, call.input(2)), mul(g, call.input(1))};
      }));
}

void add_movement(std::vector<Mutant>& all) {
  const auto part = [](const RuleCall& call, std::int64_t dim, std::int64_t from,
                       std::size_t input) {
    return slice(call.gradient(), dim, from, from + call.input(input).shape()[dim]);
  };
  const Build joined = [](const auto& x) { return cat({x[0], x[1]}, 1); };
  all.push_back(rule_mutant<CatOp>(
      "cat: parts exchanged", {kMatrix, kMatrix}, joined,
      [part](const CatOp& op, const RuleCall& call) {
        return InputGradients{part(call, op.dim, 3, 0), part(call, op.dim, 0, 1)};
      }));
  all.push_back(rule_mutant<CatOp>(
      "cat: the second part one too early", {{2, 2}, kMatrix}, joined,
      [part](const CatOp& op, const RuleCall& call) {
        return InputGradients{part(call, op.dim, 0, 0), part(call, op.dim, 1, 1)};
      }));
  const Build cut = [](const auto& x) { return slice(x[0], 1, 1, 3); };
  all.push_back(rule_mutant<SliceOp>("slice: zeros on the other side", {{2, 4}}, cut,
                                     [](const SliceOp&, const RuleCall& call) {
                                       return InputGradients{pad(call.gradient(), {2, 0})};
                                     }));
  all.push_back(rule_mutant<SliceOp>(
      "slice: step forgotten", {{2, 5}}, [](const auto& x) { return slice(x[0], 1, 0, 5, 2); },
      [](const SliceOp&, const RuleCall& call) {
        return InputGradients{pad(call.gradient(), {0, 2})};
      }));
  const Build padded = [](const auto& x) { return pad(x[0], {1, 2, 0, 1}); };
  all.push_back(rule_mutant<PadOp>("pad: begin and end exchanged", {kMatrix}, padded,
                                   [](const PadOp&, const RuleCall& call) {
                                     return InputGradients{pad(call.gradient(), {-2, -1, 0, -1})};
                                   }));
  all.push_back(rule_mutant<RepeatOp>(
      "repeat: the first copy only", {kMatrix},
      [](const auto& x) {
        return repeat(x[0], {2, 1});
      },
      [](const RepeatOp&, const RuleCall& call) {
        return InputGradients{slice(call.gradient(), 0, 0, 2)};
      }));
  all.push_back(rule_mutant<RepeatOp>(
      "repeat: copies taken for neighbours", {kMatrix},
      [](const auto& x) {
        return repeat(x[0], {2, 1});
      },
      [](const RepeatOp&, const RuleCall& call) {
        return InputGradients{reduce_sum(reshape(call.gradient(), {2, 2, 3}), {1})};
      }));
  all.push_back(rule_mutant<FlipOp>(
      "flip: not flipped back", {kMatrix}, [](const auto& x) { return flip(x[0], {1}); },
      [](const FlipOp&, const RuleCall& call) { return InputGradients{call.gradient()}; }));
  all.push_back(rule_mutant<RollOp>(
      "roll: on in the same direction", {kMatrix},
      [](const auto& x) { return roll(x[0], {1}, {1}); },
      [](const RollOp& op, const RuleCall& call) {
        return InputGradients{roll(call.gradient(), op.shifts, op.dims)};
      }));
  all.push_back(rule_mutant<TrilOp>(
      "tril: the other triangle", {{3, 3}}, [](const auto& x) { return tril(x[0]); },
      [](const TrilOp& op, const RuleCall& call) {
        return InputGradients{triu(call.gradient(), op.diagonal)};
      }));
  all.push_back(rule_mutant<TrilOp>(
      "tril: diagonal left out", {{3, 3}}, [](const auto& x) { return tril(x[0]); },
      [](const TrilOp& op, const RuleCall& call) {
        return InputGradients{tril(call.gradient(), op.diagonal - 1)};
      }));
}

// To select by: whole numbers below an extent.
contract::Parameter numbers(Dims shape, std::int64_t extent) {
  return gradcheck::input("numbers", std::move(shape), 0,
                          static_cast<gradcheck::Number>(extent - 1), DType::int64);
}

void add_reductions(std::vector<Mutant>& all) {
  const auto spread = [](const Value& g, const Value& x) {
    return expand(reshape(g, {x.shape()[0], 1}), x.shape());
  };
  const Build largest = [](const auto& x) { return amax(x[0], {1}); };
  all.push_back(rule_mutant<AmaxOp>("amax: to every element", {kMatrix}, largest,
                                    [spread](const AmaxOp&, const RuleCall& call) {
                                      return InputGradients{spread(call.gradient(), call.input())};
                                    }));
  all.push_back(rule_mutant<AmaxOp>("amax: to all equal elements in full", {{2, 5}}, largest,
                                    [spread](const AmaxOp&, const RuleCall& call) {
                                      const Value y = spread(call.output(), call.input());
                                      const Value equal = cast(ge(call.input(), y), y.dtype());
                                      return InputGradients{
                                          mul(spread(call.gradient(), call.input()), equal)};
                                    }));
  all.push_back(rule_mutant<AmaxOp>(
      "amax: divided by the extent", {kMatrix}, largest,
      [spread](const AmaxOp&, const RuleCall& call) {
        const Value y = spread(call.output(), call.input());
        const Value share = mul(cast(ge(call.input(), y), y.dtype()), 1.0 / 3);
        return InputGradients{mul(spread(call.gradient(), call.input()), share)};
      }));
  const Build variance = [](const auto& x) { return var(x[0], {1}); };
  const auto deviation = [spread](const RuleCall& call, double divisor, bool centred) {
    const Value& x = call.input();
    const Value away = centred ? sub(x, mean(x, {1}, true)) : x;
    return InputGradients{mul(away, mul(spread(call.gradient(), x), 2 / divisor))};
  };
  all.push_back(rule_mutant<VarOp>(
      "var: divided by the count", {kMatrix}, variance,
      [deviation](const VarOp&, const RuleCall& call) { return deviation(call, 3, true); }));
  all.push_back(rule_mutant<VarOp>(
      "var: mean not subtracted", {kMatrix}, variance,
      [deviation](const VarOp&, const RuleCall& call) { return deviation(call, 2, false); }));
  all.push_back(rule_mutant<VarOp>(
      "var: factor 2 missing", {kMatrix}, variance,
      [deviation](const VarOp&, const RuleCall& call) { return deviation(call, 4, true); }));
  const Build length = [](const auto& x) { return norm(x[0], {1}); };
  all.push_back(rule_mutant<NormOp>("norm: divided by its square", {kMatrix}, length,
                                    [spread](const NormOp&, const RuleCall& call) {
                                      const Value y = spread(call.output(), call.input());
                                      const Value unit = div(call.input(), mul(y, y));
                                      return InputGradients{
                                          mul(unit, spread(call.gradient(), call.input()))};
                                    }));
  all.push_back(rule_mutant<NormOp>(
      "norm: sign lost", {kMatrix}, [](const auto& x) { return norm(x[0], {1}, {.p = 3}); },
      [spread](const NormOp&, const RuleCall& call) {
        const Value& x = call.input();
        const Value share = div(abs(x), spread(call.output(), x));
        return InputGradients{mul(mul(share, share), spread(call.gradient(), x))};
      }));
  all.push_back(rule_mutant<StddevOp>(
      "stddev: not divided by itself", {kMatrix}, [](const auto& x) { return stddev(x[0], {1}); },
      [deviation](const StddevOp&, const RuleCall& call) { return deviation(call, 4, true); }));
  all.push_back(rule_mutant<LogsumexpOp>(
      "logsumexp: not normalized", {kMatrix}, [](const auto& x) { return logsumexp(x[0], {1}); },
      [spread](const LogsumexpOp&, const RuleCall& call) {
        return InputGradients{mul(exp(call.input()), spread(call.gradient(), call.input()))};
      }));
  all.push_back(rule_mutant<CumprodOp>(
      "cumprod: not divided", {kMatrix}, [](const auto& x) { return cumprod(x[0], 1); },
      [](const CumprodOp& op, const RuleCall& call) {
        return InputGradients{
            cumsum(mul(call.gradient(), call.output()), op.dim, {.reverse = true})};
      }));
  const Build running = [](const auto& x) { return cumsum(x[0], 1); };
  all.push_back(rule_mutant<CumsumOp>("cumsum: not reversed", {kMatrix}, running,
                                      [](const CumsumOp& op, const RuleCall& call) {
                                        return InputGradients{cumsum(call.gradient(), op.dim)};
                                      }));
  all.push_back(rule_mutant<CumsumOp>("cumsum: the element itself left out", {kMatrix}, running,
                                      [](const CumsumOp& op, const RuleCall& call) {
                                        return InputGradients{
                                            cumsum(call.gradient(), op.dim,
                                                   {.exclusive = true, .reverse = true})};
                                      }));
}

void add_selections(std::vector<Mutant>& all) {
  const Build rows = [](const auto& x) { return index_select(x[0], 0, x[1]); };
  const Build single = [](const auto& x) { return gather(x[0], 1, x[1]); };
  const Build table = [](const auto& x) { return embedding(x[0], x[1]); };
  all.push_back(rule_mutant<IndexSelectOp>(
      "index_select: numbers ignored", {{3, 2}}, rows,
      [](const IndexSelectOp&, const RuleCall& call) {
        return InputGradients{call.gradient(), Value()};
      },
      numbers({3}, 3)));
  all.push_back(rule_mutant<GatherOp>(
      "gather: numbers ignored", {{2, 3}}, single,
      [](const GatherOp&, const RuleCall& call) {
        return InputGradients{call.gradient(), Value()};
      },
      numbers({2, 3}, 3)));
  all.push_back(rule_mutant<GatherOp>(
      "gather: along the other dimension", {{3, 3}}, single,
      [](const GatherOp&, const RuleCall& call) {
        Graph graph = call.input().graph();
        const Value one = arange(graph, 0, 3, 1, DType::int64);
        const Value places = add(mul(call.input(1), 3.0), reshape(one, {1, 3}));
        const Value sums =
            embedding_dense_backward(reshape(call.gradient(), {9, 1}), reshape(places, {9}), 9);
        return InputGradients{reshape(sums, {3, 3}), Value()};
      },
      numbers({3, 3}, 3)));
  all.push_back(rule_mutant<EmbeddingOp>(
      "embedding: divided by the frequency", {{3, 2}}, table,
      [](const EmbeddingOp&, const RuleCall& call) {
        const Value sums = embedding_dense_backward(call.gradient(), call.input(1), 3);
        const Value ones = add(mul(call.gradient(), 0), 1);
        const Value times = embedding_dense_backward(ones, call.input(1), 3);
        return InputGradients{div(sums, maximum(times, add(mul(times, 0), 1))), Value()};
      },
      numbers({6}, 3)));
  const Build added = [](const auto& x) { return index_add(x[0], 0, x[2], x[1], 0.5); };
  all.push_back(rule_mutant<IndexAddOp>(
      "index_add: alpha left out", {{3, 2}, {4, 2}}, added,
      [](const IndexAddOp& op, const RuleCall& call) {
        return InputGradients{call.gradient(), Value(),
                              index_select(call.gradient(), op.dim, call.input(1))};
      },
      numbers({4}, 3)));
  all.push_back(rule_mutant<IndexAddOp>(
      "index_add: as if it were put", {{3, 2}, {4, 2}}, added,
      [](const IndexAddOp& op, const RuleCall& call) {
        const Value& g = call.gradient();
        const Value taken = index_select(g, op.dim, call.input(1));
        return InputGradients{index_add(g, op.dim, call.input(1), taken, -1), Value(),
                              mul(taken, op.alpha)};
      },
      numbers({4}, 3)));
  all.push_back(rule_mutant<ScatterAddOp>(
      "scatter_add: numbers ignored", {{3, 2}, {3, 2}},
      [](const auto& x) { return scatter_add(x[0], 0, x[2], x[1]); },
      [](const ScatterAddOp&, const RuleCall& call) {
        return InputGradients{call.gradient(), Value(), call.gradient()};
      },
      numbers({3, 2}, 3)));
  all.push_back(rule_mutant<IndexOp>(
      "index: only the last of equal places", {{2, 2}},
      [](const auto& x) { return index(x[0], {x[1]}); },
      [](const IndexOp&, const RuleCall& call) {
        const Value sums = index_put(mul(call.input(), 0), {call.input(1)}, call.gradient(), true);
        const Value ones = add(mul(call.gradient(), 0), 1);
        const Value times = index_put(mul(call.input(), 0), {call.input(1)}, ones, true);
        return InputGradients{div(sums, clamp(times, {.min = 1})), Value()};
      },
      numbers({5}, 2)));
  all.push_back(rule_mutant<RepeatInterleaveIntOp>(
      "repeat_interleave: as if repeated as a whole", {{3, 2}},
      [](const auto& x) { return repeat_interleave(x[0], 2, 0); },
      [](const RepeatInterleaveIntOp&, const RuleCall& call) {
        return InputGradients{reduce_sum(reshape(call.gradient(), {2, 3, 2}), {0})};
      }));
  const Build far = [](const auto& x) { return cdist(x[0], x[1], 3); };
  all.push_back(rule_mutant<CdistOp>(
      "cdist: as of p = 2", {{2, 3}, {2, 3}}, far, [](const CdistOp&, const RuleCall& call) {
        const Value& g = call.gradient();
        return InputGradients{cdist_backward(g, call.input(0), call.input(1), call.output(), 2),
                              Value()};
      }));
  all.push_back(rule_mutant<CdistOp>("cdist: not transposed for the second", {{2, 3}, {2, 3}}, far,
                                     [](const CdistOp& op, const RuleCall& call) {
                                       const Value& g = call.gradient();
                                       const Value &a = call.input(0), &b = call.input(1);
                                       return InputGradients{
                                           cdist_backward(g, a, b, call.output(), op.p),
                                           cdist_backward(g, b, a, call.output(), op.p)};
                                     }));
  const Build sequence = [](const auto& x) {
    return ctc_loss(log_softmax(x[0], -1), x[1], {4, 3}, {2, 1}, {.blank = 2});
  };
  const auto aligned = [&](std::string edit, auto edited) {
    all.push_back(rule_mutant<CtcLossOp>(
        std::move(edit), {{4, 2, 4}}, sequence,
        [edited](const CtcLossOp& op, const RuleCall& call) {
          CtcLossAttributes attributes = op;
          Value g = call.gradient(), targets = call.input(1);
          edited(attributes, g, targets);
          return InputGradients{ctc_loss_backward(g, call.input(0), targets, call.output(0),
                                                  call.output(1), attributes),
                                Value()};
        },
        numbers({2, 2}, 2)));
  };
  aligned("ctc_loss: of all steps", [](auto& a, auto&, auto&) { a.input_lengths = {4, 4}; });
  aligned("ctc_loss: the last class for the blank", [](auto& a, auto&, auto&) { a.blank = 3; });
  aligned("ctc_loss: labels in reverse", [](auto&, auto&, auto& t) { t = flip(t, {1}); });
  aligned("ctc_loss: of the sum for the mean", [](auto&, Value& g, auto&) { g = mul(g, 4); });
  // Bags of 2, 0 and 3 rows.
  const auto bag = [&](std::string edit, BagMode mode, auto shares) {
    const auto offsets = [](const Value& beside) {
      return beside.graph().constant(Tensor::from({3}, {0, 2, 2}, DType::int64));
    };
    all.push_back(rule_mutant<EmbeddingBagOp>(
        std::move(edit), {{3, 2}},
        [=](const auto& x) { return embedding_bag(x[0], x[1], offsets(x[0]), {.mode = mode}); },
        [shares](const EmbeddingBagOp&, const RuleCall& call) {
          InputGradients gradients(3);
          gradients[0] = index_add(mul(call.input(0), 0), 0, call.input(1), shares(call));
          return gradients;
        },
        numbers({5}, 3)));
  };
  const auto of_bags = [](const RuleCall& call, const Value& g) {
    return index_select(g, 0, call.output(1));
  };
  bag("embedding_bag: a mean as a sum", BagMode::mean,
      [=](const RuleCall& call) { return of_bags(call, call.gradient()); });
  bag("embedding_bag: a mean of all indices", BagMode::mean,
      [=](const RuleCall& call) { return of_bags(call, call.gradient() / 5); });
  bag("embedding_bag: the largest to every row", BagMode::max,
      [=](const RuleCall& call) { return of_bags(call, call.gradient()); });
  // Of classes 0 and 1 in all orders: never ended.
  const auto margin = [&](std::string edit, auto slopes) {
    all.push_back(rule_mutant<MultilabelMarginLossOp>(
        std::move(edit), {{3, 3}},
        [](const auto& x) { return multilabel_margin_loss(x[0], x[1], Reduction::sum); },
        [slopes](const MultilabelMarginLossOp&, const RuleCall& call) {
          const Value others = 1 - call.output(1);
          const Value at = call.input(1);
          const Value chosen = gather(call.input(0), 1, at);
          const Value margins =
              sub(reshape(call.input(0), {3, 1, 3}), reshape(chosen, {3, 3, 1})) + 1;
          const Value counts = mul(slopes(margins), reshape(others, {3, 1, 3}));
          const Value own = neg(reduce_sum(counts, {2}));
          const Value g = reshape(call.gradient() / 3, {3, 1});
          return InputGradients{mul(scatter_add(reduce_sum(counts, {1}), 1, at, own), g), Value()};
        },
        numbers({3, 3}, 2)));
  };
  margin("multilabel_margin_loss: squares", [](const Value& z) { return relu(z) * 2; });
  margin("multilabel_margin_loss: every margin", [](const Value& z) { return add(mul(z, 0), 1); });
  const Build best = [](const auto& x) { return topk(x[0], 2, 1).values; };
  all.push_back(rule_mutant<TopkOp>("topk: to the first elements", {{2, 4}}, best,
                                    [](const TopkOp&, const RuleCall& call) {
                                      return InputGradients{pad(call.gradient(), {0, 2})};
                                    }));
  all.push_back(rule_mutant<TopkOp>(
      "topk: order lost", {{2, 4}}, best, [](const TopkOp&, const RuleCall& call) {
        // Each of the elements at least as large as the smallest of the result gets the first's.
        const Value least = slice(call.output(), 1, 1, 2);
        const Value taken = cast(ge(call.input(), expand(least, {2, 4})), least.dtype());
        return InputGradients{mul(taken, expand(slice(call.gradient(), 1, 0, 1), {2, 4}))};
      }));
  all.push_back(rule_mutant<MaxOp>(
      "max: to every element", {kMatrix}, [](const auto& x) { return max(x[0], 1).values; },
      [](const MaxOp&, const RuleCall& call) {
        return InputGradients{expand(reshape(call.gradient(), {2, 1}), {2, 3})};
      }));
}

}  // namespace

std::vector<Mutant> network_rule_mutants() {
  std::vector<Mutant> all;
  add_functions(all);
  add_choices(all);
  add_movement(all);
  add_reductions(all);
  add_selections(all);
  return all;
}

}  // namespace aclgrad::mutants
