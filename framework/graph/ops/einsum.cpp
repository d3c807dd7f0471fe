// SPDX-License-Identifier: Apache-2.0
// Sums of products by the letters of dimensions: two tensors at a time, as one product of matrices.
#include <algorithm>
#include <iterator>
#include <string>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/linalg.h"
#include "aclgrad/ops/reduction.h"
#include "aclgrad/ops/shape.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
namespace {

namespace sums_of_products {

// Dimensions that have a letter are numbered by the alphabet, capitals first; those of an ellipsis
// follow, so that the last ones of all operands have one number.
using Names = std::vector<std::size_t>;
constexpr std::size_t kLetters = 52;

struct Term {
  Value value;
  Names names;
};

bool has(const Names& names, std::size_t name) {
  return std::ranges::find(names, name) != names.end();
}

Names joined(Names first, const Names& second, const Names& third = {}) {
  first.insert(first.end(), second.begin(), second.end());
  first.insert(first.end(), third.begin(), third.end());
  return first;
}

std::int64_t extent_of(const Term& term, std::size_t name) {
  const auto at = std::ranges::find(term.names, name) - term.names.begin();
  return term.value.shape()[at];
}

Dims extents_of(const Term& term, const Names& names) {
  Dims extents;
  for (const std::size_t name : names) extents.push_back(extent_of(term, name));
  return extents;
}

Value in_order(const Term& term, const Names& names) {
  if (names == term.names) return term.value;
  std::vector<std::int64_t> order;
  for (const std::size_t name : names) {
    order.push_back(std::ranges::find(term.names, name) - term.names.begin());
  }
  return permute(term.value, std::move(order));
}

// Without the dimensions that nothing else has.
Term summed_over(const Term& term, const Names& kept) {
  std::vector<std::int64_t> axes;
  Names left;
  for (std::size_t i = 0; i < term.names.size(); ++i) {
    if (has(kept, term.names[i])) {
      left.push_back(term.names[i]);
    } else {
      axes.push_back(static_cast<std::int64_t>(i));
    }
  }
  return axes.empty() ? term : Term{reduce_sum(term.value, std::move(axes)), std::move(left)};
}

// The product of two terms, summed over what both have and is not kept: its dimensions are those
// that both have, then those of the first alone, then those of the second.
Term product(Term a, Term b, const Names& kept) {
  a = summed_over(a, joined(kept, b.names));
  b = summed_over(b, joined(kept, a.names));
  Names batch, summed, left, right;
  for (const std::size_t name : a.names) {
    if (!has(b.names, name)) {
      left.push_back(name);
    } else {
      (has(kept, name) ? batch : summed).push_back(name);
    }
  }
  for (const std::size_t name : b.names) {
    if (!has(a.names, name)) right.push_back(name);
  }
  const Dims of_batch = extents_of(a, batch), of_left = extents_of(a, left);
  const Dims of_right = extents_of(b, right), of_summed = extents_of(a, summed);
  const auto shape = [](Dims dims, std::initializer_list<Dims> more) {
    for (const Dims& each : more) dims.insert(dims.end(), each.begin(), each.end());
    return dims;
  };
  const Names names = joined(batch, left, right);
  if (summed.empty() || !is_floating(promote(a.value.dtype(), b.value.dtype()))) {
    const Dims no_right(right.size(), 1), no_left(left.size(), 1);
    const Value x = reshape(in_order(a, joined(batch, left, summed)),
                            shape(of_batch, {of_left, no_right, of_summed}));
    const Value y = reshape(in_order(b, joined(batch, right, summed)),
                            shape(of_batch, {no_left, of_right, of_summed}));
    return summed_over({mul(x, y), joined(names, summed)}, names);
  }
  const auto count = [](const Dims& dims) { return Shape(dims).numel(); };
  Dims first, second;
  if (!batch.empty()) first = second = {count(of_batch)};
  first.insert(first.end(), {count(of_left), count(of_summed)});
  second.insert(second.end(), {count(of_summed), count(of_right)});
  const Value x = reshape(in_order(a, joined(batch, left, summed)), std::move(first));
  const Value y = reshape(in_order(b, joined(batch, summed, right)), std::move(second));
  return {reshape(matmul(x, y), shape(of_batch, {of_left, of_right})), names};
}

// What an equation says of its operands and of the result.
class Equation {
 public:
  Equation(const Recorder& record, std::string_view text, const std::vector<Value>& operands)
      : record_(record) {
    std::string letters;
    std::ranges::copy_if(text, std::back_inserter(letters), [](char c) { return c != ' '; });
    const std::size_t arrow = letters.find("->");
    std::vector<std::string> sides(1);
    for (const char c : std::string_view(letters).substr(0, arrow)) {
      if (c == ',') {
        sides.emplace_back();
      } else {
        sides.back() += c;
      }
    }
    record_.require_value(sides.size() == operands.size(), "\"{}\" is of {} operands, got {}", text,
                          sides.size(), operands.size());
    for (std::size_t i = 0; i < sides.size(); ++i) measure(sides[i], operands[i]);
    for (std::size_t i = 0; i < sides.size(); ++i) add(sides[i], operands[i]);
    for (Term& term : terms_) drop_ones(term);
    if (arrow == std::string::npos) {
      conclude();
    } else {
      result_ = names_of(std::string_view(letters).substr(arrow + 2), ellipsis_);
      Names sorted = result_;
      std::ranges::sort(sorted);
      record_.require_value(std::ranges::adjacent_find(sorted) == sorted.end(),
                            "\"{}\" names a dimension of the result twice", text);
      for (const std::size_t name : result_) {
        record_.require_value(times_.at(name) > 0, "\"{}\": no operand has what the result has",
                              text);
      }
    }
  }

  const std::vector<Term>& terms() const { return terms_; }
  const Names& result() const { return result_; }

 private:
  // How many dimensions the ellipsis of an operand stands for, at most.
  void measure(std::string_view side, const Value& x) {
    std::string plain(side);
    const std::size_t dots = plain.find("...");
    const std::size_t rank = x.shape().rank();
    if (dots != std::string::npos) plain.erase(dots, 3);
    const bool fits = dots == std::string::npos ? plain.size() == rank : plain.size() <= rank;
    record_.require_shape(fits, "\"{}\" does not name the dimensions of {}, of shape {}", side, x,
                          x.shape());
    if (dots != std::string::npos) ellipsis_ = std::max(ellipsis_, rank - plain.size());
  }

  // `hidden` dimensions are the ellipsis.
  Names names_of(std::string_view side, std::size_t hidden) const {
    Names names;
    bool has_ellipsis = false;
    for (std::size_t i = 0; i < side.size(); ++i) {
      const auto c = static_cast<unsigned char>(side[i]);
      if (!has_ellipsis && side.substr(i, 3) == "...") {
        has_ellipsis = true;
        for (std::size_t k = ellipsis_ - hidden; k < ellipsis_; ++k) names.push_back(kLetters + k);
        i += 2;
      } else {
        const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        record_.require_value(is_letter, "\"{}\" has a sign that is no letter", side);
        names.push_back(c <= 'Z' ? c - std::size_t{'A'} : c - std::size_t{'a'} + kLetters / 2);
      }
    }
    return names;
  }

  void add(std::string_view side, const Value& operand) {
    const std::size_t letters = side.find("...") == side.npos ? side.size() : side.size() - 3;
    Term term{operand, names_of(side, operand.shape().rank() - letters)};
    times_.resize(kLetters + ellipsis_, 0);
    extents_.resize(kLetters + ellipsis_, 1);
    for (const std::size_t name : term.names) ++times_[name];
    while (take_diagonal(term)) continue;
    for (const std::size_t name : term.names) {
      const std::int64_t extent = extent_of(term, name);
      record_.require_shape(extent == 1 || extents_[name] == 1 || extents_[name] == extent,
                            "\"{}\" gives a dimension of {} the extent {}, which is {} elsewhere",
                            side, operand, extent, extents_[name]);
      if (extent != 1) extents_[name] = extent;
    }
    terms_.push_back(std::move(term));
  }

  // Of the first letter that stands twice; whether there is one.
  bool take_diagonal(Term& term) const {
    for (std::size_t i = 0; i < term.names.size(); ++i) {
      const std::size_t name = term.names[i];
      const auto at = term.names.begin() + static_cast<std::ptrdiff_t>(i);
      const auto again = std::find(at + 1, term.names.end(), name);
      if (again == term.names.end()) continue;
      const std::int64_t dim1 = at - term.names.begin(), dim2 = again - term.names.begin();
      const Shape& shape = term.value.shape();
      record_.require_shape(shape[dim1] == shape[dim2],
                            "dimensions {} and {} of shape {} have no diagonal", dim1, dim2, shape);
      term.value = diagonal(term.value, 0, dim1, dim2);
      term.names.erase(again);
      term.names.erase(at);
      term.names.push_back(name);
      return true;
    }
    return false;
  }

  // Without the dimensions of extent 1 that others have with more.
  void drop_ones(Term& term) const {
    Names names;
    for (const std::size_t name : term.names) {
      if (extent_of(term, name) == extents_[name]) names.push_back(name);
    }
    if (names != term.names) term = {reshape(term.value, extents_of(term, names)), names};
  }

  // Dimensions without a letter, then the letters that stand once.
  void conclude() {
    for (std::size_t k = 0; k < ellipsis_; ++k) result_.push_back(kLetters + k);
    for (std::size_t name = 0; name < kLetters; ++name) {
      if (times_[name] == 1) result_.push_back(name);
    }
  }

  const Recorder& record_;
  std::size_t ellipsis_ = 0;
  std::vector<Term> terms_;
  std::vector<int> times_;
  std::vector<std::int64_t> extents_;
  Names result_;
};

}  // namespace sums_of_products

}  // namespace

Value einsum(std::string_view equation, Operands operands) {
  using namespace sums_of_products;
  detail::require_values("einsum", operands);
  const Recorder record("einsum", operands, operands.where);
  const RecordScope scope(operands.front().graph(), operands.where);
  const Equation of(record, equation, operands);
  Term all = of.terms().front();
  for (std::size_t i = 1; i < of.terms().size(); ++i) {
    Names kept = of.result();
    for (std::size_t k = i + 1; k < of.terms().size(); ++k) {
      kept = joined(std::move(kept), of.terms()[k].names);
    }
    all = product(all, of.terms()[i], kept);
  }
  all = summed_over(all, of.result());
  return in_order(all, of.result());
}

Value tensordot(Operand a, const Value& b, std::int64_t dims) {
  const Recorder record("tensordot", {a, b}, a.where);
  const auto rank = static_cast<std::int64_t>(std::min(a.shape().rank(), b.shape().rank()));
  record.require_value(dims >= 0 && dims <= rank, "{} and {} do not have {} dimensions to sum over",
                       a.shape(), b.shape(), dims);
  Dims last, first;
  for (std::int64_t i = 0; i < dims; ++i) {
    last.push_back(i - dims);
    first.push_back(i);
  }
  return tensordot(a, b, std::move(last), std::move(first));
}

Value tensordot(Operand a, const Value& b, std::vector<std::int64_t> dims_of_a,
                std::vector<std::int64_t> dims_of_b) {
  using namespace sums_of_products;
  const RecordScope scope(a);
  const Recorder record("tensordot", {a, b}, a.where);
  record.require_value(dims_of_a.size() == dims_of_b.size(),
                       "{} of a and {} of b are not as many dimensions", dims_of_a, dims_of_b);
  Term first{a, {}}, second{b, {}};
  const std::size_t rank = a.shape().rank();
  for (std::size_t i = 0; i < rank; ++i) first.names.push_back(i);
  for (std::size_t i = 0; i < b.shape().rank(); ++i) second.names.push_back(rank + i);
  Names kept = joined(first.names, second.names);
  for (std::size_t i = 0; i < dims_of_a.size(); ++i) {
    const std::int64_t x = record.axis(dims_of_a[i], rank);
    const std::int64_t y = record.axis(dims_of_b[i], b.shape().rank());
    record.require_shape(a.shape()[x] == b.shape()[y],
                         "dimension {} of {} and {} of {} have other extents", x, a.shape(), y,
                         b.shape());
    auto& name = second.names[static_cast<std::size_t>(y)];
    const auto place = std::ranges::find(kept, static_cast<std::size_t>(x));
    record.require_value(place != kept.end() && name >= rank, "a dimension is named twice");
    kept.erase(place);
    std::erase(kept, name);
    name = static_cast<std::size_t>(x);
  }
  return product(std::move(first), std::move(second), kept).value;
}

Value kron(Operand a, const Value& b) {
  const RecordScope scope(a);
  const Recorder record("kron", {a, b}, a.where);
  const std::size_t rank = std::max(a.shape().rank(), b.shape().rank());
  const Value x = detail::with_rank(a, rank), y = detail::with_rank(b, rank);
  Dims of_x, of_y, products;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t p = x.shape().dims()[i], q = y.shape().dims()[i];
    of_x.insert(of_x.end(), {p, 1});
    of_y.insert(of_y.end(), {1, q});
    std::int64_t extent = 0;
    record.require_shape(!__builtin_mul_overflow(p, q, &extent), "{} and {} are too large",
                         a.shape(), b.shape());
    products.push_back(extent);
  }
  return reshape(mul(reshape(x, std::move(of_x)), reshape(y, std::move(of_y))),
                 std::move(products));
}

}  // namespace aclgrad
