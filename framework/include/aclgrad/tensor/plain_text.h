// SPDX-License-Identifier: Apache-2.0
// Names of layers, runs and tensors may be any bytes. Where one is shown within a line of text it
// must not end the line, move the cursor, turn the direction of writing, or break the encoding.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace aclgrad {

/// What stands for bytes that are no text, U+FFFD.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

/// Length of the well-formed UTF-8 sequence at the start of a text that is not empty, 0 when there
/// is none.
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Longer than needed, surrogates, beyond the last code point.
  const unsigned char second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

/// The text on one line, in UTF-8: control characters (escape, line ends, tabulators) become
/// spaces; bytes that are not UTF-8, and characters that turn the direction of writing, U+FFFD.
inline std::string plain_text(std::string_view text) {
  const auto is_control = [](std::string_view c) {
    const auto first = static_cast<unsigned char>(c[0]);
    if (c.size() == 1) return first < 0x20 || first == 0x7F;
    const auto second = static_cast<unsigned char>(c[1]);
    return (first == 0xC2 && second < 0xA0) || c == "\u2028" || c == "\u2029";
  };
  const auto turns = [](std::string_view c) {
    return c == "\u061C" || c == "\u200E" || c == "\u200F" || (c >= "\u202A" && c <= "\u202E") ||
           (c >= "\u2066" && c <= "\u2069");
  };
  std::string plain;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view c = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || turns(c)) {
      plain += kReplacementCharacter;
    } else if (is_control(c)) {
      plain += ' ';
    } else {
      plain += c;
    }
    text.remove_prefix(c.size());
  }
  return plain;
}

}  // namespace aclgrad
