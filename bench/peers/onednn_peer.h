// SPDX-License-Identifier: Apache-2.0
// What libpeer_onednn is made of: parameters as oneDNN has them, and primitives made for the
// layouts that they are given. What a primitive does not take (a scale of ELU, say) is refused.
#ifndef ACLGRAD_BENCH_PEERS_ONEDNN_PEER_H_
#define ACLGRAD_BENCH_PEERS_ONEDNN_PEER_H_

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
    if (view.shape.empty()) return {{{1}, type(view.dtype), List{1}}, engine(), view.data};
    return {{view.shape, type(view.dtype), view.strides}, engine(), view.data};
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

// The same numbers in another layout.
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

#endif  // ACLGRAD_BENCH_PEERS_ONEDNN_PEER_H_
