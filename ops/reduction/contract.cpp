// SPDX-License-Identifier: Apache-2.0
// Sums, means, variances and norms over dimensions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_linalg_vector_norm.h"
#include "aclnnop/aclnn_logsumexp.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_norm.h"
#include "aclnnop/aclnn_reduce_nansum.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_var.h"
#include "aclnnop/aclnn_var_mean.h"
#include "ops/contract/dense.h"
#include "ops/reduction/reduction_contract.h"

namespace aclgrad::contract {
namespace {

// An array, or a single dimension.
Shape dims_of(const Arguments& a) {
  if (a.has("dims")) return a.array("dims");
  const bool is_one = std::holds_alternative<int64_t>(a.op().parameter("dim").spec);
  return is_one ? Shape{static_cast<int64_t>(a.number("dim"))} : a.array("dim");
}

bool keeps(const Arguments& a) {
  for (const char* name : {"keepDims", "keepDim"}) {
    if (a.has(name)) return a.number(name) != 0;
  }
  return a.number("keepdim") != 0;
}

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

}  // namespace

void reduce_shape(Arguments& a) {
  const Shape self = a.shape("self");
  require_dims(dims_of(a), self.size());
  Shape out;
  const Shape summed = dense::normalized(dims_of(a), self.size());
  for (size_t d = 0; d < self.size(); ++d) {
    const bool is_summed =
        !reduces_nothing(a) && std::ranges::count(summed, static_cast<int64_t>(d)) > 0;
    if (!is_summed) out.push_back(self[d]);
    if (is_summed && keeps(a)) out.push_back(1);
  }
  a.reshape({"out", "indices", "values", "min", "max", "varOut", "stdOut", "meanOut"}, out);
  a.tensor("self").any_shape = dims_of(a).empty() && !keeps(a) && !reduces_nothing(a);
  if (a.has("dtype") && a.dtype_of("dtype")) a.tensor("out").dtype = a.dtype_of("dtype");
}

Array reduced_by(const Arguments& a, const Array& self,
                 const std::function<Number(const std::vector<Number>&)>& f) {
  return dense::reduce(self, dense::normalized(dims_of(a), self.shape.size()), keeps(a), f);
}

namespace {

// Many elements to a sum or many sums, along the first and the last dimension and around one, over
// more than one chunk of a sum.
struct LargeReduction {
  Shape shape, dims;
};
const LargeReduction kLargeReductions[] = {
    {{9000}, {0}},     {{33, 65}, {}},    {{5000, 3}, {0}},      {{2, 70, 70}, {1, 2}},
    {{600, 100}, {0}}, {{100, 600}, {1}}, {{70, 2, 70}, {0, 2}}, {{2, 3, 2, 3, 2}, {-4, 3}}};

}  // namespace

std::vector<Sample> large_samples(const char* dims, Sample with) {
  std::vector<Sample> samples;
  for (const LargeReduction& each : kLargeReductions) {
    samples.push_back(with);
    samples.back().settings.emplace_back("self", each.shape);
    samples.back().settings.emplace_back(dims, each.dims);
  }
  return samples;
}

std::vector<Sample> samples_over(const char* dims, const char* keep) {
  return {{{{dims, Shape{}}}},
          {{{dims, Shape{0, -1}}}},
          {{{dims, Shape{1}}, {keep, 1.0}}},
          {{{dims, Shape{-2}}, {"dtype", ACL_FLOAT}}}};
}

namespace {

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

Results summed(bool is_mean) {
  return {.reference = [is_mean](const Arguments& a,
                                 const Arrays& in) { return Arrays{result_of(a, in[0], is_mean)}; },
          .complex = Complex::kParts,
          // Sums of DOUBLE round at every addition. Of 288 terms, 36 to a lane (tree_sum.h), each
          // passes through 39 additions, and a mean is divided: 40 times half a unit of the sum of
          // magnitudes.
          .bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 20},
          .magnitude = [is_mean](
                           const Arguments& a,
                           const Arrays& in) { return Arrays{reduced(a, in[0], is_mean, true)}; }};
}

const Parameter kSummed = any_dtype(filled(in("self"), 5));
const Parameter kReduced = any_dtype(shaped(out("out"), {2}));
const Parameter kInto = option(dtype_named("dtype"), "into");
const Parameter kDims = option(list("dim", {-1}), "dims");
const Parameter kKeepDim = option(flag("keepDim"), "keepDims");

ErrorInput of_dtype(const char* what, aclDataType dtype, std::string word) {
  return refused("dtype", what, DtypeSpec{dtype}, std::move(word));
}

// ---- Sums and means -----------------------------------------------------------------------------

void add_sums(std::vector<Operator>& all) {
  const ErrorInput unknown = of_dtype("that is not in the list", ACL_UINT16, "DT_UINT16");
  all.push_back({
      .call = ACLGRAD_CALL(aclnnReduceSum, kSummed, list("dims", {-1}), flag("keepDims"), kInto,
                           kReduced),
      .domain = {.everywhere = kNumbers,
                 .arrange = reduce_shape,
                 .samples = samples_over("dims", "keepDims"),
                 .value_samples = large_samples("dims")},
      .results = summed(false),
      .error_inputs = {unknown, of_dtype("that is not out's", ACL_FLOAT16, "DT_FLOAT16")},
      .words = {"sum over dimensions; an empty list: over all", "沿若干维求和；列表为空表示全部",
                "reduce_sum(x, axes, keep)", "reduce_sum"},
  });
  Operator nansum = all.back();
  nansum.call = ACLGRAD_CALL(aclnnReduceNansum, kSummed, kDims, kKeepDim, kInto, kReduced);
  nansum.domain.everywhere = without(without(kNumbers, ACL_COMPLEX64), ACL_COMPLEX128);
  nansum.domain.samples = samples_over("dim", "keepDim");
  nansum.domain.value_samples = large_samples("dim");
  nansum.results.complex = Complex::kUnknown;
  nansum.results.nan_goes_through = false;
  nansum.words = {"sum over dimensions in which a NaN counts as 0; an empty list: over all",
                  "沿若干维求和，NaN 视为 0；列表为空表示全部", "nansum(x, axes, keepdim)",
                  "reduce_nansum"};
  all.push_back(nansum);

  const auto also_refuses = [](const Arguments& a, std::string_view, aclDataType dtype) {
    const auto into = a.dtype_of("dtype");
    return is_complex(dtype) && into && !is_complex(*into);
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnMean, kSummed, kDims, kKeepDim, kInto, kReduced),
      .domain = {.everywhere = without(kNumbers, ACL_BOOL),
                 .also_refuses = also_refuses,
                 .arrange = reduce_shape,
                 .samples = samples_over("dim", "keepDim"),
                 .value_samples = large_samples("dim")},
      .results = summed(true),
      .error_inputs = {unknown, of_dtype("that self cannot have", ACL_INT64, "DT_INT64")},
      .words = {"mean over dimensions; an empty list: over all", "沿若干维求平均；列表为空表示全部",
                "mean(x, axes, keep)", "mean"},
  });

  std::vector<Sample> samples = samples_over("dim", "keepDim");
  samples.back() = {{{"dim", Shape{}}, {"noopWithEmptyAxes", 1.0}}};
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnMeanV2, kSummed, kDims, kKeepDim, flag("noopWithEmptyAxes"), kReduced),
      .domain = {.everywhere = without(kNumbers, ACL_BOOL),
                 .arrange = reduce_shape,
                 .samples = samples},
      .results = summed(true),
      .error_inputs =
          {{.what = "not of self's size, with no axes to reduce",
            .changes = {{"out", TensorSpec{{2}}}, {"dim", Shape{}}, {"noopWithEmptyAxes", true}},
            .words = {"[2, 4]"}}},
      .words = {"mean in self's dtype; with noopWithEmptyAxes an empty list reduces nothing",
                "以 self 的类型求平均；noopWithEmptyAxes 为真时空列表不规约"},
  });
  all.back().call.form_of = "aclnnMean";
}

// ---- Variances and norms ------------------------------------------------------------------------

Number mean_of(const std::vector<Number>& x) {
  Number sum = 0;
  for (const Number each : x) sum += each;
  return sum / static_cast<Number>(x.size());
}

Number variance_of(const std::vector<Number>& x, Number correction) {
  const Number mean = mean_of(x);
  Number squares = 0;
  for (const Number each : x) squares += (each - mean) * (each - mean);
  return squares / (static_cast<Number>(x.size()) - correction);
}

// The variance, and the mean where it is asked for.
Arrays moments(const Arguments& a, const Arrays& in) {
  const Number of = a.number(a.has("unbiased") ? "unbiased" : "correction");
  return {reduced_by(a, in[0], [of](const std::vector<Number>& x) { return variance_of(x, of); }),
          reduced_by(a, in[0], mean_of)};
}

// The root of the variance in its place.
Arrays deviations(const Arguments& a, const Arrays& in) {
  Arrays results = moments(a, in);
  results[0] = dense::map(results[0], [](Number x) { return std::sqrt(x); });
  return results;
}

// Means cancel.
template <Arrays (*kOf)(const Arguments&, const Arrays&)>
Arrays magnitude_of(const Arguments& a, const Arrays& in) {
  return {kOf(a, in)[0], reduced(a, in[0], true, true)};
}

// `correction` is the parameter's name.
Operator variance(Signature call, const std::string& correction, Words words) {
  return {.call = std::move(call),
          .domain = {.everywhere = kFloats,
                     .arrange = reduce_shape,
                     .samples = {{{{"dim", Shape{}}, {correction, 1.0}}},
                                 {{{"dim", Shape{0, -1}}, {correction, 0.0}}},
                                 {{{"dim", Shape{1}}, {"keepdim", 1.0}, {correction, 1.0}}},
                                 {{{"dim", Shape{-1}}, {correction, 1.0}}}},
                     .value_samples = large_samples("dim", {{{correction, 1.0}}})},
          .results = {.reference = moments,
                      .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 8},
                      .magnitude = magnitude_of<moments>},
          .words = std::move(words)};
}

void add_variances(std::vector<Operator>& all) {
  const Parameter self = any_dtype(in("self")), dims = option(nullable(list("dim", {-1})), "dims");
  const Parameter keep = option(flag("keepdim"), "keepDims"), correction = integer("correction", 0);
  const auto result = [](const char* name) { return any_dtype(shaped(out(name), {2})); };
  all.push_back(variance(
      ACLGRAD_CALL(aclnnVar, self, dims, flag("unbiased"), keep, result("out")), "unbiased",
      {"Σ(x − mean)² / (n − 1), or / n, over dimensions; an empty list: over all",
       "沿若干维求 Σ(x − 均值)² / (n − 1) 或 / n；列表为空表示全部", "var(x, axes, options)",
       "var"}));
  all.push_back(variance(
      ACLGRAD_CALL(aclnnVarCorrection, self, dims, correction, keep, result("out")), "correction",
      {"Σ(x − mean)² / (n − correction) over dimensions",
       "沿若干维求 Σ(x − 均值)² / (n − correction)", "", "var_correction"}));
  all.back().domain.samples.push_back({{{"dim", Shape{2}}, {"correction", 2.0}}});
  all.push_back(variance(
      ACLGRAD_CALL(aclnnVarMean, self, dims, correction, keep, result("varOut"), result("meanOut")),
      "correction",
      {"the variance over dimensions, and the mean", "沿若干维的方差与均值", "", "var_mean"}));

  const size_t first = all.size();
  all.push_back(variance(
      ACLGRAD_CALL(aclnnStd, self, dims, correction, keep, result("out")), "correction",
      {"√(Σ(x − mean)² / (n − correction)) over dimensions",
       "沿若干维求 √(Σ(x − 均值)² / (n − correction))", "stddev(x, axes, options)", "std"}));
  all.push_back(variance(ACLGRAD_CALL(aclnnStdMeanCorrection, self, dims, correction, keep,
                                      result("stdOut"), result("meanOut")),
                         "correction",
                         {"the standard deviation over dimensions, and the mean",
                          "沿若干维的标准差与均值", "", "std_mean"}));
  for (size_t i = first; i < all.size(); ++i) {
    all[i].results.reference = deviations;
    all[i].results.magnitude = magnitude_of<deviations>;
  }
}

// ln(sum e^x), or with the magnitudes of both parts: the largest, and the logarithm of what is
// left.
Number log_sum_exp(const std::vector<Number>& x, bool magnitudes) {
  const Number most = *std::ranges::max_element(x);
  if (std::isinf(most)) return most;
  Number sum = 0;
  for (const Number each : x) sum += std::exp(each - most);
  return (magnitudes ? std::abs(most) : most) + std::log(sum);
}

void add_log_sum_exp(std::vector<Operator>& all) {
  const auto results = [](bool magnitudes) {
    return [magnitudes](const Arguments& a, const Arrays& in) {
      return Arrays{reduced_by(
          a, in[0], [=](const std::vector<Number>& x) { return log_sum_exp(x, magnitudes); })};
    };
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnLogSumExp, any_dtype(in("self")), kDims, kKeepDim,
                           any_dtype(shaped(out("out"), {2}))),
      .domain = {.everywhere = kFloatsAndDouble,
                 .mixed = {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_BOOL},
                 .arrange = reduce_shape,
                 .samples = samples_over("dim", "keepDim"),
                 .value_samples = large_samples("dim")},
      .results = {.reference = results(false),
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 40},
                  .magnitude = results(true)},
      .words = {"ln(Σ eˣ) over dimensions; an empty list: over all",
                "沿若干维求 ln(Σ eˣ)；列表为空表示全部", "logsumexp(x, axes, keepdim)",
                "logsumexp"},
  });
}

void add_norm(std::vector<Operator>& all) {
  const auto over = [](double p, Shape dims, double keep = 0) {
    return Sample{{{"pScalar", p}, {"dim", std::move(dims)}, {"keepdim", keep}}};
  };
  const auto reference = [](const Arguments& a, const Arrays& in) {
    const Number p = a.number("pScalar");
    return Arrays{
        reduced_by(a, in[0], [p](const std::vector<Number>& x) { return norm_of(x, p); })};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnNorm, any_dtype(in("self")), option(scalar("pScalar", 2), "p"),
                           list("dim", {-1}), flag("keepdim"), any_dtype(shaped(out("out"), {2}))),
      .domain = {.everywhere = kFloatsAndDouble,
                 .arrange = reduce_shape,
                 .samples = {over(2, {}), over(1, {0, -1}), over(2, {1}, 1), over(3, {-1}),
                             over(-0.5, {0, 1}),
                             over(std::numeric_limits<double>::infinity(), {2})},
                 .value_samples = large_samples("dim", {{{"pScalar", 2.0}}})},
      .results = {.reference = reference,
                  // Powers of DOUBLE are good to 2^-51 and the size of their exponent.
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 40}},
      .words = {"(Σ abs(x)^p)^(1/p) over dimensions; an empty list: over all",
                "沿若干维求 (Σ abs(x)^p)^(1/p)；列表为空表示全部", "norm(x, axes, options)",
                "norm"},
  });
  Operator vector_norm = all.back();
  vector_norm.call =
      ACLGRAD_CALL(aclnnLinalgVectorNorm, any_dtype(in("self")), option(scalar("ord", 2), "p"),
                   list("dims", {-1}), flag("keepDims"), option(dtype_named("dtype"), "into"),
                   shaped(out("out"), {2}));
  for (auto* samples : {&vector_norm.domain.samples, &vector_norm.domain.value_samples}) {
    for (Sample& sample : *samples) {
      for (auto& [name, setting] : sample.settings) {
        name = name == "pScalar"   ? "ord"
               : name == "dim"     ? "dims"
               : name == "keepdim" ? "keepDims"
                                   : name;
      }
    }
  }
  vector_norm.domain.samples.push_back({{{"ord", 0.0}}});
  vector_norm.results.reference = [](const Arguments& a, const Arrays& in) {
    const Number p = a.number("ord");
    return Arrays{
        reduced_by(a, in[0], [p](const std::vector<Number>& x) { return norm_of(x, p); })};
  };
  vector_norm.error_inputs = {
      {.what = "of an empty dimension beside an infinite ord",
       .changes = {{"self", TensorSpec{{2, 0}}},
                   {"ord", ScalarSpec{std::numeric_limits<double>::infinity()}}},
       .words = {"[2, 0]"}}};
  vector_norm.words = {"(Σ abs(x)^ord)^(1/ord) over dimensions, in a dtype of its own",
                       "沿若干维求 (Σ abs(x)^ord)^(1/ord)，结果类型可选", "", "linalg_vector_norm"};
  all.push_back(vector_norm);
}

}  // namespace

Number norm_of(const std::vector<Number>& x, Number p) {
  std::vector<Number> magnitudes;
  for (const Number each : x) magnitudes.push_back(std::abs(each));
  if (std::isinf(p)) {
    return p > 0 ? *std::ranges::max_element(magnitudes) : *std::ranges::min_element(magnitudes);
  }
  Number sum = 0;
  for (const Number each : magnitudes) sum += p == 0 ? (each != 0 ? 1 : 0) : std::pow(each, p);
  return p == 0 ? sum : std::pow(sum, 1 / p);
}

FamilyContracts reduction_contracts() {
  FamilyContracts family{{"Reductions", "规约"}, {}};
  add_sums(family.operators);
  add_extrema(family.operators);
  add_folds(family.operators);
  add_variances(family.operators);
  add_log_sum_exp(family.operators);
  add_norm(family.operators);
  add_scans(family.operators);
  add_distances(family.operators);
  return family;
}

}  // namespace aclgrad::contract
