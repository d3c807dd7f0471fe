// SPDX-License-Identifier: Apache-2.0
#include "ops/normalization/summed_rows_kernel.h"

#include <algorithm>
#include <cmath>

#include "ops/engine/thread_scratch.h"

namespace aclgrad::ops {
namespace {

constexpr int64_t kColumnsTogether = 64;

// Rows in DOUBLE, and what is the same for all of them.
struct Buffers {
  std::vector<double> row, term, other, weight, bias;
};
struct Parameters {
  std::vector<double> weight, bias;
};

void resize(std::vector<double>& row, int64_t length) { row.resize(static_cast<size_t>(length)); }

// The sum's elements, in DOUBLE.
struct Sum {
  std::vector<std::pair<Elements, double>> terms;
  int64_t length;  // of a row

  Sum(const Arguments& arguments, const SummedRows& rows)
      : length(count_elements(arguments.shape(rows.gamma))) {
    const Dims& shape = arguments.shape(rows.terms.front().tensor);
    for (const Term& each : rows.terms) {
      terms.emplace_back(Elements(arguments, each.tensor, shape), each.factor);
    }
  }

  void read(const Run& run, int64_t begin, int64_t end, std::vector<double>& to,
            std::vector<double>& term) const {
    term.resize(to.size());
    std::fill(to.begin(), to.end(), -0.0);
    for (const auto& [elements, factor] : terms) {
      elements.read(run, begin, end, term.data());
      for (size_t i = 0; i < to.size(); ++i) to[i] += factor * term[i];
    }
  }
};

std::optional<Elements> elements_of(const Arguments& arguments, std::optional<size_t> tensor) {
  return tensor ? std::optional<Elements>(std::in_place, arguments, *tensor) : std::nullopt;
}

void read_all(const Elements& of, const Run& run, std::vector<double>& values) {
  resize(values, of.index.count());
  of.read(run, 0, of.index.count(), values.data());
}

int64_t rows_at_once(int64_t length) { return std::max<int64_t>(1, (1 << 14) / (length + 1)); }

struct Gradient {
  Sum sum;
  Elements dy, gamma, mean, rstd, dgamma, dbeta;
  std::optional<Elements> also;
  std::vector<std::pair<Elements, double>> to;

  void of_rows(const Run& run) const {
    const int64_t length = sum.length;
    const auto share = 1 / static_cast<double>(length);
    const ThreadScratch<Parameters> parameters;
    const std::vector<double>& weight = parameters->weight;
    read_all(gamma, run, parameters->weight);
    parallel_pieces(mean.index.count(), rows_at_once(length), [&](int64_t begin, int64_t end) {
      const ThreadScratch<Buffers> buffers;
      std::vector<double>&g = buffers->row, &normal = buffers->other;
      resize(g, length);
      resize(normal, length);
      for (int64_t r = begin; r < end; ++r) {
        const int64_t first = r * length, last = first + length;
        double m = 0, scale = 0, plain = 0, along = 0;
        mean.read(run, r, r + 1, &m);
        rstd.read(run, r, r + 1, &scale);
        dy.read(run, first, last, g.data());
        sum.read(run, first, last, normal, buffers->term);
        for (size_t i = 0; i < g.size(); ++i) {
          normal[i] = (normal[i] - m) * scale;
          g[i] *= weight[i];
          plain += g[i];
          along += g[i] * normal[i];
        }
        for (size_t i = 0; i < g.size(); ++i) {
          g[i] = scale * (g[i] - plain * share - normal[i] * along * share);
        }
        if (also) {
          also->read(run, first, last, normal.data());
          for (size_t i = 0; i < g.size(); ++i) g[i] += normal[i];
        }
        for (const auto& [elements, factor] : to) {
          for (size_t i = 0; i < g.size(); ++i) normal[i] = factor * g[i];
          elements.write(run, normal.data(), first, last);
        }
      }
    });
  }

  // Of beta and gamma, over the rows in their order.
  void of_columns(const Run& run) const {
    parallel_pieces(sum.length, kColumnsTogether, [&](int64_t begin, int64_t end) {
      const auto columns = static_cast<size_t>(end - begin);
      const ThreadScratch<Buffers> buffers;
      std::vector<double>&g = buffers->row, &normal = buffers->other, &beta = buffers->bias,
      &weight = buffers->weight;
      for (std::vector<double>* each : {&g, &normal}) resize(*each, end - begin);
      for (std::vector<double>* each : {&beta, &weight}) each->assign(columns, 0);
      for (int64_t r = 0; r < mean.index.count(); ++r) {
        double m = 0, scale = 0;
        mean.read(run, r, r + 1, &m);
        rstd.read(run, r, r + 1, &scale);
        const int64_t first = r * sum.length;
        dy.read(run, first + begin, first + end, g.data());
        sum.read(run, first + begin, first + end, normal, buffers->term);
        for (size_t i = 0; i < columns; ++i) {
          beta[i] += g[i];
          weight[i] += g[i] * ((normal[i] - m) * scale);
        }
      }
      dbeta.write(run, beta.data(), begin, end);
      dgamma.write(run, weight.data(), begin, end);
    });
  }
};

}  // namespace

Plan plan_summed_rows(const Arguments& arguments, const SummedRows& rows, double epsilon,
                      const SummedRowsResults& results) {
  if (arguments.empty(results.rstd)) return {};
  const Sum sum(arguments, rows);
  const auto means = elements_of(arguments, results.mean);
  const auto beta = elements_of(arguments, results.beta);
  const auto sums = elements_of(arguments, results.sum);
  return {[=, centered = rows.centered, gamma = Elements(arguments, rows.gamma),
           rstds = Elements(arguments, results.rstd),
           y = Elements(arguments, results.y)](const Run& run) -> aclError {
    const int64_t length = sum.length;
    const ThreadScratch<Parameters> parameters;
    const std::vector<double>&weight = parameters->weight, &bias = parameters->bias;
    read_all(gamma, run, parameters->weight);
    parameters->bias.assign(weight.size(), 0);
    if (beta) read_all(*beta, run, parameters->bias);
    parallel_pieces(rstds.index.count(), rows_at_once(length), [&](int64_t begin, int64_t end) {
      const ThreadScratch<Buffers> buffers;
      std::vector<double>& row = buffers->row;
      resize(row, length);
      for (int64_t r = begin; r < end; ++r) {
        sum.read(run, r * length, (r + 1) * length, row, buffers->term);
        if (sums) sums->write(run, row.data(), r * length, (r + 1) * length);
        double mean = 0, variance = 0;
        if (centered) {
          for (const double each : row) mean += each;
          mean /= static_cast<double>(length);
        }
        for (const double each : row) variance += (each - mean) * (each - mean);
        const double rstd = 1 / std::sqrt(variance / static_cast<double>(length) + epsilon);
        for (size_t i = 0; i < row.size(); ++i) {
          row[i] = (row[i] - mean) * rstd * weight[i] + bias[i];
        }
        if (means) means->write(run, &mean, r, r + 1);
        rstds.write(run, &rstd, r, r + 1);
        y.write(run, row.data(), r * length, (r + 1) * length);
      }
    });
    return ACL_SUCCESS;
  }};
}

Plan plan_summed_rows_backward(const Arguments& arguments, const SummedRows& rows,
                               const SummedRowsGradients& gradients) {
  const auto of = [&](size_t tensor) { return Elements(arguments, tensor); };
  Gradient gradient{Sum(arguments, rows),
                    of(gradients.dy),
                    of(rows.gamma),
                    of(gradients.mean),
                    of(gradients.rstd),
                    of(gradients.gamma),
                    of(gradients.beta),
                    elements_of(arguments, gradients.also),
                    {}};
  if (gradient.sum.length == 0) return {};
  for (const Term& each : gradients.to) gradient.to.emplace_back(of(each.tensor), each.factor);
  return {[gradient = std::move(gradient)](const Run& run) -> aclError {
    gradient.of_columns(run);
    gradient.of_rows(run);
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
