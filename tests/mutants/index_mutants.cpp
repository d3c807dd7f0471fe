// SPDX-License-Identifier: Apache-2.0
// Wrong rules of what takes, adds, puts, repeats and moves elements by their numbers.
#include "aclgrad/ops.h"
#include "tests/mutants/rule_mutant.h"

namespace aclgrad::mutants {
namespace {

// Files are compiled together.
namespace of_numbers {

using gradcheck::Build;
using gradcheck::Dims;
using Given = const RuleCall&;

// Numbers of elements below an extent; more of them than it has some that are equal.
contract::Parameter below(std::int64_t extent, Dims shape) {
  return gradcheck::input("numbers", std::move(shape), 0,
                          static_cast<gradcheck::Number>(extent - 1), DType::int64);
}

Value nothing_of(const Value& x) { return mul(x, 0); }

// The gradients of x, index and source.
InputGradients of_three(const Value& x, const Value& source) { return {x, Value(), source}; }

// ---- Slices -------------------------------------------------------------------------------------

void add_slices(std::vector<Mutant>& all) {
  const auto copied = [&](std::string edit, auto rule) {
    all.push_back(rule_mutant<IndexCopyOp>(
        std::move(edit), {{3, 2}, {4, 2}},
        [](const auto& x) { return index_copy(x[0], 0, x[2], x[1]); },
        [rule](const IndexCopyOp&, Given call) { return rule(call.gradient(), call.input(1)); },
        below(3, {4})));
  };
  // Of 4 slices those that are kept: the last, or the first, of each number.
  const auto kept = [](const Value& index, bool last) {
    const Value order = arange(index.graph(), 0, 4, 1, DType::int64);
    const auto turned = [last](const Value& v) { return last ? v : flip(v, {0}); };
    const Value owners = index_copy(mul(slice(order, 0, 0, 3), 0), 0, turned(index), turned(order));
    return reshape(eq(index_select(owners, 0, index), order), {4, 1});
  };
  const auto only = [](const Value& g, const Value& mask) { return mul(g, cast(mask, g.dtype())); };
  copied("index_copy: the overwritten keep theirs", [=](const Value& g, const Value& index) {
    return of_three(g, only(index_select(g, 0, index), kept(index, true)));
  });
  copied("index_copy: every one of equal numbers", [](const Value& g, const Value& index) {
    return of_three(index_fill(g, 0, index, 0), index_select(g, 0, index));
  });
  copied("index_copy: the first of equal numbers", [=](const Value& g, const Value& index) {
    return of_three(index_fill(g, 0, index, 0),
                    only(index_select(g, 0, index), kept(index, false)));
  });
  all.push_back(rule_mutant<IndexCopyOp>(
      "index_put: what is overwritten is added to", {{3, 3}, {4}},
      [](const auto& x) {
        const auto row = [&](std::int64_t k) { return reshape(slice(x[2], 0, k, k + 1), {4}); };
        return index_put(x[0], {row(0), row(1)}, x[1]);
      },
      [](const IndexCopyOp&, Given call) {
        const Value& g = call.gradient();
        return of_three(g, index_select(g, 0, call.input(1)));
      },
      below(3, {2, 4})));
  all.push_back(rule_mutant<IndexAddOp>(
      "index_put: values in reverse", {{3, 3}, {4}},
      [](const auto& x) {
        const auto row = [&](std::int64_t k) { return reshape(slice(x[2], 0, k, k + 1), {4}); };
        return index_put(x[0], {row(0), row(1)}, x[1], true);
      },
      [](const IndexAddOp&, Given call) {
        const Value& g = call.gradient();
        return of_three(g, index_select(g, 0, flip(call.input(1), {0})));
      },
      below(3, {2, 4})));
  all.push_back(rule_mutant<IndexAddOp>(
      "index_add: only the last of equal numbers", {{3, 2}, {4, 2}},
      [](const auto& x) { return index_add(x[0], 0, x[2], x[1]); },
      [=](const IndexAddOp&, Given call) {
        const Value &g = call.gradient(), &index = call.input(1);
        return of_three(g, only(index_select(g, 0, index), kept(index, true)));
      },
      below(3, {4})));
  all.push_back(rule_mutant<IndexSelectOp>(
      "index_select: only the last of equal numbers", {{3, 2}},
      [](const auto& x) { return index_select(x[0], 0, x[1]); },
      [](const IndexSelectOp&, Given call) {
        return InputGradients{
            index_copy(nothing_of(call.input()), 0, call.input(1), call.gradient()), Value()};
      },
      below(3, {4})));
}

// ---- Elements -----------------------------------------------------------------------------------

void add_elements(std::vector<Mutant>& all) {
  const auto scattered = [&](std::string edit, auto rule) {
    all.push_back(rule_mutant<ScatterOp>(
        std::move(edit), {{3, 3}, {3, 3}},
        [](const auto& x) { return scatter(x[0], 0, slice(x[2], 1, 0, 2), x[1]); },
        [rule](const ScatterOp&, Given call) { return rule(call.gradient(), call.input(1)); },
        below(2, {3, 3})));
  };
  const auto widened = [](const Value& taken) { return pad(taken, {0, 1}); };
  scattered("scatter: the overwritten keep theirs", [=](const Value& g, const Value& index) {
    return of_three(g, widened(gather(g, 0, index)));
  });
  scattered("scatter: every one of equal places", [=](const Value& g, const Value& index) {
    return of_three(scatter(g, 0, index, 0.0), widened(gather(g, 0, index)));
  });
  scattered("scatter: along the other dimension", [=](const Value& g, const Value& index) {
    return of_three(scatter(g, 1, index, 0.0), widened(gather(g, 1, index)));
  });
  scattered("scatter: nothing for what stays", [=](const Value& g, const Value& index) {
    return of_three(nothing_of(g), widened(gather(g, 0, index)));
  });
  const auto added = [&](std::string edit, auto rule) {
    all.push_back(rule_mutant<ScatterAddOp>(
        std::move(edit), {{3, 3}, {3, 3}},
        [](const auto& x) { return scatter_add(x[0], 0, x[2], x[1]); },
        [rule](const ScatterAddOp&, Given call) { return rule(call.gradient(), call.input(1)); },
        below(2, {3, 3})));
  };
  added("scatter_add: as if it were put", [](const Value& g, const Value& index) {
    return of_three(scatter(g, 0, index, 0.0), gather(g, 0, index));
  });
  added("scatter_add: along the other dimension",
        [](const Value& g, const Value& index) { return of_three(g, gather(g, 1, index)); });
  all.push_back(rule_mutant<GatherOp>(
      "gather: only the last of equal places", {{3, 3}},
      [](const auto& x) { return gather(x[0], 0, x[1]); },
      [](const GatherOp&, Given call) {
        return InputGradients{scatter(nothing_of(call.input()), 0, call.input(1), call.gradient()),
                              Value()};
      },
      below(2, {3, 3})));
  all.push_back(rule_mutant<IndexOp>(
      "index: rows for columns", {{3, 3}},
      [](const auto& x) {
        const auto row = [&](std::int64_t k) { return reshape(slice(x[1], 0, k, k + 1), {4}); };
        return index(x[0], {row(0), row(1)});
      },
      [](const IndexOp&, Given call) {
        InputGradients gradients(3);
        gradients[0] = index_put(nothing_of(call.input()), {call.input(2), call.input(1)},
                                 call.gradient(), true);
        return gradients;
      },
      below(3, {2, 4})));
}

// ---- Masks --------------------------------------------------------------------------------------

void add_masks(std::vector<Mutant>& all) {
  const Build put = [](const auto& x) { return masked_scatter(x[0], ne(x[2], 0.0), x[1]); };
  all.push_back(rule_mutant<WhereOp>(
      "masked_scatter: the overwritten keep theirs", {{2, 3}, {6}}, put,
      [](const WhereOp&, Given call) {
        const Value& g = call.gradient();
        return InputGradients{Value(), g, g};
      },
      below(2, {2, 3})));
  all.push_back(rule_mutant<IndexSelectOp>(
      "masked_scatter: one element too far", {{2, 3}, {6}}, put,
      [](const IndexSelectOp&, Given call) {
        const Value before = clamp(add(call.input(1), -1.0), {.min = 0});
        return InputGradients{index_add(nothing_of(call.input()), 0, before, call.gradient()),
                              Value()};
      },
      below(2, {2, 3})));
  all.push_back(rule_mutant<IndexSelectOp>(
      "masked_select: put back one after the other", {{2, 3}},
      [](const auto& x) {
        return masked_select(x[0], Tensor::from({2, 3}, {0, 1, 0, 1, 1, 0}));
      },
      [](const IndexSelectOp&, Given call) {
        return InputGradients{pad(call.gradient(), {0, 3}), Value()};
      }));
}

// ---- Repeats, movement --------------------------------------------------------------------------

void add_movement(std::vector<Mutant>& all) {
  const auto repeats = [](const Value& x, const std::vector<double>& times) {
    return x.graph().constant(Tensor::from({2}, times, DType::int64));
  };
  all.push_back(rule_mutant<RepeatInterleaveOp>(
      "repeat_interleave: numbers in reverse", {{2, 3}},
      [repeats](const auto& x) {
        return repeat_interleave(x[0], repeats(x[0], {3, 1}), 4, 0);
      },
      [repeats](const RepeatInterleaveOp&, Given call) {
        const Value& g = call.gradient();
        return InputGradients{repeat_interleave_grad(g, repeats(g, {1, 3}), 2, 0), Value()};
      }));
  all.push_back(rule_mutant<RepeatInterleaveIntOp>(
      "repeat_interleave: averaged", {{3, 2}},
      [](const auto& x) { return repeat_interleave(x[0], 2, 0); },
      [](const RepeatInterleaveIntOp&, Given call) {
        return InputGradients{mean(reshape(call.gradient(), {3, 2, 2}), {1})};
      }));
  const Build products = [](const auto& x) { return cumprod(x[0], 1); };
  all.push_back(rule_mutant<CumprodOp>(
      "cumprod: of what comes before", {{2, 3}}, products, [](const CumprodOp& op, Given call) {
        const Value each = mul(call.gradient(), call.output());
        return InputGradients{div(cumsum(each, op.dim), call.input())};
      }));
  all.push_back(rule_mutant<CumprodOp>(
      "cumprod: its own product left out", {{2, 3}}, products, [](const CumprodOp& op, Given call) {
        const Value each = mul(call.gradient(), call.output());
        const Value later = cumsum(each, op.dim, {.exclusive = true, .reverse = true});
        return InputGradients{div(later, call.input())};
      }));
  all.push_back(rule_mutant<CdistOp>(
      "cdist: the second as the negative of the first", {{2, 3}, {2, 3}},
      [](const auto& x) { return cdist(x[0], x[1]); },
      [](const CdistOp& op, Given call) {
        const Value first =
            cdist_backward(call.gradient(), call.input(0), call.input(1), call.output(), op.p);
        return InputGradients{first, neg(first)};
      }));
  all.push_back(rule_mutant<CdistOp>(
      "cdist: not divided by the distance", {{2, 3}, {2, 3}},
      [](const auto& x) { return cdist(x[0], x[1]); },
      [](const CdistOp& op, Given call) {
        const auto turned = [](const Value& v) { return transpose(v, -2, -1); };
        const Value &a = call.input(0), &b = call.input(1), &away = call.output();
        const Value g = mul(call.gradient(), away);
        return InputGradients{cdist_backward(g, a, b, away, op.p),
                              cdist_backward(turned(g), b, a, turned(away), op.p)};
      }));
  all.push_back(rule_mutant<FlipOp>(
      "flip: the last dimension left as it is", {{2, 3}},
      [](const auto& x) {
        return flip(x[0], {0, 1});
      },
      [](const FlipOp&, Given call) { return InputGradients{flip(call.gradient(), {0})}; }));
  all.push_back(rule_mutant<RollOp>(
      "roll: shifts exchanged", {{4, 4}},
      [](const auto& x) {
        return roll(x[0], {1, 2}, {0, 1});
      },
      [](const RollOp&, Given call) {
        return InputGradients{roll(call.gradient(), {-2, -1}, {0, 1})};
      }));
}

}  // namespace of_numbers
}  // namespace

std::vector<Mutant> index_mutants() {
  using namespace of_numbers;
  std::vector<Mutant> all;
  add_slices(all);
  add_elements(all);
  add_masks(all);
  add_movement(all);
  return all;
}

}  // namespace aclgrad::mutants
