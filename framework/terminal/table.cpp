// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/tensor/number_text.h"
#include "aclgrad/tensor/plain_text.h"
#include "aclgrad/terminal.h"
#include "terminal/characters.h"

namespace aclgrad::report {
namespace {

/// A number, perhaps with a unit behind it: "-1.5e3", "97.5%", "2.1x", "12 ms"; or a sign for no
/// value.
bool reads_as_number(std::string_view cell) {
  if (cell.empty() || cell == "-" || cell == "nan" || cell == "inf" || cell == "-inf") return true;
  if (cell[0] == '+') cell.remove_prefix(1);
  return number_from_text(cell.substr(0, cell.find_first_of("%x "))).has_value();
}

std::vector<std::string> plain(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = plain_text(cell);
  return cells;
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  const std::string space(width - character_count(cell), ' ');
  return right ? space + cell : cell + space;
}

}  // namespace

Table::Table(std::vector<std::string> headers) { rows_.push_back(plain(std::move(headers))); }

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() != rows_[0].size()) {
    throw ValueError(
        fmt::format("a row of {} cells in a table of {} columns", cells.size(), rows_[0].size()));
  }
  rows_.push_back(plain(std::move(cells)));
}

std::string Table::to_string() const {
  const std::size_t columns = rows_[0].size();
  std::vector<std::size_t> widths(columns, 0);
  std::vector<bool> right(columns, rows_.size() > 1);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      widths[column] = std::max(widths[column], character_count(rows_[row][column]));
      if (row > 0 && !reads_as_number(rows_[row][column])) right[column] = false;
    }
  }
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t column = 0; column < columns; ++column) {
      if (column > 0) line += "  ";
      line += padded(cells[column], widths[column], right[column]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  add_line(rows_[0]);
  std::vector<std::string> rule;
  for (const std::size_t width : widths) rule.emplace_back(width, '-');
  add_line(rule);
  for (std::size_t row = 1; row < rows_.size(); ++row) add_line(rows_[row]);
  return text;
}

}  // namespace aclgrad::report
