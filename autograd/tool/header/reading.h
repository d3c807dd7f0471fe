// SPDX-License-Identifier: Apache-2.0
// What the parameters of a forward and its backward are: read off their names and types and off
// trial calls, and shown, so that whoever asked can correct it.
#ifndef ACLGRAD_AUTOGRAD_TOOL_HEADER_READING_H_
#define ACLGRAD_AUTOGRAD_TOOL_HEADER_READING_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tool/header/trial.h"

namespace aclgrad::gradcheck {

/// What is said beside the header, by names of parameters. Keys may be "backward.x", for the
/// backward alone, where both have one.
struct Corrections {
  std::map<std::string, double> values;                     // of numbers; of arrays, elements
  std::map<std::string, std::pair<double, double>> ranges;  // of arrays
  std::map<std::string, std::string> roles;  // "output", "gradient x", "gradient x added"

  /// A line of a file of corrections: "set n 8", "range x 0.1 4", "role delta gradient x". Empty
  /// lines and those that begin with # say nothing. Throws ValueError.
  void add(const std::string& line);
};

enum class Role {
  kInput,     // of either function: an input of the forward, as it was before
  kOutput,    // what the forward made
  kBoth,      // of the forward: an input that the output is written over
  kUpstream,  // of the backward: the gradient that arrives at an output
  kGradient,  // of the backward: the gradient of an input
  kInPlace,   // of the backward: the one is written over the other
  kScratch,   // of the backward: memory for its own use, zeros
  kNumber     // not an array
};

struct ReadParameter {
  std::string name;
  CType type;
  Role role = Role::kNumber;
  std::size_t of = 0;  // of the backward: the parameter of the forward
  double value = 0;    // of numbers
  bool adds = false;   // of gradients
  bool is_said_to_add = false;
  bool is_guess = false;               // nobody said what it is, and its name does not
  bool spent = false;                  // of upstream gradients: written over
  std::size_t reached = 0;             // elements
  bool by_values = false;              // that depends on what arrays hold
  std::vector<std::size_t> gaps = {};  // elements before the last one that are left alone
  std::string why = {};
};

/// kResult stands for what the forward returns, where that is an output.
struct Reading {
  static constexpr std::size_t kResult = static_cast<std::size_t>(-1);
  std::vector<ReadParameter> forward;
  std::vector<ReadParameter> backward;
  std::vector<std::string> findings;  // of the backward's reach, against the forward's

  /// As a table.
  std::string to_string() const;

  /// Options that confirm, or correct, guesses: "--role g=\"upstream y\"". Of roles; or, where some
  /// gradients are added and others written, of those that are added. "" where all is known.
  std::string guessed_roles() const;
  std::string guessed_sums() const;
};

/// Calls both, in processes of their own. Throws ValueError that says what cannot be read, and how
/// to say it; FunctionFailed where the backward fails.
Reading read_functions(const ForeignFunction& forward, const ForeignFunction& backward,
                       const Corrections& corrections, double seconds);

/// The range of an array's numbers.
std::pair<double, double> range_of(const ReadParameter& parameter, const Corrections& corrections);

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_HEADER_READING_H_
