// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <locale>
#include <sstream>

namespace aclgrad::contract {

/// For messages and labels, which have a point in numbers whatever the program's locale.
inline std::ostringstream plain_stream() {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  return stream;
}

}  // namespace aclgrad::contract
