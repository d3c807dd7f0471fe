// SPDX-License-Identifier: Apache-2.0
// What layers share: seeds of initial weights where none are given, variables in a graph.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "aclgrad/error.h"
#include "aclgrad/graph.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/random.h"
#include "aclgrad/ops/shape.h"
#include "aclgrad/variable.h"
#include "tensor/fnv1a.h"

namespace aclgrad::detail {

inline std::uint64_t seed_of(std::string_view name) {
  return fnv1a(std::as_bytes(std::span(name)));
}

/// The seed of a layer's next part: far enough away that neighbouring seeds of layers do not meet.
inline std::optional<std::uint64_t> next_seed(std::optional<std::uint64_t> seed) {
  if (seed) *seed ^= 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  return seed;
}

/// Throws ShapeError unless a size of a layer is at least 1.
inline void require_size(std::string_view layer, std::string_view what, std::int64_t size) {
  if (size >= 1) return;
  throw ShapeError(fmt::format("{}: {} must be at least 1, got {}", layer, what, size));
}

/// Throws DTypeError where x is not floating, or one of the two is float64 and the other is not:
/// what a layer silently did then would lose digits, or make all that follows slow. 16 bits beside
/// float32 are mixed precision (loss_scaler.h).
void check_beside(const Value& x, const Variable& variable);

/// The variable in x's graph and dtype. Throws as check_beside().
inline Value value_for(Operand x, const Variable& variable) {
  const RecordScope scope(x);
  check_beside(x, variable);
  return cast(x.graph().parameter(variable), x.dtype());
}

}  // namespace aclgrad::detail
