// SPDX-License-Identifier: Apache-2.0
#include "nn/support.h"

#include <fmt/format.h>

#include "aclgrad/error.h"
#include "aclgrad/format.h"

namespace aclgrad::detail {

void check_beside(const Value& x, const Variable& variable) {
  const DType given = x.dtype();
  const DType held = variable.dtype();
  if (!is_floating(given)) {
    throw DTypeError(fmt::format("the layer of `{}` takes a floating input, got {} {}: cast() it",
                                 variable.name(), x.description(), given));
  }
  if (given == held || (given != DType::float64 && held != DType::float64)) return;
  throw DTypeError(
      fmt::format("`{}` is {}, the layer's input {} is {}: cast() the input to {}, or convert the "
                  "network with to({})",
                  variable.name(), held, x.description(), given, held, given));
}

}  // namespace aclgrad::detail
