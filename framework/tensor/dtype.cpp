// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/dtype.h"

#include <algorithm>
#include <iterator>
#include <ostream>

#include "aclgrad/error.h"
#include "aclgrad_common/dtypes.h"

namespace aclgrad {
namespace {

constexpr DType kAll[] = {DType::float32, DType::float16, DType::int8,  DType::int32,
                          DType::uint8,   DType::int16,   DType::int64, DType::float64,
                          DType::boolean, DType::bfloat16};

const common::DtypeInfo& info_of(DType dtype) {
  if (std::ranges::find(kAll, dtype) != std::end(kAll)) {
    return *common::find_dtype(static_cast<aclDataType>(dtype));
  }
  throw DTypeError("unknown dtype number " + std::to_string(static_cast<int>(dtype)));
}

}  // namespace

std::size_t size_of(DType dtype) { return info_of(dtype).bytes; }

bool is_floating(DType dtype) { return info_of(dtype).kind == common::DtypeKind::kFloating; }

std::string to_string(DType dtype) { return info_of(dtype).short_name; }

DType dtype_from_string(std::string_view name) {
  std::string known;
  for (const DType dtype : kAll) {
    if (to_string(dtype) == name) return dtype;
    known += (known.empty() ? "" : ", ") + to_string(dtype);
  }
  throw DTypeError("unknown dtype name '" + std::string(name) + "', known are " + known);
}

std::ostream& operator<<(std::ostream& stream, DType dtype) { return stream << to_string(dtype); }

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::boolean) return b;
  if (b == DType::boolean) return a;
  if (is_floating(a) || is_floating(b)) {
    if (!is_floating(a)) return b;
    if (!is_floating(b)) return a;
    const bool wide = a == DType::float64 || b == DType::float64;
    return wide ? DType::float64 : DType::float32;  // also for float16 beside bfloat16
  }
  if (size_of(a) != size_of(b)) return size_of(a) > size_of(b) ? a : b;
  return DType::int16;  // int8 beside uint8, the only two of one size
}

}  // namespace aclgrad
