// SPDX-License-Identifier: Apache-2.0
// What docs/guide/training.md promises, as properties of random problems.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/training/models/spec.h"
#include "tests/training/models/train.h"

namespace aclgrad::training {

/// What is wrong; nothing where nothing is.
using Difference = std::optional<std::string>;

struct Property {
  std::string name;  // of the option --property
  Wanted wanted;     // of the problems that it is asked of
  std::function<Difference(const Spec&)> check;
};

const std::vector<Property>& properties();

/// Throws ValueError that lists the names, for one that there is none of.
const Property& property_named(const std::string& name);

/// The properties by subject.
std::vector<Property> splitting_properties();  // micro-batches, ranks, pieces of evaluations
std::vector<Property> state_properties();      // files, checkpoints, names, seeds, freezing
std::vector<Property> freezing_properties();
std::vector<Property> fitting_properties();   // fit() again, NaN, parameters without use, no rows
std::vector<Property> number_properties();    // dtypes, NaN, threads
std::vector<Property> going_on_properties();  // after exceptions, with any names

enum class Answer : std::uint8_t {
  holds,
  refused,  // the library does not train this problem at all
  fails,
};

struct Result {
  Answer answer = Answer::holds;
  std::string text = {};  // why it is refused or what is wrong
};

/// Asks a property of a problem. What throws, while the problem can be trained, fails.
Result ask(const Property& property, const Spec& spec);

/// A problem that fails, as small as it can be.
struct Finding {
  std::string property;
  std::uint64_t seed = 0;
  std::string text;
  Spec spec;

  /// Two lines: what is wrong, and the command that shows it again; then the small problem.
  std::string to_string() const;
};

/// Asks a property of problems of these seeds. Adds to `refused` how often the library refused one,
/// by reason.
std::vector<Finding> search(const Property& property, std::uint64_t first_seed, int count,
                            std::map<std::string, int>& refused);

/// In which ways of training are compared whose roundings differ: they hide next to nothing.
inline constexpr DType kExact = DType::float64;

/// So many steps without a word.
FitOptions quietly(std::int64_t steps);

/// Batches of the size of the problem's first one; with statistics of batches none that is shorter.
data::BatchOptions shuffled(const Problem& problem);

/// Makes every feature of the last example NaN.
void poison_last(data::Dataset& examples);

/// As different_numbers(), for a run of the whole problem in float64 and another one.
Difference unlike_whole(const Spec& spec, const Way& whole, const Trained& got);

}  // namespace aclgrad::training
