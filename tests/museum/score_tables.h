// SPDX-License-Identifier: Apache-2.0
// What checkers said of the museum's exhibits, and the tables of docs/museum.md made of it.
#ifndef ACLGRAD_TESTS_MUSEUM_SCORE_TABLES_H_
#define ACLGRAD_TESTS_MUSEUM_SCORE_TABLES_H_

#include <string>
#include <vector>

#include "tests/museum/checkers.h"

namespace aclgrad::museum {

/// Of one checker, by exhibit: whether it blames the wrong backward and the right one, under the
/// usual attributes and under those that show the mistake.
struct Column {
  std::string name;
  std::string how;
  std::vector<bool> wrong, wrong_told, right, right_told;

  bool finds(std::size_t k) const { return wrong[k] && !right[k]; }
  bool finds_told(std::size_t k) const { return !blames(k) && (wrong[k] || wrong_told[k]); }
  bool blames(std::size_t k) const { return right[k] || right_told[k]; }
};

/// What torch_museum.py wrote. Throws std::runtime_error for another file.
std::vector<Column> read_columns(const std::string& path);

/// A row for each checker; what is blamed though right; what the first one misses, and why.
std::string summary_of(const std::vector<Column>& columns);
/// A row for each kind.
std::string kinds_of(const std::vector<Column>& columns);
/// A row for each exhibit.
std::string rows_of(const std::vector<Column>& columns);

/// The first cells of an exhibit's row: its facts.
std::string facts_of(int number);
/// One of the cells behind them: "found".
std::string verdict_of(const Column& column, int number);

}  // namespace aclgrad::museum

#endif  // ACLGRAD_TESTS_MUSEUM_SCORE_TABLES_H_
