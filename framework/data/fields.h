// SPDX-License-Identifier: Apache-2.0
// Fields of files with columns.
#ifndef ACLGRAD_FRAMEWORK_DATA_FIELDS_H_
#define ACLGRAD_FRAMEWORK_DATA_FIELDS_H_

#include <string_view>

namespace aclgrad::data {

/// At the beginning of files that some programs write.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace aclgrad::data

#endif  // ACLGRAD_FRAMEWORK_DATA_FIELDS_H_
