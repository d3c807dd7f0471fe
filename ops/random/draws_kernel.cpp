// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "ops/engine/iterate.h"
#include "ops/engine/math/scalar_math.h"
#include "ops/random/philox.h"
#include "ops/random/random_kernel.h"

namespace aclgrad::ops {
namespace {

// Classes that a thread takes at a time.
constexpr int64_t kGrain = 4096;

double uniform(const RandomStream& stream, int64_t index) {
  return uniform_of(random_words(stream.seed, stream.offset, static_cast<uint64_t>(index)));
}

// ---- Classes by their weights -------------------------------------------------------------------

// A row's weights, and room for as many numbers.
struct Row {
  double* weights;
  double* keys;
  int64_t* order;
  int64_t classes;
};

[[noreturn]] void refuse(const char* name, int64_t row, const std::string& what) {
  throw std::runtime_error(fmt::format("row {} of {} {}", row, name, what));
}

// How many classes have a weight. Throws for a row that is no distribution.
int64_t check_weights(const Row& row, const char* name, int64_t number) {
  double sum = 0;
  int64_t positive = 0;
  for (int64_t k = 0; k < row.classes; ++k) {
    const double weight = row.weights[k];
    if (!std::isfinite(weight) || weight < 0) {
      refuse(name, number,
             fmt::format("has {} at {}, but must have finite numbers that are not negative", weight,
                         k));
    }
    sum += weight;
    positive += weight > 0 ? 1 : 0;
  }
  if (!(sum > 0) || std::isinf(sum)) {
    refuse(name, number, fmt::format("has a sum of {}, but must have a finite one above 0", sum));
  }
  return positive;
}

// The class in whose part of the sum a number falls, for each draw.
void draw_with_replacement(const RandomStream& stream, const Row& row, int64_t first, int64_t count,
                           int64_t* drawn) {
  std::partial_sum(row.weights, row.weights + row.classes, row.keys);
  const double sum = row.keys[row.classes - 1];
  // Rounding may reach the sum itself, which belongs to the last class that has a weight.
  double* const last = std::lower_bound(row.keys, row.keys + row.classes, sum);
  for (int64_t i = 0; i < count; ++i) {
    const double at = uniform(stream, first + i) * sum;
    drawn[i] = std::min(std::upper_bound(row.keys, row.keys + row.classes, at), last) - row.keys;
  }
}

// An exponential clock for each class, as fast as its weight: they strike in the order of draws.
void draw_without_replacement(const RandomStream& stream, const Row& row, int64_t first,
                              int64_t count, int64_t* drawn) {
  int64_t running = 0;
  for (int64_t k = 0; k < row.classes; ++k) {
    if (!(row.weights[k] > 0)) continue;
    row.keys[k] = -natural_log(1 - uniform(stream, first + k)) / row.weights[k];
    row.order[running++] = k;
  }
  std::partial_sort(row.order, row.order + count, row.order + running, [&](int64_t a, int64_t b) {
    return row.keys[a] != row.keys[b] ? row.keys[a] < row.keys[b] : a < b;
  });
  std::copy_n(row.order, count, drawn);
}

}  // namespace

Plan plan_draws(const Arguments& arguments, const Draws& draws, RandomStream source) {
  if (arguments.empty(draws.out)) return {};
  const Dims& shape = arguments.shape(draws.weights);
  const int64_t classes = shape[shape.size() - 1];
  const int64_t rows = count_elements(shape) / classes;
  const int64_t count = count_elements(arguments.shape(draws.out)) / rows;
  const char* const name = arguments.name(draws.weights);
  const bool replaces = draws.with_replacement;
  // Weights and keys of all rows, the order of classes, the numbers drawn.
  const int64_t numbers = rows * (3 * classes + count) + 1;
  return {[=, weights = Elements(arguments, draws.weights),
           out = Elements(arguments, draws.out)](const Run& run) -> aclError {
            const RandomStream stream = resolved(source, run);
            auto* const all_weights = aligned<double>(run.workspace());
            double* const all_keys = all_weights + rows * classes;
            auto* const all_orders = reinterpret_cast<int64_t*>(all_keys + rows * classes);
            int64_t* const drawn = all_orders + rows * classes;
            weights.read(run, 0, rows * classes, all_weights);
            const auto row_at = [&](int64_t r) -> Row {
              return {all_weights + r * classes, all_keys + r * classes, all_orders + r * classes,
                      classes};
            };
            for (int64_t r = 0; r < rows; ++r) {
              const int64_t positive = check_weights(row_at(r), name, r);
              if (replaces || count <= positive) continue;
              refuse(name, r,
                     fmt::format("has {} classes above 0, but {} are drawn", positive, count));
            }
            parallel_pieces(
                rows, std::max<int64_t>(1, kGrain / classes), [&](int64_t begin, int64_t end) {
                  for (int64_t r = begin; r < end; ++r) {
                    if (replaces) {
                      draw_with_replacement(stream, row_at(r), r * count, count, drawn + r * count);
                    } else {
                      draw_without_replacement(stream, row_at(r), r * classes, count,
                                               drawn + r * count);
                    }
                  }
                });
            out.write(run, drawn, 0, rows * count);
            return ACL_SUCCESS;
          },
          static_cast<uint64_t>(numbers) * sizeof(double)};
}

// ---- A permutation ------------------------------------------------------------------------------

Plan plan_permutation(const Arguments& arguments, size_t out, RandomStream source) {
  if (arguments.empty(out)) return {};
  const int64_t count = count_elements(arguments.shape(out));
  return {[=, numbers = Elements(arguments, out)](const Run& run) -> aclError {
            const RandomStream stream = resolved(source, run);
            auto* const order = aligned<int64_t>(run.workspace());
            std::iota(order, order + count, 0);
            // Fisher and Yates: each number in turn trades places with one that is not behind it.
            for (int64_t i = count - 1; i > 0; --i) {
              const uint64_t other = random_below(static_cast<uint64_t>(i) + 1, stream.seed,
                                                  stream.offset, static_cast<uint64_t>(i));
              std::swap(order[i], order[other]);
            }
            numbers.write(run, order, 0, count);
            return ACL_SUCCESS;
          },
          static_cast<uint64_t>(count + 1) * sizeof(int64_t)};
}

}  // namespace aclgrad::ops
