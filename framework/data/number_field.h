// SPDX-License-Identifier: Apache-2.0
// A field of a table as a number: for read_csv() and Table::numbers(), which agree.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "aclgrad/dtype.h"
#include "aclgrad/tensor/number_text.h"
#include "data/csv_rows.h"
#include "tensor/visit.h"

namespace aclgrad::data {

/// The words that pandas ("True") and spreadsheets ("TRUE") write are 1 and 0.
inline std::optional<double> truth_value(std::string_view text) {
  if (text == "True" || text == "TRUE" || text == "true") return 1;
  if (text == "False" || text == "FALSE" || text == "false") return 0;
  return std::nullopt;
}

template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A field as T, or nothing when it is no number or, for integers, not one that T can hold. A
/// floating one is read as a double and rounded, to an infinity where T has no such number.
/// `missing` is what an empty field stands for.
template <class T>
std::optional<T> number_of_field(std::string_view field, const std::optional<double>& missing) {
  const std::string_view text = trimmed(field);
  if constexpr (std::is_integral_v<T>) {
    const bool signs = text.starts_with('+') && !text.starts_with("+-");
    if (const auto whole = parse_whole<std::int64_t>(signs ? text.substr(1) : text)) {
      const T value = aclgrad::detail::convert<T>(*whole);
      if (static_cast<std::int64_t>(value) == *whole) return value;
      return std::nullopt;
    }
  }
  std::optional<double> number = text.empty() ? missing : number_from_text(text);
  if (!number) number = truth_value(text);
  if (!number) return std::nullopt;
  const T value = aclgrad::detail::convert<T>(*number);
  if constexpr (std::is_integral_v<T>) {
    // "3.0" and "1e3" are whole numbers; above 2^53 a double could have lost digits of the text.
    const double back = aclgrad::detail::convert<double>(value);
    if (back != *number || std::abs(back) > 0x1p53) return std::nullopt;
  }
  return value;
}

/// For a message: "expected a number of type int32, found 'x'", bounded and without control
/// characters.
inline std::string no_number(std::string_view field, DType dtype,
                             const std::optional<double>& missing) {
  constexpr std::size_t kShown = 40;
  std::string found = "'";
  for (const char c : field.substr(0, kShown)) {
    found += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '.' : c;
  }
  found += field.size() > kShown ? "'..." : "'";
  if (trimmed(field).empty()) {
    found = missing ? fmt::format("nothing, for which .missing says {}", *missing)
                    : "nothing (for what stands for it, say .missing)";
  }
  return fmt::format("expected a number of type {}, found {}", to_string(dtype), found);
}

}  // namespace aclgrad::data
