// SPDX-License-Identifier: Apache-2.0
#include "bench/scale/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "ops/hccl/algorithm.h"

namespace aclgrad::bench {
namespace {

using Matrix = std::vector<std::vector<double>>;

// Solves a x = b by Gaussian elimination with pivots. False for a matrix that is close to singular.
bool solve(Matrix a, std::vector<double> b, std::vector<double>& x) {
  const std::size_t size = b.size();
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < size; ++row) {
      if (std::abs(a[row][column]) > std::abs(a[pivot][column])) pivot = row;
    }
    if (std::abs(a[pivot][column]) < 1e-12) return false;
    std::swap(a[pivot], a[column]);
    std::swap(b[pivot], b[column]);
    for (std::size_t row = column + 1; row < size; ++row) {
      const double factor = a[row][column] / a[column][column];
      for (std::size_t i = column; i < size; ++i) a[row][i] -= factor * a[column][i];
      b[row] -= factor * b[column];
    }
  }
  x.assign(size, 0);
  for (std::size_t row = size; row-- > 0;) {
    double rest = b[row];
    for (std::size_t i = row + 1; i < size; ++i) rest -= a[row][i] * x[i];
    x[row] = rest / a[row][row];
  }
  return true;
}

// The least squares of rows * x = 1 with x = 0 outside the columns chosen. False when there is no
// single answer, or it is negative somewhere.
bool fit_columns(const Matrix& rows, const std::vector<std::size_t>& columns,
                 std::vector<double>& x) {
  const std::size_t size = columns.size();
  Matrix a(size, std::vector<double>(size, 0));
  std::vector<double> b(size, 0), solution;
  for (const std::vector<double>& row : rows) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) a[i][j] += row[columns[i]] * row[columns[j]];
      b[i] += row[columns[i]];
    }
  }
  if (!solve(std::move(a), std::move(b), solution)) return false;
  if (std::ranges::any_of(solution, [](double value) { return value < 0; })) return false;
  std::ranges::fill(x, 0);
  for (std::size_t i = 0; i < size; ++i) x[columns[i]] = solution[i];
  return true;
}

double squares(const Matrix& rows, const std::vector<double>& x) {
  double sum = 0;
  for (const std::vector<double>& row : rows) {
    double value = -1;
    for (std::size_t i = 0; i < x.size(); ++i) value += row[i] * x[i];
    sum += value * value;
  }
  return sum;
}

}  // namespace

// The best of the fits of all sets of columns: there are few columns.
std::vector<double> fit(const Matrix& rows, const std::vector<double>& values) {
  if (rows.empty() || rows.size() != values.size()) throw std::invalid_argument("nothing to fit");
  const std::size_t columns = rows.front().size();
  // Divided by the values; then columns of length 1, so that their units do not matter.
  Matrix scaled = rows;
  std::vector<double> lengths(columns, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != columns) throw std::invalid_argument("rows of different lengths");
    if (!(values[i] > 0)) throw std::invalid_argument("a value that is not positive");
    for (std::size_t j = 0; j < columns; ++j) {
      scaled[i][j] /= values[i];
      lengths[j] += scaled[i][j] * scaled[i][j];
    }
  }
  for (double& length : lengths) length = length > 0 ? std::sqrt(length) : 1;
  for (std::vector<double>& row : scaled) {
    for (std::size_t j = 0; j < columns; ++j) row[j] /= lengths[j];
  }
  std::vector<double> best(columns, 0);
  double least = squares(scaled, best);
  for (std::size_t set = 1; set < std::size_t{1} << columns; ++set) {
    std::vector<std::size_t> chosen;
    for (std::size_t j = 0; j < columns; ++j) {
      if ((set >> j & 1) != 0) chosen.push_back(j);
    }
    std::vector<double> x(columns, 0);
    if (!fit_columns(scaled, chosen, x)) continue;
    const double sum = squares(scaled, x);
    if (sum >= least) continue;
    least = sum;
    best = x;
  }
  for (std::size_t j = 0; j < columns; ++j) best[j] /= lengths[j];
  return best;
}

Work work_of(Collective collective, double bytes, int ranks) {
  if (ranks == 1) return {};
  const double others = ranks - 1;
  const double comparisons = others >= hccl::kCompareWithAll ? 2 : others;
  const double share = bytes / ranks;
  const auto chunks = [](double part) {
    return std::ceil(part / static_cast<double>(hccl::kChunkBytes));
  };
  if (collective == Collective::all_gather) {
    return {.rounds = 1, .messages = comparisons + others, .bytes = others * share};
  }
  if (collective == Collective::reduce_scatter) {
    return {.rounds = 1,
            .messages = comparisons + others * chunks(share),
            .bytes = others * share,
            .reduced = others * share};
  }
  if (hccl::reduces_alone(static_cast<std::uint64_t>(bytes), static_cast<std::uint32_t>(ranks))) {
    return {.rounds = 1,
            .messages = comparisons + others,
            .bytes = others * bytes,
            .reduced = others * bytes};
  }
  return {.rounds = 2,
          .messages = comparisons + 2 * others * chunks(share),
          .bytes = 2 * others * share,
          .reduced = others * share};
}

double oversubscription(int ranks, int cores) {
  return std::max(1.0, static_cast<double>(ranks) / static_cast<double>(cores));
}

double seconds_of(const Network& network, const Work& work, double oversubscription) {
  return oversubscription * (work.rounds * network.round + work.messages * network.message +
                             work.bytes * network.byte + work.reduced * network.reduce) +
         (oversubscription > 1 ? work.rounds * network.turn : 0);
}

// Times where ranks share cores vary wildly: they only tell how long a turn takes.
Network fit_network(const std::vector<ExchangeTime>& times, int cores) {
  const auto is_oversubscribed = [&](const ExchangeTime& time) {
    return oversubscription(time.ranks, cores) > 1;
  };
  const bool all_oversubscribed = std::ranges::all_of(times, is_oversubscribed);
  Matrix rows;
  std::vector<double> values;
  for (const ExchangeTime& time : times) {
    if (is_oversubscribed(time) && !all_oversubscribed) continue;
    const double factor = oversubscription(time.ranks, cores);
    rows.push_back({factor * time.work.rounds, factor * time.work.messages,
                    factor * time.work.bytes, factor * time.work.reduced});
    values.push_back(time.seconds);
  }
  const std::vector<double> x = fit(rows, values);
  Network network{.round = x[0], .message = x[1], .byte = x[2], .reduce = x[3]};
  // The least squares, relative as everywhere, of what is left for the turns.
  double product = 0, square = 0;
  for (const ExchangeTime& time : times) {
    if (!is_oversubscribed(time)) continue;
    const double predicted = seconds_of(network, time.work, oversubscription(time.ranks, cores));
    const double scale = time.work.rounds / time.seconds;
    product += scale * (1 - predicted / time.seconds);
    square += scale * scale;
  }
  if (square > 0) network.turn = std::max(0.0, product / square);
  return network;
}

LinearCost fit_cost(const std::vector<CostPoint>& points) {
  Matrix rows;
  std::vector<double> values;
  for (const CostPoint& point : points) {
    rows.push_back({1, point.examples});
    values.push_back(point.seconds);
  }
  const std::vector<double> x = fit(rows, values);
  return {x[0], x[1]};
}

double Step::alone(double examples) const {
  double sum = rest.at(examples);
  for (const Bucket& bucket : buckets) sum += bucket.before.at(examples);
  return sum;
}

double seconds_of(const Step& step, const Network& network, const Placing& placing) {
  double computed = 0;   // until when the processor has computed
  double exchanged = 0;  // until when buckets have been exchanged
  double bytes = 0;
  std::vector<double> arrivals;
  for (const Bucket& bucket : step.buckets) {
    computed += placing.slowdown * bucket.before.at(placing.examples);
    const Work work = work_of(Collective::all_reduce, bucket.bytes, placing.ranks);
    exchanged = std::max(exchanged, computed) + seconds_of(network, work, placing.oversubscription);
    if (placing.ranks > 1) exchanged += placing.slowdown * bucket.copy;
    if (!placing.overlaps) computed = exchanged;
    arrivals.push_back(exchanged);
    bytes += bucket.bytes;
  }
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const Bucket& bucket = step.buckets[i];
    double update = bucket.bytes / bytes * step.rest.at(placing.examples);
    if (placing.ranks > 1) update += bucket.copy;
    computed = std::max(computed, arrivals[i]) + placing.slowdown * update;
  }
  return computed;
}

}  // namespace aclgrad::bench
