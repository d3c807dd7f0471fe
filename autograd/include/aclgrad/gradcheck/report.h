// SPDX-License-Identifier: Apache-2.0
// What gradcheck found, of operators (check_operator) and of graphs (check_gradients): counts,
// gradients, corners with the convention taken there, and findings, each with everything needed to
// look into it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aclgrad/gradcheck/memory.h"
#include "aclgrad/gradcheck/numbers.h"

namespace aclgrad::gradcheck {

/// What a comparison came to.
enum class Verdict {
  right,
  wrong,         // the difference is beyond the error bar and what rounding may do
  inconclusive,  // the error bar is too wide to decide; the reason is given
  vacuous,       // right, but what was compared is 0, mostly or (of graphs) all of it: it proves
                 // little
  inexact,       // beyond the bound, but no further than rounding in the dtype can make: a few
                 // units of the last place more (Options::ulp_slack) would be right
};
/// "right", "wrong" and so on.
const char* to_string(Verdict verdict);
/// to_string(), in capitals unless it is right.
const char* headline(Verdict verdict);

/// One element of a gradient beside what it should be.
struct Element {
  std::string of = {};        // the input that it is the gradient of
  bool is_direction = false;  // a random direction of all its elements, not one of them
  std::int64_t index = 0;     // row-major, or the direction's number
  Number input = 0;           // that input's element
  Number analytic = 0;        // what the code under test gave
  Number low = 0;             // the numeric derivative; an interval at a corner
  Number high = 0;
  Number error = 0;            // of the numeric derivative
  Number bound = 0;            // largest difference that rounding explains, `error` included
  double ulp = 0;              // the difference in units of the last place of the dtype
  double unexplained_ulp = 0;  // without what the error bar and rounded saved tensors explain
  Verdict verdict = Verdict::right;
  std::string reason = {};  // of inconclusive
};

/// "element 3 of the gradient of x, where it is 1: analytic ..., numeric ... +- ...", and of random
/// directions "direction 3 of the gradient of x: ...".
std::string to_string(const Element& element);

/// The gradient of one tensor of a graph. Errors are the largest over its comparisons.
struct Gradient {
  std::string of = {};  // the input or parameter
  Dims shape = {};
  std::int64_t compared = 0;  // pairs of elements, elements, or directions
  std::int64_t right = 0;     // elements, or directions
  std::int64_t wrong = 0;
  std::int64_t inexact = 0;
  std::int64_t inconclusive = 0;
  std::int64_t corners = 0;  // those at a corner, where an interval is right
  double max_abs_error = 0;
  double max_rel_error = 0;
  double largest = 0;  // magnitude of an analytic element
  Element worst = {};  // the one that uses most of its tolerance

  /// Vacuous: right, but 0 everywhere, as behind a dead rectifier.
  Verdict verdict() const;
};

/// Something wrong, or something that could not be decided.
struct Finding {
  Verdict verdict = Verdict::wrong;
  std::string check;  // "derivative", "corner", "memory", "repeatability", "status", ...
  std::string operator_name;
  std::optional<DType> dtype = {};
  std::optional<Layout> layout = {};
  Dims shape = {};
  std::string text;                     // what was found
  std::optional<Element> element = {};  // the worst one
  std::int64_t elements = 0;            // how many are affected
  std::string diagnosis = {};           // which side is to blame, and why
  std::string pattern = {};             // of a gradient that was not computed: "zeros", "constant",
                                        // "copies an input", "copies what arrives", "ignores what
                                        // arrives"
  std::string reproduce = {};           // one command or line of code
  std::string to_string() const;        // several lines
};

/// Findings of one operator, check and diagnosis: the first, and how many there are.
struct Kind {
  const Finding* first;
  std::size_t count;
};
std::vector<Kind> by_kind(const std::vector<Finding>& findings);

/// A corner that was tried.
struct Corner {
  std::string operator_name;
  Number at = 0;
  Number left = 0;  // slopes
  Number right = 0;
  Number taken = 0;        // what the code under test took
  std::string convention;  // "the right slope", "the left slope", "between the slopes"
  std::string to_string() const;
};

/// Errors of the elements compared, by dtype, for tables and pictures.
struct ErrorSummary {
  std::int64_t elements = 0;
  double max_ulp = 0;  // of a backward: of Element::unexplained_ulp
  // Of a survey of all inputs of a dtype:
  std::int64_t inputs = 0;      // numbers
  std::int64_t misrounded = 0;  // of these, results other than the exact one, rounded
  std::int64_t nan = 0;         // results that are NaN for a number, or a number for NaN
  std::int64_t infinity = 0;    // wrong results for infinities
  std::vector<std::pair<double, double>> samples = {};  // input, error in ulp; a part of them
};

/// What a check found: counts, gradients, corners, findings.
struct Report {
  /// The finite numbers that an input had.
  struct Range {
    Number low = 0;
    Number high = 0;
  };

  std::int64_t right = 0;  // elements
  std::int64_t wrong = 0;
  std::int64_t inexact = 0;
  double slack = 0;  // of Options::ulp_slack that would allow for what is inexact
  std::int64_t inconclusive = 0;
  std::int64_t vacuous = 0;         // gradients with the verdict of that name, by dtype
  std::int64_t configurations = 0;  // of dtype, layout, shape and inputs
  std::int64_t checks = 0;          // properties looked at, the elements' comparison being one
  std::vector<Finding> findings = {};
  std::vector<Gradient> gradients = {};  // of graphs
  std::vector<Corner> corners = {};
  std::map<DType, ErrorSummary> backward = {};
  std::map<DType, ErrorSummary> forward = {};
  std::map<std::string, Range> ranges = {};    // of inputs, "x of silu"; outside nothing was seen
  std::map<DType, std::string> left_out = {};  // dtypes that an operator refuses, and why
  /// What else there is to say, and of which operators: inputs without a gradient, saved tensors
  /// that were changed.
  std::map<std::string, std::set<std::string>> notes = {};

  /// How many elements were compared.
  std::int64_t elements() const { return right + wrong + inexact + inconclusive; }

  /// Something was checked, nothing is wrong, and nothing inconclusive. True also where a gradient
  /// is vacuous: it is right as far as it goes; exit_status() is 5 then.
  bool passed() const;

  /// 0 right, 1 wrong, 6 nothing wrong but something inexact, 2 nothing wrong but something
  /// inconclusive, 5 all right but something vacuous.
  int exit_status() const;

  /// The gravest: wrong, then inexact, then inconclusive, then vacuous. Inconclusive where nothing
  /// was checked.
  Verdict verdict() const;

  void add(const Report& other);

  /// Widens the range of an input.
  void see(const std::string& input, Range range);

  /// Headline, a table of the gradients, corners, then the findings.
  std::string to_string() const;

  /// to_string() for machines: see docs/gradcheck.md.
  std::string to_json() const;

  /// Tables of the gradients and of the findings, for the summary of a CI job.
  std::string to_markdown() const;
};

}  // namespace aclgrad::gradcheck
