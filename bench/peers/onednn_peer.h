// SPDX-License-Identifier: Apache-2.0
// What libpeer_onednn is made of: parameters as oneDNN has them, and primitives made for the
// layouts that they are given. What a primitive does not take (a scale of ELU, say) is refused.
#pragma once

#include <stdexcept>
#include <thread>
#include <unordered_map>

#include "bench/peers/entry_points.h"
#include "bench/peers/onednn_primitives.h"
#include "bench/peers/openmp.h"

namespace aclgrad::bench {

using dnnl::algorithm;
using dnnl::memory;
using Tensor = memory;
using List = std::vector<int64_t>;
using Mask = std::vector<char>;

inline dnnl::engine engine() {
  static const dnnl::engine one(dnnl::engine::kind::cpu, 0);
  return one;
}

struct Peer {
  static memory::data_type type(aclDataType dtype) {
    if (dtype == ACL_FLOAT) return memory::data_type::f32;
    if (dtype == ACL_BF16) return memory::data_type::bf16;
    if (dtype == ACL_FLOAT16) return memory::data_type::f16;
    if (dtype == ACL_INT32) return memory::data_type::s32;
    if (dtype == ACL_INT8) return memory::data_type::s8;
    if (dtype == ACL_UINT8) return memory::data_type::u8;
    throw std::invalid_argument("oneDNN has no such dtype");
  }
  static Tensor wrap(const View& view) {
    for (size_t d = 0; d < view.shape.size(); ++d) {
      if (view.strides[d] == 0 && view.shape[d] > 1) return expanded(view);
    }
    if (view.shape.empty()) return {{{1}, type(view.dtype), List{1}}, engine(), view.data};
    return {{view.shape, type(view.dtype), view.strides}, engine(), view.data};
  }
  // Of an input with strides of 0, which oneDNN does not know: every element in its place.
  static Tensor expanded(const View& view) {
    const Tensor dense({view.shape, type(view.dtype), contiguous(view.shape)}, engine());
    const size_t size = aclDataTypeSize(view.dtype);
    auto* to = static_cast<std::byte*>(dense.get_data_handle());
    for (int64_t i = 0; i < view.count(); ++i) {
      int64_t place = 0;
      for (int64_t d = static_cast<int64_t>(view.shape.size()), rest = i; d-- > 0;) {
        const auto dim = static_cast<size_t>(d);
        place += rest % view.shape[dim] * view.strides[dim];
        rest /= view.shape[dim];
      }
      const auto* from =
          static_cast<const std::byte*>(view.data) + place * static_cast<int64_t>(size);
      std::copy_n(from, size, to + i * static_cast<int64_t>(size));
    }
    return dense;
  }
  static List contiguous(const List& shape) {
    List strides(shape.size(), 1);
    for (size_t d = shape.size(); d-- > 1;) {
      strides[d - 1] = strides[d] * std::max<int64_t>(shape[d], 1);
    }
    return strides;
  }

  static Tensor none() { return {}; }
  static float number(const aclScalar& scalar) { return scalar.to_float(); }
  static void use_threads(int count) {
    static const int all = static_cast<int>(std::thread::hardware_concurrency());
    set_openmp_threads(count == 0 ? all : count);
  }
};

inline void require(bool is_possible, const char* why) {
  if (!is_possible) throw std::invalid_argument(why);
}

inline void run(const dnnl::primitive& primitive,
                const std::unordered_map<int, memory>& arguments) {
  dnnl::stream stream(engine());
  primitive.execute(stream, arguments);
  stream.wait();
}

inline memory made(const memory::desc& layout) { return {layout, engine()}; }

inline void reorder(memory from, memory to) {
  run(dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

// These numbers in another layout.
inline memory in(const memory& tensor, const memory::desc& layout) {
  if (tensor.get_desc() == layout) return tensor;
  memory other = made(layout);
  reorder(tensor, other);
  return other;
}

// Where a primitive writes that knows one layout only; `give` passes it on.
inline memory room(const memory& out, const memory::desc& layout) {
  return out.get_desc() == layout ? out : made(layout);
}
inline void give(const memory& result, const memory& out) {
  if (result.get_data_handle() != out.get_data_handle()) reorder(result, out);
}

}  // namespace aclgrad::bench
