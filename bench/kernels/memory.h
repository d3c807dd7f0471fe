// SPDX-License-Identifier: Apache-2.0
// The memory of a cell's tensors, filled with its data, and kept from cell to cell.
#pragma once

#include <map>
#include <vector>

#include "bench/contender.h"
#include "bench/kernels/operation.h"

namespace aclgrad::bench {

class Memory {
 public:
  Memory();  // needs, and takes, device 0
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  // The tensors of the cell; they live until the next call. The layout is that of the inputs that
  // are not written; outputs are contiguous.
  Problem problem(const Cell& cell);

 private:
  // What a tensor holds; the dtype is also the range of some kinds of data.
  struct Contents {
    Fill fill;
    Data data;
    aclDataType dtype;
    auto operator<=>(const Contents&) const = default;
  };
  struct Block {
    void* allocation = nullptr;
    char* data = nullptr;
    size_t bytes = 0;
    std::optional<Contents> contents = std::nullopt;  // so that it need not be filled again
    size_t filled = 0;
  };

  Block& block(size_t index, size_t bytes);
  void* input(size_t index, size_t count, const Contents& contents, bool is_written);
  void* output(size_t index, size_t bytes);
  const std::vector<float>& values(const Contents& contents, size_t count);

  std::map<size_t, Block> blocks_;
  std::map<Contents, std::vector<float>> values_;
};

}  // namespace aclgrad::bench
