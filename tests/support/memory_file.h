// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace aclgrad {

/// A file in memory that has a path like any other: thousands of them take no time.
class MemoryFile {
 public:
  MemoryFile(const void* bytes, std::size_t size) : descriptor_(memfd_create("test", 0)) {
    if (descriptor_ >= 0 && write(descriptor_, bytes, size) == static_cast<ssize_t>(size)) return;
    std::fputs("there is no file in memory\n", stderr);
    std::abort();
  }
  explicit MemoryFile(const std::string& bytes) : MemoryFile(bytes.data(), bytes.size()) {}
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace aclgrad
