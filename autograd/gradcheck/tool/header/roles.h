// SPDX-License-Identifier: Apache-2.0
// What the parameters of a forward and its backward are. Names tell, what a call writes to, and
// what is the only one left; where several are, it has to be said.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gradcheck/tool/header/trial.h"

namespace aclgrad::gradcheck {

enum class Role {
  kUnknown,
  kInput,     // of either function: an input of the forward, as it was before
  kOutput,    // what the forward made
  kBoth,      // of the forward: an input that the output is written over
  kUpstream,  // of the backward: the gradient that arrives at an output
  kGradient,  // of the backward: the gradient of an input
  kInPlace,   // of the backward: the gradient of an input, over what arrives at an output
  kScratch,   // of the backward: memory for its own use, zeros
  kNumber     // not an array
};

struct Parameter {
  std::string name;
  CType type;
  Role role = Role::kUnknown;
  std::size_t of = 0;        // of the backward: the parameter of the forward
  std::size_t over = 0;      // of kInPlace: the output
  std::string promise = {};  // "added", "zeroed", "written" of a gradient, "kept", "consumed" of
                             // what arrives; "" where nobody said
  bool is_optional = false;  // its gradient may be a null pointer
  bool is_said = false;
};

struct Roles {
  static constexpr std::size_t kResult = static_cast<std::size_t>(-1);  // what the forward returns
  std::vector<Parameter> forward;
  std::vector<Parameter> backward;
  std::optional<std::size_t> unasked;  // the output, one number, whose gradient is 1: none arrives
  std::vector<std::string> lines;      // what has to be said first: "--role u=\"gradient p\""

  std::string name_of(std::size_t k) const { return k == kResult ? "result" : forward[k].name; }

  /// Whether what is written over another array has its type and as many elements.
  bool fit(const Reach& reach) const;

  /// As a table, with the forward's numbers and elements.
  std::string to_string(const Reach& reach) const;
};

/// Throws ValueError for what is said and cannot be.
/// They fit at least one of the reaches, of which the first tells what is written to.
Roles roles_of(const Prototype& forward, const Prototype& backward, const Description& description,
               const std::vector<Reach>& reaches);

}  // namespace aclgrad::gradcheck
