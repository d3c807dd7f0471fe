// SPDX-License-Identifier: Apache-2.0
// Numbers from text, whatever the locale of the program: the C library's own functions read a comma
// where that has one.
#pragma once

#include <stdlib.h>  // NOLINT: strtod_l() is none of <cstdlib>

#include <charconv>
#include <clocale>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <locale.h>  // NOLINT: newlocale() is none of <clocale>

namespace aclgrad {

/// The number that a whole text is, as strtod() reads it in the locale "C": with a sign, in
/// hexadecimal, "inf", "nan"; what is too large is infinite, what is too small 0 or the nearest
/// number there is. Nothing for any other text.
inline std::optional<double> number_from_text(std::string_view text) {
  double value = 0;
#ifdef __cpp_lib_to_chars  // not every library reads floating-point numbers
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return value;
#endif
  // What from_chars() does not read; it is the quicker one.
  static const locale_t c_locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string copy(text);
  char* last = nullptr;
  value = ::strtod_l(copy.c_str(), &last, c_locale);
  if (text.empty() || last != copy.c_str() + copy.size()) return std::nullopt;
  return value;
}

}  // namespace aclgrad
