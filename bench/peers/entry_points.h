// SPDX-License-Identifier: Apache-2.0
// A peer's calls under the names of the C interface, for tools that load a library of operators:
//
//   ACLGRAD_PEER_OPERATOR(aclnnElu, [](const Tensor& self, const Scalar& alpha, ..., Tensor out) {
//     at::elu_out(out, self, alpha, scale, input_scale);
//   })
//
// defines both phases of aclnnElu. The parameters of phase one are those of the public header; the
// call gets each as the peer has it. Executors, streams, memory and messages are this project's.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "aclgrad_ext.h"
#include "bench/contender.h"
#include "ops/meta/entry_points.h"

namespace aclgrad::bench {

// The tensor at a place among the parameters; where it lies is known in phase two. None: null.
struct Slot {
  View view;
  size_t parameter;
  bool given;
};

inline Slot keep(const aclTensor* tensor, size_t parameter) {
  if (tensor == nullptr) return {{}, parameter, false};
  const auto list = [](const ops::Dims& dims) {
    return std::vector<int64_t>(dims.begin(), dims.end());
  };
  return {{nullptr, tensor->dtype, list(tensor->view_shape), list(tensor->view_strides)},
          parameter,
          true};
}
inline aclScalar keep(const aclScalar* scalar, size_t) {
  return scalar == nullptr ? aclScalar() : *scalar;
}
inline std::vector<int64_t> keep(const aclIntArray* array, size_t) {
  return array == nullptr ? std::vector<int64_t>() : array->values;
}
inline std::vector<char> keep(const aclBoolArray* array, size_t) {
  return array == nullptr ? std::vector<char>() : array->values;
}
inline std::string keep(const char* text, size_t) { return text == nullptr ? "" : text; }
template <class Number>
requires std::is_arithmetic_v<Number> || std::is_enum_v<Number> Number keep(Number number, size_t) {
  return number;
}

template <class T>
ops::Argument argument(T value) {
  if constexpr (std::is_same_v<T, int>) {
    return static_cast<int64_t>(value);
  } else {
    return value;
  }
}

inline std::atomic<int> peer_threads = 0;

// A peer has `wrap` for tensors, which gives an empty one for a slot that is not given, `number`
// for scalars, and `use_threads` for the calling thread.
template <class Peer>
auto realise(const Slot& slot, void* address) {
  View view = slot.view;
  view.data = address;
  return slot.given ? Peer::wrap(view) : Peer::none();
}
template <class Peer>
auto realise(const aclScalar& scalar, void*) {
  return Peer::number(scalar);
}
template <class Peer, class T>
const T& realise(const T& value, void*) {
  return value;
}

// Zeros for a tensor, with the strides it has.
template <class T>
std::vector<std::byte> zeros_for(const T&) {
  return {};
}
inline std::vector<std::byte> zeros_for(const Slot& slot) {
  int64_t elements = 1;
  for (size_t i = 0; i < slot.view.shape.size(); ++i) {
    if (slot.view.shape[i] == 0) return {};
    elements += (slot.view.shape[i] - 1) * slot.view.strides[i];
  }
  return std::vector<std::byte>(static_cast<size_t>(elements) * aclDataTypeSize(slot.view.dtype));
}

template <class Peer, class Function, auto kName, auto kCall>
struct EntryPoint;

template <class Peer, class... P, auto kName, auto kCall>
struct EntryPoint<Peer, aclnnStatus(P...), kName, kCall> {
  static constexpr size_t kCount = sizeof...(P) - 2;  // without the two results

  static aclnnStatus phase_one(P... all) {
    return plan(std::tuple<P...>(all...), std::make_index_sequence<kCount>());
  }

 private:
  template <size_t... i>
  static aclnnStatus plan(const std::tuple<P...>& all, std::index_sequence<i...>) {
    using ops::Parameter;
    static const ops::OperatorSpec spec{
        kName(),
        std::vector<Parameter>{
            (std::is_convertible_v<std::tuple_element_t<i, std::tuple<P...>>, const aclTensor*>
                 ? ops::in_out("a tensor")
                 : ops::attribute("an attribute"))...},
        {}};
    return ops::plan_operator(
        spec, {argument(std::get<i>(all))...}, std::get<kCount>(all), std::get<kCount + 1>(all),
        [&](const ops::Arguments&) {
          const auto kept = std::make_tuple(keep(std::get<i>(all), i)...);
          const auto run = [kept](int threads, const auto& address) {
            Peer::use_threads(threads);
            kCall(realise<Peer>(std::get<i>(kept), address(i))...);
          };
          // Only a try tells whether a peer has an operator for these dtypes and strides.
          try {
            const std::vector<std::byte> zeros[] = {zeros_for(std::get<i>(kept))...};
            run(1, [&](size_t parameter) {
              return const_cast<std::byte*>(zeros[parameter].data());  // NOLINT: made above
            });
          } catch (const std::exception& error) {
            const std::string why = error.what();  // libtorch's go on with a stack
            throw ops::PlanError{161002, why.substr(0, why.find('\n'))};
          }
          return ops::Plan{.body = [run](const ops::Run& memory) -> aclError {
            run(peer_threads, [&](size_t parameter) { return memory.data(parameter); });
            return 0;
          }};
        });
  }
};

// The exported name is an indirect function: its resolver gives the instance of the template, so
// that the header alone says which parameters it has.
#define ACLGRAD_PEER_OPERATOR(name, ...)                                                    \
  namespace {                                                                               \
  constexpr auto call_##name = __VA_ARGS__;                                                 \
  constexpr auto name_##name = [] { return #name; };                                        \
  }                                                                                         \
  extern "C" {                                                                              \
  auto* resolve_##name() {                                                                  \
    return &aclgrad::bench::EntryPoint<Peer, decltype(name##GetWorkspaceSize), name_##name, \
                                       call_##name>::phase_one;                             \
  }                                                                                         \
  [[gnu::ifunc("resolve_" #name)]] decltype(name##GetWorkspaceSize) name##GetWorkspaceSize; \
  ACLGRAD_PHASE_TWO(name)                                                                   \
  }

}  // namespace aclgrad::bench
