// SPDX-License-Identifier: Apache-2.0
// Descriptors of oneDNN's primitives in versions 2 and 3. Version 3 did away with the descriptors
// of operations, and tells source from destination everywhere.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

namespace aclgrad::bench {

#if DNNL_VERSION_MAJOR >= 3
inline dnnl::memory::dims dims_of(const dnnl::memory::desc& layout) { return layout.get_dims(); }
inline dnnl::memory::data_type type_of(const dnnl::memory::desc& layout) {
  return layout.get_data_type();
}
#else
inline dnnl::memory::dims dims_of(const dnnl::memory::desc& layout) { return layout.dims(); }
inline dnnl::memory::data_type type_of(const dnnl::memory::desc& layout) {
  return layout.data_type();
}
#endif

// Of a primitive whose arguments are the same in both versions.
template <class Primitive, class... Arguments>
typename Primitive::primitive_desc describe(const dnnl::engine& engine,
                                            const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, arguments...};
#else
  return {typename Primitive::desc(arguments...), engine};
#endif
}

// The description of a backward primitive, which needs what its forward has chosen.
template <class Primitive, class Forward, class... Arguments>
typename Primitive::primitive_desc describe_backward(const dnnl::engine& engine,
                                                     const Forward& forward,
                                                     const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, arguments..., forward};
#else
  return {typename Primitive::desc(arguments...), engine, forward};
#endif
}

// Since version 3 hardswish is s max(0, min(1, alpha s + beta)); before, it had no parameters.
struct EltwiseParameters {
  float alpha;
  float beta;
};
inline EltwiseParameters parameters_of(dnnl::algorithm kind, float alpha, float beta) {
  if (kind == dnnl::algorithm::eltwise_hardswish) return {1.0F / 6, 0.5F};
  return {alpha, beta};
}

inline dnnl::eltwise_forward::primitive_desc describe_eltwise(const dnnl::engine& engine,
                                                              dnnl::algorithm kind,
                                                              const dnnl::memory::desc& layout,
                                                              float alpha, float beta = 0) {
  constexpr auto kTraining = dnnl::prop_kind::forward_training;
#if DNNL_VERSION_MAJOR >= 3
  const auto [a, b] = parameters_of(kind, alpha, beta);
  return {engine, kTraining, kind, layout, layout, a, b};
#else
  return {{kTraining, kind, layout, alpha, beta}, engine};
#endif
}

inline dnnl::eltwise_backward::primitive_desc describe_eltwise_backward(
    const dnnl::engine& engine, dnnl::algorithm kind, const dnnl::memory::desc& layout,
    float alpha) {
  const auto forward = describe_eltwise(engine, kind, layout, alpha);
#if DNNL_VERSION_MAJOR >= 3
  const auto [a, b] = parameters_of(kind, alpha, 0);
  return {engine, kind, layout, layout, layout, a, b, forward};
#else
  return {{kind, layout, layout, alpha, 0}, engine, forward};
#endif
}

inline dnnl::softmax_forward::primitive_desc describe_softmax(const dnnl::engine& engine,
                                                              const dnnl::memory::desc& layout,
                                                              int axis) {
  constexpr auto kTraining = dnnl::prop_kind::forward_training;
#if DNNL_VERSION_MAJOR >= 3
  return {engine, kTraining, dnnl::algorithm::softmax_accurate, layout, layout, axis};
#else
  return {{kTraining, layout, axis}, engine};
#endif
}

inline dnnl::softmax_backward::primitive_desc describe_softmax_backward(
    const dnnl::engine& engine, const dnnl::memory::desc& layout, int axis) {
  const auto forward = describe_softmax(engine, layout, axis);
#if DNNL_VERSION_MAJOR >= 3
  return {engine, dnnl::algorithm::softmax_accurate, layout, layout, layout, axis, forward};
#else
  return {{layout, layout, axis}, engine, forward};
#endif
}

// Windows: side by side, of two, where nothing else is said.
struct Windows {
  dnnl::memory::dims stride = {2, 2};
  dnnl::memory::dims kernel = {2, 2};
  dnnl::memory::dims padding = {0, 0};
};

inline dnnl::pooling_forward::primitive_desc describe_pooling(const dnnl::engine& engine,
                                                              dnnl::algorithm kind,
                                                              const dnnl::memory::desc& from,
                                                              const dnnl::memory::desc& to,
                                                              const Windows& w = {}) {
  constexpr auto kTraining = dnnl::prop_kind::forward_training;
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::memory::dims none = {0, 0};
  return {engine, kTraining, kind, from, to, w.stride, w.kernel, none, w.padding, w.padding};
#else
  return {{kTraining, kind, from, to, w.stride, w.kernel, w.padding, w.padding}, engine};
#endif
}

inline dnnl::pooling_backward::primitive_desc describe_pooling_backward(
    const dnnl::engine& engine, dnnl::algorithm kind, const dnnl::memory::desc& input,
    const dnnl::memory::desc& output, const Windows& w) {
  const auto forward = describe_pooling(engine, kind, input, output, w);
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::memory::dims none = {0, 0};
  return {engine, kind, input, output, w.stride, w.kernel, none, w.padding, w.padding, forward};
#else
  return {{kind, input, output, w.stride, w.kernel, w.padding, w.padding}, engine, forward};
#endif
}

// Of a normalization: `more` is the layout of the statistics, if it has one, eps and flags.
template <class Forward, class... More>
typename Forward::primitive_desc describe_normalization(const dnnl::engine& engine,
                                                        const dnnl::memory::desc& layout,
                                                        const More&... more) {
  constexpr auto kTraining = dnnl::prop_kind::forward_training;
#if DNNL_VERSION_MAJOR >= 3
  return {engine, kTraining, layout, layout, more...};
#else
  return {typename Forward::desc(kTraining, layout, more...), engine};
#endif
}

template <class Backward, class Forward, class... More>
typename Backward::primitive_desc describe_normalization_backward(const dnnl::engine& engine,
                                                                  const dnnl::memory::desc& layout,
                                                                  const More&... more) {
  const auto forward = describe_normalization<Forward>(engine, layout, more...);
  constexpr auto kBackward = dnnl::prop_kind::backward;
#if DNNL_VERSION_MAJOR >= 3
  return {engine, kBackward, layout, layout, layout, more..., forward};
#else
  return {typename Backward::desc(kBackward, layout, layout, more...), engine, forward};
#endif
}

#if DNNL_VERSION_MAJOR >= 3
using LogSoftmaxForward = dnnl::softmax_forward;
using LogSoftmaxBackward = dnnl::softmax_backward;
#else
using LogSoftmaxForward = dnnl::logsoftmax_forward;
using LogSoftmaxBackward = dnnl::logsoftmax_backward;
#endif

inline LogSoftmaxForward::primitive_desc describe_log_softmax(const dnnl::engine& engine,
                                                              const dnnl::memory::desc& layout,
                                                              int axis) {
  constexpr auto kTraining = dnnl::prop_kind::forward_training;
#if DNNL_VERSION_MAJOR >= 3
  return {engine, kTraining, dnnl::algorithm::softmax_log, layout, layout, axis};
#else
  return {{kTraining, layout, axis}, engine};
#endif
}

inline LogSoftmaxBackward::primitive_desc describe_log_softmax_backward(
    const dnnl::engine& engine, const dnnl::memory::desc& layout, int axis) {
  const auto forward = describe_log_softmax(engine, layout, axis);
#if DNNL_VERSION_MAJOR >= 3
  return {engine, dnnl::algorithm::softmax_log, layout, layout, layout, axis, forward};
#else
  return {{layout, layout, axis}, engine, forward};
#endif
}

}  // namespace aclgrad::bench
