// SPDX-License-Identifier: Apache-2.0
// Rows of fields, as read_csv() and read_table() read them. What a line, a quote and a blank mean
// stands here and nowhere else; include/aclgrad/data/table.h says it to users.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aclgrad/data/table.h"

namespace aclgrad::data {

/// At the beginning of files that some programs write.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Throws ValueError for what no file can have between its columns.
void require_delimiter(char delimiter);

/// A field as write_csv() writes it: in quotes where it would be read as something else.
std::string csv_field(const std::string& text, char delimiter);
std::string in_csv_quotes(std::string_view text);

/// What write_csv() writes. Throws as that does.
std::string csv_text(const Table& table, char delimiter);

class CsvRows {
 public:
  /// Of the content of a file, which is to be `what`, "a table" say. Throws IoError for a file that
  /// begins as one of another kind; refers to all arguments.
  CsvRows(std::string_view content, char delimiter, const std::filesystem::path& path,
          const char* what);

  /// Leaves out lines that begin with '#', as np.savetxt() writes its header, here and from here
  /// on, and empty lines. Returns whether there were comments.
  bool skip_comments();

  /// Goes to the next row; false where there is none. Throws IoError for a quote that does not end
  /// and for text behind a quoted field.
  bool next();

  /// The fields of the row, until next().
  std::span<const std::string_view> fields() const { return fields_; }
  std::int64_t line() const { return line_; }  ///< on which the row begins, from 1
  std::size_t row_size() const { return row_size_; }

  /// Throws IoError with file and line, or with what the file is instead of a table.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  bool is_at_comment() const;
  bool skip_line_without_fields();
  std::string_view plain_field();
  std::string_view quoted_field();
  std::size_t end_of_field() const;
  void skip_end_of_line();
  std::string kind() const;

  std::string_view content_, rest_;
  char delimiter_;
  std::string_view blanks_;  // around fields
  const std::filesystem::path& path_;
  const char* what_;
  bool has_comments_ = false;
  std::int64_t line_ = 1, next_line_ = 1;
  std::size_t row_size_ = 0;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;  // fields with doubled quotes
};

}  // namespace aclgrad::data
