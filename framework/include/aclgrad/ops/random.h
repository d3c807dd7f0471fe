// SPDX-License-Identifier: Apache-2.0
// Dropout (Srivastava et al. 2014). Masks come from a Generator, which counts its draws in a
// variable: every run of a session draws anew, whether it launches its nodes or replays them, and a
// checkpoint with the variable resumes the sequence.
#pragma once

#include <memory>
#include <source_location>
#include <string>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"
#include "aclgrad/variable.h"

namespace aclgrad {

/// A sequence of random masks. A handle; copies share the sequence, as do graphs that use it.
class Generator {
 public:
  /// Allocates the counter on the device in use, as a Variable of this name.
  explicit Generator(std::int64_t seed = 0, std::string name = "generator");

  Generator(const Generator& other);
  Generator(Generator&&) noexcept = default;
  Generator& operator=(const Generator& other);
  Generator& operator=(Generator&&) noexcept = default;
  ~Generator() = default;

  std::int64_t seed() const noexcept { return *seed_; }

  /// Another seed for what is recorded from now on.
  void reseed(std::int64_t seed) const noexcept { *seed_ = seed; }

  /// How many masks have been drawn: int64, one element. Assign to it to go back.
  const Variable& draws() const noexcept { return draws_; }

 private:
  std::shared_ptr<std::int64_t> seed_;
  Variable draws_;
};

/// Every element is 0 with probability p, otherwise x / (1 - p): the mean stays. x itself for p =
/// 0. For training only: an evaluation graph is recorded without it. Throws ValueError unless 0 <=
/// p <= 1.
Value dropout(Operand x, double p, const Generator& generator);

/// The dropout of SELU networks (Klambauer et al. 2017): dropped elements take SELU's lower limit,
/// -1.7581, and a linear map restores mean 0 and variance 1. x itself for p = 0. Throws ValueError
/// unless 0 <= p < 1.
Value alpha_dropout(Operand x, double p, const Generator& generator);

/// The two parts of dropout. The mask has one bit for each element of the shape, least significant
/// first, in a uint8 tensor of whole multiples of 16 bytes: 1 to keep the element.
Value dropout_mask(const Shape& shape, double p, const Value& seed, const Value& draws,
                   std::source_location where = std::source_location::current());
Value apply_dropout(Operand x, const Value& mask, double p);

/// The next mask of the generator's sequence for a shape, in x's graph.
Value next_mask(Operand x, const Shape& shape, double p, const Generator& generator);

struct DropoutMaskAttributes {
  Shape shape;
  double p;
  auto arguments() const { return named({"shape", "p"}, shape.dims(), p); }
};
struct DropoutAttributes {
  double p;
  auto arguments() const { return named({"p"}, p); }
};

namespace calls {
extern const Declaration<DropoutMaskAttributes> dropout_mask;
extern const Declaration<DropoutAttributes> apply_dropout;
}  // namespace calls

using DropoutMaskOp = DeclaredOp<calls::dropout_mask>;
using DropoutOp = DeclaredOp<calls::apply_dropout>;

/// Random numbers from the operator library's generator: every run gives the same ones, those of
/// (seed, offset). Throw DTypeError unless the dtype is floating, ValueError when stddev < 0, when
/// low > high, and for a number that is not finite or that the dtype cannot hold.
Value normal(const Graph& graph, Shape shape, double mean, double stddev, std::int64_t seed,
             std::int64_t offset = 0, DType dtype = DType::float32,
             std::source_location where = std::source_location::current());
Value uniform(const Graph& graph, Shape shape, double low, double high, std::int64_t seed,
              std::int64_t offset = 0, DType dtype = DType::float32,
              std::source_location where = std::source_location::current());

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
extern const Declaration<NormalAttributes> normal;
extern const Declaration<UniformAttributes> uniform;
}  // namespace calls

using NormalOp = DeclaredOp<calls::normal>;
using UniformOp = DeclaredOp<calls::uniform>;

}  // namespace aclgrad
