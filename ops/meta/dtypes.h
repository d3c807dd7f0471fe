// SPDX-License-Identifier: Apache-2.0
// Relations between data types: names, classes, what may be converted, what two types promote to.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl_base.h"
#include "ops/meta/soc.h"

namespace aclgrad::ops {

// "DT_FLOAT", "DT_BF16", ...; "DT_UNKNOWN(n)" for a number that is no type.
std::string dtype_name(aclDataType dtype);

bool is_floating(aclDataType dtype);  // FLOAT, FLOAT16, BF16, DOUBLE
bool is_integer(aclDataType dtype);   // INT8 ... UINT64, without BOOL
bool is_complex(aclDataType dtype);   // COMPLEX32, COMPLEX64, COMPLEX128

// May a value of `from` be converted to `to`? No from complex to real, from floating to integer,
// from anything but BOOL to BOOL, and to or from a type that no kernel here reads (8-bit floats and
// smaller, STRING); yes otherwise.
bool can_cast(aclDataType from, aclDataType to);

// The common type of two tensors; nothing when there is none (UINT16, UINT32 and UINT64 only match
// themselves).
std::optional<aclDataType> promote_types(aclDataType a, aclDataType b);

// The data types an argument may have: some on every product, some only where the product is of the
// A2 generation or later. DOUBLE joins FLOAT while aclgradSetAcceptDouble is on.
class DtypeSet {
 public:
  constexpr DtypeSet(std::initializer_list<aclDataType> everywhere,
                     std::initializer_list<aclDataType> from_a2_on = {})
      : everywhere_(mask(everywhere)), from_a2_on_(mask(from_a2_on)) {}

  bool contains(aclDataType dtype) const;
  // "[DT_FLOAT, DT_FLOAT16, DT_BF16]", as the current product has it.
  std::string to_string() const;

 private:
  static constexpr uint64_t mask(std::initializer_list<aclDataType> dtypes) {
    uint64_t bits = 0;
    for (aclDataType dtype : dtypes) bits |= uint64_t{1} << static_cast<unsigned>(dtype);
    return bits;
  }
  uint64_t current() const;

  uint64_t everywhere_;
  uint64_t from_a2_on_;
};

}  // namespace aclgrad::ops
