// SPDX-License-Identifier: Apache-2.0
// Bytes behind which memory ends that may be touched: who reads or writes there ends the program.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace aclgrad::testing {

class GuardedBytes {
 public:
  // All zero.
  explicit GuardedBytes(size_t size) : size_(size) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t usable = (size + page - 1) / page * page;
    mapped_size_ = usable + page;
    mapped_ =
        mmap(nullptr, mapped_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) throw std::bad_alloc();
    unsigned char* const end = static_cast<unsigned char*>(mapped_) + usable;
    if (mprotect(end, page, PROT_NONE) != 0) {
      munmap(mapped_, mapped_size_);
      throw std::bad_alloc();
    }
    data_ = end - size;
  }
  GuardedBytes(GuardedBytes&& other) noexcept
      : size_(other.size_),
        mapped_size_(other.mapped_size_),
        mapped_(std::exchange(other.mapped_, MAP_FAILED)),
        data_(other.data_) {}
  GuardedBytes& operator=(GuardedBytes&&) = delete;
  ~GuardedBytes() {
    if (mapped_ != MAP_FAILED) munmap(mapped_, mapped_size_);
  }

  unsigned char* data() { return data_; }
  size_t size() const { return size_; }
  std::vector<unsigned char> copy() const { return {data_, data_ + size_}; }

 private:
  size_t size_;
  size_t mapped_size_;
  void* mapped_;
  unsigned char* data_;
};

}  // namespace aclgrad::testing
