// SPDX-License-Identifier: Apache-2.0
// aclnnDeepNorm, aclnnDeepNormGrad: layer normalization of a weighted sum, with a residual branch.
#include <algorithm>
#include <cmath>
#include <vector>

#include "aclnnop/aclnn_deep_norm.h"
#include "aclnnop/aclnn_deep_norm_grad.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/elementwise.h"
#include "ops/engine/thread_scratch.h"
#include "ops/meta/rules.h"
#include "ops/normalization/row_rules.h"

namespace aclgrad::ops {
namespace {

constexpr DtypeSet kFloat{ACL_FLOAT};
constexpr int64_t kColumnsTogether = 64;

// Rows in DOUBLE, and what is the same for all of them.
struct Rows {
  std::vector<double> residual, row, other, weight, bias;
};
struct Parameters {
  std::vector<double> weight, bias;
};

void resize(std::vector<double>& row, int64_t length) { row.resize(static_cast<size_t>(length)); }

// Rows alpha x + gx, in DOUBLE.
struct WeightedSum {
  Elements x, gx;
  double alpha;
  int64_t length;  // of a row

  void read(const Run& run, int64_t begin, int64_t end, std::vector<double>& to,
            std::vector<double>& residual) const {
    residual.resize(to.size());
    x.read(run, begin, end, to.data());
    gx.read(run, begin, end, residual.data());
    for (size_t i = 0; i < to.size(); ++i) to[i] = alpha * to[i] + residual[i];
  }
};

void read_all(const Elements& of, const Run& run, std::vector<double>& values) {
  resize(values, of.index.count());
  of.read(run, 0, of.index.count(), values.data());
}

int64_t rows_at_once(int64_t length) { return std::max<int64_t>(1, (1 << 14) / (length + 1)); }

// ---- Checks -------------------------------------------------------------------------------------

// `like_x` have x's shape and dtype, `numbers` are FLOAT, one for each row.
std::vector<Rule> rules(Rule given, size_t x, size_t gamma, const std::vector<size_t>& like_x,
                        const std::vector<size_t>& numbers) {
  std::vector<Rule> list = {std::move(given), dtype_in(x, kFloats)};
  for (const size_t each : like_x) list.push_back(same_dtype(each, x));
  list.push_back(same_dtype(gamma, x));
  for (const size_t each : numbers) list.push_back(dtype_in(each, kFloat));
  list.push_back(max_rank(x));
  for (const size_t each : like_x) list.push_back(same_shape(each, x));
  list.push_back(is_row_of(gamma, x));
  for (const size_t each : numbers) list.push_back(has_number_per_row(each, x, gamma));
  return list;
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kX, kGx, kBeta, kGamma, kAlpha, kEpsilon, kMean, kRstd, kY };

std::vector<Rule> all_rules() {
  std::vector<Rule> list = rules(not_null({kX, kGx, kBeta, kGamma, kMean, kRstd, kY}), kX, kGamma,
                                 {kGx, kY}, {kMean, kRstd});
  list.push_back(same_dtype(kBeta, kX));
  list.push_back(same_shape(kBeta, kGamma));
  return list;
}

const OperatorSpec kSpec{
    "aclnnDeepNorm",
    {input("x"), input("gx"), input("beta"), input("gamma"), attribute("alphaValue"),
     attribute("epsilonValue"), output("meanOut"), output("rstdOut"), output("yOut")},
    all_rules()};

Plan plan(const Arguments& arguments) {
  const int64_t length = count_elements(arguments.shape(kGamma));
  if (arguments.empty(kMean)) return {};
  const WeightedSum sum{Elements(arguments, kX), Elements(arguments, kGx), arguments.real(kAlpha),
                        length};
  const auto of = [&](size_t tensor) { return Elements(arguments, tensor); };
  return {[=, beta = of(kBeta), gamma = of(kGamma), means = of(kMean), rstds = of(kRstd),
           y = of(kY), epsilon = arguments.real(kEpsilon)](const Run& run) -> aclError {
    const ThreadScratch<Parameters> parameters;
    const std::vector<double>&weight = parameters->weight, &bias = parameters->bias;
    read_all(gamma, run, parameters->weight);
    read_all(beta, run, parameters->bias);
    parallel_pieces(means.index.count(), rows_at_once(length), [&](int64_t begin, int64_t end) {
      const ThreadScratch<Rows> rows;
      std::vector<double>& row = rows->row;
      resize(row, length);
      for (int64_t r = begin; r < end; ++r) {
        sum.read(run, r * length, (r + 1) * length, row, rows->residual);
        double mean = 0, variance = 0;
        for (const double each : row) mean += each;
        mean /= static_cast<double>(length);
        for (const double each : row) variance += (each - mean) * (each - mean);
        const double rstd = 1 / std::sqrt(variance / static_cast<double>(length) + epsilon);
        for (size_t i = 0; i < row.size(); ++i) {
          row[i] = (row[i] - mean) * rstd * weight[i] + bias[i];
        }
        means.write(run, &mean, r, r + 1);
        rstds.write(run, &rstd, r, r + 1);
        y.write(run, row.data(), r * length, (r + 1) * length);
      }
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kDy, kX, kGx, kGamma, kMean, kRstd, kAlpha, kDx, kDgx, kDbeta, kDgamma };

std::vector<Rule> all_rules() {
  std::vector<Rule> list =
      rules(not_null({kDy, kX, kGx, kGamma, kMean, kRstd, kDx, kDgx, kDbeta, kDgamma}), kX, kGamma,
            {kDy, kGx, kDx, kDgx}, {kMean, kRstd});
  for (const size_t each : {kDbeta, kDgamma}) {
    list.push_back(dtype_in(each, kFloat));
    list.push_back(same_shape(each, kGamma));
  }
  return list;
}

const OperatorSpec kSpec{"aclnnDeepNormGrad",
                         {input("dy"), input("x"), input("gx"), input("gamma"), input("mean"),
                          input("rstd"), attribute("alphaValue"), output("dxOut"), output("dgxOut"),
                          output("dbetaOut"), output("dgammaOut")},
                         all_rules()};

struct Gradient {
  WeightedSum sum;
  Elements dy, gamma, mean, rstd, dx, dgx, dbeta, dgamma;

  void of_rows(const Run& run) const {
    const int64_t length = sum.length;
    const auto share = 1 / static_cast<double>(length);
    const ThreadScratch<Parameters> parameters;
    const std::vector<double>& weight = parameters->weight;
    read_all(gamma, run, parameters->weight);
    parallel_pieces(mean.index.count(), rows_at_once(length), [&](int64_t begin, int64_t end) {
      const ThreadScratch<Rows> rows;
      std::vector<double>&g = rows->row, &normal = rows->other;
      resize(g, length);
      resize(normal, length);
      for (int64_t r = begin; r < end; ++r) {
        double m = 0, scale = 0, plain = 0, along = 0;
        mean.read(run, r, r + 1, &m);
        rstd.read(run, r, r + 1, &scale);
        dy.read(run, r * length, (r + 1) * length, g.data());
        sum.read(run, r * length, (r + 1) * length, normal, rows->residual);
        for (size_t i = 0; i < g.size(); ++i) {
          normal[i] = (normal[i] - m) * scale;
          g[i] *= weight[i];
          plain += g[i];
          along += g[i] * normal[i];
        }
        for (size_t i = 0; i < g.size(); ++i) {
          g[i] = scale * (g[i] - plain * share - normal[i] * along * share);
        }
        dgx.write(run, g.data(), r * length, (r + 1) * length);
        for (double& each : g) each *= sum.alpha;
        dx.write(run, g.data(), r * length, (r + 1) * length);
      }
    });
  }

  // Of beta and gamma, over the rows in their order.
  void of_columns(const Run& run) const {
    parallel_pieces(sum.length, kColumnsTogether, [&](int64_t begin, int64_t end) {
      const auto columns = static_cast<size_t>(end - begin);
      const ThreadScratch<Rows> rows;
      std::vector<double>&g = rows->row, &normal = rows->other, &beta = rows->bias,
      &weight = rows->weight;
      for (std::vector<double>* each : {&g, &normal}) resize(*each, end - begin);
      for (std::vector<double>* each : {&beta, &weight}) each->assign(columns, 0);
      for (int64_t r = 0; r < mean.index.count(); ++r) {
        double m = 0, scale = 0;
        mean.read(run, r, r + 1, &m);
        rstd.read(run, r, r + 1, &scale);
        const int64_t first = r * sum.length;
        dy.read(run, first + begin, first + end, g.data());
        sum.read(run, first + begin, first + end, normal, rows->residual);
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

Plan plan(const Arguments& arguments) {
  const auto of = [&](size_t tensor) { return Elements(arguments, tensor); };
  const int64_t length = count_elements(arguments.shape(kGamma));
  const Gradient gradient{{of(kX), of(kGx), arguments.real(kAlpha), length},
                          of(kDy),
                          of(kGamma),
                          of(kMean),
                          of(kRstd),
                          of(kDx),
                          of(kDgx),
                          of(kDbeta),
                          of(kDgamma)};
  if (length == 0) return {};
  return {[gradient](const Run& run) -> aclError {
    gradient.of_columns(run);
    gradient.of_rows(run);
    return ACL_SUCCESS;
  }};
}

}  // namespace backward
}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnDeepNorm, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnDeepNormGrad, backward::kSpec, backward::plan)
