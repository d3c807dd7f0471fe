// SPDX-License-Identifier: Apache-2.0
#include "io/strided.h"

#include <algorithm>
#include <new>

#include "aclgrad/error.h"

namespace aclgrad::detail {

Tensor gathered(std::string_view bytes, std::int64_t offset, const Shape& shape,
                const std::vector<std::int64_t>& strides, DType dtype, const std::string& place) {
  try {
    Tensor tensor = Tensor::zeros(shape, dtype);
    const std::size_t size = size_of(dtype);
    auto* to = reinterpret_cast<char*>(tensor.bytes());
    std::vector<std::int64_t> index(strides.size());
    for (std::int64_t i = 0, at = offset; i < tensor.numel(); ++i, to += size) {
      std::copy_n(bytes.data() + static_cast<std::size_t>(at) * size, size, to);
      for (std::size_t axis = strides.size(); axis-- > 0;) {
        if (index[axis] + 1 < shape[axis]) {
          at += strides[axis];
          ++index[axis];
          break;
        }
        at -= strides[axis] * index[axis];
        index[axis] = 0;
      }
    }
    if (dtype == DType::boolean &&
        std::any_of(tensor.bytes(), tensor.bytes() + tensor.nbytes(),
                    [](std::byte b) { return std::to_integer<int>(b) > 1; })) {
      throw IoError(place + ": a byte of a bool is neither 0 nor 1");
    }
    return tensor;
  } catch (const std::bad_alloc&) {
    throw IoError(place + ": it does not fit into memory");
  } catch (const ShapeError&) {  // of a tensor that there is no memory for
    throw IoError(place + ": it does not fit into memory");
  }
}

}  // namespace aclgrad::detail
