// SPDX-License-Identifier: Apache-2.0
// Sums and means over dimensions.
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "contract/dense.h"
#include "contract/describe.h"

namespace aclgrad::contract {
namespace {

const Shape& dims_of(const Arguments& a) { return a.array(a.has("dims") ? "dims" : "dim"); }

bool keeps(const Arguments& a) { return a.number(a.has("keepDims") ? "keepDims" : "keepDim") != 0; }

// With an empty list one form may reduce nothing, which is a conversion.
bool reduces_nothing(const Arguments& a) {
  return dims_of(a).empty() && a.has("noopWithEmptyAxes") && a.number("noopWithEmptyAxes") != 0;
}

void require_dims(const Shape& dims, size_t tensor_rank) {
  const auto rank = static_cast<int64_t>(std::max<size_t>(tensor_rank, 1));
  std::set<int64_t> seen;
  for (const int64_t dim : dims) {
    if (dim < -rank || dim >= rank) {
      throw std::invalid_argument("dim " + std::to_string(dim) +
                                  " is not one of a tensor of rank " + std::to_string(tensor_rank));
    }
    if (!seen.insert(dim < 0 ? dim + rank : dim).second) {
      throw std::invalid_argument("the dims name a dimension twice");
    }
  }
}

void reduce_shape(Arguments& a) {
  const Shape self = a.shape("self");
  require_dims(dims_of(a), self.size());
  Shape& out = a.shape("out");
  out.clear();
  const Shape summed = dense::normalized(dims_of(a), self.size());
  for (size_t d = 0; d < self.size(); ++d) {
    const bool is_summed =
        !reduces_nothing(a) && std::ranges::count(summed, static_cast<int64_t>(d)) > 0;
    if (!is_summed) out.push_back(self[d]);
    if (is_summed && keeps(a)) out.push_back(1);
  }
  a.tensor("self").any_shape = dims_of(a).empty() && !keeps(a) && !reduces_nothing(a);
  if (a.has("dtype") && a.dtype_of("dtype")) a.tensor("out").dtype = a.dtype_of("dtype");
}

// The sum of the values or of their magnitudes, divided by their number for a mean.
Array reduced(const Arguments& a, const Array& self, bool is_mean, bool magnitudes) {
  if (reduces_nothing(a)) return self;
  Array out =
      dense::sum(self, dense::normalized(dims_of(a), self.shape.size()), keeps(a), magnitudes);
  if (!is_mean) return out;
  const Number terms = static_cast<Number>(count_of(self.shape)) /
                       static_cast<Number>(std::max<int64_t>(count_of(out.shape), 1));
  return dense::map(out, [terms](Number x) { return x / terms; });
}

// self is converted to the result's dtype first. Integers wrap, and their mean is cut off.
Array result_of(const Arguments& a, const Array& self, bool is_mean) {
  const bool converts = a.has("dtype") && a.dtype_of("dtype") && a.dtype() != ACL_DT_UNDEFINED;
  if (!converts && !is_whole(a.dtype())) return reduced(a, self, is_mean, false);
  const aclDataType to = converts ? *a.dtype_of("dtype") : a.dtype();
  const Array held =
      dense::map(self, [&](Number x) { return rounded(converted(x, a.dtype(), to), to); });
  return dense::map(reduced(a, held, is_mean, false),
                    [to](Number x) { return is_whole(to) ? wrapped(std::trunc(x), to) : x; });
}

template <class PhaseOne>
Operator reduction(std::string name, std::vector<Parameter> parameters, DTypes dtypes,
                   bool is_mean) {
  Operator op = entry<PhaseOne>(std::move(name), std::move(parameters), std::move(dtypes));
  op.arrange = reduce_shape;
  op.reference = [is_mean](const Arguments& a, const Arrays& in) {
    return Arrays{result_of(a, in[0], is_mean)};
  };
  op.magnitude = [is_mean](const Arguments& a, const Arrays& in) {
    return Arrays{reduced(a, in[0], is_mean, true)};
  };
  op.complex = Complex::kParts;
  // Sums of DOUBLE round at every addition. Of 288 terms, 36 to a lane (tree_sum.h), each passes
  // through 39 additions, and a mean is divided: 40 times half a unit of the sum of magnitudes.
  op.bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 20};
  return op;
}

Parameter summed() { return any_dtype(filled(in("self"), 5)); }

Refusal of_dtype(const char* what, aclDataType dtype, std::string word) {
  return {.what = what, .changes = {{"dtype", DtypeSpec{dtype}}}, .words = {std::move(word)}};
}

std::vector<Sample> samples_over(const char* dims, const char* keep) {
  return {{{{dims, Shape{}}}},
          {{{dims, Shape{0, -1}}}},
          {{{dims, Shape{1}}, {keep, 1.0}}},
          {{{dims, Shape{-2}}, {"dtype", ACL_FLOAT}}}};
}

}  // namespace

void add_reductions(std::vector<Operator>& all) {
  Operator sum = reduction<decltype(aclnnReduceSumGetWorkspaceSize)>(
      "aclnnReduceSum",
      {summed(), list("dims", {-1}), flag("keepDims"), option(dtype_named("dtype"), "into"),
       any_dtype(shaped(out("out"), {2}))},
      kNumbers, false);
  sum.samples = samples_over("dims", "keepDims");
  sum.refusals = {of_dtype("that is not in the list", ACL_UINT16, "DT_UINT16"),
                  of_dtype("that is not out's", ACL_FLOAT16, "DT_FLOAT16")};
  sum.check = "reduce_sum";
  sum.computes = {"sum over dimensions; an empty list: over all", "沿若干维求和；列表为空表示全部"};
  sum.in_graph = "reduce_sum(x, axes, keep)";

  const Parameter dims = option(list("dim", {-1}), "dims");
  const Parameter keep = option(flag("keepDim"), "keepDims");
  Operator mean = reduction<decltype(aclnnMeanGetWorkspaceSize)>(
      "aclnnMean",
      {summed(), dims, keep, option(dtype_named("dtype"), "into"),
       any_dtype(shaped(out("out"), {2}))},
      without(kNumbers, ACL_BOOL), true);
  mean.samples = samples_over("dim", "keepDim");
  mean.also_refuses = [](const Arguments& a, std::string_view, aclDataType dtype) {
    const auto into = a.dtype_of("dtype");
    return is_complex(dtype) && into && !is_complex(*into);
  };
  mean.refusals = {of_dtype("that is not in the list", ACL_UINT16, "DT_UINT16"),
                   of_dtype("that self cannot have", ACL_INT64, "DT_INT64")};
  mean.check = "mean";
  mean.computes = {"mean over dimensions; an empty list: over all",
                   "沿若干维求平均；列表为空表示全部"};
  mean.in_graph = "mean(x, axes, keep)";

  Operator second = reduction<decltype(aclnnMeanV2GetWorkspaceSize)>(
      "aclnnMeanV2",
      {summed(), dims, keep, flag("noopWithEmptyAxes"), any_dtype(shaped(out("out"), {2}))},
      without(kNumbers, ACL_BOOL), true);
  second.form_of = mean.name;
  second.samples = samples_over("dim", "keepDim");
  second.samples.back() = {{{"dim", Shape{}}, {"noopWithEmptyAxes", 1.0}}};
  second.refusals = {
      {.what = "not of self's size, with no axes to reduce",
       .changes = {{"out", TensorSpec{{2}}}, {"dim", Shape{}}, {"noopWithEmptyAxes", true}},
       .words = {"[2, 4]"}}};
  second.computes = {"mean in self's dtype; with noopWithEmptyAxes an empty list reduces nothing",
                     "以 self 的类型求平均；noopWithEmptyAxes 为真时空列表不规约"};
  all.insert(all.end(), {sum, mean, second});
}

}  // namespace aclgrad::contract
