// SPDX-License-Identifier: Apache-2.0
// Tensors in memory that watches over itself: every block has guard zones at both ends, everything
// that no element covers holds a known pattern, and what changed there is found afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aclgrad/gradcheck/numbers.h"

namespace aclgrad::gradcheck {

/// How a tensor lies in its storage. Broadcast: a dimension along which an input's numbers repeat
/// has the stride 0, so that they are there once; outputs are contiguous.
enum class Layout { contiguous, transposed, strided, offset, broadcast };
inline constexpr Layout kLayouts[] = {Layout::contiguous, Layout::transposed, Layout::strided,
                                      Layout::offset, Layout::broadcast};
const char* to_string(Layout layout);
/// Throws ValueError for a name that is none of these.
Layout layout_from_text(const std::string& text);

/// A tensor as an operator is given it. Element (i, j, ...) lies at data + (offset + i strides[0] +
/// j strides[1] + ...) * bytes_of(dtype); the storage has `storage` elements. `block` is the memory
/// around it, guard zones included, `guard` bytes of which lie in front of data.
struct View {
  DType dtype = DType::float32;
  Dims shape = {};
  Dims strides = {};
  std::int64_t offset = 0;
  std::int64_t storage = 0;
  std::byte* data = nullptr;  // null for an output that is not wanted
  std::byte* block = nullptr;
  std::size_t block_bytes = 0;
  std::size_t guard = 0;

  std::int64_t count() const { return count_of(shape); }
  /// Place of row-major element i, in elements from data.
  std::int64_t place(std::int64_t i) const;
  Number get(std::int64_t i) const { return load(data, dtype, place(i)); }
  void set(std::int64_t i, Number value) const { store(data, dtype, place(i), value); }
};

/// A tensor with its memory.
class Guarded {
 public:
  static constexpr std::size_t kGuardBytes = 64;

  /// All bytes hold `poison`.
  Guarded(DType dtype, const Dims& shape, Layout layout, unsigned char poison);

  /// Filled with an array. Only so does Layout::broadcast differ from contiguous.
  Guarded(DType dtype, const Array& array, Layout layout, unsigned char poison);

  View view() const;
  void fill(const std::vector<Number>& values) const;
  Array read() const;

  /// Bytes of element i, row-major, in a row: for bitwise comparison.
  std::vector<std::byte> element_bytes() const;

  /// Bytes that belong to no element and no longer hold the poison: how many, and where the first
  /// lies ("3 bytes after the end", "in a gap between elements").
  std::size_t changed_outside(std::string* where = nullptr) const;

  /// Whether any byte differs from a copy taken before.
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  bool is_dense() const;
  Guarded(DType dtype, const Dims& shape, Layout layout, unsigned char poison,
          const std::vector<bool>& repeats);

  View view_;
  unsigned char poison_;
  mutable std::vector<std::byte> bytes_;
};

}  // namespace aclgrad::gradcheck
