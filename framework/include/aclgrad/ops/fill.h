// SPDX-License-Identifier: Apache-2.0
// Conversion, copies, and tensors made from nothing.
#ifndef ACLGRAD_OPS_FILL_H_
#define ACLGRAD_OPS_FILL_H_

#include <source_location>

#include "aclgrad/declaration.h"
#include "aclgrad/graph.h"

namespace aclgrad {

/// x converted; x itself when it has the dtype already.
Value cast(const Value& x, DType dtype,
           std::source_location where = std::source_location::current());

/// A dense copy.
Value copy(const Value& x, std::source_location where = std::source_location::current());

/// x itself when it is dense, else a dense copy.
Value contiguous(const Value& x, std::source_location where = std::source_location::current());

/// Tensors filled on the device in every run; for one that is uploaded once see Graph::constant. As
/// for Tensor::full, the dtype must be able to hold the value, be it rounded: ValueError otherwise.
Value zeros(const Graph& graph, Shape shape, DType dtype = DType::float32,
            std::source_location where = std::source_location::current());
Value full(const Graph& graph, Shape shape, double value, DType dtype = DType::float32,
           std::source_location where = std::source_location::current());

/// Random numbers from the operator library's generator: every run gives the same ones, those of
/// (seed, offset). Throw DTypeError unless the dtype is floating, ValueError when stddev < 0, when
/// low > high, and for a number that is not finite or that the dtype cannot hold.
Value normal(const Graph& graph, Shape shape, double mean, double stddev, std::int64_t seed,
             std::int64_t offset = 0, DType dtype = DType::float32,
             std::source_location where = std::source_location::current());
Value uniform(const Graph& graph, Shape shape, double low, double high, std::int64_t seed,
              std::int64_t offset = 0, DType dtype = DType::float32,
              std::source_location where = std::source_location::current());

struct FullAttributes {
  double value;
  auto arguments() const { return named({"value"}, value); }
  std::string text() const;
};
struct NormalAttributes {
  double mean;
  double stddev;
  std::int64_t seed;
  std::int64_t offset;
  auto arguments() const {
    return named({"mean", "stddev", "seed", "offset"}, mean, stddev, seed, offset);
  }
};
struct UniformAttributes {
  double low;
  double high;
  std::int64_t seed;
  std::int64_t offset;
  auto arguments() const {
    return named({"low", "high", "seed", "offset"}, low, high, seed, offset);
  }
};

namespace calls {
extern const Declaration<> cast, copy, zeros;
extern const Declaration<FullAttributes> full;
extern const Declaration<NormalAttributes> normal;
extern const Declaration<UniformAttributes> uniform;
}  // namespace calls

using CastOp = DeclaredOp<calls::cast>;
using CopyOp = DeclaredOp<calls::copy>;
using ZerosOp = DeclaredOp<calls::zeros>;
using FullOp = DeclaredOp<calls::full>;
using NormalOp = DeclaredOp<calls::normal>;
using UniformOp = DeclaredOp<calls::uniform>;

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_FILL_H_
