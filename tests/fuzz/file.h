// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_TESTS_FUZZ_FILE_H_
#define ACLGRAD_TESTS_FUZZ_FILE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "tests/fuzz/target.h"

namespace aclgrad::fuzz {

// A file in memory that has a path like any other.
class File {
 public:
  File(const uint8_t* bytes, size_t size) : descriptor_(memfd_create("fuzz", 0)) {
    require(descriptor_ >= 0 && write(descriptor_, bytes, size) == static_cast<ssize_t>(size),
            "a file in memory");
  }
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace aclgrad::fuzz

#endif  // ACLGRAD_TESTS_FUZZ_FILE_H_
