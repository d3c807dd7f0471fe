// SPDX-License-Identifier: Apache-2.0
// What one run of the tool checks, and what it found, by operator.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gradcheck/tool/checks.h"

namespace aclgrad::gradcheck {

/// Dtypes that have a column in tables.
inline constexpr DType kColumns[] = {DType::float32, DType::float16, DType::bfloat16,
                                     DType::float64};

struct Plan {
  std::vector<std::string> operators;
  DTypes dtypes = {};         // none: all that an operator takes
  bool all_variants = false;  // every combination of attributes worth checking, not `attributes`
  Attributes attributes = {};
  std::optional<Dims> shape = {};
  Options options = {};
  bool statuses = true;
  bool values = true;  // forward, and backward where there is one
  bool every_input = false;
  bool same_bits = false;
};

/// One operator with one combination of attributes.
struct Line {
  std::string op;
  std::vector<std::string> functions;  // the operators that were called, by phase two
  std::string title;
  std::string attributes;
  std::vector<std::string> missing;  // in the library, so that nothing was checked
  Report report;
  double seconds = 0;

  /// Whether the library has none of its functions.
  bool is_absent() const;
};

/// Checks everything; `progress` is called after each line. Throws ValueError when an operator of
/// `plan.operators` takes none of `plan.dtypes` (with all variants it is left out) or its tensors
/// are too large, and for a dtype that none of them takes or an attribute that none of them has.
/// The first `done` lines are left out.
std::vector<Line> run(const LibraryPointer& library, const Plan& plan,
                      const std::function<void(const Line&)>& progress, std::size_t done = 0);

/// The lines of one operator.
struct OperatorLines {
  std::string op;
  std::vector<const Line*> lines = {};
  Report report = {};          // all of theirs
  bool is_in_library = false;  // one of them at least
};
std::vector<OperatorLines> by_operator(const std::vector<Line>& lines);

/// All reports together.
Report total(const std::vector<Line>& lines);

/// Throws IoError when the library has none of the operators.
void require_checked(const std::string& library, const std::vector<Line>& lines);

/// What `work` returns, an exit status, or the one that stands for what it threw, with its message:
/// 3 wrong usage, 4 the library or a file cannot be used.
inline constexpr int kWrongUsage = 3;
inline constexpr int kUnusable = 4;
int status_of(const std::function<int()>& work, std::string& message);

/// Writes a file. Throws IoError.
void write_file(const std::string& path, const std::string& content);

/// A line of text, and the findings of all lines with how much of the library was checked.
std::string to_text(const Line& line);
std::string to_text(const std::string& library, const Coverage& found,
                    const std::vector<Line>& lines);

/// The whole result for machines (see docs/gradcheck.md).
std::string to_json(const std::string& library, const Coverage& found,
                    const std::vector<Line>& lines);

/// Findings that are known, from an earlier report for machines. A finding is known by its verdict,
/// its check, the function with its attributes, and the dtype.
class Baseline {
 public:
  /// Throws IoError for a text that is no such report.
  explicit Baseline(const std::string& report);

  /// Takes the known findings away; returns how many there were.
  std::size_t take_from(std::vector<Line>& lines);

  /// How many of the report's were not met again.
  std::size_t gone() const { return known_.size() - seen_.size(); }

 private:
  static std::string key(const std::string& verdict, const std::string& check,
                         const std::string& function, const std::string& dtype);
  std::set<std::string> known_;
  std::set<std::string> seen_;
};

/// A table of the operators and one of the findings, for the summary of a CI job.
std::string to_markdown(const std::string& library, const std::vector<Line>& lines);

/// A page that needs no other file: counts, corners, findings, histograms of the errors over the
/// input range.
std::string to_html(const std::string& library, const Coverage& found,
                    const std::vector<Line>& lines);

}  // namespace aclgrad::gradcheck
