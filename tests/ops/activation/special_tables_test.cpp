// SPDX-License-Identifier: Apache-2.0
// Reads the tables of docs/reference/special-values.md and holds the operators to every cell, in
// FLOAT, FLOAT16 and BFLOAT16.
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "aclgrad_contract/formulas.h"
#include "tests/ops/activation/bit_runs.h"

namespace aclgrad::testing {
namespace {

// ---- The document -------------------------------------------------------------------------------

using Row = std::vector<std::string>;

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

Row cells_of(const std::string& line) {
  Row cells;
  std::istringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(trimmed(cell));
  return cells;
}

// The table whose first heading is `name`: its headings, then its rows.
std::vector<Row> table(const std::string& name) {
  std::ifstream file(ACLGRAD_SPECIAL_VALUES);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] != '|') {
      if (!rows.empty()) break;
      continue;
    }
    const Row row = cells_of(line);
    if (rows.empty() && row[0] != name) continue;
    if (row[0].find_first_not_of("-: ") != std::string::npos) rows.push_back(row);
  }
  return rows;
}

std::vector<Activation> everything() {
  std::vector<Activation> all = all_activations();
  for (Activation& more : other_results_of_geglu()) all.push_back(std::move(more));
  return all;
}

// The activations named in a cell, `so` and `so`; each with its odd scalars where it has some.
std::vector<Activation> named_in(const std::string& cell, bool odd_scalars_too) {
  std::set<std::string> names;
  for (size_t begin = cell.find('`'); begin != std::string::npos;) {
    const size_t end = cell.find('`', begin + 1);
    names.insert(cell.substr(begin + 1, end - begin - 1));
    begin = cell.find('`', end + 1);
  }
  std::vector<Activation> found;
  size_t recognised = 0;
  for (const Activation& activation : everything()) {
    const std::string& name = activation.name;
    const bool odd = name.ends_with(", odd scalars") &&
                     names.contains(name.substr(0, name.find(", odd scalars")));
    recognised += names.contains(name);
    if (names.contains(name) || (odd && odd_scalars_too)) found.push_back(activation);
  }
  EXPECT_EQ(recognised, names.size()) << "unknown operator in: " << cell;
  return found;
}

// ---- What a cell says ---------------------------------------------------------------------------

using Symbols = std::map<std::string, long double>;

// A sum of products of symbols and numbers: "-alpha·scale", "g·λα - g·2", "x/2".
class Expression {
 public:
  Expression(const std::string& text, const Symbols& symbols) : symbols_(symbols) {
    for (size_t i = 0; i < text.size();) {
      const char c = text[i];
      if (c == ' ') {
        ++i;
      } else if (text.compare(i, 2, "·") == 0) {
        tokens_.push_back("*");
        i += 2;
      } else if (c == '+' || c == '-' || c == '/') {
        tokens_.emplace_back(1, c);
        ++i;
      } else {
        const size_t end = std::min({text.find(' ', i), text.find("·", i), text.find('/', i)});
        tokens_.push_back(text.substr(i, end - i));
        i = std::min(end, text.size());
      }
    }
  }

  long double value() {
    long double sum = product();
    while (next_ < tokens_.size()) {
      const std::string sign = take();
      const long double term = product();
      if (sign != "+" && sign != "-") throw std::invalid_argument("not a sign: " + sign);
      sum = sign == "+" ? sum + term : sum - term;
    }
    return sum;
  }

 private:
  std::string take() {
    if (next_ == tokens_.size()) throw std::invalid_argument("an expression ends too early");
    return tokens_[next_++];
  }
  bool take_if(const std::string& token) {
    const bool there = next_ < tokens_.size() && tokens_[next_] == token;
    next_ += there;
    return there;
  }
  long double product() {
    long double result = factor();
    while (true) {
      if (take_if("*")) {
        result *= factor();
      } else if (take_if("/")) {
        result /= factor();
      } else {
        return result;
      }
    }
  }
  long double factor() {
    if (take_if("-")) return -factor();
    if (take_if("+")) return factor();
    const std::string token = take();
    if (const auto found = symbols_.find(token); found != symbols_.end()) return found->second;
    size_t used = 0;
    const long double number = std::stold(token, &used);
    if (used != token.size()) throw std::invalid_argument("unknown symbol " + token);
    return number;
  }

  const Symbols& symbols_;
  std::vector<std::string> tokens_;
  size_t next_ = 0;
};

Symbols symbols_of(const Activation& activation, aclDataType dtype) {
  const FloatFormat format = float_format(dtype);
  const bool odd = activation.name.ends_with("odd scalars");
  return {{"NaN", std::numeric_limits<long double>::quiet_NaN()},
          {"inf", std::numeric_limits<long double>::infinity()},
          {"s", std::ldexp(64.0L, format.lowest_exponent - format.precision + 1)},
          {"max", std::ldexp(2 - std::ldexp(1.0L, 1 - format.precision), format.highest_exponent)},
          {"λ", contract::formulas::kLambda},
          {"λα", contract::formulas::kLambdaAlpha},
          {"alpha", odd ? 1.5L : 1.0L},
          {"scale", odd ? 1.25L : 1.0L},
          {"inputScale", odd ? 0.75L : 1.0L}};
}

class SpecialTables : public ActivationTest {
 protected:
  void expect(const Activation& activation, aclDataType dtype, const std::string& x,
              const std::vector<std::string>& factors, const std::string& cell) {
    Symbols symbols = symbols_of(activation, dtype);
    const long double at = round_to(Expression(x, symbols).value(), dtype);
    std::vector<long double> values;
    for (const std::string& factor : factors) {
      values.push_back(round_to(Expression(factor, symbols).value(), dtype));
    }
    symbols["x"] = at;
    if (!values.empty()) symbols["g"] = values[0];
    const long double expected = round_to(Expression(cell, symbols).value(), dtype);
    const long double actual = value_at(activation, dtype, at, values);
    EXPECT_TRUE(same(actual, expected)) << activation.name << ", dtype " << dtype << ", x = " << x
                                        << (factors.empty() ? "" : ", g = " + factors[0]) << ": "
                                        << actual << ", not " << cell << " = " << expected;
    ++cells_;
  }

  // What follows the "=" of a heading.
  static std::string value_of_heading(const std::string& heading) {
    return trimmed(heading.substr(heading.find('=') + 1));
  }

  void check_columns(const std::string& name, std::set<std::string>& covered) {
    const std::vector<Row> rows = table(name);
    ASSERT_GT(rows.size(), 1u) << "there is no table " << name;
    ASSERT_EQ(rows[0].size(), 10u);
    for (size_t r = 1; r < rows.size(); ++r) {
      ASSERT_EQ(rows[r].size(), rows[0].size()) << rows[r][0];
      for (const Activation& activation : named_in(rows[r][0], true)) {
        covered.insert(activation.name);
        for (const aclDataType dtype : kDtypes) {
          for (size_t c = 1; c < rows[0].size(); ++c) {
            expect(activation, dtype, value_of_heading(rows[0][c]), {}, rows[r][c]);
          }
        }
      }
    }
  }

  static constexpr aclDataType kDtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
  size_t cells_ = 0;
};

TEST_F(SpecialTables, ForwardAndBackwardCoverEveryOperator) {
  std::set<std::string> covered;
  check_columns("forward", covered);
  check_columns("backward", covered);
  for (const Activation& activation : all_activations()) {
    EXPECT_TRUE(covered.contains(activation.name)) << "no row for " << activation.name;
  }
  EXPECT_GT(cells_, 600u);
}

TEST_F(SpecialTables, ProductsCoverEveryOperatorWithAFactor) {
  const std::vector<Row> rows = table("product");
  ASSERT_GT(rows.size(), 1u);
  ASSERT_EQ(rows[0].size(), 12u);
  std::set<std::string> covered;
  for (size_t r = 1; r < rows.size(); ++r) {
    ASSERT_EQ(rows[r].size(), rows[0].size()) << rows[r][0];
    for (const Activation& activation : named_in(rows[r][0], false)) {
      covered.insert(activation.name);
      for (const aclDataType dtype : kDtypes) {
        for (size_t c = 3; c < rows[0].size(); ++c) {
          expect(activation, dtype, rows[r][1], {value_of_heading(rows[0][c])}, rows[r][c]);
        }
      }
    }
  }
  for (const Activation& activation : everything()) {
    if (activation.factors.empty() || activation.name.ends_with("odd scalars")) continue;
    EXPECT_TRUE(covered.contains(activation.name)) << "no row for " << activation.name;
  }
  EXPECT_GT(cells_, 1500u);
}

TEST_F(SpecialTables, ThreeFactors) {
  const std::vector<Row> rows = table("three factors");
  ASSERT_GT(rows.size(), 1u);
  for (size_t r = 1; r < rows.size(); ++r) {
    ASSERT_EQ(rows[r].size(), 5u);
    for (const Activation& activation : named_in(rows[r][0], false)) {
      for (const aclDataType dtype : kDtypes) {
        expect(activation, dtype, rows[r][3], {rows[r][1], rows[r][2]}, rows[r][4]);
      }
    }
  }
  EXPECT_GT(cells_, 100u);
}

}  // namespace
}  // namespace aclgrad::testing
