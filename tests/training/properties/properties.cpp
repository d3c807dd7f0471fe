// SPDX-License-Identifier: Apache-2.0
#include "tests/training/properties/properties.h"

#include <fmt/format.h>

#include <limits>

#include "tests/training/models/shrink.h"

namespace aclgrad::training {
namespace {

// A message without what differs between problems of a kind: places, names and numbers.
std::string kind_of(const std::string& message) {
  std::string kind;
  bool quoted = false;
  for (const char c : message) {
    if (c == '`') quoted = !quoted;
    if (quoted || (c >= '0' && c <= '9')) continue;
    kind += c;
  }
  return kind.substr(0, 60);
}

}  // namespace

const std::vector<Property>& properties() {
  static const std::vector<Property> all = [] {
    std::vector<Property> made;
    for (const auto& some : {splitting_properties(), state_properties(), freezing_properties(),
                             fitting_properties(), number_properties(), going_on_properties()}) {
      made.insert(made.end(), some.begin(), some.end());
    }
    return made;
  }();
  return all;
}

const Property& property_named(const std::string& name) {
  std::string names;
  for (const Property& property : properties()) {
    if (property.name == name) return property;
    names += (names.empty() ? "" : ", ") + property.name;
  }
  throw ValueError(fmt::format("there is no property `{}`, but {}", name, names));
}

Result ask(const Property& property, const Spec& spec) {
  try {
    train(spec);
  } catch (const std::exception& error) {
    return {Answer::refused, error.what()};
  }
  try {
    const Difference wrong = property.check(spec);
    return wrong ? Result{Answer::fails, *wrong} : Result{};
  } catch (const std::exception& error) {
    return {Answer::fails, error.what()};
  }
}

std::string Finding::to_string() const {
  return fmt::format("{}: {}\n  ./dev test-training --seed {} --property {}\n  smallest: {}\n",
                     property, text, seed, property, spec.dump());
}

std::vector<Finding> search(const Property& property, std::uint64_t first_seed, int count,
                            std::map<std::string, int>& refused) {
  std::vector<Finding> found;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
    const Spec spec = generate(seed, property.wanted);
    const Result result = ask(property, spec);
    if (result.answer == Answer::refused) ++refused[kind_of(result.text)];
    if (result.answer != Answer::fails) continue;
    std::string text = result.text;
    const Spec small = shrink(spec, [&](const Spec& candidate) {
      const Result again = ask(property, candidate);
      const bool same = again.answer == Answer::fails &&
                        kind_of(again.text).substr(0, 20) == kind_of(result.text).substr(0, 20);
      if (same) text = again.text;
      return same;
    });
    found.push_back({property.name, seed, text, small});
  }
  return found;
}

FitOptions quietly(std::int64_t steps) {
  return {.steps = steps, .progress = report::ProgressMode::off};
}

data::BatchOptions shuffled(const Problem& problem) {
  return {.batch_size = problem.batches[0].size(),
          .drop_last = !problem.model.buffers().empty(),
          .seed = 3};
}

void poison_last(data::Dataset& examples) {
  const std::int64_t count = examples.features.numel();
  for (std::int64_t i = count - count / examples.size(); i < count; ++i) {
    examples.features.set(i, std::numeric_limits<double>::quiet_NaN());
  }
}

Difference unlike_whole(const Spec& spec, const Way& whole, const Trained& got) {
  const double unit = unit_of(whole.numbers.dtype);
  return different_numbers(
      train(spec, whole), got,
      [&](std::uint64_t nudge) {
        Way moved = whole;
        moved.numbers.nudge = nudge;
        moved.numbers.unit = 2 * unit;
        return train(spec, moved);
      },
      unit);
}

}  // namespace aclgrad::training
