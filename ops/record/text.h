// SPDX-License-Identifier: Apache-2.0
// JSON, appended to a string: one line for every call.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace aclgrad::record {

class Text {
 public:
  const std::string& string() const { return text_; }

  // A key of the object that is open, with the comma before it.
  Text& key(std::string_view name) {
    separate();
    quoted(name);
    text_ += ':';
    return *this;
  }
  Text& open(char bracket) {
    text_ += bracket;
    return *this;
  }
  Text& close(char bracket) {
    text_ += bracket;
    return *this;
  }
  // Before an element of an array.
  Text& separate() {
    if (!text_.empty() && text_.back() != '{' && text_.back() != '[') text_ += ',';
    return *this;
  }

  Text& null() {
    text_ += "null";
    return *this;
  }
  Text& boolean(bool value) {
    text_ += value ? "true" : "false";
    return *this;
  }
  Text& whole(int64_t value) { return number(value); }
  Text& whole_unsigned(uint64_t value) { return number(value); }
  // As short as it reads back the same; JSON has no name for numbers that are not finite.
  Text& real(double value) {
    if (std::isnan(value)) return quoted("nan");
    if (std::isinf(value)) return quoted(value < 0 ? "-inf" : "inf");
    return number(value);
  }
  Text& address(const void* value) {
    if (value == nullptr) return null();
    char digits[2 * sizeof value];
    const auto end =
        std::to_chars(digits, digits + sizeof digits, reinterpret_cast<uintptr_t>(value), 16).ptr;
    text_ += "\"0x";
    text_.append(digits, end);
    text_ += '"';
    return *this;
  }
  // 128 bits, as 32 digits.
  Text& hexadecimal(uint64_t high, uint64_t low) {
    text_ += '"';
    for (const uint64_t half : {high, low}) {
      for (int shift = 60; shift >= 0; shift -= 4) text_ += "0123456789abcdef"[half >> shift & 15];
    }
    text_ += '"';
    return *this;
  }
  Text& quoted(std::string_view value) {
    const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
    text_ += '"';
    // Nearly always all of it; one by one, characters took a tenth of the time of a small call.
    const auto end = std::ranges::find_if_not(value, is_plain);
    text_.append(value.begin(), end);
    value.remove_prefix(static_cast<size_t>(end - value.begin()));
    for (const char c : value) {
      const auto code = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') text_ += '\\';
      if (code >= 0x20 && code < 0x7f) {
        text_ += c;
      } else {  // a byte, whatever its encoding is
        constexpr char kDigits[] = "0123456789abcdef";
        text_ += "\\u00";
        text_ += kDigits[code >> 4];
        text_ += kDigits[code & 15];
      }
    }
    text_ += '"';
    return *this;
  }
  // What another text has gathered: members or elements.
  Text& raw(const Text& other) {
    text_ += other.text_;
    return *this;
  }
  // An array of whole numbers.
  template <class Values>
  Text& array(const Values& values) {
    open('[');
    for (const auto value : values) separate().whole(static_cast<int64_t>(value));
    return close(']');
  }

 private:
  template <class Number>
  Text& number(Number value) {
    char digits[32];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    return *this;
  }

  std::string text_;
};

}  // namespace aclgrad::record
