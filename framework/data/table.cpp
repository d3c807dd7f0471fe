// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/data/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "data/csv_rows.h"
#include "data/number_field.h"
#include "io/file_kind.h"
#include "io/shown.h"

namespace aclgrad::data {
namespace {

// What is wrong with the names; several columns may have none, as a spreadsheet writes them.
std::string name_given_twice(const std::vector<std::string>& names) {
  std::set<std::string_view> known;
  for (const std::string& name : names) {
    if (!name.empty() && !known.insert(name).second) {
      return "two columns are called " + aclgrad::detail::shown(name);
    }
  }
  return {};
}

void require_names_of_their_own(const std::vector<std::string>& names) {
  const std::string twice = name_given_twice(names);
  if (!twice.empty()) throw ValueError(twice + ", so no reader could tell them apart");
}

// A first name that would make the file look like one of another kind stands in quotes.
std::string with_first_in_quotes(std::string text, const std::string& first) {
  if (!text.starts_with('"') && text.starts_with(first) &&
      !aclgrad::detail::other_kind(text, aclgrad::detail::Expected::table).empty()) {
    text.replace(0, first.size(), in_csv_quotes(first));
  }
  return text;
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
  if (std::ranges::count(names, name) > 1) {
    throw ValueError("several columns are called " + aclgrad::detail::shown(name));
  }
  if (found != names.end()) return columns.at(static_cast<std::size_t>(found - names.begin()));
  throw ValueError(fmt::format("the table has no column {}, only \"{}\"",
                               aclgrad::detail::shown(name), fmt::join(names, "\", \"")));
}

Tensor Table::numbers(const std::string& name, const NumberOptions& options) const {
  return numbers(std::vector<std::string>{name}, options).reshape({rows()});
}

Tensor Table::numbers(const std::vector<std::string>& wanted, const NumberOptions& options) const {
  const std::size_t width = wanted.size();
  Tensor table = Tensor::zeros({rows(), static_cast<std::int64_t>(width)}, options.dtype);
  aclgrad::detail::visit_dtype(options.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < width; ++i) {
      const std::vector<std::string>& column = text(wanted[i]);
      for (std::size_t row = 0; row < column.size(); ++row) {
        const std::optional<T> number = number_of_field<T>(column[row], options.missing);
        if (!number) {
          throw ValueError(fmt::format("column {}, row {}: {}", aclgrad::detail::shown(wanted[i]),
                                       row + 1,
                                       no_number(column[row], options.dtype, options.missing)));
        }
        table.data<T>()[row * width + i] = *number;
      }
    }
  });
  return table;
}

Table read_table(const std::filesystem::path& path, char delimiter) {
  require_delimiter(delimiter);
  const std::string content = read_file(path);
  CsvRows rows(content, delimiter, path, "a table");
  if (!rows.next()) throw IoError(path.string() + ": there is no line with names of columns");
  Table table{.names = {rows.fields().begin(), rows.fields().end()}, .columns = {}};
  if (const std::string twice = name_given_twice(table.names); !twice.empty()) rows.fail(twice);
  table.columns.resize(table.names.size());
  while (rows.next()) {
    const std::span<const std::string_view> row = rows.fields();
    if (row.size() != table.names.size()) {
      rows.fail(fmt::format("{} columns where there are {} names", row.size(), table.names.size()));
    }
    for (std::size_t i = 0; i < row.size(); ++i) table.columns[i].emplace_back(row[i]);
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
      throw ValueError(fmt::format("row {}: {} is none of the classes \"{}\"", i + 1,
                                   aclgrad::detail::shown(texts[i]),
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
  require_names_of_their_own(names);
  std::string text;
  if (!names.empty()) {
    append_row(text, width, delimiter,
               [&](std::size_t i) { return csv_field(names[i], delimiter); });
  }
  for (std::int64_t row = 0; row < numbers.shape()[0]; ++row) {
    append_row(text, width, delimiter, [&](std::size_t i) {
      // A delimiter may be part of a number: a point, say.
      return csv_field(number_text(numbers, row * static_cast<std::int64_t>(width) +
                                                static_cast<std::int64_t>(i)),
                       delimiter);
    });
  }
  write_file_atomically(path,
                        with_first_in_quotes(std::move(text), names.empty() ? "" : names.front()));
}

void write_csv(const std::filesystem::path& path, const Table& table, char delimiter) {
  write_file_atomically(path, csv_text(table, delimiter));
}

std::string csv_text(const Table& table, char delimiter) {
  require_delimiter(delimiter);
  const auto rows = static_cast<std::size_t>(table.rows());
  if (table.columns.size() != table.names.size() ||
      std::ranges::any_of(table.columns,
                          [&](const auto& column) { return column.size() != rows; })) {
    throw ShapeError("a table has a name for every column, and columns of equal length");
  }
  require_names_of_their_own(table.names);
  std::string text;
  const std::size_t width = table.names.size();
  append_row(text, width, delimiter,
             [&](std::size_t i) { return csv_field(table.names[i], delimiter); });
  for (std::size_t row = 0; row < rows; ++row) {
    append_row(text, width, delimiter,
               [&](std::size_t i) { return csv_field(table.columns[i][row], delimiter); });
  }
  return with_first_in_quotes(std::move(text), width == 0 ? "" : table.names.front());
}

}  // namespace aclgrad::data
