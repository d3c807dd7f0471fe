// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "aclgrad/file.h"
#include "aclgrad/number_text.h"
#include "data/fields.h"
#include "io/file_kind.h"
#include "tensor/visit.h"

namespace aclgrad::data {
namespace {

constexpr std::size_t kLongestLine = std::size_t{16} << 20;
constexpr std::size_t kShownOfField = 40;

/// Numbers may stand in quotes, as everything does that some programs write.
std::string_view unquoted(std::string_view field) {
  const bool quoted = field.size() >= 2 && field.starts_with('"') && field.ends_with('"');
  return quoted ? trimmed(field.substr(1, field.size() - 2)) : field;
}

/// What was found, for a message: bounded, and without control characters.
std::string shown(std::string_view field) {
  if (field.empty()) return "nothing";
  std::string text = "'";
  for (const char c : field.substr(0, kShownOfField)) {
    text += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '.' : c;
  }
  return text + (field.size() > kShownOfField ? "'..." : "'");
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
template <class T>
std::optional<T> parse_number(std::string_view text) {
  if constexpr (std::is_integral_v<T>) {
    const bool signs = text.starts_with('+') && !text.starts_with("+-");
    if (const auto whole = parse_whole<std::int64_t>(signs ? text.substr(1) : text)) {
      const T value = detail::convert<T>(*whole);
      if (static_cast<std::int64_t>(value) == *whole) return value;
      return std::nullopt;
    }
  }
  const std::optional<double> number = number_from_text(text);
  if (!number) return std::nullopt;
  const T value = detail::convert<T>(*number);
  if constexpr (std::is_integral_v<T>) {
    // "3.0" and "1e3" are whole numbers; above 2^53 a double could have lost digits of the text.
    const double back = detail::convert<double>(value);
    if (back != *number || std::abs(back) > 0x1p53) return std::nullopt;
  }
  return value;
}

template <class T>
class CsvReader {
 public:
  CsvReader(const std::filesystem::path& path, const CsvOptions& options)
      : path_(path), options_(options) {}

  Tensor read() {
    const std::string content = read_file(path_);
    content_ = content;
    std::string_view rest = content;
    if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
    rest = rest.substr(0, rest.find_last_not_of("\r\n \t") + 1);
    while (!rest.empty()) {
      ++line_;
      const std::size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.size() > kLongestLine) {
        fail(fmt::format("a line of {} bytes is too long for a table", line.size()));
      }
      if (!(line_ == 1 && options_.header)) read_row(line);
    }
    if (rows_ == 0) throw IoError(path_.string() + ": there are no rows of numbers");
    Tensor table = Tensor::zeros({rows_, columns_}, options_.dtype);
    std::memcpy(table.bytes(), values_.data(), table.nbytes());
    return table;
  }

 private:
  // bool is stored as a byte because std::vector<bool> has no contiguous elements.
  using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

  void read_row(std::string_view line) {
    std::int64_t column = 0;
    for (bool more = true; more;) {
      ++column;
      const std::size_t end = line.find(options_.delimiter);
      const std::string_view field = unquoted(trimmed(line.substr(0, end)));
      more = end != std::string_view::npos;
      if (more) line.remove_prefix(end + 1);
      const std::optional<T> value = parse_number<T>(field);
      if (!value) {
        fail(fmt::format("column {}: expected a number of type {}, found {}", column,
                         to_string(options_.dtype), shown(field)) +
             (line_ == 1 ? "; where the first line has names, say .header = true" : ""));
      }
      values_.push_back(static_cast<Stored>(*value));
    }
    if (rows_ == 0) columns_ = column;
    if (column != columns_) {
      fail(fmt::format("{} columns where the first row has {}", column, columns_));
    }
    ++rows_;
  }

  [[noreturn]] void fail(const std::string& what) const {
    const std::string kind =
        aclgrad::detail::other_kind(content_, aclgrad::detail::Expected::table);
    if (!kind.empty()) {
      throw IoError(fmt::format("{}: not a table of numbers: {}", path_.string(), kind));
    }
    throw IoError(fmt::format("{}: line {}: {}", path_.string(), line_, what));
  }

  const std::filesystem::path& path_;
  const CsvOptions& options_;
  std::string_view content_;
  std::vector<Stored> values_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t line_ = 0;
};

}  // namespace

Tensor read_csv(const std::filesystem::path& path, const CsvOptions& options) {
  constexpr std::string_view kOfNumbers = "+-.()_\"\r\n";
  const char delimiter = options.delimiter;
  if (kOfNumbers.find(delimiter) != std::string_view::npos || delimiter == 0 ||
      (delimiter >= '0' && delimiter <= '9') ||
      ((delimiter | 32) >= 'a' && (delimiter | 32) <= 'z')) {
    throw ValueError(
        fmt::format("a delimiter of columns may not be a part of a number or a line, as {} is",
                    shown({&delimiter, 1})));
  }
  return aclgrad::detail::visit_dtype(options.dtype, [&](auto tag) {
    return CsvReader<typename decltype(tag)::type>(path, options).read();
  });
}

}  // namespace aclgrad::data
