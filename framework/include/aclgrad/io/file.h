// SPDX-License-Identifier: Apache-2.0
// Whole files in and out.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace aclgrad {

/// The content of a regular file. Throws IoError, also when it does not fit into memory.
std::string read_file(const std::filesystem::path& path);

/// Writes a file so that at every moment `path` is either what it was before or complete: the
/// content goes to a temporary file in the same folder, is forced to the disk, then takes the
/// name. On failure the temporary file is removed, and IoError says why; what a killed process left
/// of its own is removed by the next write to the same path. Several threads and processes may
/// write to one path: the last one stays. Only regular files and links are replaced. The second
/// form writes the pieces one after the other.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);
void write_file_atomically(const std::filesystem::path& path,
                           std::span<const std::string_view> pieces);

/// Throws the IoError that writing to the path would end with, as far as that is known before:
/// there is no such folder, nothing can be made in it, the path is a folder. Leaves nothing behind.
void require_writable(const std::filesystem::path& path);

/// The path from the root on, so that a folder that the program changes to later moves nothing.
/// Throws IoError when the folder that the program is in is gone.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Gives a file another name in the same folder, in the place of what had it, and forces that to
/// the disk. Throws IoError.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace aclgrad
