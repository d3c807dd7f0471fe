// SPDX-License-Identifier: Apache-2.0
#include "data/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "io/file_kind.h"

namespace aclgrad::data {
namespace {

constexpr std::string_view kLineEnds = "\r\n";

// LF, CRLF and CR each end one line.
std::int64_t line_ends_in(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    count += text[i] == '\n' ? i == 0 || text[i - 1] != '\r' : text[i] == '\r';
  }
  return count;
}

}  // namespace

void require_delimiter(char delimiter) {
  if (delimiter != '"' && delimiter != '\n' && delimiter != '\r' && delimiter != 0) return;
  throw ValueError("a delimiter of columns may not be a quote or the end of a line");
}

std::string in_csv_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

std::string csv_field(const std::string& text, char delimiter) {
  const bool plain = text.find_first_of("\"\r\n") == std::string::npos &&
                     text.find(delimiter) == std::string::npos && trimmed(text) == text &&
                     !text.starts_with(kByteOrderMark);
  return plain ? text : in_csv_quotes(text);
}

CsvRows::CsvRows(std::string_view content, char delimiter, const std::filesystem::path& path,
                 const char* what)
    : content_(content),
      rest_(content),
      delimiter_(delimiter),
      blanks_(delimiter == '\t'  ? " "
              : delimiter == ' ' ? "\t"
                                 : " \t"),
      path_(path),
      what_(what) {
  // No other kind of file begins with a quote, but for one whose bytes happen to.
  if (!content.starts_with('"') && !kind().empty()) fail("");
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  rest_ = rest_.substr(0, rest_.find_last_not_of(std::string(kLineEnds).append(blanks_)) + 1);
}

std::string CsvRows::kind() const {
  return aclgrad::detail::other_kind(content_, aclgrad::detail::Expected::table);
}

void CsvRows::fail(const std::string& what) const {
  const std::string other = kind();
  if (!other.empty()) {
    throw IoError(fmt::format("{}: not {}: {}", path_.string(), what_, other));
  }
  throw IoError(fmt::format("{}: line {}: {}", path_.string(), line_, what));
}

bool CsvRows::skip_comments() {
  has_comments_ = delimiter_ != '#';
  bool some = is_at_comment();
  while (skip_line_without_fields()) some = some || is_at_comment();
  return some;
}

bool CsvRows::is_at_comment() const { return has_comments_ && rest_.starts_with('#'); }

// A comment; or an empty line, which pandas and NumPy leave out, too. In a table of one column that
// is a row: a spreadsheet writes an empty cell so.
bool CsvRows::skip_line_without_fields() {
  if (rest_.empty()) return false;
  const std::string_view line = rest_.substr(0, rest_.find_first_of(kLineEnds));
  const bool is_empty = fields_.size() != 1 && trimmed(line, blanks_).empty();
  if (!is_at_comment() && !is_empty) return false;
  rest_.remove_prefix(line.size());
  skip_end_of_line();
  ++next_line_;
  return true;
}

bool CsvRows::next() {
  while (skip_line_without_fields()) {
  }
  if (rest_.empty()) return false;
  line_ = next_line_;
  fields_.clear();
  unquoted_.clear();
  const std::size_t before = rest_.size();
  for (bool more = true; more;) {
    const std::size_t first = rest_.find_first_not_of(blanks_);
    const bool is_quoted = first != std::string_view::npos && rest_[first] == '"';
    if (is_quoted) rest_.remove_prefix(first + 1);
    fields_.push_back(is_quoted ? quoted_field() : plain_field());
    more = !rest_.empty() && rest_[0] == delimiter_;
    if (more) rest_.remove_prefix(1);
  }
  row_size_ = before - rest_.size();
  skip_end_of_line();
  ++next_line_;
  return true;
}

void CsvRows::skip_end_of_line() {
  rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : rest_.empty() ? 0 : 1);
}

std::size_t CsvRows::end_of_field() const {
  std::size_t end = 0;
  while (end < rest_.size() && rest_[end] != delimiter_ && rest_[end] != '\n' &&
         rest_[end] != '\r') {
    ++end;
  }
  return end;
}

std::string_view CsvRows::plain_field() {
  const std::string_view field = rest_.substr(0, end_of_field());
  rest_.remove_prefix(field.size());
  return trimmed(field, blanks_);
}

// What stands before the closing quote; then nothing but blanks before the field's end.
std::string_view CsvRows::quoted_field() {
  std::string* joined = nullptr;  // where there are doubled quotes
  std::string_view text;
  while (true) {
    const std::size_t end = rest_.find('"');
    if (end == std::string_view::npos) fail("a quote does not end");
    const bool is_doubled = rest_.substr(end + 1).starts_with('"');
    text = rest_.substr(0, is_doubled ? end + 1 : end);
    next_line_ += line_ends_in(text);
    if (is_doubled && joined == nullptr) joined = &unquoted_.emplace_back();
    if (joined != nullptr) joined->append(text);
    rest_.remove_prefix(end + (is_doubled ? 2 : 1));
    if (!is_doubled) break;
  }
  const std::string_view behind = rest_.substr(0, end_of_field());
  if (!trimmed(behind, blanks_).empty()) fail("there is text behind a quoted field");
  rest_.remove_prefix(behind.size());
  return joined != nullptr ? std::string_view(*joined) : text;
}

}  // namespace aclgrad::data
