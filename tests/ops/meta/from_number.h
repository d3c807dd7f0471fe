// SPDX-License-Identifier: Apache-2.0
// A C program may pass any number where the interface takes an enumeration.
#pragma once

#include <cstring>

template <class Enum>
Enum from_number(int number) {
  static_assert(sizeof(Enum) == sizeof(int));
  Enum value;
  std::memcpy(&value, &number, sizeof(value));
  return value;
}
