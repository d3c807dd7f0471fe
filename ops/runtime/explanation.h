// SPDX-License-Identifier: Apache-2.0
// What a task that fails has to say besides its status.
#ifndef ACLGRAD_OPS_RUNTIME_EXPLANATION_H_
#define ACLGRAD_OPS_RUNTIME_EXPLANATION_H_

#include <string>

namespace aclgrad::runtime {

// The words of aclgradExplainFailure on this thread since somebody took them.
std::string take_explanation();

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_EXPLANATION_H_
