// SPDX-License-Identifier: Apache-2.0
// Dtypes, NaN, few examples and none, threads.
#include <fmt/format.h>

#include <cmath>

#include "aclgrad_ext.h"
#include "tests/training/properties/properties.h"

namespace aclgrad::training {
namespace {

// A dtype's run is as near to that in float64 as runs in float64 are to each other whose numbers
// move by a rounding of that dtype.
Difference near_exact(const Spec& spec, DType dtype) {
  const double unit = unit_of(dtype);
  const Trained exact = train(spec, {.numbers = {.dtype = kExact}});
  // Squares of what explodes leave the range of the dtype.
  if (largest_of(exact) > (dtype == DType::float16 ? 0x1p8 : 0x1p60)) return {};
  return different_numbers(
      exact, train(spec, {.numbers = {.dtype = dtype}}),
      [&](std::uint64_t nudge) {
        return train(spec, {.numbers = {kExact, nudge, 2 * unit}});
      },
      unit);
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
  return {{"float32", sums, [](const Spec& spec) { return near_exact(spec, DType::float32); }},
          {"bfloat16", smooth, [](const Spec& spec) { return near_exact(spec, DType::bfloat16); }},
          {"float16", small, [](const Spec& spec) { return near_exact(spec, DType::float16); }},
          {"threads", {}, threads},
          {"sessions", {}, sessions},
          {"nan", {.only_plain_means = true}, nan}};
}

}  // namespace aclgrad::training
