// SPDX-License-Identifier: Apache-2.0
// For runs that must leave no trace, or none if they fail.
#pragma once

#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include "aclgrad/variable.h"

namespace aclgrad::detail {

// The variables' contents, put back whenever wanted and, unless they are forgotten, in the end.
class SavedVariables {
 public:
  explicit SavedVariables(std::vector<Variable> variables) : variables_(std::move(variables)) {
    for (const Variable& variable : variables_) contents_.push_back(variable.value());
  }
  ~SavedVariables() {
    try {
      restore();
    } catch (const std::exception&) {  // the device failed: there is nothing to put back to
    }
  }
  SavedVariables(const SavedVariables&) = delete;
  SavedVariables& operator=(const SavedVariables&) = delete;

  void restore() const {
    for (std::size_t i = 0; i < contents_.size(); ++i) variables_[i].assign(contents_[i]);
  }

  // From now on what the variables hold stays.
  void forget() { contents_.clear(); }

 private:
  std::vector<Variable> variables_;
  std::vector<Tensor> contents_;
};

}  // namespace aclgrad::detail
