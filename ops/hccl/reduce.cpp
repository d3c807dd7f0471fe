// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/reduce.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "ops/engine/dtype/formats.h"
#include "ops/hccl/data_types.h"

namespace aclgrad::hccl {
namespace {

using ops::Bfloat16;
using ops::Float16;
using ops::Unaligned;

// Elements reduced at a time, so that the partial results of all ranks stay in a near cache.
constexpr size_t kBlock = 1024;

// The type in which elements are reduced.
template <class Element>
using Compute =
    std::conditional_t<std::is_same_v<Element, Float16> || std::is_same_v<Element, Bfloat16>, float,
                       Element>;

template <class Element>
Compute<Element> load(Element element) {
  if constexpr (std::is_same_v<Element, Compute<Element>>) {
    return element;
  } else {
    return static_cast<float>(ops::real_part(element));
  }
}

template <class Element>
Element store(Compute<Element> value) {
  if constexpr (std::is_same_v<Element, Compute<Element>>) {
    return value;
  } else {
    return ops::from_parts<Element>(static_cast<double>(value), 0.0);
  }
}

// Signed integers overflow by wrapping; products of short ones must not become those of int.
template <class Value>
using Wrapping = std::conditional_t<
    std::is_floating_point_v<Value>, std::type_identity<Value>,
    std::conditional_t<sizeof(Value) < 4, std::type_identity<uint32_t>, std::make_unsigned<Value>>>;

template <class Operator>
struct Wrapped {
  template <class Value>
  static Value join(Value a, Value b) {
    using Wide = typename Wrapping<Value>::type;
    return static_cast<Value>(Operator()(static_cast<Wide>(a), static_cast<Wide>(b)));
  }
};

// Equal numbers differ in bits only when they are zeros of different sign.
template <bool kIsMax>
struct Extreme {
  template <class Value>
  static Value join(Value a, Value b) {
    if constexpr (std::is_floating_point_v<Value>) {
      using Bits = std::conditional_t<sizeof(Value) == 4, uint32_t, uint64_t>;
      const Bits both = kIsMax ? std::bit_cast<Bits>(a) & std::bit_cast<Bits>(b)
                               : std::bit_cast<Bits>(a) | std::bit_cast<Bits>(b);
      Value result = (kIsMax ? a > b : a < b) ? a : b;
      result = a == b ? std::bit_cast<Value>(both) : result;
      result = b != b ? b : result;
      return a != a ? a : result;
    } else {
      return (kIsMax ? a > b : a < b) ? a : b;
    }
  }
};

template <class Element>
const Unaligned<Element>* elements_at(const void* memory, size_t first) {
  return static_cast<const Unaligned<Element>*>(memory) + first;
}

// The result may be one of the parts, but otherwise overlaps none: no element waits for another.
template <class Element, class Operator>
void reduce_two(const void* left, const void* right, void* result, size_t count) {
  const Unaligned<Element>* const a = elements_at<Element>(left, 0);
  const Unaligned<Element>* const b = elements_at<Element>(right, 0);
  auto* const to = static_cast<Unaligned<Element>*>(result);
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (size_t i = 0; i < count; ++i) {
    to[i].value = Operator::join(a[i].value, b[i].value);
  }
}

// Reduces blocks of all parts: joins halves, at first as they are loaded, and stores the one that
// is left.
template <class Element, class Operator>
void reduce_blocks(std::span<const void* const> parts, void* result, size_t count) {
  using Value = Compute<Element>;
  const size_t middle = std::bit_floor(parts.size() - 1);
  const auto values = std::make_unique_for_overwrite<Value[]>(middle * kBlock);
  for (size_t first = 0; first < count; first += kBlock) {
    const size_t length = std::min(kBlock, count - first);
    for (size_t part = 0; part < middle; ++part) {
      const Unaligned<Element>* const a = elements_at<Element>(parts[part], first);
      Value* const to = values.get() + part * kBlock;
      if (part + middle < parts.size()) {
        const Unaligned<Element>* const b = elements_at<Element>(parts[part + middle], first);
        for (size_t i = 0; i < length; ++i) {
          to[i] = Operator::join(load(a[i].value), load(b[i].value));
        }
      } else {
        for (size_t i = 0; i < length; ++i) to[i] = load(a[i].value);
      }
    }
    for (size_t left = middle; left > 1; left /= 2) {
      for (size_t part = left / 2; part < left; ++part) {
        Value* const a = values.get() + (part - left / 2) * kBlock;
        const Value* const b = values.get() + part * kBlock;
        for (size_t i = 0; i < length; ++i) a[i] = Operator::join(a[i], b[i]);
      }
    }
    auto* const to = static_cast<Unaligned<Element>*>(result) + first;
    for (size_t i = 0; i < length; ++i) to[i].value = store<Element>(values[i]);
  }
}

template <class Element, class Operator>
void reduce_with(std::span<const void* const> parts, void* result, size_t count) {
  if constexpr (std::is_same_v<Element, Compute<Element>>) {
    if (parts.size() == 2) return reduce_two<Element, Operator>(parts[0], parts[1], result, count);
  }
  reduce_blocks<Element, Operator>(parts, result, count);
}

using Function = void (*)(std::span<const void* const> parts, void* result, size_t count);

// By operation.
template <class Element>
constexpr std::array<Function, 4> kReductions{
    reduce_with<Element, Wrapped<std::plus<>>>, reduce_with<Element, Wrapped<std::multiplies<>>>,
    reduce_with<Element, Extreme<true>>, reduce_with<Element, Extreme<false>>};

constexpr std::pair<HcclDataType, std::array<Function, 4>> kTypes[] = {
    {HCCL_DATA_TYPE_INT8, kReductions<int8_t>},     {HCCL_DATA_TYPE_INT16, kReductions<int16_t>},
    {HCCL_DATA_TYPE_INT32, kReductions<int32_t>},   {HCCL_DATA_TYPE_INT64, kReductions<int64_t>},
    {HCCL_DATA_TYPE_UINT64, kReductions<uint64_t>}, {HCCL_DATA_TYPE_FP16, kReductions<Float16>},
    {HCCL_DATA_TYPE_BFP16, kReductions<Bfloat16>},  {HCCL_DATA_TYPE_FP32, kReductions<float>},
    {HCCL_DATA_TYPE_FP64, kReductions<double>}};

}  // namespace

void reduce(HcclDataType dtype, HcclReduceOp op, std::span<const void* const> parts, void* result,
            size_t count) {
  if (count == 0) return;
  if (parts.size() > 1) {
    const auto* const type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                          [&](const auto& each) { return each.first == dtype; });
    type->second.at(op)(parts, result, count);
  } else if (result != parts[0]) {
    std::memmove(result, parts[0], count * size_of(dtype));
  }
}

}  // namespace aclgrad::hccl
