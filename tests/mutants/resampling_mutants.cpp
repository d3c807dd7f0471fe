// SPDX-License-Identifier: Apache-2.0
// Wrong rules of paddings by elements and of resizing.
#include "aclgrad/ops.h"
#include "tests/mutants/rule_mutant.h"

namespace aclgrad::mutants {
namespace {

using gradcheck::Build;

const gradcheck::Dims kPicture = {1, 2, 3, 4};

void add_paddings(std::vector<Mutant>& all) {
  const auto add = [&](std::string edit, PadMode mode, auto change) {
    all.push_back(rule_mutant<PadModeOp>(
        std::move(edit), {kPicture},
        [mode](const auto& x) {
          return pad(x[0], {2, 1, 1, 0}, mode);
        },
        [change](const PadModeOp& op, const RuleCall& call) {
          return InputGradients{change(op, call.gradient(), call.input())};
        }));
  };
  using Rule = const PadModeOp&;
  using Of = const Value&;
  add("reflect: rims forgotten", PadMode::reflect, [](Rule, Of g, Of) {
    return pad(g, {-2, -1, -1, 0});
  });
  add("replicate: rims forgotten", PadMode::replicate, [](Rule, Of g, Of) {
    return pad(g, {-2, -1, -1, 0});
  });
  add("reflect: as if replicated", PadMode::reflect, [](Rule op, Of g, Of x) {
    return pad_backward(g, x, PadModeAttributes{PadMode::replicate, op.pads});
  });
  add("replicate: as if reflected", PadMode::replicate, [](Rule op, Of g, Of x) {
    return pad_backward(g, x, PadModeAttributes{PadMode::reflect, op.pads});
  });
  add("reflect: begin and end exchanged", PadMode::reflect, [](Rule op, Of g, Of x) {
    return pad_backward(g, x, PadModeAttributes{op.mode, {1, 2, 0, 1}});
  });
  add("replicate: begin and end exchanged", PadMode::replicate, [](Rule op, Of g, Of x) {
    return pad_backward(g, x, PadModeAttributes{op.mode, {1, 2, 0, 1}});
  });
  add("reflect: along rows alone", PadMode::reflect, [](Rule op, Of g, Of x) {
    return pad_backward(pad(g, {0, 0, -1, 0}), x, PadModeAttributes{op.mode, {2, 1}});
  });
}

void add_resizing(std::vector<Mutant>& all) {
  const auto add = [&](std::string edit, InterpolateOptions options, auto change) {
    all.push_back(rule_mutant<InterpolateOp>(
        std::move(edit), {kPicture},
        [options](const auto& x) { return interpolate(x[0], options); },
        [change](const InterpolateOp& op, const RuleCall& call) {
          InterpolateAttributes attributes = op;
          change(attributes);
          return InputGradients{
              interpolate_backward(call.gradient(), call.input().shape(), attributes)};
        }));
  };
  using A = InterpolateAttributes&;
  const InterpolateOptions nearest{.size = {4, 7}},
      linear{.size = {5, 6}, .mode = Interpolation::linear},
      cubic{.size = {5, 6}, .mode = Interpolation::cubic},
      aligned{.size = {5, 6}, .mode = Interpolation::linear, .align_corners = true},
      scaled{.scale_factor = {1.7}, .mode = Interpolation::linear};
  add("nearest: by the middle", nearest, [](A a) { a.mode = Interpolation::nearest_exact; });
  add("nearest: interpolated", nearest, [](A a) { a.mode = Interpolation::linear; });
  add("nearest_exact: by the beginning", {.size = {4, 7}, .mode = Interpolation::nearest_exact},
      [](A a) { a.mode = Interpolation::nearest; });
  add("linear: the nearest element alone", linear, [](A a) { a.mode = Interpolation::nearest; });
  add("linear: corners aligned", linear, [](A a) { a.align_corners = true; });
  add("linear: corners not aligned", aligned, [](A a) { a.align_corners = false; });
  add("linear: scale ignored", scaled, [](A a) { a.scales = {0, 0}; });
  add("cubic: two elements for four", cubic, [](A a) { a.mode = Interpolation::linear; });
  add("cubic: corners aligned", cubic, [](A a) { a.align_corners = true; });
  // Averages of what an element was made into are no sums.
  const auto averaged = [&](std::string edit, InterpolateOptions options) {
    all.push_back(rule_mutant<InterpolateOp>(
        std::move(edit), {kPicture},
        [options](const auto& x) { return interpolate(x[0], options); },
        [](const InterpolateOp& op, const RuleCall& call) {
          const auto& dims = call.input().shape().dims();
          return InputGradients{
              interpolate(call.gradient(), {.size = {dims[2], dims[3]}, .mode = op.mode})};
        }));
  };
  averaged("nearest: resized back", nearest);
  averaged("linear: resized back", linear);
  averaged("cubic: resized back", cubic);
}

void add_columns(std::vector<Mutant>& all) {
  const UnfoldOptions strided{.dilation = {1, 2}, .padding = 1, .stride = {1, 2}};
  const auto add = [&](std::string edit, auto change) {
    all.push_back(rule_mutant<UnfoldOp>(
        std::move(edit), {kPicture}, [strided](const auto& x) { return unfold(x[0], 2, strided); },
        [change](const UnfoldOp& op, const RuleCall& call) {
          return InputGradients{change(call.gradient(), op)};
        }));
  };
  using Of = const Value&;
  add("unfold: averaged", [](Of g, const UnfoldAttributes& op) {
    return mul(fold(g, {{3, 4}, op}), 0.25);
  });
  add("unfold: elements of the windows exchanged", [](Of g, const UnfoldAttributes& op) {
    return fold(reshape(flip(reshape(g, {1, 2, 4, -1}), {2}), g.shape().dims()), {{3, 4}, op});
  });
  add("unfold: channels exchanged", [](Of g, const UnfoldAttributes& op) {
    return flip(fold(g, {{3, 4}, op}), {1});
  });
  add("unfold: the last window skipped", [](Of g, const UnfoldAttributes& op) {
    const std::int64_t last = g.shape().dims().back() - 1;
    return fold(pad(slice(g, 2, 0, last), {0, 1}), {{3, 4}, op});
  });
  all.push_back(rule_mutant<FoldOp>(
      "fold: divided by how many were added", {{1, 4, 4}},
      [](const auto& x) { return fold(x[0], 3, 2); },
      [](const FoldOp& op, const RuleCall& call) {
        const Value ones = aclgrad::add(mul(call.gradient(), 0), 1);
        const Value times = fold(unfold(ones, op.windows), op);
        return InputGradients{unfold(div(call.gradient(), times), op.windows)};
      }));
}

void add_sampling(std::vector<Mutant>& all) {
  const auto add = [&](std::string edit, GridSampleOptions options, auto change) {
    all.push_back(rule_mutant<GridSampleOp>(
        std::move(edit), {kPicture, {1, 2, 2, 2}},
        [options](const auto& x) { return grid_sample(x[0], x[1], options); },
        [change](const GridSampleOp& op, const RuleCall& call) {
          GridSampleAttributes attributes = op;
          change(attributes);
          const auto both =
              grid_sample_backward(call.gradient(), call.input(0), call.input(1), attributes);
          return InputGradients{both[0], both[1]};
        }));
  };
  using A = GridSampleAttributes&;
  add("grid_sample: padding forgotten", {.padding = GridPadding::border},
      [](A a) { a.padding = 0; });
  add("grid_sample: as if reflected", {.padding = GridPadding::border}, [](A a) { a.padding = 2; });
  add("grid_sample: as if at the border", {.padding = GridPadding::reflection},
      [](A a) { a.padding = 1; });
  add("grid_sample: corners aligned", {}, [](A a) { a.align_corners = true; });
  add("grid_sample: corners not aligned", {.align_corners = true},
      [](A a) { a.align_corners = false; });
  add("grid_sample: the nearest element alone", {}, [](A a) { a.mode = 1; });
  add("grid_sample: two elements for four", {.mode = Interpolation::cubic},
      [](A a) { a.mode = 0; });
  const auto of_grid = [&](std::string edit, auto change) {
    all.push_back(rule_mutant<GridSampleOp>(
        std::move(edit), {kPicture, {1, 2, 2, 2}},
        [](const auto& x) { return grid_sample(x[0], x[1]); },
        [change](const GridSampleOp& op, const RuleCall& call) {
          const auto both = grid_sample_backward(call.gradient(), call.input(0), call.input(1), op);
          return InputGradients{both[0], change(both[1])};
        }));
  };
  of_grid("grid_sample: coordinates exchanged", [](const Value& g) { return flip(g, {3}); });
  of_grid("grid_sample: sizes forgotten", [](const Value& g) { return mul(g, 0.5); });
  of_grid("grid_sample: no gradient of the grid", [](const Value& g) { return mul(g, 0); });
}

}  // namespace

std::vector<Mutant> resampling_mutants() {
  std::vector<Mutant> all;
  add_paddings(all);
  add_resizing(all);
  add_columns(all);
  add_sampling(all);
  return all;
}

}  // namespace aclgrad::mutants
