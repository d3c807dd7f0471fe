// SPDX-License-Identifier: Apache-2.0
// Batch normalization in steps, for ranks that hold parts of a batch.
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_batch_norm_elemt.h"
#include "aclnnop/aclnn_batch_norm_elemt_backward.h"
#include "aclnnop/aclnn_batch_norm_gather_stats_with_counts.h"
#include "aclnnop/aclnn_batch_norm_reduce.h"
#include "aclnnop/aclnn_batch_norm_reduce_backward.h"
#include "aclnnop/aclnn_batch_norm_stats.h"
#include "aclnnop/aclnn_sync_batch_norm_gather_stats.h"
#include "ops/contract/dense.h"
#include "ops/normalization/channel_norm_contract.h"

namespace aclgrad::contract {
namespace {

using dense::term;

constexpr const char* kVectors[] = {"sum",  "squareSum", "mean",     "invstd",     "weight",
                                    "bias", "sumDy",     "sumDyXmu", "gradWeight", "gradBias"};

// Of counts, beside statistics of floating dtypes.
const DTypes kIntegerCounts = {ACL_INT32, ACL_INT64};

Parameter image(Parameter parameter) { return shaped(std::move(parameter), {2, 3, 4}); }
Parameter vector(Parameter parameter) { return any_dtype(shaped(std::move(parameter), {3})); }
Parameter parts(Parameter parameter) { return shaped(std::move(parameter), {2, 3}); }
Parameter counts(std::string name) {
  return any_dtype(filled(shaped(in(std::move(name), 2, 4), {2}), 2));
}
Parameter running(const char* name, Number low) {
  Parameter parameter = vector(in(name, low, 4));
  std::get<TensorSpec>(parameter.spec).role = Role::kInPlace;
  return parameter;
}

void arrange_channels(Arguments& a) {
  const Shape shape = a.shape(a.has("input") ? "input" : "self");
  if (shape.size() < 2 || shape.size() > 8 || count_of(shape) == 0) {
    throw std::invalid_argument("the input needs 2 to 8 dimensions, and elements");
  }
  a.reshape({"gradOut", "gradInput", "out"}, shape);
  for (const char* name : kVectors) a.reshape({name}, {shape[1]});
  if (!a.has("inputG")) return;
  // What is not asked for may be null.
  for (const auto& [output, flag] : {std::pair{"sumDy", "inputG"},
                                     {"sumDyXmu", "inputG"},
                                     {"gradWeight", "weightG"},
                                     {"gradBias", "biasG"}}) {
    a.tensor(output).optional = a.number(flag) == 0 && !a.is_set(output);
  }
}

// Of images of every rank, and with statistics in FLOAT whatever the images are.
std::vector<Sample> image_samples(std::initializer_list<std::pair<std::string, Setting>> also) {
  Sample in_float{also, false};
  for (const char* name : kVectors) in_float.settings.emplace_back(name, ACL_FLOAT);
  std::vector<Sample> samples = {{also}, {also}, {also}, in_float};
  samples[1].settings.emplace_back("input", Shape{kN, 5});
  samples[1].settings.emplace_back("self", Shape{kN, 5});
  samples[2].settings.emplace_back("input", Shape{kN, 2, 2, 3});
  samples[2].settings.emplace_back("self", Shape{kN, 2, 2, 3});
  return samples;
}

Domain image_domain(const char* base, std::vector<Sample> samples) {
  return {.everywhere = kFloatsAndDouble,
          .base = base,
          .base_shape = {kN, 3, 4},
          .arrange = arrange_channels,
          .samples = std::move(samples)};
}

// f(i, c) added up over the elements i of every channel c.
template <bool kMagnitude, class Function>
Array by_channel(const Shape& shape, const Function& f) {
  Array sums = dense::full({shape[1]});
  for_each_element(
      shape, [&](size_t i, size_t, size_t c) { sums.values[c] += term<kMagnitude>(f(i, c)); });
  return sums;
}

Number inverse_deviation(Number variance, Number eps) {
  return variance + eps == 0 ? 0 : 1 / std::sqrt(variance + eps);
}

// ---- Statistics ---------------------------------------------------------------------------------

template <bool kMagnitude>
Arrays reduce(const Arguments&, const Arrays& in) {
  const std::vector<Number>& x = in[0].values;
  return {by_channel<kMagnitude>(in[0].shape, [&](size_t i, size_t) { return x[i]; }),
          by_channel<kMagnitude>(in[0].shape, [&](size_t i, size_t) { return x[i] * x[i]; })};
}

template <bool kMagnitude>
Arrays stats(const Arguments& a, const Arrays& in) {
  const std::vector<Number>& x = in[0].values;
  const Shape& shape = in[0].shape;
  const Number n = static_cast<Number>(count_of(shape)) / static_cast<Number>(shape[1]);
  const auto average = [&](size_t i, size_t) { return x[i] / n; };
  const Array mean = by_channel<false>(shape, average);
  Array invstd = by_channel<false>(shape, [&](size_t i, size_t c) {
    return (x[i] - mean.values[c]) * (x[i] - mean.values[c]) / n;
  });
  for (Number& each : invstd.values) each = inverse_deviation(each, a.number("eps"));
  return {kMagnitude ? by_channel<true>(shape, average) : mean, invstd};
}

// Parts of a batch, which lie one behind the other.
struct Merged {
  Number n = 0, mean = 0, size = 0, variance = 0;  // size: the average magnitude
};
// The new running statistics, those that are given, then the batch's.
template <bool kMagnitude>
Arrays merged(const std::vector<Merged>& channels, const Array* old_mean, const Array* old_var,
              Number share, Number eps) {
  const Array none = dense::full({static_cast<int64_t>(channels.size())});
  Array mean = none, invstd = none, new_mean = none, new_var = none;
  for (size_t c = 0; c < channels.size(); ++c) {
    const Merged& m = channels[c];
    mean.values[c] = kMagnitude ? m.size : m.mean;
    invstd.values[c] = inverse_deviation(m.variance, eps);
    const Number unbiased = m.n > 1 ? m.variance * m.n / (m.n - 1) : m.variance;
    const auto mixed = [&](const Array* old, Number now) {
      return old == nullptr ? 0 : term<kMagnitude>((1 - share) * old->values[c]) + share * now;
    };
    new_mean.values[c] = mixed(old_mean, mean.values[c]);
    new_var.values[c] = mixed(old_var, unbiased);
  }
  Arrays results;
  if (old_mean != nullptr) results.push_back(new_mean);
  if (old_var != nullptr) results.push_back(new_var);
  results.insert(results.end(), {mean, invstd});
  return results;
}

template <bool kMagnitude>
Arrays gather_sums(const Arguments& a, const Arrays& in) {
  const Given given(a, in);
  const auto channels = static_cast<size_t>(in[0].shape[1]);
  std::vector<Merged> all(channels);
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    Merged& m = all[i % channels];
    m.n += in[2].values[i / channels];
    m.mean += in[0].values[i];
    m.size += std::abs(in[0].values[i]);
    m.variance += in[1].values[i];
  }
  for (Merged& m : all) {
    m.mean /= m.n;
    m.size /= m.n;
    m.variance = std::max<Number>(m.variance / m.n - m.mean * m.mean, 0);
  }
  // C floats.
  const auto narrowed = [&](const char* name) { return static_cast<float>(a.number(name)); };
  return merged<kMagnitude>(all, given["meanRef"], given["varRef"], narrowed("momentum"),
                            narrowed("eps"));
}

template <bool kMagnitude>
Arrays gather_stats(const Arguments& a, const Arrays& in) {
  const Given given(a, in);
  const Array &means = *given["mean"], &invstds = *given["invstd"], &counts = *given["counts"];
  const auto channels = static_cast<size_t>(means.shape[1]);
  std::vector<Merged> all(channels);
  const auto for_parts = [&](const auto& visit) {
    for (size_t i = 0; i < means.values.size(); ++i) {
      visit(all[i % channels], counts.values[i / channels], means.values[i], invstds.values[i]);
    }
  };
  for_parts([](Merged& m, Number count, Number, Number) { m.n += count; });
  for_parts([](Merged& m, Number count, Number mean, Number) {
    m.mean += count * mean / m.n;
    m.size += count * std::abs(mean) / m.n;
  });
  for_parts([&](Merged& m, Number count, Number mean, Number invstd) {
    const Number own = 1 / (invstd * invstd) - a.number("eps");
    m.variance += count * (own + (mean - m.mean) * (mean - m.mean)) / m.n;
  });
  return merged<kMagnitude>(all, given["runningMean"], given["runningVar"], a.number("momentum"),
                            a.number("eps"));
}

void arrange_parts(Arguments& a) {
  const Shape shape = a.shape(a.has("totalSum") ? "totalSum" : "mean");
  if (shape.size() != 2 || count_of(shape) == 0) {
    throw std::invalid_argument("statistics of parts are [parts, channels], and not empty");
  }
  a.reshape({"totalSquareSum", "invstd"}, shape);
  a.reshape({"input"}, {2, shape[1]});
  a.reshape({"sampleCount", "counts"}, {shape[0]});
  a.reshape({"meanRef", "varRef", "batchMean", "batchInvstd", "runningMean", "runningVar",
             "meanAll", "invstdAll"},
            {shape[1]});
}

Domain parts_domain(const char* base, const char* counts, std::vector<Sample> more) {
  const std::pair<std::string, Setting> eps{"eps", 0x1p-6};
  std::vector<Sample> samples = {{{eps, {"momentum", 0.125}}},
                                 {{{counts, ACL_INT32}}},
                                 {{{counts, ACL_INT64}, {base, Shape{1, 5}}}},
                                 {{{counts, 1.0}, {base, Shape{1, 3}}}}};
  return {.everywhere = kFloatsAndDouble,
          .mixed = kIntegerCounts,
          .max_rank = 2,
          .base = base,
          .base_shape = {kN, 3},
          .arrange = arrange_parts,
          .samples = samples + more};
}

void add_statistics(std::vector<Operator>& all) {
  all.push_back({
      .call = ACLGRAD_CALL(aclnnBatchNormReduce, any_dtype(image(in("self"))), vector(out("sum")),
                           vector(out("squareSum"))),
      .domain = image_domain("self", image_samples({})),
      .results = {.reference = reduce<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 8},
                  .magnitude = reduce<true>},
      .words = {"Σ x and Σ x² for every channel", "对每个通道求 Σ x 与 Σ x²", "",
                "batch_norm_reduce"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSyncBatchNormGatherStats, any_dtype(parts(in("totalSum", -2, 2))),
                           any_dtype(filled(parts(in("totalSquareSum", 8, 16)), 8)),
                           counts("sampleCount"), running("meanRef", -4), running("varRef", 0.5L),
                           declared({"momentum", 0.25}, "float"), declared({"eps", 0.25}, "float"),
                           vector(out("batchMean")), vector(out("batchInvstd"))),
      .domain = parts_domain("totalSum", "sampleCount", {}),
      .results = {.reference = gather_sums<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 16},
                  .magnitude = gather_sums<true>,
                  .nan_goes_through = false},  // the mean is not made of the squares
      .error_inputs = {refused("totalSum", "of rank 3", of_shape({2, 3, 1}), "[parts, 3]"),
                       refused("sampleCount", "of three parts", of_shape({3}), "2"),
                       refused("sampleCount", "of rank 3", of_shape({2, 1, 1}), "has 3")},
      .words = {"mean, 1/√(v + eps) and running statistics of a batch from the sums of its parts",
                "由各部分的和求整批的均值、1/√(v + eps) 并更新滑动统计量", "",
                "sync_batch_norm_gather_stats"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnBatchNormStats, any_dtype(filled(image(in("input")), 3)),
                           {"eps", 0.25}, vector(out("mean")), vector(out("invstd"))),
      .domain = image_domain("input", image_samples({{"eps", 0x1p-6}})),
      .results = {.reference = stats<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 8},
                  .magnitude = stats<true>},
      .words = {"mean and 1/√(variance + eps) of every channel", "每个通道的均值与 1/√(方差 + eps)",
                "batch_norm_stats(x, eps)", "batch_norm_stats"},
  });
  const std::pair<std::string, Setting> mean{"runningMean", Shape{}}, var{"runningVar", Shape{}};
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnBatchNormGatherStatsWithCounts, any_dtype(shaped(in("input"), {2, 3})),
                       any_dtype(parts(in("mean"))), any_dtype(parts(in("invstd", 0.5L, 2))),
                       optional(running("runningMean", -4)), optional(running("runningVar", 0.5L)),
                       {"momentum", 0.25}, {"eps", 0.25}, counts("counts"), vector(out("meanAll")),
                       vector(out("invstdAll"))),
      .domain = parts_domain("mean", "counts", {{{mean, var}}, {{mean, {"momentum", 0.1}}}}),
      .results = {.reference = gather_stats<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 16},
                  .magnitude = gather_stats<true>,
                  .nan_goes_through = false},  // of the input only the number of channels counts
      .error_inputs = {refused("mean", "of other channels", of_shape({2, 4}), "[parts, 3]"),
                       refused("counts", "of three parts", of_shape({3}), "2"),
                       refused("counts", "of rank 3", of_shape({2, 1, 1}), "has 3")},
      .words = {"mean, 1/√(v + eps) and running statistics of a batch from those of its parts",
                "由各部分的统计量求整批的均值、1/√(v + eps) 并更新滑动统计量", "",
                "batch_norm_gather_stats"},
  });
}

// ---- Elements and gradients ---------------------------------------------------------------------

template <bool kMagnitude>
Arrays elements(const Arguments& a, const Arrays& in) {
  const Given given(a, in);
  const Array &x = in[0], &mean = *given["mean"], &invstd = *given["invstd"];
  const auto channels = mean.values.size();
  const auto weight = values_of(given["weight"], channels, 1);
  const auto bias = values_of(given["bias"], channels, 0);
  Array out = x;
  for_each_element(x.shape, [&](size_t i, size_t, size_t c) {
    out.values[i] =
        term<kMagnitude>((x.values[i] - mean.values[c]) * invstd.values[c] * weight[c]) +
        term<kMagnitude>(bias[c]);
  });
  return {out};
}

template <bool kMagnitude>
Arrays reduce_backward(const Arguments& a, const Arrays& in) {
  const Given given(a, in);
  const Array &g = in[0], &x = in[1], &mean = *given["mean"];
  const auto along = [&](size_t i, size_t c) {
    return g.values[i] * (x.values[i] - mean.values[c]);
  };
  const Array sum = by_channel<kMagnitude>(x.shape, [&](size_t i, size_t) { return g.values[i]; });
  const Array sum_along = by_channel<kMagnitude>(x.shape, along);
  const Array weight = dense::zip(sum_along, *given["invstd"], std::multiplies<Number>());
  Arrays results;
  const auto add = [&](const char* flag, const char* output, Array result) {
    if (a.number(flag) == 0) {
      if (!a.is_set(output)) return;
      result.values.clear();
    }
    results.push_back(std::move(result));
  };
  add("inputG", "sumDy", sum);
  add("inputG", "sumDyXmu", sum_along);
  add("weightG", "gradWeight", weight);
  add("biasG", "gradBias", sum);
  return results;
}

template <bool kMagnitude>
Arrays elements_backward(const Arguments& a, const Arrays& in) {
  const Given given(a, in);
  const Array &g = in[0], &x = in[1], &mean = *given["mean"], &invstd = *given["invstd"];
  const Array &sum = *given["sumDy"], &along = *given["sumDyXmu"];
  const auto weight = values_of(given["weight"], mean.values.size(), 1);
  const auto minus = [](Number v) { return kMagnitude ? std::abs(v) : -v; };
  Number n = 0;
  for (const Number each : given["counter"]->values) n += each;
  Array out = x;
  for_each_element(x.shape, [&](size_t i, size_t, size_t c) {
    const Number scale = invstd.values[c];
    const Number away = (x.values[i] - mean.values[c]) * scale * scale * along.values[c] / n;
    const Number slope = term<kMagnitude>(g.values[i]) + minus(sum.values[c] / n) + minus(away);
    out.values[i] = slope * scale * weight[c];
  });
  return {out};
}

// Of aclnnBatchNorm in training, whose batch is that of two parts.
Arrays given_whole(const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
  constexpr Number kEps = 0.25L;  // of the right call
  const Array &input = x[0], &mean = y.at(y.size() - 2);
  Array invstd = y.back();  // the variance
  for (Number& each : invstd.values) each = inverse_deviation(each, kEps);
  const Number n = static_cast<Number>(count_of(input.shape)) / static_cast<Number>(input.shape[1]);
  return {g,
          input,
          mean,
          invstd,
          x.at(1),
          by_channel<false>(input.shape, [&](size_t i, size_t) { return g.values[i]; }),
          by_channel<false>(
              input.shape,
              [&](size_t i, size_t c) { return g.values[i] * (input.values[i] - mean.values[c]); }),
          {{2}, {1, n - 1}}};
}

void add_elements(std::vector<Operator>& all) {
  const std::pair<std::string, Setting> weight{"weight", Shape{}}, bias{"bias", Shape{}};
  const Parameter mean = vector(in("mean", -1, 1));
  const Parameter invstd = filled(vector(in("invstd", 0.5L, 2)), 0.5);
  const Operator forward{
      .call = ACLGRAD_CALL(aclnnBatchNormElemt, filled(image(in("input")), 3),
                           optional(vector(in("weight"))), optional(vector(in("bias"))), mean,
                           invstd, {"eps", 0.25}, image(out("out"))),
      .domain = image_domain("input", image_samples({weight, bias}) + std::vector<Sample>{{}}),
      .results = {.reference = elements<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 8},
                  .magnitude = elements<true>},
      .words = {"(x − mean)·invstd·weight + bias for every channel",
                "对每个通道求 (x − mean)·invstd·weight + bias"}};

  // Of the derivatives by weight and bias; the sums beside them are no derivative of one input.
  const Sample own{{weight, bias, {"inputG", 0.0}}};
  const Sample flat{{weight, bias, {"inputG", 0.0}, {"input", Shape{kN, 5}}}};
  const Sample some{{{"inputG", 0.0}, {"sumDy", Shape{}}, {"biasG", 0.0}}, false};
  const Sample sums{{{"weightG", 0.0}, {"biasG", 0.0}}, false};
  std::vector<Sample> of_all = image_samples({weight});
  for (Sample& each : of_all) each.is_gradient = false;
  const Operator reduced{
      .call = ACLGRAD_CALL(
          aclnnBatchNormReduceBackward, image(in("gradOut")), filled(image(in("input")), 3), mean,
          invstd, optional(vector(in("weight"))), flag("inputG", true), flag("weightG", true),
          flag("biasG", true), vector(out("sumDy")), vector(out("sumDyXmu")),
          vector(out("gradWeight")), vector(out("gradBias"))),
      .domain = image_domain("input", std::vector<Sample>{own, flat, some, sums} + of_all),
      .results = {.reference = reduce_backward<false>,
                  .bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 16, .inner = 0.5},
                  .magnitude = reduce_backward<true>,
                  .nan_goes_through = false},  // the weight is not used
      .gradient =
          Gradient{.of = "aclnnBatchNormElemt",
                   .inputs =
                       [](const Arguments&, const Arrays& x, const Arrays&, const Array& g) {
                         return Arrays{g, x[0], x.at(3), x.at(4), x[1]};
                       },
                   .order = {"weight", "bias"}},
      .words = {"Σ g and Σ g·(x − mean) for every channel, and the gradients of weight and bias",
                "对每个通道求 Σ g 与 Σ g·(x − mean)，以及 weight、bias 的梯度", "",
                "batch_norm_elemt"}};
  all.insert(all.end(), {forward, reduced});

  std::vector<Sample> samples = image_samples({weight});
  samples.push_back({{{"counter", ACL_INT32}}, false});
  samples.push_back({{{"counter", ACL_INT64}, weight}});
  Domain domain = image_domain("input", samples);
  domain.mixed = kIntegerCounts;
  all.push_back({
      .call = ACLGRAD_CALL(
          aclnnBatchNormElemtBackward, image(in("gradOut")), filled(image(in("input")), 3), mean,
          invstd, optional(vector(in("weight"))), vector(in("sumDy")), vector(in("sumDyXmu")),
          any_shape(counts("counter")), image(out("gradInput"))),
      .domain = std::move(domain),
      .results = {.reference = elements_backward<false>,
                  .bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 16, .inner = 0.5},
                  .magnitude = elements_backward<true>},
      .gradient = Gradient{.of = "aclnnBatchNorm", .inputs = given_whole},
      .words = {"(g − Σ g/n − (x − mean)·invstd²·Σ g·(x − mean)/n)·invstd·weight, sums and n over "
                "all parts of the batch",
                "(g − Σ g/n − (x − mean)·invstd²·Σ g·(x − mean)/n)·invstd·weight，和与 n "
                "取自整批的各部分",
                "", "sync_batch_norm"},
  });
}

}  // namespace

void add_sync_norm(std::vector<Operator>& all) {
  add_statistics(all);
  add_elements(all);
}

}  // namespace aclgrad::contract
