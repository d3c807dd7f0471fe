// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/file.h"
#include "aclgrad/number_text.h"
#include "data/fields.h"
#include "io/file_kind.h"
#include "tensor/number.h"

namespace aclgrad::data {
namespace {

std::string_view bare(std::string_view text) { return trimmed(text, " \t\r"); }

void require_delimiter(char delimiter) {
  if (delimiter != '"' && delimiter != '\n' && delimiter != '\r' && delimiter != 0) return;
  throw ValueError("a delimiter of columns may not be a quote or the end of a line");
}

// Rows of fields, one after the other.
class Reader {
 public:
  Reader(std::string_view content, char delimiter, const std::filesystem::path& path)
      : rest_(content),
        delimiter_(delimiter),
        blanks_(delimiter == '\t' ? " " : " \t"),
        path_(path) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
    rest_ = rest_.substr(0, rest_.find_last_not_of(std::string("\r\n").append(blanks_)) + 1);
  }

  bool has_more() const { return !rest_.empty(); }
  std::int64_t line() const { return line_; }

  std::vector<std::string> row() {
    line_ = next_line_;
    std::vector<std::string> fields;
    bool more = true;
    while (more) {
      const std::size_t quote = rest_.find_first_not_of(blanks_);
      if (quote != std::string_view::npos && rest_[quote] == '"') {
        rest_.remove_prefix(quote + 1);
        fields.push_back(quoted());
      } else {
        const std::size_t end = end_of_field();
        fields.emplace_back(bare(rest_.substr(0, end)));
        rest_.remove_prefix(end);
      }
      more = !rest_.empty() && rest_[0] == delimiter_;
      if (!rest_.empty()) rest_.remove_prefix(1);  // the delimiter or the end of the line
    }
    ++next_line_;
    return fields;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(fmt::format("{}: line {}: {}", path_.string(), line_, what));
  }

 private:
  std::size_t end_of_field() const {
    const char ends[] = {delimiter_, '\n', '\0'};
    return std::min(rest_.find_first_of(ends), rest_.size());
  }

  // What stands before the closing quote; then nothing but spaces before the field's end.
  std::string quoted() {
    std::string text;
    while (true) {
      const std::size_t end = rest_.find('"');
      if (end == std::string_view::npos) fail("a quote does not end");
      text += rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      if (!rest_.starts_with('"')) break;
      text += '"';
      rest_.remove_prefix(1);
    }
    next_line_ += std::ranges::count(text, '\n');
    const std::size_t end = end_of_field();
    if (!bare(rest_.substr(0, end)).empty()) fail("there is text behind a quoted field");
    rest_.remove_prefix(end);
    return text;
  }

  std::string_view rest_;
  char delimiter_;
  std::string_view blanks_;  // around fields
  const std::filesystem::path& path_;
  std::int64_t line_ = 1, next_line_ = 1;
};

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::string field_of(const std::string& text, char delimiter) {
  const bool plain = text.find_first_of("\"\r\n") == std::string::npos &&
                     text.find(delimiter) == std::string::npos && bare(text) == text &&
                     !text.starts_with(kByteOrderMark);
  return plain ? text : in_quotes(text);
}

// A first name that would make the file look like one of another kind stands in quotes.
void write(const std::filesystem::path& path, std::string text, const std::string& first) {
  if (!aclgrad::detail::other_kind(text, aclgrad::detail::Expected::table).empty() &&
      text.starts_with(first)) {
    text.replace(0, first.size(), in_quotes(first));
  }
  write_file_atomically(path, text);
}

template <class Field>
void append_row(std::string& text, std::size_t count, char delimiter, const Field& field) {
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += delimiter;
    const std::string one = field(i);
    text += count == 1 && one.empty() ? "\"\"" : one;  // an empty line might be left out
  }
  text += '\n';
}

std::string number_text(const Tensor& tensor, std::int64_t index) {
  if (tensor.dtype() == DType::float32) {
    return fmt::format("{}", tensor.data<float>()[static_cast<std::size_t>(index)]);
  }
  if (tensor.dtype() == DType::int64) {
    return fmt::format("{}", tensor.data<std::int64_t>()[static_cast<std::size_t>(index)]);
  }
  return fmt::format("{}", tensor.get(index));
}

}  // namespace

const std::vector<std::string>& Table::text(const std::string& name) const {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return columns.at(static_cast<std::size_t>(found - names.begin()));
  throw ValueError(
      fmt::format("the table has no column \"{}\", only \"{}\"", name, fmt::join(names, "\", \"")));
}

Tensor Table::numbers(const std::string& name, const NumberOptions& options) const {
  return numbers(std::vector<std::string>{name}, options).reshape({rows()});
}

Tensor Table::numbers(const std::vector<std::string>& wanted, const NumberOptions& options) const {
  const auto width = static_cast<std::int64_t>(wanted.size());
  Tensor table = Tensor::zeros({rows(), width}, options.dtype);
  for (std::int64_t i = 0; i < width; ++i) {
    const std::string& name = wanted[static_cast<std::size_t>(i)];
    std::int64_t row = 0;
    for (const std::string& field : text(name)) {
      const std::optional<double> number =
          field.empty() && options.missing ? options.missing : number_from_text(bare(field));
      const auto refuse = [&](const std::string& found) {
        throw ValueError(
            fmt::format("column \"{}\", row {}: expected a number of type {}, found {}", name,
                        row + 1, to_string(options.dtype), found));
      };
      if (!number)
        refuse(field.empty() ? "nothing (for what stands for it, say .missing)"
                             : fmt::format("'{:.40}'", field));
      if (!aclgrad::detail::problem_of(*number, options.dtype).empty()) {
        refuse(fmt::format("'{:.40}'", field));
      }
      table.set(row++ * width + i, *number);
    }
  }
  return table;
}

Table read_table(const std::filesystem::path& path, char delimiter) {
  require_delimiter(delimiter);
  const std::string content = read_file(path);
  const std::string kind = aclgrad::detail::other_kind(content, aclgrad::detail::Expected::table);
  if (!kind.empty()) throw IoError(fmt::format("{}: not a table: {}", path.string(), kind));
  Reader reader(content, delimiter, path);
  if (!reader.has_more()) throw IoError(path.string() + ": there is no line with names of columns");
  Table table{.names = reader.row(), .columns = {}};
  std::set<std::string_view> known;
  for (const std::string& name : table.names) {
    if (!known.insert(name).second) reader.fail(fmt::format("two columns are called \"{}\"", name));
  }
  table.columns.resize(table.names.size());
  while (reader.has_more()) {
    std::vector<std::string> row = reader.row();
    if (row.size() != table.names.size()) {
      reader.fail(
          fmt::format("{} columns where there are {} names", row.size(), table.names.size()));
    }
    for (std::size_t i = 0; i < row.size(); ++i) table.columns[i].push_back(std::move(row[i]));
  }
  return table;
}

Classes classes_of(const std::vector<std::string>& texts, std::vector<std::string> names) {
  if (names.empty()) {
    const std::set<std::string> all(texts.begin(), texts.end());
    names.assign(all.begin(), all.end());
  }
  Classes classes{Tensor::zeros({static_cast<std::int64_t>(texts.size())}, DType::int64),
                  std::move(names)};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto found = std::ranges::find(classes.names, texts[i]);
    if (found == classes.names.end()) {
      throw ValueError(fmt::format("row {}: \"{}\" is none of the classes \"{}\"", i + 1, texts[i],
                                   fmt::join(classes.names, "\", \"")));
    }
    classes.numbers.data<std::int64_t>()[i] = found - classes.names.begin();
  }
  return classes;
}

void write_csv(const std::filesystem::path& path, const Tensor& numbers,
               const std::vector<std::string>& names, char delimiter) {
  require_delimiter(delimiter);
  if (numbers.rank() != 1 && numbers.rank() != 2) {
    throw ShapeError("a table has shape [rows, columns] or [rows], got " +
                     to_string(numbers.shape()));
  }
  const auto width = static_cast<std::size_t>(numbers.rank() == 1 ? 1 : numbers.shape()[1]);
  if (!names.empty() && names.size() != width) {
    throw ShapeError(fmt::format("{} names for {} columns", names.size(), width));
  }
  std::string text;
  if (!names.empty()) {
    append_row(text, width, delimiter,
               [&](std::size_t i) { return field_of(names[i], delimiter); });
  }
  for (std::int64_t row = 0; row < numbers.shape()[0]; ++row) {
    append_row(text, width, delimiter, [&](std::size_t i) {
      return number_text(numbers,
                         row * static_cast<std::int64_t>(width) + static_cast<std::int64_t>(i));
    });
  }
  write(path, std::move(text), names.empty() ? "" : names.front());
}

void write_csv(const std::filesystem::path& path, const Table& table, char delimiter) {
  require_delimiter(delimiter);
  const auto rows = static_cast<std::size_t>(table.rows());
  if (table.columns.size() != table.names.size() ||
      std::ranges::any_of(table.columns, [&](const auto& each) { return each.size() != rows; })) {
    throw ShapeError("a table has a name for every column, and columns of equal length");
  }
  std::string text;
  const std::size_t width = table.names.size();
  append_row(text, width, delimiter,
             [&](std::size_t i) { return field_of(table.names[i], delimiter); });
  for (std::size_t row = 0; row < rows; ++row) {
    append_row(text, width, delimiter,
               [&](std::size_t i) { return field_of(table.columns[i][row], delimiter); });
  }
  write(path, std::move(text), width == 0 ? "" : table.names.front());
}

}  // namespace aclgrad::data
