// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/geglu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/geglu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/block-inl.h"
#include "ops/kernels/gelu-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

template <class Form>
HWY_INLINE void forward(const double* const* in, double* const* out, size_t count) {
  const RealTag d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto gelu = Form::value(d, hn::Load(d, in[0] + i));
    hn::Store(hn::Mul(hn::Load(d, in[1] + i), gelu), d, out[0] + i);
    hn::Store(gelu, d, out[1] + i);
  }
}

template <class Form>
HWY_INLINE void backward(const double* const* in, double* const* out, size_t count) {
  const RealTag d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto g = hn::Load(d, in[0] + i);
    const auto slope = Form::derivative(d, hn::Load(d, in[1] + i));
    hn::Store(hn::Mul(hn::Mul(g, hn::Load(d, in[2] + i)), slope), d, out[0] + i);
    hn::Store(hn::Mul(g, hn::Load(d, in[3] + i)), d, out[1] + i);
  }
}

void geglu_erf_block(const double* const* in, double* const* out, size_t count) {
  forward<GeluErf>(in, out, count);
}
void geglu_tanh_block(const double* const* in, double* const* out, size_t count) {
  forward<GeluTanh>(in, out, count);
}
void geglu_backward_erf_block(const double* const* in, double* const* out, size_t count) {
  backward<GeluErf>(in, out, count);
}
void geglu_backward_tanh_block(const double* const* in, double* const* out, size_t count) {
  backward<GeluTanh>(in, out, count);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(geglu_erf_block);
HWY_EXPORT(geglu_tanh_block);
HWY_EXPORT(geglu_backward_erf_block);
HWY_EXPORT(geglu_backward_tanh_block);

RealKernel geglu_kernel(GeluForm form) {
  if (form == GeluForm::kErf) {
    return [](const double* const* in, double* const* out, size_t count) {
      HWY_DYNAMIC_DISPATCH(geglu_erf_block)(in, out, count);
    };
  }
  return [](const double* const* in, double* const* out, size_t count) {
    HWY_DYNAMIC_DISPATCH(geglu_tanh_block)(in, out, count);
  };
}

RealKernel geglu_backward_kernel(GeluForm form) {
  if (form == GeluForm::kErf) {
    return [](const double* const* in, double* const* out, size_t count) {
      HWY_DYNAMIC_DISPATCH(geglu_backward_erf_block)(in, out, count);
    };
  }
  return [](const double* const* in, double* const* out, size_t count) {
    HWY_DYNAMIC_DISPATCH(geglu_backward_tanh_block)(in, out, count);
  };
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
