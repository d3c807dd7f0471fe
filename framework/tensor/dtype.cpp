// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/dtype.h"

#include <array>
#include <ostream>

#include "acl/acl_base.h"
#include "aclgrad/error.h"

namespace aclgrad {
namespace {

struct DTypeRow {
  DType dtype;
  aclDataType acl;
  std::string_view name;
  std::size_t size;
  bool floating;
};

constexpr std::array kRows = {
    DTypeRow{DType::float32, ACL_FLOAT, "float32", 4, true},
    DTypeRow{DType::float16, ACL_FLOAT16, "float16", 2, true},
    DTypeRow{DType::int8, ACL_INT8, "int8", 1, false},
    DTypeRow{DType::int32, ACL_INT32, "int32", 4, false},
    DTypeRow{DType::uint8, ACL_UINT8, "uint8", 1, false},
    DTypeRow{DType::int16, ACL_INT16, "int16", 2, false},
    DTypeRow{DType::int64, ACL_INT64, "int64", 8, false},
    DTypeRow{DType::float64, ACL_DOUBLE, "float64", 8, true},
    DTypeRow{DType::boolean, ACL_BOOL, "bool", 1, false},
    DTypeRow{DType::bfloat16, ACL_BF16, "bfloat16", 2, true},
};

constexpr bool values_are_those_of_the_c_interface() {
  for (const DTypeRow& row : kRows) {
    if (static_cast<int>(row.dtype) != static_cast<int>(row.acl)) return false;
  }
  return true;
}
static_assert(values_are_those_of_the_c_interface());

const DTypeRow& row_of(DType dtype) {
  for (const DTypeRow& row : kRows) {
    if (row.dtype == dtype) return row;
  }
  throw DTypeError("unknown dtype number " + std::to_string(static_cast<int>(dtype)));
}

}  // namespace

std::size_t size_of(DType dtype) { return row_of(dtype).size; }

bool is_floating(DType dtype) { return row_of(dtype).floating; }

std::string to_string(DType dtype) { return std::string(row_of(dtype).name); }

DType dtype_from_string(std::string_view name) {
  std::string known;
  for (const DTypeRow& row : kRows) {
    if (row.name == name) return row.dtype;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw DTypeError("unknown dtype name '" + std::string(name) + "', known are " + known);
}

std::ostream& operator<<(std::ostream& stream, DType dtype) { return stream << to_string(dtype); }

}  // namespace aclgrad
