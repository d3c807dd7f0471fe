// SPDX-License-Identifier: Apache-2.0
// Dtypes, NaN, few examples and none, threads.
#include <fmt/format.h>

#include <cmath>

#include "aclgrad/format.h"
#include "aclgrad_ext.h"
#include "tests/training/properties/properties.h"

namespace aclgrad::training {
namespace {

// A dtype's run is as near to that in float64 as runs in float64 are to each other whose numbers
// move by a rounding of that dtype.
Difference near_exact(const Spec& spec, const Numbers& numbers) {
  const DType dtype = numbers.dtype;
  const double unit = unit_of(dtype);
  const Trained exact = train(spec, {.numbers = {.dtype = kExact}});
  // Squares of what explodes leave the range of the dtype.
  if (largest_of(exact) > (dtype == DType::float16 ? 0x1p8 : 0x1p60)) return {};
  return different_numbers(
      exact, train(spec, {.numbers = numbers}),
      [&](std::uint64_t nudge) {
        return train(spec, {.numbers = {.dtype = kExact, .nudge = nudge, .unit = 2 * unit}});
      },
      unit);
}

// A step on parameters of 16 bits is one on float32 parameters of the same numbers, rounded. It is
// a large one, so that rounding does not hide it.
Difference unlike_rounded(const Spec& spec, const Numbers& numbers) {
  // Whose float32 parameters compute in float32.
  if (spec.at("input").contains("tokens")) return {};
  Spec large = spec;
  large["steps"] = 1;
  large["optimizer"]["learning_rate"] = 16 * spec.at("optimizer").at("learning_rate").get<double>();
  const auto round = [&](const Module& model) {
    for (const Variable& parameter : model.parameters()) {
      parameter.assign(parameter.value().to(numbers.dtype).to(parameter.dtype()));
    }
  };
  const Trained rounded = train(large, {.numbers = {.dtype = numbers.dtype},
                                        .prepare = [&](Problem& it) { round(it.model); },
                                        .after_step = [&](Trainer& it) { round(it.model()); }});
  // Up to 4 roundings apart: some gradients of float32 parameters have more bits.
  return different_numbers(
      rounded, train(large, {.numbers = numbers}), [&](std::uint64_t) { return rounded; },
      unit_of(numbers.dtype) / kMargin);
}

// An optimizer's state has more bits than parameters of 16: what it adds up in 1,000 steps is less
// than their rounding.
Difference state_of_16_bits(const Spec& spec) {
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    const std::unique_ptr<Problem> problem =
        build(spec, {.dtype = dtype, .narrow_parameters = true});
    Trainer trainer(problem->model, problem->loss, *problem->optimizer);
    trainer.step(problem->batch(0));
    for (const Variable& parameter : problem->model.parameters()) {
      if (parameter.dtype() == dtype) continue;
      return fmt::format("`{}` is {}", parameter.name(), parameter.dtype());
    }
    for (const Variable& state : problem->optimizer->state()) {
      if (!is_floating(state.dtype()) || state.dtype() == DType::float32) continue;
      return fmt::format("`{}` of the optimizer is {}", state.name(), state.dtype());
    }
  }
  return {};
}

Difference threads(const Spec& spec) {
  Spec large = spec;
  large["batches"] = {1031};
  large["steps"] = 2;
  const Trained both = train(large);
  aclgradSetNumThreads(1);
  const Trained one = train(large);
  aclgradSetNumThreads(0);
  return different_bits(both, one);
}

Difference sessions(const Spec& spec) {
  const Trained planned = train(spec);
  for (const SessionOptions& options :
       {SessionOptions{.eager = true}, SessionOptions{.replay = false},
        SessionOptions{.poison = true}}) {
    if (const Difference wrong =
            different_bits(planned, train(spec, {.trainer = {.sessions = {.session = options}}}))) {
      return fmt::format("eager {}, replay {}, poison {}: {}", options.eager, options.replay,
                         options.poison, *wrong);
    }
  }
  return {};
}

// Computed again in backward, what a model keeps for it has the same bits.
Difference recomputation(const Spec& spec) {
  const auto recompute = [&](Problem& problem) {
    problem.loss = [model = checkpointed(problem.model), of = build_loss(spec.at("loss"))](
                       const Value& x, const Value& t) { return of(model(x), t); };
  };
  return different_bits(train(spec), train(spec, {.prepare = recompute}));
}

// A NaN in one example reaches the loss, and training says so.
Difference nan(const Spec& spec) {
  if (spec.at("input").contains("tokens")) return {};
  const std::unique_ptr<Problem> problem = build(spec);
  Trainer trainer(problem->model, problem->loss, *problem->optimizer);
  data::Dataset batch = problem->batches[0];
  const double fine = trainer.evaluate(batch);
  poison_last(batch);
  if (const double loss = trainer.evaluate(batch); !std::isnan(loss)) {
    return fmt::format("evaluated, a NaN among the features gives the loss {}, {} without it", loss,
                       fine);
  }
  if (const double loss = trainer.step(batch); !std::isnan(loss)) {
    return fmt::format("a NaN among the features gives the loss {}", loss);
  }
  return {};
}

}  // namespace

std::vector<Property> number_properties() {
  // Adam divides a gradient that is 0 but for roundings by its own size.
  const Wanted sums{.normalized_steps = false};
  const Wanted smooth{.corners = false, .normalized_steps = false};
  // Sums and large features leave the range of float16.
  Wanted small = smooth;
  small.only_plain_means = true;
  small.unusual_numbers = false;
  const auto in = [](DType dtype, bool narrow = false) {
    const Numbers numbers = {.dtype = dtype, .narrow_parameters = narrow};
    return [numbers](const Spec& spec) {
      const Difference wrong = near_exact(spec, numbers);
      return wrong || !numbers.narrow_parameters ? wrong : unlike_rounded(spec, numbers);
    };
  };
  return {{"float32", sums, in(DType::float32)},
          {"bfloat16", smooth, in(DType::bfloat16)},
          {"float16", small, in(DType::float16)},
          {"bfloat16-parameters", smooth, in(DType::bfloat16, /*narrow=*/true)},
          {"float16-parameters", small, in(DType::float16, /*narrow=*/true)},
          {"state-of-16-bits", {}, state_of_16_bits},
          {"threads", {}, threads},
          {"sessions", {}, sessions},
          {"recomputation", {}, recomputation},
          {"nan", {.only_plain_means = true}, nan}};
}

}  // namespace aclgrad::training
