// SPDX-License-Identifier: Apache-2.0
// What the pages of operators are made from: the public headers, the rows of the case table, and
// the pages that measurements wrote.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/reference/words.h"

namespace aclgrad::reference {

/// Phase one of an operator as its header declares it.
struct Declared {
  std::string header;                   ///< "aclnnop/aclnn_selu.h"
  std::vector<std::string> parameters;  ///< without the two results
  std::string comment;                  ///< above the declaration, without its stars
};

/// Every operator of the headers in a folder. Throws std::runtime_error.
std::map<std::string, Declared> read_headers(const std::string& include);

/// What docs/accuracy.md says of an operator, dtype by dtype: "FLOAT16 0.5, FLOAT 0.9997".
struct Accuracy {
  std::string largest;  ///< error found
  std::string bound;
};
std::map<std::string, Accuracy> read_accuracy(const std::string& page);

/// The error bound that the value tests hold the operator to.
Text bound_of(const std::string& name);

/// Speed and factor to the best peer of FLOAT tensors on one thread in docs/performance.md and the
/// tables beside it, by operator: "erf 2.74 · 1.4x (1M), tanh ...".
std::map<std::string, std::string> read_performance(const std::string& page);

}  // namespace aclgrad::reference
