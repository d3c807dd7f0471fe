// SPDX-License-Identifier: Apache-2.0
// Wrong backwards of softmax and the normalizations. Rows, groups of channels and channels of a
// batch are all sets of elements with a mean and a scale: one kernel, with a switch for every
// mistake.
#include <cmath>

#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

using gradcheck::Attributes;
using gradcheck::variants;

using Place = std::function<std::size_t(std::size_t element)>;

// Which mean and which weight belong to an element.
struct Sets {
  std::size_t count, channels;
  Place set, channel;
};

// What a backward is given, by name; the scale is 1 / sqrt(variance + eps).
struct Saved {
  const std::vector<double>&g, &x;
  std::vector<double> mean, scale;
  const std::vector<double>* weight;
};

// The mean and the scale of each set, from the elements themselves.
void recompute(const Sets& sets, Saved& saved, bool mean, bool scale, double eps) {
  std::vector<double> count(sets.count), m(sets.count), v(sets.count);
  for (std::size_t i = 0; i < saved.x.size(); ++i) count[sets.set(i)] += 1;
  for (std::size_t i = 0; i < saved.x.size(); ++i) {
    m[sets.set(i)] += saved.x[i] / count[sets.set(i)];
  }
  for (std::size_t i = 0; i < saved.x.size(); ++i) {
    const double away = saved.x[i] - m[sets.set(i)];
    v[sets.set(i)] += away * away / count[sets.set(i)];
  }
  for (std::size_t s = 0; s < sets.count; ++s) {
    if (mean) saved.mean[s] = m[s];
    if (scale) saved.scale[s] = 1 / std::sqrt(v[s] + eps);
  }
}

// Gradients of the input, weight and bias. `statistics`: gradients go through mean and scale;
// `centred`: a mean is subtracted.
Values gradients(const Sets& sets, const Saved& saved, bool statistics, bool centred,
                 const Edits& edits) {
  const auto is = [&](const char* edit) { return edits.contains(edit); };
  const auto normal = [&](std::size_t i) {
    return (saved.x[i] - saved.mean[sets.set(i)]) * saved.scale[sets.set(i)];
  };
  const auto weighted = [&](std::size_t i) {
    const bool has = saved.weight != nullptr && !is("weight missing");
    return saved.g[i] * (has ? (*saved.weight)[sets.channel(i)] : 1);
  };
  std::vector<double> count(sets.count), plain(sets.count), along(sets.count), input;
  std::vector<double> weight(sets.channels), bias(sets.channels);
  for (std::size_t i = 0; i < saved.x.size(); ++i) {
    count[sets.set(i)] += 1;
    plain[sets.set(i)] += weighted(i);
    along[sets.set(i)] += (is("weight missing in the sums") ? saved.g[i] : weighted(i)) * normal(i);
    weight[sets.channel(i)] += saved.g[i] * (is("weight's gradient of x") ? saved.x[i] : normal(i));
    bias[sets.channel(i)] += saved.g[i];
  }
  for (std::size_t i = 0; i < saved.x.size(); ++i) {
    const std::size_t s = sets.set(i);
    const double n = is("not divided by the count")        ? 1
                     : is("divided by the count less one") ? count[s] - 1
                                                           : count[s];
    double value = weighted(i);
    const bool through =
        statistics ? !is("statistics taken for constants") : is("statistics taken for variables");
    if (through && centred && !is("mean's gradient missing")) value -= plain[s] / n;
    if (through && !is("variance's gradient missing")) value -= normal(i) * along[s] / n;
    input.push_back(value * saved.scale[s] * (is("scale squared") ? saved.scale[s] : 1));
  }
  if (is("bias dropped")) bias.assign(bias.size(), 0);
  if (is("bias averaged")) {
    const double share = static_cast<double>(saved.x.size()) / static_cast<double>(bias.size());
    for (double& value : bias) value /= share;
  }
  return {input, weight, bias};
}

constexpr std::size_t kRow = 5;

// Inputs: g, x of rows of 5, mean, rstd, weight.
Kernels layer_norm(const Edits& edits) {
  return [=](const Values& in) {
    const bool elsewhere = edits.contains("statistics of the row before");
    const std::size_t rows = in[2].size();
    const Sets sets{rows, kRow,
                    [=](std::size_t i) { return (i / kRow + (elsewhere ? rows - 1 : 0)) % rows; },
                    [](std::size_t i) { return i % kRow; }};
    Saved saved{in[0], in[1], in[2], in[3], &in[4]};
    recompute(sets, saved, edits.contains("mean recomputed"), edits.contains("rstd recomputed"),
              1e-3);
    return gradients(sets, saved, true, true, edits);
  };
}

// Inputs: g, x of rows of 5, rstd, gamma.
Kernels rms_norm(const Edits& edits) {
  return [=](const Values& in) -> Values {
    const Sets sets{in[2].size(), kRow, [](std::size_t i) { return i / kRow; },
                    [](std::size_t i) { return i % kRow; }};
    Saved saved{in[0], in[1], std::vector<double>(in[2].size()), in[2], &in[3]};
    if (edits.contains("rstd recomputed")) {
      saved.scale.assign(in[2].size(), 0);
      for (std::size_t i = 0; i < in[1].size(); ++i) {
        saved.scale[i / kRow] += in[1][i] * in[1][i] / kRow;
      }
      for (double& value : saved.scale) value = 1 / std::sqrt(value + 1e-3);
    }
    Values all = gradients(sets, saved, true, edits.contains("a mean subtracted"), edits);
    return {all[0], all[1]};
  };
}

// Of a [2, 3, 4] tensor. Inputs: g, x, weight, mean, variance (of the batch, or the running ones).
Kernels batch_norm(bool training, const Edits& edits) {
  return [=](const Values& in) {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    constexpr std::size_t kPlaces = 4, kChannels = 3;
    const bool last = is("channels of the last dimension");
    const Place channel = [last](std::size_t i) {
      return last ? i % kChannels : i / kPlaces % kChannels;
    };
    const Sets sets{kChannels, kChannels, channel, channel};
    Saved saved{in[0], in[1], in[3], in[4], &in[2]};
    for (double& v : saved.scale) {
      const double eps = is("eps left out") ? 0 : 0x1p-6;
      if (is("saved spread taken for the reciprocal root")) break;
      v = is("eps outside the root") ? 1 / (std::sqrt(v) + eps) : 1 / std::sqrt(v + eps);
    }
    recompute(sets, saved, is("mean recomputed"), is("variance recomputed"), 0x1p-6);
    return gradients(sets, saved, training, true, edits);
  };
}

// Of a [2, 4, 3] tensor in 2 groups of 2 channels. Inputs: g, x, mean, rstd, gamma.
Kernels group_norm(const Edits& edits) {
  return [=](const Values& in) {
    const bool mixed = edits.contains("groups mixed"), images = edits.contains("images mixed");
    const Place channel = [](std::size_t i) { return i / 3 % 4; };
    const Sets sets{4, 4,
                    [=](std::size_t i) {
                      const std::size_t group = mixed ? channel(i) % 2 : channel(i) / 2;
                      return (images ? 0 : i / 12) * 2 + group;
                    },
                    channel};
    Saved saved{in[0], in[1], in[2], in[3], &in[4]};
    recompute(sets, saved, edits.contains("mean recomputed"), edits.contains("rstd recomputed"),
              0.25);
    return gradients(sets, saved, true, true, edits);
  };
}

// Of a [2, 3, 4] tensor. Inputs: g, x, mean, invstd, weight.
Kernels batch_norm_reduced(const Edits& edits) {
  return [=](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    std::vector<double> weight(3), bias(3);
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      const std::size_t c = is("channels of the last dimension") ? i % 3 : i / 4 % 3;
      const double away = in[1][i] - (is("mean not subtracted") ? 0 : in[2][c]);
      weight[c] += in[0][i] * away * (is("invstd missing") ? 1 : in[3][c]) *
                   (is("weight's gradient times the weight") ? in[4][c] : 1);
      bias[c] += in[0][i] * (is("bias's gradient times the weight") ? in[4][c] : 1);
    }
    return {weight, bias};
  };
}

// Of a [2, 3, 4] tensor. Inputs: g, x, mean, invstd, weight, both sums, counts of two parts.
Kernels batch_norm_elements(const Edits& edits) {
  return [=](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    const double n = is("the first part's count")   ? in[7][0]
                     : is("the mean of the counts") ? (in[7][0] + in[7][1]) / 2
                                                    : in[7][0] + in[7][1];
    std::vector<double> out;
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      const std::size_t c = i / 4 % 3;
      const double scale = in[3][c], away = in[1][i] - (is("mean not subtracted") ? 0 : in[2][c]);
      const double plain = is("first sum forgotten") ? 0 : in[5][c] / n;
      const double along = is("second sum forgotten") ? 0 : away * scale * in[6][c] / n;
      const double square = is("invstd not squared") ? 1 : scale;
      out.push_back((in[0][i] - plain - along * square) * scale *
                    (is("weight missing") ? 1 : in[4][c]));
    }
    return {out};
  };
}

// A residual sum of rows of 5. Inputs: dy, x1, x2, rstd, mean, gamma, dsum.
Kernels add_layer_norm(const Edits& edits) {
  return [=](const Values& in) {
    std::vector<double> sum = in[1];
    for (std::size_t i = 0; i < sum.size() && !edits.contains("x2 forgotten"); ++i) {
      sum[i] += in[2][i];
    }
    const bool exchanged = edits.contains("mean and rstd exchanged");
    const Sets sets{in[3].size(), kRow, [](std::size_t i) { return i / kRow; },
                    [](std::size_t i) { return i % kRow; }};
    const Saved saved{in[0], sum, in[exchanged ? 3 : 4], in[exchanged ? 4 : 3], &in[5]};
    Values all = gradients(sets, saved, true, true, edits);
    for (std::size_t i = 0; i < all[0].size(); ++i) {
      all[0][i] += in[6][i] + (edits.contains("the gradient added once more") ? in[0][i] : 0);
    }
    return all;
  };
}

// Of a [2, 4, 3] tensor in 2 groups of 2 channels. Inputs: dy, mean, rstd, x, gamma, beta.
Kernels group_norm_swish(const Edits& edits) {
  return [=](const Values& in) {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    const Place channel = [](std::size_t i) { return i / 3 % 4; };
    const Sets sets{4, 4, [=](std::size_t i) { return i / 12 * 2 + channel(i) / 2; }, channel};
    std::vector<double> dz = in[0];
    for (std::size_t i = 0; i < dz.size(); ++i) {
      const double normal = (in[3][i] - in[1][sets.set(i)]) * in[2][sets.set(i)];
      const double z = (is("weight missing in the swish") ? 1 : in[4][channel(i)]) * normal +
                       (is("bias missing in the swish") ? 0 : in[5][channel(i)]);
      const double share = 1 / (1 + std::exp(-z));
      const double slope = is("sigmoid's slope missing") ? 0 : z * (1 - share);
      if (!is("swish left out")) dz[i] *= share * (1 + slope);
    }
    const Saved saved{dz, in[3], in[1], in[2], &in[4]};
    return gradients(sets, saved, true, true, edits);
  };
}

// Along the first dimension of [2, 3, 5]. Inputs: g, y.
Kernels softmax(const Edits& edits) {
  return [=](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    constexpr std::size_t kStep = 15;
    std::vector<double> out;
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      double sum = 0;
      const std::size_t line = i % kStep;
      if (is("along the last dimension")) {
        for (std::size_t k = i / 5 * 5; k < i / 5 * 5 + 5; ++k) sum += in[0][k] * in[1][k];
      } else {
        for (std::size_t k = line; k < in[0].size(); k += kStep) {
          sum += in[0][k] * (is("sum not weighted by the result") ? 1 : in[1][k]);
        }
      }
      const double g = is("sum forgotten") ? in[0][i] : in[0][i] - sum;
      out.push_back(g * (is("result missing as a factor")         ? 1
                         : is("takes the result for a logarithm") ? std::exp(in[1][i])
                                                                  : in[1][i]));
    }
    return {out};
  };
}

}  // namespace

std::vector<Mutant> normalization_mutants() {
  std::vector<Mutant> all;
  add_mutants(all, "softmax", "softmax", {{{"dim", 0.0}}}, softmax,
              {"sum forgotten", "sum not weighted by the result", "result missing as a factor",
               "along the last dimension", "takes the result for a logarithm"});
  add_mutants(all, "layer norm", "layer_norm", variants("layer_norm")[0], layer_norm,
              {"mean's gradient missing", "variance's gradient missing", "weight missing",
               "weight missing in the sums", "weight's gradient of x", "bias dropped",
               "not divided by the count", "divided by the count less one", "scale squared",
               "mean recomputed", "rstd recomputed", "statistics of the row before"});
  add_mutants(all, "rms norm", "rms_norm", variants("rms_norm")[0], rms_norm,
              {"a mean subtracted", "variance's gradient missing", "weight missing in the sums",
               "weight's gradient of x", "scale squared", "rstd recomputed"});
  add_mutants(
      all, "batch norm, training", "batch_norm", variants("batch_norm")[0],
      [](const Edits& edits) { return batch_norm(true, edits); },
      {"statistics taken for constants", "mean's gradient missing", "variance's gradient missing",
       "eps left out", "eps outside the root", "saved spread taken for the reciprocal root",
       "mean recomputed", "variance recomputed", "channels of the last dimension", "bias averaged",
       "divided by the count less one"});
  add_mutants(
      all, "batch norm, evaluation", "batch_norm", variants("batch_norm").at(4),
      [](const Edits& edits) { return batch_norm(false, edits); },
      {"statistics taken for variables", "mean recomputed", "variance recomputed", "eps left out"});
  add_mutants(all, "group norm", "group_norm", variants("group_norm")[0], group_norm,
              {"groups mixed", "images mixed", "mean's gradient missing", "weight missing",
               "mean recomputed", "rstd recomputed"});
  add_mutants(all, "batch norm, sums of a part", "batch_norm_elemt",
              variants("batch_norm_elemt")[0], batch_norm_reduced,
              {"channels of the last dimension", "mean not subtracted", "invstd missing",
               "weight's gradient times the weight", "bias's gradient times the weight"});
  add_mutants(
      all, "batch norm, elements of a part", "sync_batch_norm", variants("sync_batch_norm")[0],
      batch_norm_elements,
      {"the first part's count", "the mean of the counts", "mean not subtracted",
       "first sum forgotten", "second sum forgotten", "invstd not squared", "weight missing"});
  add_mutants(all, "layer norm of a sum", "add_layer_norm", variants("add_layer_norm")[0],
              add_layer_norm,
              {"x2 forgotten", "mean and rstd exchanged", "the gradient added once more",
               "mean's gradient missing", "variance's gradient missing",
               "weight missing in the sums", "bias averaged"});
  add_mutants(all, "group norm with swish", "group_norm_swish", variants("group_norm_swish")[0],
              group_norm_swish,
              {"swish left out", "sigmoid's slope missing", "weight missing in the swish",
               "bias missing in the swish", "mean's gradient missing", "weight missing"});
  return all;
}

}  // namespace aclgrad::mutants
