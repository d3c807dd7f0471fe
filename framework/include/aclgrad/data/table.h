// SPDX-License-Identifier: Apache-2.0
// Tables whose columns have names and may hold text, from CSV files and back. A table of nothing
// but numbers is read by data::read_csv() (data.h) at once.
//
//   const data::Table table = data::read_table("iris.csv");
//   const data::Classes species = data::classes_of(table.text("species"));
//   const data::Dataset iris{table.numbers({"sepal length", "petal length"}), species.numbers};
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "aclgrad/tensor.h"

namespace aclgrad::data {

struct NumberOptions {
  DType dtype = DType::float32;

  /// What an empty field stands for; without it, one is an error.
  std::optional<double> missing = std::nullopt;
};

/// Fields as text, by columns of equal length.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> columns;

  std::int64_t rows() const {
    return columns.empty() ? 0 : static_cast<std::int64_t>(columns.front().size());
  }

  /// A column. Throws ValueError, which lists the names, for one that there is not.
  const std::vector<std::string>& text(const std::string& name) const;

  /// Numbers, read as read_csv() does: a column [rows], or several [rows, columns]. Throws
  /// ValueError with column, row (counted from 1, without the names) and field for one that is no
  /// number, or none that an integer dtype holds; for several columns of that name.
  Tensor numbers(const std::string& name, const NumberOptions& options = {}) const;
  Tensor numbers(const std::vector<std::string>& names, const NumberOptions& options = {}) const;
  Tensor numbers(std::initializer_list<std::string> wanted,
                 const NumberOptions& options = {}) const {
    return numbers(std::vector<std::string>(wanted), options);  // two literals might be one string
  }
};

/// Reads a table whose first row has the names of the columns. Lines end with LF, CRLF or CR. A
/// field in double quotes is taken as it stands, with delimiters, ends of lines and doubled quotes
/// in it; blanks (spaces and tabs, but for the delimiter) around a field, a UTF-8 byte order mark
/// and empty lines are ignored. In a table of one column an empty line before the last is a row, as
/// spreadsheets write an empty cell. Every delimiter separates two fields: with a space, two of
/// them have an empty field between them. Several columns may have no name, "".
///
/// Throws IoError with file and line for a row of another length than the first, a quote that does
/// not end, text behind a quoted field, a name that two columns have, no names at all, and for a
/// file that cannot be read, or is of another kind; ValueError for a delimiter that cannot be one.
Table read_table(const std::filesystem::path& path, char delimiter = ',');

/// Texts as numbers of classes: the place of each in `names`.
struct Classes {
  Tensor numbers;                  ///< int64 [n]
  std::vector<std::string> names;  ///< sorted, where they were not given
};
/// With `names`, those of the training data say, throws ValueError for a text that is none of them.
Classes classes_of(const std::vector<std::string>& texts, std::vector<std::string> names = {});

/// Writes a table as write_file_atomically() does: a line of the names, where there are some, then
/// a line a row. Numbers have as many digits as give the same bits when they are read as their
/// dtype; texts stand in quotes where they must, so that read_table() with the same delimiter
/// returns them. Throws ShapeError for a tensor that is not [rows, columns] or [rows], and for as
/// many names or fields as do not fit; ValueError for a name that two columns have, which no reader
/// could tell apart; IoError when writing fails.
void write_csv(const std::filesystem::path& path, const Tensor& numbers,
               const std::vector<std::string>& names = {}, char delimiter = ',');
void write_csv(const std::filesystem::path& path, const Table& table, char delimiter = ',');

}  // namespace aclgrad::data
