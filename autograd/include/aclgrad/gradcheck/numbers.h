// SPDX-License-Identifier: Apache-2.0
// Numbers as gradcheck sees them: exact arrays in long double, and elements of every dtype in
// memory, as the contracts have them (aclgrad_contract/numbers.h), by the framework's DType.
#pragma once

#include <string>
#include <string_view>

#include "aclgrad/dtype.h"
#include "aclgrad_contract/array.h"

namespace aclgrad::gradcheck {

using contract::Array;
using contract::Arrays;
using contract::count_of;
using contract::Number;
/// Extents of a tensor.
using Dims = contract::Shape;

/// Types that aclnn's tensors have and the framework's have not; the values are aclDataType's.
inline constexpr DType kUint16{7};
inline constexpr DType kUint32{8};
inline constexpr DType kUint64{10};
inline constexpr DType kComplex64{16};
inline constexpr DType kComplex128{17};

/// "4x6"; "scalar" for rank 0.
std::string dims_text(const Dims& shape);

/// Whether a type is floating, and whether it is complex.
bool is_float(DType dtype);
bool is_complex(DType dtype);

/// The type of a complex number's parts; any other type itself.
DType part_of(DType dtype);

/// Distance between the numbers of `dtype` around x; infinite for an x that is not finite.
Number ulp(Number x, DType dtype);

/// x as `dtype` holds it: rounded to nearest even for floating types, truncated and clamped for
/// integers; complex numbers are made of two of their parts' type, see part_of.
Number round_to(Number x, DType dtype);

/// The next number of `dtype` above x, which is one.
Number next_above(Number x, DType dtype);

/// Element `index` of an array of this dtype; of complex numbers the real part (writing makes the
/// imaginary one 0). Writing rounds as round_to.
Number load(const std::byte* data, DType dtype, std::int64_t index);
void store(std::byte* data, DType dtype, std::int64_t index, Number value);

/// The size of an element.
std::size_t bytes_of(DType dtype);

/// "float32", ..., and "f32", "fp16", "bf16", "FLOAT16" and such are understood too.
std::string_view short_name(DType dtype);
DType dtype_from_text(std::string_view text);

/// Numbers by index, the same on every machine: in [0, 1), and bits.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index);
double random_unit(std::uint64_t seed, std::uint64_t index);

}  // namespace aclgrad::gradcheck
