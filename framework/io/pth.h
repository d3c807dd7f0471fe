// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_FRAMEWORK_IO_PTH_H_
#define ACLGRAD_FRAMEWORK_IO_PTH_H_

#include <filesystem>

namespace aclgrad::detail {

/// Whether load() is to take the file for one of PyTorch: an archive, or what PyTorch wrote before
/// 1.6. Throws IoError for a file that cannot be read.
bool is_pth(const std::filesystem::path& path);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_IO_PTH_H_
