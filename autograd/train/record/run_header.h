// SPDX-License-Identifier: Apache-2.0
// What a record of a run says of the process that made it, and hashes of tensors.
#pragma once

#include <string>

#include "aclgrad/data.h"
#include "aclgrad/io/safetensors.h"
#include "train/record/run_file.h"

namespace aclgrad::detail {

/// Versions, compiler, processor, threads, and by name the build of the program and of each of the
/// project's libraries that it has loaded.
RunJson made_by();

/// The process's command line, folder, and those words of its environment that may change numbers;
/// without a command line where the system does not tell.
RunJson this_program();

/// Whether this is such a word: a name of the environment.
bool matters_to_runs(std::string_view variable);

/// ["F32", [2, 3], SHA-256 of the bytes].
RunJson hash_of(const Tensor& tensor);

/// {"sha256": of all, "tensors": {name: hash_of(), ...}}, sorted by their names. That of all is the
/// SHA-256 of a line "HASH DTYPE [EXTENT, EXTENT] NAME" for each.
RunJson hash_of(const NamedTensors& tensors);

/// By the names of a dataset's tensors.
RunJson hash_of(const data::Dataset& examples);

}  // namespace aclgrad::detail
