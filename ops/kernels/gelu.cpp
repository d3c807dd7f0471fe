// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/gelu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/gelu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/block-inl.h"
#include "ops/kernels/gelu-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

template <class Form>
HWY_INLINE void forward(const double* const* in, double* const* out, size_t count) {
  map_block<1>(in, out, count, [](auto d, auto x) HWY_ATTR { return Form::value(d, x); });
}

template <class Form>
HWY_INLINE void backward(const double* const* in, double* const* out, size_t count) {
  map_block<2>(in, out, count,
               [](auto d, auto g, auto x) HWY_ATTR { return hn::Mul(g, Form::derivative(d, x)); });
}

void gelu_erf_block(const double* const* in, double* const* out, size_t count) {
  forward<GeluErf>(in, out, count);
}
void gelu_tanh_block(const double* const* in, double* const* out, size_t count) {
  forward<GeluTanh>(in, out, count);
}
void gelu_backward_erf_block(const double* const* in, double* const* out, size_t count) {
  backward<GeluErf>(in, out, count);
}
void gelu_backward_tanh_block(const double* const* in, double* const* out, size_t count) {
  backward<GeluTanh>(in, out, count);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(gelu_erf_block);
HWY_EXPORT(gelu_tanh_block);
HWY_EXPORT(gelu_backward_erf_block);
HWY_EXPORT(gelu_backward_tanh_block);

RealKernel gelu_kernel(GeluForm form) {
  if (form == GeluForm::kErf) {
    return [](const double* const* in, double* const* out, size_t count) {
      HWY_DYNAMIC_DISPATCH(gelu_erf_block)(in, out, count);
    };
  }
  return [](const double* const* in, double* const* out, size_t count) {
    HWY_DYNAMIC_DISPATCH(gelu_tanh_block)(in, out, count);
  };
}

RealKernel gelu_backward_kernel(GeluForm form) {
  if (form == GeluForm::kErf) {
    return [](const double* const* in, double* const* out, size_t count) {
      HWY_DYNAMIC_DISPATCH(gelu_backward_erf_block)(in, out, count);
    };
  }
  return [](const double* const* in, double* const* out, size_t count) {
    HWY_DYNAMIC_DISPATCH(gelu_backward_tanh_block)(in, out, count);
  };
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
