// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace aclgrad::detail {

/// Whether load() is to take the file for one of PyTorch: an archive, or what PyTorch wrote before
/// 1.6. Throws IoError for a file that cannot be read.
bool is_pth(const std::filesystem::path& path);

}  // namespace aclgrad::detail
