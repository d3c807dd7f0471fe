// SPDX-License-Identifier: Apache-2.0
#include "tests/museum/score_tables.h"

#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>

namespace aclgrad::museum {
namespace {

std::size_t count(int exhibits, const std::function<bool(std::size_t)>& is) {
  std::size_t found = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(exhibits); ++k) found += is(k) ? 1 : 0;
  return found;
}

std::string row(const std::string& first, const std::vector<std::string>& cells) {
  return fmt::format("| {} | {} |\n", first, fmt::join(cells, " | "));
}

std::string heading(const std::string& first, const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return row(first, names);
}

std::string blamed_of(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) {
    std::vector<std::string> names;
    for (int number = 0; number < wgCount(); ++number) {
      if (column.blames(static_cast<std::size_t>(number))) names.push_back(fact(number, "id"));
    }
    if (names.empty()) continue;
    text +=
        fmt::format("\nBlamed by *{}* though right: {}.\n", column.name, fmt::join(names, ", "));
  }
  return text;
}

// Of the first checker.
std::string missed_of(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (int number = 0; number < wgExhibits(); ++number) {
    if (columns.front().finds(static_cast<std::size_t>(number))) continue;
    names.push_back(fmt::format("{} ({}, which needs: {})", fact(number, "id"),
                                fact(number, "operator"), fact(number, "needs")));
  }
  return names.empty()
             ? fmt::format("\n*{}* misses none.\n", columns.front().name)
             : fmt::format("\nMissed by *{}*: {}.\n", columns.front().name, fmt::join(names, "; "));
}

}  // namespace

// Columns' names, then for each exhibit its number and for each column four digits, of a control
// two.
std::vector<Column> read_columns(const std::string& path) {
  std::ifstream file(path);
  std::vector<Column> columns;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    if (cells.size() == 2 && cells[1].size() > 4) {
      columns.push_back({cells[0], cells[1], {}, {}, {}, {}});
      continue;
    }
    if (cells.size() != columns.size() + 1) {
      throw std::runtime_error(path + " is not what torch_museum.py writes");
    }
    const bool control = is_control(std::stoi(cells[0]));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::string& digits = cells[k + 1];
      columns[k].right.push_back(digits[0] == '1');
      columns[k].right_told.push_back(digits[1] == '1');
      if (control) continue;
      columns[k].wrong.push_back(digits[2] == '1');
      columns[k].wrong_told.push_back(digits[3] == '1');
    }
  }
  return columns;
}

std::string summary_of(const std::vector<Column>& columns) {
  const auto controls = static_cast<std::size_t>(wgExhibits());
  std::string text = fmt::format(
      "| checker | how | of {} finds | and when told the attributes | blames of {} right ones | "
      "of {} controls |\n|---|---|---:|---:|---:|---:|\n",
      wgExhibits(), wgExhibits(), wgCount() - wgExhibits());
  for (const Column& c : columns) {
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} |\n", c.name, c.how,
        count(wgExhibits(), [&](std::size_t k) { return c.finds(k); }),
        count(wgExhibits(), [&](std::size_t k) { return c.finds_told(k); }),
        count(wgExhibits(), [&](std::size_t k) { return c.blames(k); }),
        count(wgCount() - wgExhibits(), [&](std::size_t k) { return c.blames(controls + k); }));
  }
  return text + blamed_of(columns) + missed_of(columns);
}

std::string kinds_of(const std::vector<Column>& columns) {
  std::string text = "Found, and in parentheses when told the attributes:\n\n" +
                     heading("kind | what is wrong | exhibits", columns);
  text += "|---|---|---:";
  for (std::size_t k = 0; k < columns.size(); ++k) text += "|---:";
  text += "|\n";
  for (char kind = 'A'; kind <= 'Z'; ++kind) {
    const auto is_of = [&](std::size_t k) {
      return fact(static_cast<int>(k), "kind") == std::string(1, kind);
    };
    const std::size_t all = count(wgExhibits(), is_of);
    if (all == 0) continue;
    std::vector<std::string> cells;
    for (const Column& c : columns) {
      cells.push_back(fmt::format(
          "{} ({})", count(wgExhibits(), [&](std::size_t k) { return is_of(k) && c.finds(k); }),
          count(wgExhibits(), [&](std::size_t k) { return is_of(k) && c.finds_told(k); })));
    }
    text += row(fmt::format("{} | {} | {}", kind, wgKind(kind), all), cells);
  }
  return text;
}

std::string facts_of(int number) {
  std::string operation = fact(number, "operator");
  for (std::size_t at = 0; (at = operation.find('|', at)) != std::string::npos; at += 2) {
    operation.replace(at, 1, "\\|");
  }
  return fmt::format("{} | {} | {}, {}, {} | {} | {}", fact(number, "id"), fact(number, "kind"),
                     fact(number, "project"), fact(number, "source"), fact(number, "year"),
                     operation, fact(number, "needs"));
}

std::string verdict_of(const Column& column, int number) {
  const auto k = static_cast<std::size_t>(number);
  if (column.blames(k)) return "blames both";
  return column.finds(k) ? "found" : column.finds_told(k) ? "when told" : "–";
}

std::string rows_of(const std::vector<Column>& columns) {
  std::string text = heading("exhibit | kind | project, year | operator | needs", columns) +
                     "|---|---|---|---|---";
  for (std::size_t k = 0; k < columns.size(); ++k) text += "|---";
  text += "|\n";
  for (int number = 0; number < wgExhibits(); ++number) {
    std::vector<std::string> cells;
    for (const Column& column : columns) cells.push_back(verdict_of(column, number));
    text += row(facts_of(number), cells);
  }
  return text;
}

}  // namespace aclgrad::museum
