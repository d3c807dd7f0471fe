// SPDX-License-Identifier: Apache-2.0
// Reductions over axes, and running sums and products. No axes means all of them; negative axes
// count from the end. Reduced axes vanish, or stay with extent 1 when keepdim is set.
#pragma once

#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"

namespace aclgrad {

/// The result has x's dtype. Throws ShapeError for an axis out of range or named twice.
Value reduce_sum(Operand x, std::vector<std::int64_t> axes = {}, bool keepdim = false);

/// reduce_sum in which a NaN counts as 0; inf - inf is NaN. The gradient of a NaN is 0.
Value nansum(Operand x, std::vector<std::int64_t> axes = {}, bool keepdim = false);

/// How many elements are not 0, in int64; NaN is not.
Value count_nonzero(Operand x, std::vector<std::int64_t> axes = {}, bool keepdim = false);

/// The product of all elements, or of those along an axis, in x's dtype, where PyTorch makes int64
/// of integers; 1 of nothing. The gradient of an element is the product of the others, of zeros
/// too.
Value prod(Operand x);
Value prod(Operand x, std::int64_t dim, bool keepdim = false);

/// Whether all elements, or any of them, are not 0, as bool; NaN is not. Of nothing all are, and
/// none is. There is no gradient.
Value all(Operand x, std::vector<std::int64_t> axes = {}, bool keepdim = false);
Value any(Operand x, std::vector<std::int64_t> axes = {}, bool keepdim = false);

/// As reduce_sum, divided by the number of elements reduced; x must be floating.
Value mean(Operand x, std::vector<std::int64_t> axes = {}, bool keepdim = false);

/// The largest and the smallest element; NaN where there is one. The gradient goes in equal parts
/// to all elements that are it, so to every NaN where there is one.
Value amax(Operand x, std::vector<std::int64_t> axes = {}, bool keepdim = false);
Value amin(Operand x, std::vector<std::int64_t> axes = {}, bool keepdim = false);

/// What aminmax() finds.
struct MinAndMax {
  Value min;
  Value max;
};
/// amin and amax of the same axes, by one pass over x.
MinAndMax aminmax(Operand x, std::vector<std::int64_t> axes = {}, bool keepdim = false);

struct VarOptions {
  bool unbiased = true;  ///< divided by the number of elements less 1; else by that number
  bool keepdim = false;
};

/// The mean of (x - mean)^2; x must be floating. Of one element, unbiased, it is NaN.
Value var(Operand x, std::vector<std::int64_t> axes = {}, VarOptions options = {});

/// The standard deviation, the root of var(); the C++ library's namespace has PyTorch's name for
/// it. Where it is 0, so is the gradient.
Value stddev(Operand x, std::vector<std::int64_t> axes = {}, VarOptions options = {});

/// What var_mean() and stddev_mean() compute.
struct VarAndMean {
  Value var;
  Value mean;
};
/// See VarAndMean.
struct StddevAndMean {
  Value stddev;
  Value mean;
};
/// var(), or stddev(), and mean() of the same axes.
VarAndMean var_mean(Operand x, std::vector<std::int64_t> axes = {}, VarOptions options = {});
StddevAndMean stddev_mean(Operand x, std::vector<std::int64_t> axes = {}, VarOptions options = {});

/// The logarithm of the sum of e^x, without an overflow; x must be floating. Where the largest x is
/// an infinity it is that one; the gradient is 0 for -infinity, also of nothing else, where
/// PyTorch's is NaN, and NaN for +infinity.
Value logsumexp(Operand x, std::vector<std::int64_t> axes = {}, bool keepdim = false);

struct NormOptions {
  double p = 2;
  bool keepdim = false;
};

/// (sum |x|^p)^(1/p); for an infinite p the largest |x|, for -infinity the smallest, for p = 0 the
/// number of elements that are not 0. x must be floating. The gradient is 0 where x is; for an
/// infinite p equal magnitudes share it.
Value norm(Operand x, std::vector<std::int64_t> axes = {}, NormOptions options = {});

/// x with every slice along dim whose p-norm is above max_norm multiplied by max_norm / (norm +
/// 1e-7), as torch.renorm. x is floating, of two dimensions or more; p is above 0, max_norm at
/// least 0. Made of other functions, with both derivatives.
Value renorm(Operand x, double p, std::int64_t dim, double max_norm);

/// The p-norms of the differences between the rows of a [.., P, M] and of b [.., R, M], [.., P, R];
/// the dimensions before the last two broadcast. Of one floating dtype; p is at least 0, and
/// rounded to float. The gradient is 0 where two rows are equal, but for p = 1 the sign of each
/// difference; there is none of a gradient.
Value cdist(Operand a, const Value& b, double p = 2);
/// Its gradient by a; `distances` is cdist(a, b, p), and all are of that shape but for the rows.
Value cdist_backward(Operand grad, const Value& a, const Value& b, const Value& distances,
                     double p);

struct CumsumOptions {
  bool exclusive = false;  ///< an element's own value is not in its sum
  bool reverse = false;    ///< from the last element on
};

/// Running sums along an axis, in x's dtype.
Value cumsum(Operand x, std::int64_t dim, CumsumOptions options = {});

/// Running products along an axis, in x's dtype, where PyTorch makes int64 of integers. The
/// gradient holds for zeros in x, too.
Value cumprod(Operand x, std::int64_t dim);

/// `axes` are counted from the front, sorted; all of them are listed when none were given.
struct ReductionAttributes {
  std::vector<std::int64_t> axes;
  bool keepdim;
  auto arguments() const { return named({"axes", "keepdim"}, axes, keepdim); }
  std::string text() const;
};

struct VarAttributes {
  std::vector<std::int64_t> axes;
  bool unbiased;
  bool keepdim;
  auto arguments() const { return named({"axes", "unbiased", "keepdim"}, axes, unbiased, keepdim); }
  std::string text() const;
};
struct StddevAttributes {
  std::vector<std::int64_t> axes;
  std::int64_t correction;  ///< what is taken off the number of elements
  bool keepdim;
  auto arguments() const {
    return named({"axes", "correction", "keepdim"}, axes, correction, keepdim);
  }
  std::string text() const;
};
struct NormAttributes {
  double p;
  std::vector<std::int64_t> axes;
  bool keepdim;
  auto arguments() const { return named({"p", "axes", "keepdim"}, p, axes, keepdim); }
  std::string text() const;
};
struct CumsumAttributes {
  std::int64_t dim;
  bool exclusive;
  bool reverse;
  auto arguments() const { return named({"dim", "exclusive", "reverse"}, dim, exclusive, reverse); }
};

namespace calls {
extern const Declaration<ReductionAttributes> reduce_sum, nansum, mean, amax, amin, logsumexp, all,
    any;
extern const Declaration<ReductionAttributes> aminmax;  // outputs min, max
extern const Declaration<> prod;
extern const Declaration<VarAttributes> var;
extern const Declaration<StddevAttributes> stddev;
extern const Declaration<NormAttributes> norm;
extern const Declaration<CumsumAttributes> cumsum;
extern const Declaration<DimAttributes> cumprod;
}  // namespace calls

using ReduceSumOp = DeclaredOp<calls::reduce_sum>;
using MeanOp = DeclaredOp<calls::mean>;
using NansumOp = DeclaredOp<calls::nansum>;
using ProdOp = DeclaredOp<calls::prod>;
using AllOp = DeclaredOp<calls::all>;
using AnyOp = DeclaredOp<calls::any>;
using AmaxOp = DeclaredOp<calls::amax>;
using AminOp = DeclaredOp<calls::amin>;
using AminmaxOp = DeclaredOp<calls::aminmax>;
using VarOp = DeclaredOp<calls::var>;
using StddevOp = DeclaredOp<calls::stddev>;
using LogsumexpOp = DeclaredOp<calls::logsumexp>;
using NormOp = DeclaredOp<calls::norm>;
using CumsumOp = DeclaredOp<calls::cumsum>;
using CumprodOp = DeclaredOp<calls::cumprod>;

// ---- Search -------------------------------------------------------------------------------------
// Which elements along an axis are the largest. Of equal elements the first counts, and a NaN as
// the largest. Axes may be negative, and are counted from the end then.

/// Elements, in x's dtype, and their places along the axis, in int64.
struct ValuesAndIndices {
  Value values;
  Value indices;
};

/// The place of the largest, or smallest, element along `dim`, in int64. There is no gradient.
Value argmax(Operand x, std::int64_t dim = -1, bool keepdim = false);
Value argmin(Operand x, std::int64_t dim = -1, bool keepdim = false);

/// The largest, or smallest, element along `dim`, and its place. The gradient of a value goes to
/// that element alone; amax shares it among equal ones.
ValuesAndIndices max(Operand x, std::int64_t dim, bool keepdim = false);
ValuesAndIndices min(Operand x, std::int64_t dim, bool keepdim = false);

/// The largest, or smallest, of all elements: amax(x), amin(x).
Value max(Operand x);
Value min(Operand x);

/// The largest, or smallest, element from the first to each one along `dim`, and its place: of
/// equal elements the last counts here, and from the first NaN on that of the last NaN. The
/// gradient of a value goes to that element.
ValuesAndIndices cummax(Operand x, std::int64_t dim);
ValuesAndIndices cummin(Operand x, std::int64_t dim);

/// The k largest elements along `dim`, or smallest, in order. The gradient of a value goes to its
/// element.
ValuesAndIndices topk(Operand x, std::int64_t k, std::int64_t dim = -1, bool largest = true);

struct CdistAttributes {
  double p;
  auto arguments() const { return named({"p"}, p); }
};
struct SearchAttributes {
  std::int64_t dim;
  bool keepdim;
  auto arguments() const { return named({"dim", "keepdim"}, dim, keepdim); }
};
struct TopkAttributes {
  std::int64_t k;
  std::int64_t dim;
  bool largest;
  bool sorted;
  auto arguments() const {
    return named({"k", "dim", "largest", "sorted"}, k, dim, largest, sorted);
  }
};

namespace calls {
extern const Declaration<CdistAttributes> cdist, cdist_backward;
extern const Declaration<SearchAttributes> argmax, argmin, prod_dim;
extern const Declaration<> max_of_all, min_of_all;
// Outputs values, indices.
extern const Declaration<SearchAttributes> max, min;
extern const Declaration<DimAttributes> cummax, cummin;
extern const Declaration<TopkAttributes> topk;
}  // namespace calls

using CdistOp = DeclaredOp<calls::cdist>;
using CdistBackwardOp = DeclaredOp<calls::cdist_backward>;
using ArgmaxOp = DeclaredOp<calls::argmax>;
using ArgminOp = DeclaredOp<calls::argmin>;
using ProdDimOp = DeclaredOp<calls::prod_dim>;
using MaxOfAllOp = DeclaredOp<calls::max_of_all>;
using MinOfAllOp = DeclaredOp<calls::min_of_all>;
using MaxOp = DeclaredOp<calls::max>;
using MinOp = DeclaredOp<calls::min>;
using CummaxOp = DeclaredOp<calls::cummax>;
using CumminOp = DeclaredOp<calls::cummin>;
using TopkOp = DeclaredOp<calls::topk>;

}  // namespace aclgrad
