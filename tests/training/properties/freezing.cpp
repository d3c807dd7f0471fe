// SPDX-License-Identifier: Apache-2.0
// What is frozen is frozen, and the rest is trained as if it were constant.
#include <fmt/format.h>

#include <algorithm>

#include "tests/training/properties/properties.h"

namespace aclgrad::training {
namespace {

// The first half of the parts; those below others of them, too.
std::vector<Module> half_of(const Problem& problem) {
  std::vector<Module> parts;
  for (const auto& [name, part] : problem.parts) {
    if (parts.size() < problem.parts.size() / 2) parts.push_back(part);
  }
  return parts;
}

bool trains_something(const Problem& problem, const std::vector<Module>& frozen) {
  for (const Module& part : frozen) part.freeze();
  return !problem.model.trained_parameters().empty();
}

// Every number of a frozen part stays, its statistics and counts, too; others move.
Difference frozen_stays(const Spec& spec) {
  const std::unique_ptr<Problem> problem = build(spec);
  const std::vector<Module> frozen = half_of(*problem);
  if (!trains_something(*problem, frozen)) return {};
  std::vector<Variable> still;
  for (const Module& part : frozen) {
    for (const Variable& variable : part.state()) still.push_back(variable);
  }
  std::vector<Tensor> before;
  for (const Variable& variable : still) before.push_back(variable.value());
  const std::unique_ptr<Optimizer> optimizer =
      build_optimizer(spec.at("optimizer"), problem->model.parameters());
  Trainer trainer(problem->model, problem->loss, *optimizer);
  for (std::int64_t step = 0; step < problem->steps; ++step) trainer.step(problem->batch(step));
  for (std::size_t i = 0; i < still.size(); ++i) {
    if (!bitwise_equal(before[i], still[i].value())) {
      return fmt::format("`{}` is frozen and changes", still[i].name());
    }
  }
  for (const Module& part : frozen) part.unfreeze();
  return {};
}

// Frozen and unfrozen again before a step: as if nothing had been.
Difference freeze_and_unfreeze(const Spec& spec) {
  const auto toggle = [](Problem& problem) {
    for (const auto& [name, part] : problem.parts) part.freeze();
    for (const auto& [name, part] : problem.parts) part.unfreeze();
  };
  if (spec.contains("frozen")) return {};
  return different_bits(train(spec), train(spec, {.prepare = toggle}));
}

// A part that is frozen in the third step only has the numbers that it had; afterwards it goes on.
Difference freeze_for_a_step(const Spec& spec) {
  if (spec.contains("frozen") || spec.at("optimizer").contains("groups")) return {};
  const std::unique_ptr<Problem> problem = build(spec);
  const std::vector<Module> parts = half_of(*problem);
  if (!trains_something(*problem, parts)) return {};
  for (const Module& part : parts) part.unfreeze();
  Trainer trainer(problem->model, problem->loss, *problem->optimizer);
  const auto numbers = [&] {
    NamedTensors all;
    for (const Module& part : parts) {
      for (auto& each : values_of(part.state())) all.push_back(std::move(each));
    }
    return Trained{std::move(all)};
  };
  const auto steps = [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first; i < first + count; ++i) trainer.step(problem->batch(i));
  };
  steps(0, 2);
  for (const Module& part : parts) part.freeze();
  const Trained before = numbers();
  steps(2, 1);
  if (const Difference wrong = different_bits(before, numbers())) return "while frozen " + *wrong;
  for (const Module& part : parts) part.unfreeze();
  steps(3, 2);
  return {};
}

// The rest of a network is trained as it is where the frozen part gets its numbers back after every
// step.
Difference rest_is_trained(const Spec& spec) {
  Spec plain = spec;
  for (const char* option : {"groups", "clip_norm"}) plain["optimizer"].erase(option);
  std::vector<std::string> names;
  Way frozen{.numbers = {.dtype = kExact}, .prepare = [&](Problem& problem) {
               if (!trains_something(problem, half_of(problem))) problem.model.unfreeze();
               for (const Variable& variable : problem.model.frozen_parameters()) {
                 names.push_back(variable.name());
               }
             }};
  const Trained rest = train(plain, frozen);
  if (names.empty()) return {};
  NamedTensors initial;
  const auto each_frozen = [&](const Module& model, const auto& visit) {
    for (const Variable& variable : model.parameters()) {
      if (std::find(names.begin(), names.end(), variable.name()) != names.end()) visit(variable);
    }
  };
  Way restored{.numbers = frozen.numbers};
  restored.prepare = [&](Problem& problem) {
    initial.clear();
    each_frozen(problem.model, [&](const Variable& variable) {
      initial.emplace_back(variable.name(), variable.value());
    });
  };
  restored.after_step = [&](Trainer& trainer) {
    auto next = initial.begin();
    each_frozen(trainer.model(),
                [&](const Variable& variable) { variable.assign((next++)->second); });
  };
  return unlike_whole(plain, restored, rest);
}

}  // namespace

std::vector<Property> freezing_properties() {
  const Wanted whole{.frozen = false};
  const Wanted separate{.batch_statistics = false, .frozen = false};
  return {{"frozen-stays", whole, frozen_stays},
          {"unfreeze", whole, freeze_and_unfreeze},
          {"freeze-for-a-step", whole, freeze_for_a_step},
          {"rest-is-trained", separate, rest_is_trained}};
}

}  // namespace aclgrad::training
