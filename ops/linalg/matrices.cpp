// SPDX-License-Identifier: Apache-2.0
#include "ops/linalg/matrices.h"

#include <fmt/format.h>

#include "ops/engine/thread_scratch.h"

namespace aclgrad::ops {
namespace {

constexpr size_t kMatrix = 2;  // dimensions

struct MatrixScratch : GrowingMemory {};

DimSet matrix_dimensions(const Dims& shape) { return dimensions(shape.size() - kMatrix, kMatrix); }

}  // namespace

Rules has_matrices(size_t tensor) {
  const auto two = [=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(tensor);
    if (shape.size() >= kMatrix) return std::nullopt;
    return fmt::format("tensor {} must have at least 2 dimensions, but is {}.",
                       arguments.name(tensor), to_string(shape));
  };
  return {require(two), max_rank(tensor)};
}

Rule is_square(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(tensor);
    if (shape[shape.size() - 2] == shape[shape.size() - 1]) return std::nullopt;
    return fmt::format("tensor {} must have as many rows as columns, but is {}.",
                       arguments.name(tensor), to_string(shape));
  });
}

Dims batch_of(const Dims& shape) { return {shape.data(), shape.size() - kMatrix}; }

Dims with_sizes(Dims batch, std::initializer_list<int64_t> sizes) {
  for (const int64_t size : sizes) batch.push_back(size);
  return batch;
}

Matrices::Matrices(const Arguments& arguments, size_t tensor)
    : Slices(arguments, tensor, matrix_dimensions(arguments.shape(tensor))),
      rows(arguments.shape(tensor)[arguments.shape(tensor).size() - 2]),
      columns(arguments.shape(tensor)[arguments.shape(tensor).size() - 1]) {}

void for_each_matrix(int64_t count, int64_t doubles, MatrixBody body) {
  constexpr int64_t kGrain = 1 << 10;  // doubles that a thread takes at a time
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, doubles));
  parallel_pieces(count, grain, [&](int64_t begin, int64_t end) {
    const ThreadScratch<MatrixScratch> scratch;
    auto* const room = scratch->of<double>(doubles);
    for (int64_t i = begin; i < end; ++i) body(i, room);
  });
}

}  // namespace aclgrad::ops
