// SPDX-License-Identifier: Apache-2.0
// Conversion between tensors and dense blocks of a compute type: plain loops, compiled once per
// instruction set so that the compiler vectorises each for its own.
#include <complex>

#include "ops/engine/dtype/formats.h"
#include "ops/engine/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/engine/dtype/convert.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// Complex numbers appear here as two doubles, because std::complex has functions that could be
// compiled for the wrong instruction set.
using Pair = ComplexOf<double>;

template <class T, class Element>
HWY_INLINE T decode(Element element) {
  if constexpr (std::is_same_v<T, double>) {
    return real_part(element);
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return integer_part(element);
  } else {
    return Pair{real_part(element), imaginary_part(element)};
  }
}

template <class Element, class T>
HWY_INLINE Element encode(T value) {
  if constexpr (std::is_same_v<T, double>) {
    return from_parts<Element>(value, 0.0);
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return from_integer<Element>(value);
  } else {
    return from_parts<Element>(value.real, value.imaginary);
  }
}

template <class Element, class T>
void load_loop(const void* source, int64_t stride, T* HWY_RESTRICT block, size_t count) {
  const auto* HWY_RESTRICT elements = static_cast<const Unaligned<Element>*>(source);
  if (stride == 1) {
    for (size_t i = 0; i < count; ++i) block[i] = decode<T>(Element(elements[i].value));
  } else if (stride == 0) {
    const T value = decode<T>(Element(elements[0].value));
    for (size_t i = 0; i < count; ++i) block[i] = value;
  } else {
    for (size_t i = 0; i < count; ++i, elements += stride)
      block[i] = decode<T>(Element(elements->value));
  }
}

template <class Element, class T>
void store_loop(const T* HWY_RESTRICT block, void* target, int64_t stride, size_t count) {
  auto* HWY_RESTRICT elements = static_cast<Unaligned<Element>*>(target);
  if (stride == 1) {
    for (size_t i = 0; i < count; ++i) elements[i].value = encode<Element>(block[i]);
  } else {
    for (size_t i = 0; i < count; ++i, elements += stride)
      elements->value = encode<Element>(block[i]);
  }
}

template <class T>
void load_any(const void* source, aclDataType dtype, int64_t stride, T* block, size_t count) {
  visit_element_type(dtype, [&](auto tag) HWY_ATTR {
    load_loop<typename decltype(tag)::type>(source, stride, block, count);
  });
}

template <class T>
void store_any(const T* block, void* target, aclDataType dtype, int64_t stride, size_t count) {
  visit_element_type(dtype, [&](auto tag) HWY_ATTR {
    store_loop<typename decltype(tag)::type>(block, target, stride, count);
  });
}

void load_real(const void* source, aclDataType dtype, int64_t stride, double* block, size_t count) {
  load_any(source, dtype, stride, block, count);
}
void load_integer(const void* source, aclDataType dtype, int64_t stride, int64_t* block,
                  size_t count) {
  load_any(source, dtype, stride, block, count);
}
void load_complex(const void* source, aclDataType dtype, int64_t stride, Pair* block,
                  size_t count) {
  load_any(source, dtype, stride, block, count);
}
void store_real(const double* block, void* target, aclDataType dtype, int64_t stride,
                size_t count) {
  store_any(block, target, dtype, stride, count);
}
void store_integer(const int64_t* block, void* target, aclDataType dtype, int64_t stride,
                   size_t count) {
  store_any(block, target, dtype, stride, count);
}
void store_complex(const Pair* block, void* target, aclDataType dtype, int64_t stride,
                   size_t count) {
  store_any(block, target, dtype, stride, count);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(load_real);
HWY_EXPORT(load_integer);
HWY_EXPORT(load_complex);
HWY_EXPORT(store_real);
HWY_EXPORT(store_integer);
HWY_EXPORT(store_complex);

template <class T>
void load(const void* source, aclDataType dtype, int64_t stride, T* block, size_t count) {
  if constexpr (std::is_same_v<T, double>) {
    HWY_DYNAMIC_DISPATCH(load_real)(source, dtype, stride, block, count);
  } else if constexpr (std::is_same_v<T, int64_t>) {
    HWY_DYNAMIC_DISPATCH(load_integer)(source, dtype, stride, block, count);
  } else {
    // A std::complex<double> is two doubles in memory, by the standard's own promise.
    auto* pairs = reinterpret_cast<ComplexOf<double>*>(block);
    HWY_DYNAMIC_DISPATCH(load_complex)(source, dtype, stride, pairs, count);
  }
}

template <class T>
void store(const T* block, void* target, aclDataType dtype, int64_t stride, size_t count) {
  if constexpr (std::is_same_v<T, double>) {
    HWY_DYNAMIC_DISPATCH(store_real)(block, target, dtype, stride, count);
  } else if constexpr (std::is_same_v<T, int64_t>) {
    HWY_DYNAMIC_DISPATCH(store_integer)(block, target, dtype, stride, count);
  } else {
    const auto* pairs = reinterpret_cast<const ComplexOf<double>*>(block);
    HWY_DYNAMIC_DISPATCH(store_complex)(pairs, target, dtype, stride, count);
  }
}

using Complex = std::complex<double>;
template void load(const void*, aclDataType, int64_t, double*, size_t);
template void load(const void*, aclDataType, int64_t, int64_t*, size_t);
template void load(const void*, aclDataType, int64_t, Complex*, size_t);
template void store(const double*, void*, aclDataType, int64_t, size_t);
template void store(const int64_t*, void*, aclDataType, int64_t, size_t);
template void store(const Complex*, void*, aclDataType, int64_t, size_t);

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
