// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/products.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "aclgrad_contract/numbers.h"
#include "aclgrad_ext.h"

namespace aclgrad::contract {
namespace {

bool contains(const std::vector<aclDataType>& list, aclDataType dtype) {
  return std::find(list.begin(), list.end(), dtype) != list.end();
}

bool is(const Product& product, std::string_view family) { return product.family == family; }

bool is_310p(const Product& product) { return is(product, "Ascend310P"); }
bool before_a2(const Product& product) { return !product.from_a2_on; }
bool before_950(const Product& product) { return !is(product, "Ascend950"); }
bool on_950(const Product& product) { return is(product, "Ascend950"); }

// Puts an integer in the place of a parameter.
std::function<void(Call&)> integer(size_t parameter, int64_t value) {
  return [=](Call& call) { call.values()[parameter] = value; };
}

std::function<void(Call&)> tensor(size_t parameter, Shape shape, aclDataType dtype) {
  return [=](Call& call) { call.values()[parameter] = call.tensor(shape, dtype); };
}

}  // namespace

bool accepts(const Operator& row, aclDataType dtype, const Product& product) {
  return contains(row.domain.everywhere, dtype) ||
         (product.from_a2_on && contains(row.domain.from_a2_on, dtype)) ||
         (row.domain.also_accepts &&
          row.domain.also_accepts(Arguments(row), product.family, dtype));
}

double exact_value(const Operator& row, aclDataType dtype, aclDataType output_dtype) {
  const double value = value_of(row, dtype);
  return is_whole(output_dtype) ? std::trunc(value) : value;
}

double tolerance(double value, aclDataType dtype) {
  switch (dtype) {
    case ACL_BF16:
      return 0x1p-8 * std::abs(value);
    case ACL_FLOAT16:
      return 0x1p-11 * std::abs(value);
    case ACL_FLOAT:
    case ACL_COMPLEX64:
    case ACL_DOUBLE:  // some operators take their numbers as FLOAT
      return 0x1p-23 * std::abs(value);
    default:
      return 0;
  }
}

const std::vector<ProductRule>& product_rules() {
  static const std::vector<ProductRule> rules = {
      {"aclnnGeGlu", "approximate = 0, the erf form", integer(2, 0), is_310p},
      {"aclnnGeGluV3", "approximate = 0, the erf form", integer(2, 0), is_310p},
      {"aclnnGeGluBackward", "approximate = 0, the erf form", integer(4, 0), is_310p},
      {"aclnnGeGluV3Backward", "approximate = 0, the erf form", integer(4, 0), is_310p},
      {"aclnnMatmul", "FLOAT with cubeMathType = 0, KEEP_DTYPE", integer(3, 0), before_a2},
      {"aclnnMatmul", "FLOAT with cubeMathType = 3, USE_HF32", integer(3, 3), before_a2},
      {"aclnnMm", "FLOAT with cubeMathType = 0, KEEP_DTYPE", integer(3, 0), before_a2},
      {"aclnnMm", "FLOAT with cubeMathType = 3, USE_HF32", integer(3, 3), before_a2},
      {"aclnnAddmm", "FLOAT with cubeMathType = 0, KEEP_DTYPE", integer(6, 0), before_a2},
      {"aclnnAddmm", "FLOAT with cubeMathType = 3, USE_HF32", integer(6, 3), before_a2},
      {"aclnnInplaceAddmm", "FLOAT with cubeMathType = 0, KEEP_DTYPE", integer(5, 0), before_a2},
      {"aclnnInplaceAddmm", "FLOAT with cubeMathType = 3, USE_HF32", integer(5, 3), before_a2},
      {"aclnnMul", "FLOAT times FLOAT into INT32", tensor(2, {2, 4}, ACL_INT32), before_950},
      {"aclnnMuls", "FLOAT times a scalar into INT32", tensor(2, {2, 4}, ACL_INT32), on_950},
      {"aclnnEluBackward", "BF16 gradInput of FLOAT gradients", tensor(6, {2, 4}, ACL_BF16),
       [](const Product&) { return false; }},
      {"aclnnThresholdBackward", "INT64 with a threshold of 0",
       [](Call& call) {
         for (const size_t i : {size_t{0}, size_t{1}, size_t{3}}) {
           call.values()[i] = call.tensor({2, 4}, ACL_INT64);
         }
         call.values()[2] = call.scalar(0, ACL_FLOAT);
       },
       before_950},
      {"aclnnSiluBackward", "a FLOAT gradOutput of shape [4] for self of [2, 4]",
       tensor(0, {4}, ACL_FLOAT), before_950},
      {"aclnnLogSoftmaxBackward", "empty gradOutput and output, out of another shape",
       [](Call& call) {
         for (const size_t parameter : {size_t{0}, size_t{1}}) {
           call.values()[parameter] = call.tensor({0, 3}, ACL_FLOAT);
         }
       },
       on_950},
      {"aclnnSoftmaxBackward", "empty gradOutput and output, out of another shape",
       [](Call& call) {
         for (const size_t parameter : {size_t{0}, size_t{1}}) {
           call.values()[parameter] = call.tensor({0, 3}, ACL_FLOAT);
         }
       },
       on_950},
  };
  return rules;
}

namespace {

// A dtype as the table has it, without "DT_".
std::string answered_dtypes(const Library& library, const Operator& row) {
  std::vector<std::string_view> list;
  for (const NamedDtype& each : all_dtypes()) {
    Call call(library, row, each.dtype);
    if (call.plan() == 0) list.push_back(std::string_view(each.name).substr(3));
    library.message();
  }
  return fmt::format("{}", fmt::join(list, " "));
}

std::string rule_cell(const Library& library, const ProductRule& rule) {
  Call call(library, find_contract(rule.operator_name), ACL_FLOAT);
  rule.change(call);
  const aclnnStatus status = call.plan();
  library.message();
  return status == 0 ? "yes" : fmt::format("{}", status);
}

// What the library says for every product.
struct Answers {
  std::vector<std::string> chips;
  std::vector<std::vector<std::string>> dtypes;  // per operator
  std::vector<std::vector<std::string>> rules;   // per product_rules
};

Answers ask(const Library& library) {
  const auto choose = library.get<decltype(aclgradSetSocName)>("aclgradSetSocName");
  const auto chip = library.get<decltype(aclrtGetSocName)>("aclrtGetSocName");
  Answers answers{{}, {}, {}};
  answers.dtypes.resize(all_contracts().size());
  answers.rules.resize(product_rules().size());
  for (const Product& product : kProducts) {
    choose(product.family);
    answers.chips.push_back(chip());
    for (size_t i = 0; i < all_contracts().size(); ++i) {
      answers.dtypes[i].push_back(answered_dtypes(library, all_contracts()[i]));
    }
    for (size_t i = 0; i < product_rules().size(); ++i) {
      answers.rules[i].push_back(rule_cell(library, product_rules()[i]));
    }
  }
  choose(nullptr);
  return answers;
}

// The dtypes of one group of products, and of every member that should part from it.
std::string group_cell(const std::vector<std::string>& dtypes, bool from_a2_on) {
  std::string cell;
  for (size_t k = 0; k < kProducts.size(); ++k) {
    if (kProducts[k].from_a2_on != from_a2_on) continue;
    if (cell.empty()) {
      cell = dtypes[k];
    } else if (cell != dtypes[k]) {
      cell += fmt::format("; {}: {}", kProducts[k].family, dtypes[k]);
    }
  }
  return cell;
}

}  // namespace

std::map<std::string, DtypeLists> accepted_dtypes(const Library& library) {
  const Answers answers = ask(library);
  std::map<std::string, DtypeLists> lists;
  for (size_t i = 0; i < all_contracts().size(); ++i) {
    lists[all_contracts()[i].name()] = {group_cell(answers.dtypes[i], true),
                                        group_cell(answers.dtypes[i], false)};
  }
  return lists;
}

std::string products_page(const Library& library) {
  const Answers answers = ask(library);
  std::string page =
      "# Products\n\n"
      "`ACLGRAD_SOC`, or `aclgradSetSocName`, chooses whose rules hold: by family, or by the full "
      "name of\na chip. Written by `./dev docs` from the library's own answers; a test "
      "compares.\n\n"
      "| `ACLGRAD_SOC` | series | `aclrtGetSocName` | architecture | streams | BF16 |\n"
      "|---|---|---|---|---|---|\n";
  for (size_t k = 0; k < kProducts.size(); ++k) {
    const Product& product = kProducts[k];
    page += fmt::format("| `{}` | {} | `{}` | {} | {} | {} |\n", product.family, product.series,
                        answers.chips[k], product.architecture, product.streams,
                        product.from_a2_on ? "yes" : "no");
  }
  page +=
      "\nNo operator refuses a whole product; what documents list as unsupported there is a matter "
      "of dtypes\nand attributes only. The dtypes are in [operators](operators.md).\n"
      "\n## Rules of single products\n\n\"yes\" where the call is accepted, else the status.\n\n"
      "| operator | call |";
  for (const Product& product : kProducts) page += fmt::format(" {} |", product.family);
  page += "\n|---|---|---|---|---|---|---|\n";
  for (size_t i = 0; i < product_rules().size(); ++i) {
    const ProductRule& rule = product_rules()[i];
    page += fmt::format("| `{}` | {} | {} |\n", rule.operator_name, rule.what,
                        fmt::join(answers.rules[i], " | "));
  }
  return page;
}

}  // namespace aclgrad::contract
