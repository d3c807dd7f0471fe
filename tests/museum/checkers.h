// SPDX-License-Identifier: Apache-2.0
// Gradient checkers on the museum's exhibits, as their users call them.
#pragma once

#include <string>
#include <vector>

#include "tests/museum/exhibit.h"

namespace aclgrad::museum {

struct Checker {
  std::string name;
  std::string how;
  /// Whether it blames the wrong backward, or the right one, under these attributes.
  bool (*blames)(int number, bool is_right, const Numbers& attributes);
};

/// This project's by its C interface, central differences, a random projection.
const std::vector<Checker>& checkers();

/// What this project's says of a backward, by its defaults.
std::string report_of(int number, bool is_right, int seed = 1);

/// Whether it blames a right one, drawing other numbers than the defaults do.
bool is_blamed_under(int seed, int number);

/// More inputs than this no element-by-element checker is asked about.
inline constexpr std::size_t kMostElements = 5000;

}  // namespace aclgrad::museum
