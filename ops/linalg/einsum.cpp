// SPDX-License-Identifier: Apache-2.0
// aclnnEinsum of two operands, as a batch of matrix products.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "aclnnop/aclnn_einsum.h"
#include "ops/engine/dtype/cast.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/dtype/formats.h"
#include "ops/matmul/integer_product_kernel.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::einsum {
namespace {

enum : size_t { kTensors, kEquation, kOut };
constexpr size_t kOperands = 2;

// ---- The equation -------------------------------------------------------------------------------

struct Equation {
  std::array<std::string, kOperands> operands;
  std::string out;
};

// Nothing where it is not of that form.
std::optional<Equation> parse(std::string_view text) {
  std::array<std::string, 3> parts;
  size_t part = 0;
  bool is_behind_arrow = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == ',' && part == 0) {
      part = 1;
    } else if (c == '-' && part == 1 && i + 1 < text.size() && text[i + 1] == '>') {
      part = 2;
      is_behind_arrow = true;
      ++i;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      if (parts[part].find(c) != std::string::npos) return std::nullopt;  // stands there already
      parts[part] += c;
    } else {
      return std::nullopt;
    }
  }
  if (!is_behind_arrow) return std::nullopt;
  for (const char c : parts[2]) {
    if (parts[0].find(c) == std::string::npos && parts[1].find(c) == std::string::npos) {
      return std::nullopt;
    }
  }
  return Equation{{parts[0], parts[1]}, parts[2]};
}

Equation equation_of(const Arguments& arguments) { return *parse(arguments.text(kEquation)); }

size_t operand_at(const Arguments& arguments, size_t k) {
  return arguments.members(kTensors).first + k;
}

// The size that a letter has in an operand; none where it does not stand there.
std::optional<int64_t> size_in(const Arguments& arguments, const Equation& equation, size_t k,
                               char letter) {
  const size_t place = equation.operands[k].find(letter);
  if (place == std::string::npos) return std::nullopt;
  return arguments.shape(operand_at(arguments, k))[place];
}
int64_t size_of(const Arguments& arguments, const Equation& equation, char letter) {
  const auto size = size_in(arguments, equation, 0, letter);
  return size ? *size : *size_in(arguments, equation, 1, letter);
}

Dims sizes_of(const Arguments& arguments, const Equation& equation, std::string_view letters) {
  Dims sizes;
  for (const char letter : letters) sizes.push_back(size_of(arguments, equation, letter));
  return sizes;
}

// ---- Checks -------------------------------------------------------------------------------------

std::optional<std::string> count_complaint(const Arguments& arguments) {
  const size_t count = arguments.members(kTensors).count;
  if (count == kOperands) return std::nullopt;
  return fmt::format("{} must have 2 tensors, but has {}.", arguments.name(kTensors), count);
}

std::optional<std::string> equation_complaint(const Arguments& arguments) {
  if (parse(arguments.text(kEquation))) return std::nullopt;
  return fmt::format(
      "{} \"{}\" must be letters for two operands with a comma between, an arrow and the letters "
      "of the result, none of which stands twice in one of the three, as in \"ij,jk->ik\".",
      arguments.name(kEquation), arguments.text(kEquation));
}

std::optional<std::string> shapes_complaint(const Arguments& arguments) {
  const Equation equation = equation_of(arguments);
  for (size_t k = 0; k < kOperands; ++k) {
    const size_t operand = operand_at(arguments, k);
    const Dims& shape = arguments.shape(operand);
    if (shape.size() != equation.operands[k].size()) {
      return fmt::format("tensor {} {} must have a dimension for each letter of \"{}\" in {}.",
                         arguments.name(operand), to_string(shape), equation.operands[k],
                         arguments.name(kEquation));
    }
  }
  for (const char letter : equation.operands[0]) {
    const auto other = size_in(arguments, equation, 1, letter);
    const int64_t size = size_of(arguments, equation, letter);
    if (!other || *other == size) continue;
    const size_t first = operand_at(arguments, 0), second = operand_at(arguments, 1);
    return fmt::format("tensors {} {} and {} {} must have one size for \"{}\", but have {} and {}.",
                       arguments.name(first), to_string(arguments.shape(first)),
                       arguments.name(second), to_string(arguments.shape(second)), letter, size,
                       *other);
  }
  return std::nullopt;
}

CheckResult has_shape_of_out(const Arguments& arguments) {
  const Equation equation = equation_of(arguments);
  return has_shape(kOut, sizes_of(arguments, equation, equation.out))(arguments);
}

const OperatorSpec kSpec{
    "aclnnEinsum",
    {input("tensors"), attribute("equation"), output("out")},
    Rules{not_null({kTensors, kEquation, kOut}),
          all_members(kTensors, [](size_t i) { return not_null({i}); }), require(count_complaint),
          all_members(kTensors, [](size_t i) { return dtype_in(i, kRealNumbers); }),
          all_members(kTensors, [](size_t i) { return same_dtype(i, kOut); }),
          all_members(kTensors, [](size_t i) { return max_rank(i); }), max_rank(kOut),
          require(equation_complaint), require(shapes_complaint), has_shape_of_out}};

// ---- The product --------------------------------------------------------------------------------

// Letters by where they stand. The last of the rows and the last of the columns are those of the
// matrices; all others of the result count as a batch. What is summed is one dimension.
struct Roles {
  std::string batch, row, column, summed;

  explicit Roles(const Equation& equation) {
    for (const char letter : equation.out) {
      const bool in_first = equation.operands[0].find(letter) != std::string::npos;
      const bool in_second = equation.operands[1].find(letter) != std::string::npos;
      std::string& last = in_first ? row : column;
      if (in_first && in_second) {
        batch += letter;
      } else {
        batch += last;
        last = letter;
      }
    }
    for (const std::string& operand : equation.operands) {
      for (const char letter : operand) {
        const bool is_new = summed.find(letter) == std::string::npos;
        if (equation.out.find(letter) == std::string::npos && is_new) summed += letter;
      }
    }
  }
};

Dims strides_of(const Dims& strides, std::string_view own, std::string_view letters) {
  Dims all;
  for (const char letter : letters) {
    const size_t place = own.find(letter);
    all.push_back(place == std::string_view::npos ? 0 : strides[place]);
  }
  return all;
}
int64_t stride_of(const Dims& strides, std::string_view own, std::string_view letters) {
  return letters.empty() ? 0 : strides_of(strides, own, letters)[0];
}

// An operand with its sums in one dimension: as it lies where that is a letter, else a copy.
struct Factor {
  size_t tensor;
  aclDataType dtype;
  StridedIndex order = {};  // of the copy
  int64_t bytes = 0;        // that it takes
  MatrixView view;
};

// `number` is that of its address.
Factor factor_of(const Arguments& arguments, const Equation& equation, const Roles& roles, size_t k,
                 const std::string& own_letter, size_t number) {
  const size_t tensor = operand_at(arguments, k);
  const std::string& own = equation.operands[k];
  const Dims& strides = arguments.strides(tensor);
  Factor factor{
      tensor, arguments.dtype(tensor), {}, 0, {number, arguments.dtype(tensor), 0, 0, {}}};
  Dims batch = strides_of(strides, own, roles.batch);
  int64_t free = stride_of(strides, own, own_letter);
  int64_t summed = stride_of(strides, own, roles.summed);
  if (roles.summed.size() > 1) {
    // Only what the operand has is copied: other letters of the batch step by 0.
    std::string letters;
    for (const char letter : roles.batch + own_letter) {
      if (own.find(letter) != std::string::npos) letters += letter;
    }
    const Dims sizes = sizes_of(arguments, equation, letters + roles.summed);
    factor.order = StridedIndex(sizes, strides_of(strides, own, letters + roles.summed));
    factor.bytes = saturating_product(
        {count_elements(sizes), static_cast<int64_t>(element_size(factor.dtype))});
    Dims dense = Dims::filled(letters.size(), 0);
    int64_t step = count_elements(sizes_of(arguments, equation, roles.summed));
    for (size_t i = letters.size(); i-- > 0; step *= sizes[i]) dense[i] = step;
    batch = strides_of(dense, letters, roles.batch);
    free = stride_of(dense, letters, own_letter);
    summed = 1;
  }
  factor.view.batch_strides = batch;
  (k == 0 ? factor.view.row_stride : factor.view.column_stride) = free;
  (k == 0 ? factor.view.column_stride : factor.view.row_stride) = summed;
  return factor;
}

// Addresses of the product's tensors.
enum : size_t { kFirst, kSecond, kProduct };

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const Equation equation = equation_of(arguments);
  const Roles roles(equation);
  const std::array factors = {factor_of(arguments, equation, roles, 0, roles.row, kFirst),
                              factor_of(arguments, equation, roles, 1, roles.column, kSecond)};
  const Dims& out = arguments.strides(kOut);
  MatmulProblem problem;
  problem.batch = sizes_of(arguments, equation, roles.batch);
  problem.m = count_elements(sizes_of(arguments, equation, roles.row));
  problem.n = count_elements(sizes_of(arguments, equation, roles.column));
  problem.k = count_elements(sizes_of(arguments, equation, roles.summed));
  problem.a = factors[0].view;
  problem.b = factors[1].view;
  problem.out = {kProduct, arguments.dtype(kOut), stride_of(out, equation.out, roles.row),
                 stride_of(out, equation.out, roles.column),
                 strides_of(out, equation.out, roles.batch)};
  problem.dtype = arguments.dtype(kOut);
  const Plan product = plan_any_product(problem);
  const bool copies = roles.summed.size() > 1 && problem.k > 0;
  const int64_t room = copies ? factors[0].bytes + factors[1].bytes : 0;
  return {[=, body = product.body](const Run& run) -> aclError {
            std::array<void*, 3> addresses = {run.data(factors[0].tensor),
                                              run.data(factors[1].tensor), run.data(kOut)};
            auto* next = static_cast<std::byte*>(run.workspace());
            for (size_t k = 0; copies && k < kOperands; ++k) {
              const Factor& factor = factors[k];
              const StridedIndex dense({factor.order.count()}, {1});
              cast_elements({addresses[k], factor.dtype, factor.order}, {next, factor.dtype, dense},
                            0, factor.order.count());
              addresses[k] = next;
              next += factor.bytes;
            }
            return body(Run(addresses, next));
          },
          static_cast<uint64_t>(room)};
}

}  // namespace

ACLGRAD_OPERATOR(aclnnEinsum, kSpec, plan)

}  // namespace aclgrad::ops::einsum
