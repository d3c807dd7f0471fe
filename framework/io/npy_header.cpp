// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "aclgrad/error.h"
#include "io/npy_format.h"
#include "io/shown.h"

namespace aclgrad::detail {
namespace {

// The few literals of Python that a header has.
class Literals {
 public:
  Literals(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(fmt::format("{}: the header of the array {}", file_, what));
  }

  // Whether this comes next, which is then behind us.
  bool take(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail(fmt::format("is damaged: '{}' is missing", token));
  }

  bool begins_text() {
    skip_blanks();
    const std::size_t prefix = rest_.find_first_not_of("ub");  // of Python 2 and 3
    return prefix < 2 && (rest_[prefix] == '\'' || rest_[prefix] == '"');
  }
  std::string text() {
    if (!begins_text()) fail("is damaged: a text is missing");
    rest_.remove_prefix(rest_.find_first_not_of("ub"));
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) fail("is damaged: a text does not end");
    std::string result(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return result;
  }

  bool truth() {
    if (take("True")) return true;
    expect("False");
    return false;
  }

  // (3, 4), (3L,) or ().
  std::vector<std::int64_t> numbers() {
    std::vector<std::int64_t> all;
    expect("(");
    while (!take(")")) {
      skip_blanks();
      std::int64_t number = 0;
      const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc()) fail("has an extent that is no number");
      rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
      if (rest_.starts_with('L')) rest_.remove_prefix(1);
      all.push_back(number);
      if (!take(",")) {
        expect(")");
        break;
      }
    }
    return all;
  }

  // A list of fields, say: all of it, with the brackets within it.
  void skip_brackets() {
    int depth = 0;
    do {
      skip_blanks();
      if (rest_.empty()) fail("is damaged: a bracket does not end");
      if (begins_text()) {
        text();
        continue;
      }
      depth += rest_[0] == '[' || rest_[0] == '(' ? 1 : rest_[0] == ']' || rest_[0] == ')' ? -1 : 0;
      rest_.remove_prefix(1);
    } while (depth > 0);
  }

 private:
  void skip_blanks() {
    const std::size_t first = rest_.find_first_not_of(" \t\r\n");
    rest_ = first == std::string_view::npos ? std::string_view() : rest_.substr(first);
  }

  std::string_view rest_;
  const std::string& file_;
};

}  // namespace

NpyHeader npy_header(std::string_view text, const std::string& file) {
  Literals literals(text, file);
  NpyHeader header;
  bool has_descr = false, has_order = false, has_shape = false;
  literals.expect("{");
  while (!literals.take("}")) {
    const std::string key = literals.text();
    literals.expect(":");
    if (key == "descr") {
      has_descr = true;
      literals.begins_text() ? void(header.descr = literals.text()) : literals.skip_brackets();
    } else if (key == "fortran_order") {
      has_order = true;
      header.fortran = literals.truth();
    } else if (key == "shape") {
      has_shape = true;
      header.shape = literals.numbers();
    } else {
      literals.fail(fmt::format("has {}, which is not known", shown(key)));
    }
    if (!literals.take(",")) {
      literals.expect("}");
      break;
    }
  }
  if (!has_descr) literals.fail("has no 'descr'");
  if (!has_order) literals.fail("has no 'fortran_order'");
  if (!has_shape) literals.fail("has no 'shape'");
  for (const std::int64_t extent : header.shape) {
    if (extent < 0) literals.fail("has an extent that is no number");
  }
  return header;
}

}  // namespace aclgrad::detail
