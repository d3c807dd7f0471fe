// SPDX-License-Identifier: Apache-2.0
// Prototypes of C functions over arrays, as a header has them. Not a parser of C: it knows
// functions whose parameters are numbers and pointers to numbers, and names that a typedef gives to
// those.
#pragma once

#include <string>
#include <vector>

namespace aclgrad::gradcheck {

/// A number, or a pointer to numbers.
struct CType {
  enum class Kind { kNothing, kWhole, kFloating };
  Kind kind = Kind::kNothing;
  int bytes = 0;  // of one number
  bool is_pointer = false;
  bool is_const = false;  // what it points to
  int choices = 0;        // of an enum, of true and false, as 0, 1, ...; 0 for other numbers
  std::string text = {};  // as the header has it
};

struct CParameter {
  std::string name;  // "parameter_0" and so on where the header gives none
  CType type;
};

struct Prototype {
  std::string name;
  CType result = {};  // nothing, or a floating number
  std::vector<CParameter> parameters = {};
  std::string text = {};  // as the header has it, on one line
};

/// The prototype, or the definition, of a function in the text of a header. Comments and
/// preprocessor lines are skipped, both sides of an #if are read; macros are not expanded.
///
/// Throws ValueError that names the function where the header does not declare it (with the
/// functions that it does), and the parameter whose type is not known here: a struct, a pointer to
/// a pointer, a function, a reference, 16-bit numbers.
Prototype prototype_in(const std::string& header, const std::string& name);

}  // namespace aclgrad::gradcheck
