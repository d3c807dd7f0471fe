// SPDX-License-Identifier: Apache-2.0
// Tables of the pages.
#pragma once

#include <string>

namespace aclgrad::reference {

/// What a cell of a table can hold: a bar would end it, in code, too.
inline std::string cell(const std::string& text) {
  std::string all;
  for (const char c : text) {
    if (c == '|') all += '\\';
    all += c;
  }
  return all;
}

}  // namespace aclgrad::reference
