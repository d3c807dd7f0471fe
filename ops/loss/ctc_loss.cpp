// SPDX-License-Identifier: Apache-2.0
// aclnnCtcLoss, aclnnCtcLossBackward.
#include "aclnnop/aclnn_ctc_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "aclnnop/aclnn_ctc_loss_backward.h"
#include "ops/arithmetic/functions_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/sums.h"
#include "ops/index/index_rules.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::ctc_loss {
namespace {

namespace ctc {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The parameters of both directions.
struct Parameters {
  size_t log_probs, targets, input_lengths, target_lengths, blank, losses, log_alpha;
};

// ---- Checks of both directions ------------------------------------------------------------------

int64_t samples_of(const Arguments& arguments, const Parameters& p) {
  const Dims& shape = arguments.shape(p.log_probs);
  return shape.size() == 3 ? shape[1] : 1;
}

int64_t classes_of(const Arguments& arguments, const Parameters& p) {
  const Dims& shape = arguments.shape(p.log_probs);
  return shape[shape.size() - 1];
}

int64_t longest_target(const Arguments& arguments, const Parameters& p) {
  const std::vector<int64_t>& lengths = arguments.int_array(p.target_lengths);
  return *std::max_element(lengths.begin(), lengths.end());
}

Rule has_steps(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.empty(p.log_probs)) return std::nullopt;
    return fmt::format("tensor {} must have elements, but is {}.", arguments.name(p.log_probs),
                       to_string(arguments.shape(p.log_probs)));
  });
}

// One for each sample, within [0, most].
Rule lengths_fit(size_t array, const Parameters& p, std::optional<size_t> steps) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& lengths = arguments.int_array(array);
    const int64_t most = steps ? arguments.shape(*steps)[0] : std::numeric_limits<int32_t>::max();
    const bool fit = std::all_of(lengths.begin(), lengths.end(),
                                 [most](int64_t each) { return each >= 0 && each <= most; });
    if (fit && static_cast<int64_t>(lengths.size()) == samples_of(arguments, p)) {
      return std::nullopt;
    }
    return fmt::format("{} must have {} numbers within [0, {}], but is {}.", arguments.name(array),
                       samples_of(arguments, p), most, to_string(lengths));
  });
}

// [N, S] with S at least as long as the longest target, or all targets one behind the other.
Rule targets_fit(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(p.targets);
    const int64_t samples = samples_of(arguments, p), longest = longest_target(arguments, p);
    int64_t total = 0;
    for (const int64_t each : arguments.int_array(p.target_lengths)) total += each;
    const bool is_line = shape.size() == 1 && shape[0] == total;
    if (is_line || (shape.size() == 2 && shape[0] == samples && shape[1] >= longest)) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must have size [{}], or [{}, {}] or more columns, but is {}.",
                       arguments.name(p.targets), total, samples, longest, to_string(shape));
  });
}

Rule blank_is_a_class(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t blank = arguments.integer(p.blank), classes = classes_of(arguments, p);
    if (blank >= 0 && blank < classes) return std::nullopt;
    return fmt::format("{} must be within [0, {}], but is {}.", arguments.name(p.blank),
                       classes - 1, blank);
  });
}

// One for each sample, without a dimension where logProbs has none for them.
Rule has_losses_shape(size_t tensor, const Parameters& p) {
  return has_shape_of(tensor, [p](const Arguments& arguments) {
    return arguments.shape(p.log_probs).size() == 3 ? Dims{samples_of(arguments, p)} : Dims{};
  });
}

Rule has_alpha_shape(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(p.log_alpha);
    const int64_t samples = samples_of(arguments, p), steps = arguments.shape(p.log_probs)[0];
    const int64_t least = 2 * longest_target(arguments, p) + 1;
    if (shape.size() == 3 && shape[0] == samples && shape[1] == steps && shape[2] >= least) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must have size [{}, {}, {}] or more columns, but is {}.",
                       arguments.name(p.log_alpha), samples, steps, least, to_string(shape));
  });
}

// Not null, and of the right dtypes and sizes: what both directions have.
Rules shared_rules(const Parameters& p, size_t first, const std::vector<size_t>& others) {
  return {dtype_in(first, kRealFloats),
          dtype_in(p.targets, kIndexDtypes),
          same_dtype(others, first),
          min_rank(p.log_probs, 2),
          max_rank(p.log_probs, 3),
          has_steps(p),
          lengths_fit(p.input_lengths, p, p.log_probs),
          lengths_fit(p.target_lengths, p, std::nullopt),
          targets_fit(p),
          blank_is_a_class(p),
          has_losses_shape(p.losses, p),
          has_alpha_shape(p)};
}

// ---- Samples ------------------------------------------------------------------------------------

// A sample's states: its labels with a blank before, between and behind them.
struct Samples {
  Slices log_probs, log_alpha;
  Elements targets, losses;
  std::vector<int64_t> input_lengths, target_lengths;
  std::vector<int64_t> starts;  // of the samples' labels among the targets
  int64_t blank, classes;
  BlockFunction exp{Function::kExp}, log{Function::kLog};

  Samples(const Arguments& arguments, const Parameters& p)
      : log_probs(slices_of(arguments, p.log_probs)),
        log_alpha(slices_of(arguments, p.log_alpha)),
        targets(arguments, p.targets),
        losses(arguments, p.losses),
        input_lengths(arguments.int_array(p.input_lengths)),
        target_lengths(arguments.int_array(p.target_lengths)),
        blank(arguments.integer(p.blank)),
        classes(classes_of(arguments, p)) {
    const Dims& shape = arguments.shape(p.targets);
    int64_t start = 0;
    for (const int64_t each : target_lengths) {
      starts.push_back(start);
      start += shape.size() == 2 ? shape[1] : each;
    }
  }

  static Slices slices_of(const Arguments& arguments, size_t tensor) {
    return {arguments, tensor, dimensions(arguments.shape(tensor).size() - 1, 1)};
  }

  int64_t count() const { return static_cast<int64_t>(starts.size()); }
  int64_t steps(int64_t n) const { return input_lengths[static_cast<size_t>(n)]; }
  int64_t labels(int64_t n) const { return target_lengths[static_cast<size_t>(n)]; }
  int64_t states(int64_t n) const { return 2 * labels(n) + 1; }
  int64_t most_states() const {
    return 2 * *std::max_element(target_lengths.begin(), target_lengths.end()) + 1;
  }
  // Where row t of the sample starts.
  int64_t probs_at(int64_t n, int64_t t) const { return log_probs.starts.offset(t * count() + n); }
  int64_t alpha_at(int64_t n, int64_t t, int64_t all_steps) const {
    return log_alpha.starts.offset(n * all_steps + t);
  }

  void check(const Run& run) const {
    for (int64_t n = 0; n < count(); ++n) {
      const int64_t start = starts[static_cast<size_t>(n)];
      for_blocks(0, labels(n), [&](int64_t begin, int64_t end) {
        int64_t block[kBlock];
        targets.read(run, start + begin, start + end, block);
        for (int64_t i = begin; i < end; ++i) {
          const int64_t label = block[i - begin];
          if (label == blank) {
            throw std::runtime_error(fmt::format(
                "label {} of sample {} is the blank {}, which stands between labels only", i, n,
                label));
          }
          if (label >= 0 && label < classes) continue;
          throw std::runtime_error(fmt::format(
              "label {} of sample {} is {}, but must be in [0, {}]", i, n, label, classes - 1));
        }
      });
    }
  }

  // The classes of the sample's states.
  void read_states(const Run& run, int64_t n, int64_t* states) const {
    const int64_t start = starts[static_cast<size_t>(n)];
    targets.read(run, start, start + labels(n), states);
    for (int64_t i = labels(n); i-- > 0;) {
      states[2 * i + 1] = states[i];
      states[2 * i + 2] = blank;
    }
    states[0] = blank;
  }

  // The states' logarithms of probabilities at a step.
  void read_probs(const Run& run, int64_t n, int64_t t, const int64_t* states, double* p) const {
    const int64_t step = log_probs.index.inner_stride();
    visit_element_type(log_probs.dtype, [&](auto tag) {
      const auto* const row = static_cast<const Unaligned<typename decltype(tag)::type>*>(
          static_cast<const void*>(log_probs.at(run, probs_at(n, t))));
      for (int64_t s = 0; s < this->states(n); ++s) {
        p[s] = real_part(row[states[s] * step].value);
      }
    });
  }

  // now[s] = p[s] + log(e^before[s] + e^before[s - 1] + e^before[s - 2]), where the last counts
  // only between classes that differ; p alone, of the first two states, where nothing was before.
  void advance(const int64_t* states, const double* p, const double* before, int64_t count,
               double* now) const {
    if (before == nullptr) {
      for (int64_t s = 0; s < count; ++s) now[s] = s < 2 ? p[s] : -kInfinity;
      return;
    }
    const auto previous = [&](int64_t s, int64_t distance) {
      const bool is_there = s >= distance && (distance < 2 || states[s] != states[s - 2]);
      return is_there ? before[s - distance] : -kInfinity;
    };
    for_blocks(0, count, [&](int64_t begin, int64_t end) {
      alignas(64) double largest[kBlock] = {}, term[kBlock] = {}, sum[kBlock] = {};
      const int64_t size = end - begin;
      for (int64_t i = 0; i < size; ++i) {
        const int64_t s = begin + i;
        const double most = std::max({before[s], previous(s, 1), previous(s, 2)});
        largest[i] = most == -kInfinity ? 0 : most;  // the sum is 0 then
      }
      for (int64_t distance = 0; distance < 3; ++distance) {
        for (int64_t i = 0; i < size; ++i) {
          term[i] = previous(begin + i, distance) - largest[i];
        }
        exp(term, size);
        for (int64_t i = 0; i < size; ++i) sum[i] += term[i];
      }
      log(sum, size);
      for (int64_t i = 0; i < size; ++i) now[begin + i] = p[begin + i] + (largest[i] + sum[i]);
    });
  }

  // The logarithm of the sum of both last states' probabilities.
  double end_of(const double* last, int64_t count) const {
    if (count == 1) return last[0];
    const double largest = std::max(last[count - 1], last[count - 2]);
    const double most = largest == -kInfinity ? 0 : largest;
    alignas(64) double terms[kBlock] = {last[count - 1] - most, last[count - 2] - most};
    exp(terms, 2);
    terms[0] += terms[1];
    log(terms, 1);
    return most + terms[0];
  }
};

// Runs body(n, memory) for every sample, with memory of `states` classes and `numbers` numbers.
Plan for_samples(std::shared_ptr<const Samples> samples, int64_t states, int64_t numbers,
                 std::function<void(const Run&, int64_t n, int64_t* classes, double* own)> body) {
  static_assert(sizeof(int64_t) == sizeof(double));
  const int64_t own = states + numbers;
  const auto size = static_cast<uint64_t>(own * samples->count() + 1) * sizeof(double);
  return {[=](const Run& run) -> aclError {
            samples->check(run);
            auto* const memory = aligned<double>(run.workspace());
            parallel_pieces(samples->count(), 1, [&](int64_t begin, int64_t end) {
              for (int64_t n = begin; n < end; ++n) {
                double* const start = memory + n * own;
                body(run, n, reinterpret_cast<int64_t*>(start), start + states);
              }
            });
            return ACL_SUCCESS;
          },
          size};
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t {
  kLogProbs,
  kTargets,
  kInputLengths,
  kTargetLengths,
  kBlank,
  kZeroInfinity,
  kLosses,
  kLogAlpha
};
constexpr Parameters kParameters{kLogProbs, kTargets, kInputLengths, kTargetLengths,
                                 kBlank,    kLosses,  kLogAlpha};

std::vector<Rule> rules() {
  std::vector<Rule> all = {
      not_null({kLogProbs, kTargets, kInputLengths, kTargetLengths, kLosses, kLogAlpha})};
  const std::vector<Rule> more = shared_rules(kParameters, kLogProbs, {kLosses, kLogAlpha});
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const OperatorSpec kSpec{
    "aclnnCtcLoss",
    {input("logProbs"), input("targets"), attribute("inputLengths"), attribute("targetLengths"),
     attribute("blank"), attribute("zeroInfinity"), output("negLogLikelihood"), output("logAlpha")},
    rules()};

void fill(const Samples& samples, const Run& run, int64_t start, int64_t begin, int64_t end,
          double value) {
  double block[kBlock];
  std::fill_n(block, std::min<int64_t>(kBlock, end - begin), value);
  for_blocks(begin, end, [&](int64_t from, int64_t to) {
    samples.log_alpha.write(run, block, from, to, start);
  });
}

Plan plan(const Arguments& arguments) {
  const auto samples = std::make_shared<const Samples>(arguments, kParameters);
  const Dims& alpha = arguments.shape(kLogAlpha);
  const int64_t steps = alpha[1], columns = alpha[2], most = samples->most_states();
  return for_samples(samples, most, 3 * most,
                     [=](const Run& run, int64_t n, int64_t* states, double* p) {
                       const int64_t count = samples->states(n), length = samples->steps(n);
                       double* before = nullptr;
                       double *now = p + most, *other = p + 2 * most;
                       samples->read_states(run, n, states);
                       for (int64_t t = 0; t < length; ++t) {
                         samples->read_probs(run, n, t, states, p);
                         samples->advance(states, p, before, count, now);
                         const int64_t start = samples->alpha_at(n, t, steps);
                         samples->log_alpha.write(run, now, 0, count, start);
                         fill(*samples, run, start, count, columns, -kInfinity);
                         before = std::exchange(now, other);
                         other = before;
                       }
                       for (int64_t t = length; t < steps; ++t) {
                         fill(*samples, run, samples->alpha_at(n, t, steps), 0, columns, 0);
                       }
                       double loss = count == 1 ? 0 : kInfinity;
                       if (length > 0) loss = 0 - samples->end_of(before, count);
                       samples->losses.write(run, &loss, n, n + 1);
                     });
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t {
  kGradOut,
  kLogProbs,
  kTargets,
  kInputLengths,
  kTargetLengths,
  kLosses,
  kLogAlpha,
  kBlank,
  kZeroInfinity,
  kGradInput
};
constexpr Parameters kParameters{kLogProbs, kTargets, kInputLengths, kTargetLengths,
                                 kBlank,    kLosses,  kLogAlpha};

std::vector<Rule> rules() {
  std::vector<Rule> all = {not_null({kGradOut, kLogProbs, kTargets, kInputLengths, kTargetLengths,
                                     kLosses, kLogAlpha, kGradInput})};
  const std::vector<Rule> more =
      shared_rules(kParameters, kGradOut, {kLogProbs, kLosses, kLogAlpha, kGradInput});
  all.insert(all.end(), more.begin(), more.end());
  all.push_back(has_losses_shape(kGradOut, kParameters));
  all.push_back(same_shape(kGradInput, kLogProbs));
  return all;
}

const OperatorSpec kSpec{
    "aclnnCtcLossBackward",
    {input("gradOut"), input("logProbs"), input("targets"), attribute("inputLengths"),
     attribute("targetLengths"), input("negLogLikelihood"), input("logAlpha"), attribute("blank"),
     attribute("zeroInfinity"), output("gradInput")},
    rules()};

struct Gradient {
  std::shared_ptr<const Samples> samples;
  Elements grads;
  Slices out;
  int64_t steps;
  bool zero_infinity;

  // shares[c] = what the states of class c count: from the probabilities p, alpha and beta.
  void add_shares(const int64_t* states, const double* p, const double* alpha, const double* beta,
                  double loss, int64_t count, double* shares) const {
    for_blocks(0, count, [&](int64_t begin, int64_t end) {
      alignas(64) double terms[kBlock] = {};
      for (int64_t s = begin; s < end; ++s) {
        const double both = alpha[s] + beta[s];
        terms[s - begin] = both == -kInfinity ? both : both + loss - p[s];
      }
      samples->exp(terms, end - begin);
      for (int64_t s = begin; s < end; ++s) shares[states[s]] += terms[s - begin];
    });
  }

  // Row t of the gradient: g times e^p less the classes' shares, or `constant` alone.
  void write_row(const Run& run, int64_t n, int64_t t, double g, const double* shares) const {
    const int64_t row = samples->probs_at(n, t),
                  start = out.starts.offset(t * samples->count() + n);
    for_blocks(0, samples->classes, [&](int64_t begin, int64_t end) {
      alignas(64) double block[kBlock] = {};
      samples->log_probs.read(run, begin, end, block, row);
      samples->exp(block, end - begin);
      for (int64_t c = begin; c < end; ++c) block[c - begin] = g * (block[c - begin] - shares[c]);
      out.write(run, block, begin, end, start);
    });
  }

  void fill_row(const Run& run, int64_t n, int64_t t, double value) const {
    double block[kBlock];
    std::fill_n(block, std::min<int64_t>(kBlock, samples->classes), value);
    for_blocks(0, samples->classes, [&](int64_t begin, int64_t end) {
      out.write(run, block, begin, end, out.starts.offset(t * samples->count() + n));
    });
  }

  // Beta is alpha of the states in reverse, from the last step back. `own` has room for p, alpha,
  // beta, the one before, and the classes' shares.
  void run_sample(const Run& run, int64_t n, int64_t* states, double* own, int64_t most) const {
    const int64_t count = samples->states(n), length = samples->steps(n);
    double g = 0, loss = 0;
    grads.read(run, n, n + 1, &g);
    samples->losses.read(run, n, n + 1, &loss);
    for (int64_t t = length; t < steps; ++t) fill_row(run, n, t, 0);
    if (loss == kInfinity) {
      for (int64_t t = 0; t < length; ++t) fill_row(run, n, t, zero_infinity ? 0 : NAN);
      return;
    }
    double *const p = own, *const alpha = own + most, *const shares = own + 4 * most;
    double *now = own + 2 * most, *other = own + 3 * most;
    double* before = nullptr;
    samples->read_states(run, n, states);
    std::reverse(states, states + count);
    for (int64_t t = length; t-- > 0;) {
      samples->read_probs(run, n, t, states, p);
      samples->log_alpha.read(run, 0, count, alpha, samples->alpha_at(n, t, steps));
      std::reverse(alpha, alpha + count);
      samples->advance(states, p, before, count, now);
      std::fill_n(shares, samples->classes, 0);
      add_shares(states, p, alpha, now, loss, count, shares);
      write_row(run, n, t, g, shares);
      before = std::exchange(now, other);
      other = before;
    }
  }
};

Plan plan(const Arguments& arguments) {
  const auto samples = std::make_shared<const Samples>(arguments, kParameters);
  const Gradient gradient{samples, Elements(arguments, kGradOut),
                          Samples::slices_of(arguments, kGradInput), arguments.shape(kLogProbs)[0],
                          arguments.flag(kZeroInfinity)};
  const int64_t most = samples->most_states();
  return for_samples(samples, most, 4 * most + samples->classes,
                     [=](const Run& run, int64_t n, int64_t* states, double* own) {
                       gradient.run_sample(run, n, states, own, most);
                     });
}

}  // namespace backward
}  // namespace ctc
}  // namespace

ACLGRAD_OPERATOR(aclnnCtcLoss, ctc::forward::kSpec, ctc::forward::plan)
ACLGRAD_OPERATOR(aclnnCtcLossBackward, ctc::backward::kSpec, ctc::backward::plan)

}  // namespace aclgrad::ops::ctc_loss
