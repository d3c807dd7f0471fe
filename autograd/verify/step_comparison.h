// SPDX-License-Identifier: Apache-2.0
// Two files of a step's values (train/record/step_values.h), and the first that is another.
#pragma once

#include <filesystem>
#include <string>

namespace aclgrad::verify {

/// Sentences: the first part of the step that parts (a tensor of the state before it, of the batch,
/// an operator's attributes or result, a tensor of the state after it), and of a tensor the first
/// element with both values. Throws IoError for a file that cannot be read.
std::string compare_steps(const std::filesystem::path& here, const std::filesystem::path& recorded);

}  // namespace aclgrad::verify
