// SPDX-License-Identifier: Apache-2.0
// What a header of C++ declares for its users, read from its text: the headers are formatted by
// clang-format, so what is declared in a namespace begins a line, and members are indented by two.
#pragma once

#include <string>
#include <vector>

namespace aclgrad::reference {

struct CppDeclaration {
  enum class Kind { function, type, constant };
  Kind kind = Kind::function;
  std::string name;                       ///< "schedule::cosine"
  std::string call = {};                  ///< of a function: "schedule::cosine(rate, warm_up)"
  std::string comment = {};               ///< of the one above that it shares it with, too
  bool shares_comment = false;            ///< with the declaration before it
  std::vector<std::string> makers = {};   ///< of a type: its constructors, as calls
  std::vector<std::string> members = {};  ///< of a type: its public members, in their order
};

struct CppHeader {
  std::string path;
  std::string comment;  ///< at its top
  std::vector<CppDeclaration> declarations;
};

/// Without what is in a namespace `detail` or is declared only. Throws std::runtime_error.
CppHeader read_cpp_header(const std::string& path);

/// Up to the first full stop that ends a sentence, or the end of the paragraph.
std::string first_sentence(const std::string& comment);

}  // namespace aclgrad::reference
