// SPDX-License-Identifier: Apache-2.0
// The part of Python's pickle format that tensors of PyTorch need.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aclgrad/dtype.h"

namespace aclgrad::detail {

/// A tensor as a pickle describes it: a part of a storage, which is an entry of the archive.
struct PickledTensor {
  std::string storage;  // its key
  DType dtype = DType::float32;
  std::int64_t storage_numel = 0, offset = 0;
  std::vector<std::int64_t> sizes = {}, strides = {};
};

/// What a pickle describes, by the names that read_pth() says.
struct PickledTensors {
  std::vector<std::pair<std::string, PickledTensor>> tensors = {};
  /// What else has a name, each with why it is no tensor here.
  std::vector<std::pair<std::string, std::string>> refused = {};
};

/// `place` begins the IoErrors.
PickledTensors unpickle(std::string_view bytes, const std::string& place);

}  // namespace aclgrad::detail
