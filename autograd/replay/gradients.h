// SPDX-License-Identifier: Apache-2.0
// Recorded backwards beside the numeric derivative of their forward, and which call that was.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/judge.h"

namespace aclgrad::replay {

/// The forward that a recorded backward is the derivative of.
struct Forward {
  contract::Arguments arguments;
  contract::Arrays inputs;
  contract::Array arriving;    // the gradient of its result
  const Call* call = nullptr;  // where that was looked for
};

/// A gradient that a backward gives.
struct GradientOf {
  const contract::Parameter* gradient;
  std::size_t result;  // its place among the backward's results
  std::size_t input;   // the place of what it is of, among the forward's inputs
};

std::vector<GradientOf> gradients_of(const contract::Arguments& backward,
                                     const contract::Arguments& forward);

/// Where a call has a tensor of this name. Throws IoError for none.
std::size_t place_of(const Task& task, const std::string& name);

/// What the inputs of a call had before it.
contract::Arrays given_to(const contract::Arguments& call, const Task& task);

/// Recorded forwards whose backwards are given something else than the forward's inputs: results
/// of it, most of them. The calls are found by what they read and left.
class Forwards {
 public:
  explicit Forwards(const Record& record);

  /// Notes a call that has run, which must live on. They come in the order of the record.
  void see(const Call& call);

  /// The latest call of the forward that gives a backward what it was given.
  std::optional<Forward> find(const contract::Arguments& backward, const Task& task,
                              const contract::Arrays& given) const;

 private:
  std::optional<Forward> match(const Call& call, const contract::Arguments& backward,
                               const contract::Arrays& given) const;

  const Record& record_;
  std::map<std::string, std::string> forwards_;  // their names, by those of all their forms
  // Calls by the forward's name and a content that they had; kAnyContent: all of them.
  std::map<std::pair<std::string, std::uint64_t>, std::vector<const Call*>> calls_;
};

struct GradientCheck {
  std::vector<std::string> wrong = {};  // what is not the derivative
  std::int64_t checked = 0;             // elements
  std::string why = {};                 // the gradients could not be checked; "": nothing hindered
};

/// Gradients of a recorded backward beside the derivative of their forward at its recorded inputs,
/// by finite differences of the contract's exact results.
GradientCheck check_gradients(const Task& task, const std::vector<Content>& after,
                              const Forwards& forwards);

}  // namespace aclgrad::replay
