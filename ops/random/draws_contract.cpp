// SPDX-License-Identifier: Apache-2.0
// Truths, integers, permutations and classes by chance. Their values are not portable, their
// distribution is.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclgrad_common/philox.h"
#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_bernoulli.h"
#include "aclnnop/aclnn_multinomial.h"
#include "aclnnop/aclnn_random.h"
#include "aclnnop/aclnn_randperm.h"
#include "aclnnop/aclnn_rrelu_with_noise.h"
#include "ops/contract/dense.h"
#include "ops/contract/text.h"
#include "ops/random/random_contract.h"

namespace aclgrad::contract {
namespace {

// Files are compiled together.
namespace drawing {

Parameter seed() { return no_option(integer("seed", 2026)); }
Parameter offset(int64_t value = 8) { return no_option(integer("offset", value)); }

Domain draws(DTypes everywhere, std::vector<Sample> samples, std::string base = "selfRef") {
  return {.everywhere = std::move(everywhere),
          .base = std::move(base),
          .base_shape = {kN, 16, 48},
          .samples = std::move(samples)};
}

// "" when a mean is within six standard errors of what is expected.
std::string compare(Number mean, Number expected, Number deviation, size_t count, Number unit = 0) {
  const Number error = 6 * deviation / std::sqrt(static_cast<Number>(count)) + unit;
  if (std::abs(mean - expected) <= error) return "";
  std::ostringstream text = plain_stream();
  text << "the mean of " << count << " values is " << mean << " instead of " << expected << " +- "
       << error;
  return text.str();
}

Number mean_of(const Array& values) {
  Number sum = 0;
  for (const Number x : values.values) sum += x;
  return sum / static_cast<Number>(values.values.size());
}

// ---- Truths -------------------------------------------------------------------------------------

std::string are_truths(const Array& values, Number probability) {
  for (const Number x : values.values) {
    if (x != 0 && x != 1) return "there are values other than 0 and 1";
  }
  return compare(mean_of(values), probability, std::sqrt(probability * (1 - probability)),
                 values.values.size());
}

void add_bernoulli(std::vector<Operator>& all) {
  const Text words = {"1 with a probability, else 0, by Philox 4x32-10",
                      "Philox 4x32-10：以给定概率为 1，否则为 0"};
  const DTypes dtypes = kNumbers + kUnsigned;
  all.push_back({
      .call = ACLGRAD_CALL(aclnnInplaceBernoulli, any_shape(out("selfRef")), scalar("prob", 1),
                           seed(), offset()),
      .domain = draws(dtypes, samples_of("prob", {0.25, 1, 0, 0.9})),
      .results = {.property =
                      [](const Arguments& a, const Array& values) {
                        return are_truths(values, a.number("prob"));
                      },
                  .complex = Complex::kParts,
                  .value = 1},
      .error_inputs = {refused("prob", "above 1", ScalarSpec{1.5}, "1.5"),
                       refused("prob", "below 0", ScalarSpec{-0.5}, "-0.5")},
      .words = {words.english, words.chinese, "", "bernoulli"},
  });
  const Parameter probability =
      any_dtype(typed(shaped(filled(in("prob", 0.75L, 0.75L), 1), {1}), ACL_FLOAT));
  const Results with_tensor{
      .property = [](const Arguments&, const Array& values) { return are_truths(values, 0.75L); },
      .complex = Complex::kParts,
      .value = 1};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnInplaceBernoulliTensor, any_shape(out("selfRef")), probability,
                           seed(), offset()),
      .domain = draws(dtypes, {{}, {{{"prob", Shape{}}}}, {{{"prob", Shape{1, 1}}}}}),
      .results = with_tensor,
      .error_inputs = {refused("prob", "that does not broadcast",
                               TensorSpec{.shape = {3}, .dtype = ACL_FLOAT}, "[3]")},
      .words = {words.english + " of a tensor", "以张量给出的概率为 1，否则为 0", "",
                "bernoulli_tensor"},
  });
  Operator out_of_place = all.back();
  out_of_place.call = ACLGRAD_CALL(aclnnBernoulliTensor, any_dtype(in("self")), probability, seed(),
                                   offset(), any_dtype(out("out")));
  out_of_place.domain.base = "out";
  out_of_place.domain.arrange = [](Arguments& a) { a.shape("self") = a.shape("out"); };
  out_of_place.words = {"`aclnnInplaceBernoulliTensor` into out",
                        "`aclnnInplaceBernoulliTensor` 写入 out", "", "bernoulli_out"};
  all.push_back(std::move(out_of_place));
}

// ---- Integers -----------------------------------------------------------------------------------

std::string are_integers(const Arguments& a, const Array& values) {
  const Number from = a.number("from"), last = a.number("to") - 1;
  for (const Number x : values.values) {
    if (x >= from && x <= last && x == std::trunc(x)) continue;
    std::ostringstream text = plain_stream();
    text << x << " is no integer in [" << from << ", " << last << "]";
    return text.str();
  }
  const Number count = last - from + 1;
  return compare(mean_of(values), (from + last) / 2, std::sqrt((count * count - 1) / 12),
                 values.values.size(), is_float(a.dtype()) ? unit_at(last, a.dtype()) : 0);
}

// Up to which integer those without bounds reach.
Number largest_integer(aclDataType dtype) {
  if (dtype == ACL_BOOL) return 1;
  if (!is_float(dtype)) return rounded(Number{0x1p70L}, dtype);
  return dtype == ACL_DOUBLE    ? 0x1p53L
         : dtype == ACL_FLOAT   ? 0x1p24L
         : dtype == ACL_FLOAT16 ? 0x1p11L
                                : 0x1p8L;
}

__extension__ using Wide = unsigned __int128;

// As the header says: of the right call, which has a value for each dtype.
Arrays integers_without_bounds(const Arguments& a, const Arrays&) {
  const uint32_t key = 2026, counter = a.has("seedTensor") ? 11 : 8;
  const auto count = static_cast<uint64_t>(largest_integer(a.dtype()) + 1);
  Array out = dense::full(a.shape("selfRef"));
  for (size_t i = 0; i < out.values.size(); ++i) {
    const common::PhiloxCounter words =
        common::philox4x32_10({static_cast<uint32_t>(i), 0, counter, 0}, {key, 0});
    Wide whole = 0;
    for (const uint32_t word : words) whole = (static_cast<Wide>(word) * count + whole) >> 32;
    out.values[i] = static_cast<Number>(static_cast<uint64_t>(whole));
  }
  return {out};
}

void add_integers(std::vector<Operator>& all) {
  const DTypes dtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16,
                         ACL_INT32, ACL_INT64,   ACL_UINT8,  ACL_BOOL};
  const Parameter self = any_shape(out("selfRef"));
  const Parameter from = integer("from", 1), to = integer("to", 2);
  const Parameter seeds = index_tensor("seedTensor", 2026),
                  offsets = index_tensor("offsetTensor", 8);
  Domain bounded = draws(dtypes, {{{{"from", 0.0}, {"to", 2.0}}},
                                  {{{"from", 3.0}, {"to", 100.0}}},
                                  {{{"from", -100.0}, {"to", 28.0}}}});
  bounded.also_refuses = [](const Arguments& a, std::string_view, aclDataType dtype) {
    return (dtype == ACL_BOOL && a.number("to") > 2) ||
           ((dtype == ACL_BOOL || dtype == ACL_UINT8) && a.number("from") < 0);
  };
  const std::vector<ErrorInput> errors{wrong_number("from", 2, "below"),
                                       {.what = "beyond the dtype",
                                        .changes = {{"to", int64_t{130}}},
                                        .words = {"DT_INT8"},
                                        .dtype = ACL_INT8}};
  const Words words{"integers in [from, to) with equal probabilities, by Philox 4x32-10",
                    "Philox 4x32-10：[from, to) 内的均匀整数", "", "random"};
  all.push_back({.call = ACLGRAD_CALL(aclnnInplaceRandom, self, from, to, seed(), offset()),
                 .domain = bounded,
                 .results = {.property = are_integers, .value = 1},
                 .error_inputs = errors,
                 .words = words});
  all.push_back(
      {.call = ACLGRAD_CALL(aclnnInplaceRandomTensor, self, from, to, seeds, offsets, offset(3)),
       .domain = bounded,
       .results = {.property = are_integers, .value = 1},
       .error_inputs = errors,
       .words = {"the numbers of `aclnnInplaceRandom`, with seed and offset in INT64 tensors",
                 "`aclnnInplaceRandom` 的数，seed 与 offset 放在 INT64 张量里", "",
                 "random_tensor"}});
  const Results free{.reference = integers_without_bounds, .bound = kExact};
  all.push_back({.call = ACLGRAD_CALL(aclnnInplaceRandomWithoutFromTo, self, seed(), offset()),
                 .domain = draws(dtypes, {{}}),
                 .results = free,
                 .words = {"integers from 0 to the dtype's largest, by Philox 4x32-10",
                           "Philox 4x32-10：从 0 到类型最大整数的均匀整数", "", "random_free"}});
  all.push_back(
      {.call = ACLGRAD_CALL(aclnnInplaceRandomWithoutFromToTensor, self, seeds, offsets, offset(3)),
       .domain = draws(dtypes, {{}}),
       .results = free,
       .words = {"the same, with seed and offset in INT64 tensors",
                 "同上，seed 与 offset 放在 INT64 张量里", "", "random_free_tensor"}});
}

// ---- Permutations, classes ----------------------------------------------------------------------

void add_permutation(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) { a.shape("out") = {static_cast<int64_t>(a.number("n"))}; };
  const auto property = [](const Arguments&, const Array& result) -> std::string {
    std::vector<Number> sorted = result.values;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i] != static_cast<Number>(i)) return "not every number is there once";
    }
    // The sum of i times element i, of which mean and variance are known.
    const auto n = static_cast<Number>(sorted.size());
    Number sum = 0;
    for (size_t i = 0; i < sorted.size(); ++i) sum += static_cast<Number>(i) * result.values[i];
    const Number spread = (n * n - 1) / 12 * n / std::sqrt(std::max<Number>(n - 1, 1));
    return compare(sum, n * (n - 1) * (n - 1) / 4, spread, 1);
  };
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnRandperm, integer("n", 1), seed(), offset(), shaped(out("out"), {1})),
      .domain = {.everywhere = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32,
                                ACL_INT64, ACL_UINT8},
                 .grows = false,
                 .base = "out",
                 .base_shape = {kN},
                 .arrange = arrange,
                 .samples = samples_of("n", {100, 1, 128})},
      .results = {.property = property, .value = 0},
      .error_inputs = {wrong_number("n", 3, "[3]"),
                       wrong_number("n", -1, "[-1]"),
                       {.what = "beyond the dtype",
                        .changes = {{"n", int64_t{200}}, {"out", TensorSpec{{200}}}},
                        .words = {"DT_INT8"},
                        .dtype = ACL_INT8}},
      .words = {"a permutation of the numbers below n, by Philox 4x32-10",
                "Philox 4x32-10：0 至 n−1 的随机排列", "", "randperm"},
  });
}

void add_multinomial(std::vector<Operator>& all) {
  const auto samples = [](const Arguments& a) {
    return static_cast<int64_t>(a.number("numsamples"));
  };
  const auto arrange = [samples](Arguments& a) {
    Shape shape = a.shape("self");
    if (shape.size() != 1 && shape.size() != 2) throw std::invalid_argument("self is no matrix");
    a.tensor("self").any_shape = shape.size() == 1;  // there may be another class
    shape.back() = samples(a);
    a.shape("out") = shape;
  };
  Parameter self = shaped(in("self", 2, 2), {2, 1});
  std::get<TensorSpec>(self.spec).elements = {2};  // not 0 everywhere, ever
  // All classes have the same weight; they are few, as infinities that tests put among more would
  // end the task.
  const auto property = [samples](const Arguments& a, const Array& result) -> std::string {
    const int64_t classes = a.shape("self").back();
    for (const Number x : result.values) {
      if (x < 0 || x >= static_cast<Number>(classes) || x != std::trunc(x)) {
        return "there are numbers of no class";
      }
    }
    const auto count = static_cast<size_t>(samples(a));
    for (size_t i = 0; a.number("replacement") == 0 && i < result.values.size(); ++i) {
      for (size_t k = i - i % count; k < i; ++k) {
        if (result.values[i] == result.values[k]) return "a class is drawn twice";
      }
    }
    const auto n = static_cast<Number>(classes);
    return compare(mean_of(result), (n - 1) / 2, std::sqrt((n * n - 1) / 12), result.values.size());
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnMultinomial, self, integer("numsamples", 1), flag("replacement"),
                           seed(), offset(), typed(shaped(out("out"), {2, 1}), ACL_INT64)),
      .domain = {.everywhere = kFloatsAndDouble,
                 .max_rank = 2,
                 .grows = false,
                 .base_shape = {3},
                 .arrange = arrange,
                 .samples = {{{{"numsamples", 2.0}}},
                             {{{"numsamples", 3.0}}},
                             {{{"numsamples", 900.0}, {"replacement", 1.0}}}}},
      .results = {.property = property, .value = 0},
      .error_inputs = {wrong_number("numsamples", 0, "is 0"), wrong_number("numsamples", 2, "is 2"),
                       refused("self", "of rank 3", of_shape({2, 1, 1}), "[2, 1, 1]"),
                       refused("out", "of another size",
                               TensorSpec{.shape = {2, 2}, .dtype = ACL_INT64}, "[2, 1]")},
      .words = {"numbers of classes by their weights, by Philox 4x32-10",
                "Philox 4x32-10：按权重抽取类别", "", "multinomial"},
  });
}

// ---- Random slopes ------------------------------------------------------------------------------

void add_rrelu(std::vector<Operator>& all) {
  const auto overwritten = [](Parameter tensor) {
    std::get<TensorSpec>(tensor.spec).role = Role::kInPlace;
    return tensor;
  };
  // As long as there is one slope only.
  const auto reference = [](const Arguments& a, const Arrays& in) {
    const bool draws = a.number("training") != 0;
    const Number slope = (a.number("lower") + a.number("upper")) / 2;
    Array out = in[0], noise = in[1];
    for (size_t i = 0; i < out.values.size(); ++i) {
      const bool is_scaled = out.values[i] <= 0;
      if (draws) noise.values[i] = is_scaled ? slope : 1;
      if (is_scaled) out.values[i] *= slope;
    }
    return Arrays{out, noise};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnInplaceRReluWithNoise, overwritten(in("selfRef")),
                           as_const(overwritten(in("noise"))), scalar("lower", 0.125),
                           scalar("upper", 0.25), flag("training"), seed(), offset()),
      .domain = {.everywhere = kFloatsAndDouble,
                 .samples = {{{{"training", 0.0}}},
                             {{{"training", 1.0}, {"lower", 0.25}, {"upper", 0.25}}}}},
      .results = {.reference = reference, .bound = {.of_float = 0.5001}, .nan_goes_through = false},
      .error_inputs = {refused("lower", "above upper", ScalarSpec{0.5}, "0.5")},
      .words = {"a leaky ReLU of random slopes", "随机斜率的 leaky ReLU", "", "rrelu"},
  });
}

}  // namespace drawing
}  // namespace

void add_draws(std::vector<Operator>& all) {
  drawing::add_bernoulli(all);
  drawing::add_integers(all);
  drawing::add_permutation(all);
  drawing::add_multinomial(all);
  drawing::add_rrelu(all);
}

}  // namespace aclgrad::contract
