// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/random.h"

#include <cmath>
#include <span>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/optimizer.h"
#include "aclgrad/ops/shape.h"
#include "aclnnop/aclnn_dropout_do_mask.h"
#include "aclnnop/aclnn_dropout_gen_mask.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_uniform.h"
#include "graph/cloning.h"
#include "graph/ops/record_helpers.h"
#include "tensor/at_least_float.h"

namespace aclgrad {
namespace {

constexpr double kLowest = -1.7580993408473766;  // of SELU: -lambda alpha

std::int64_t mask_bytes(const Shape& shape) { return (shape.numel() + 127) / 128 * 16; }

void require_probability(const Recorder& record, double p) {
  record.require_value(p >= 0 && p <= 1, "p must be within [0, 1], got {}", p);
}

void require_int64(const Recorder& record, std::size_t index) {
  const Value& value = record.input(index);
  record.require_value(value.dtype() == DType::int64 && value.shape().numel() == 1,
                       "{} must be one element of int64, got {} {}", value, value.dtype(),
                       value.shape());
}

}  // namespace

Generator::Generator(std::int64_t seed, std::string name)
    : seed_(std::make_shared<std::int64_t>(seed)),
      draws_(std::move(name), Tensor::zeros({1}, DType::int64)) {}

namespace {

std::shared_ptr<std::int64_t> seed_for_copy(const std::shared_ptr<std::int64_t>& seed) {
  return detail::cloned_or_same(seed,
                                [](const auto& of) { return std::make_shared<std::int64_t>(*of); });
}

}  // namespace

Generator::Generator(const Generator& other)
    : seed_(seed_for_copy(other.seed_)), draws_(other.draws_) {}

Generator& Generator::operator=(const Generator& other) {
  seed_ = seed_for_copy(other.seed_);
  draws_ = other.draws_;
  return *this;
}

Value next_mask(Operand x, const Shape& shape, double p, const Generator& generator) {
  const RecordScope scope(x);
  Graph graph = x.graph();
  const Value one = graph.constant(Tensor::full({1}, 1, DType::int64));
  // The count comes first, so that every use of the mask has counted.
  const Value draws = inplace_add(graph.parameter(generator.draws()), one, 1);
  const std::int64_t seed = generator.seed();
  const Tensor number = Tensor::from({1}, std::span(&seed, 1));
  return dropout_mask(shape, p, graph.constant(number), draws, x.where);
}

Value dropout(Operand x, double p, const Generator& generator) {
  const Recorder record("dropout", {x}, x.where);
  record.require_floating(0);
  require_probability(record, p);
  return p == 0 ? x : apply_dropout(x, next_mask(x, x.shape(), p, generator), p);
}

// With q = 1 - p, a dropped element is kLowest, and a (x or kLowest) + b has mean 0 and variance 1
// for an x that has. Kept elements come back from apply_dropout divided by q.
Value alpha_dropout(Operand x, double p, const Generator& generator) {
  const RecordScope scope(x);
  const Recorder record("alpha_dropout", {x}, x.where);
  record.require_floating(0);
  record.require_value(p >= 0 && p < 1, "p must be within [0, 1), got {}", p);
  if (p == 0) return x;
  const double q = 1 - p;
  const double a = 1 / std::sqrt(q + kLowest * kLowest * q * p);
  const double b = -a * p * kLowest;
  const Value mask = next_mask(x, x.shape(), p, generator);
  // Before it is scaled back, what is kept may be too large for 16 bits.
  const Value wide = cast(x, detail::at_least_float(x.dtype()));
  const Value kept = apply_dropout(add(wide, -kLowest), mask, p);
  return cast(add(mul(kept, a * q), a * kLowest + b), x.dtype());
}

Value dropout_mask(const Shape& shape, double p, const Value& seed, const Value& draws,
                   std::source_location where) {
  Recorder record("dropout_mask", {seed, draws}, where);
  require_probability(record, p);
  require_int64(record, 0);
  require_int64(record, 1);
  return record.add<DropoutMaskOp>({shape, p}, {Shape{mask_bytes(shape)}, DType::uint8});
}

Value apply_dropout(Operand x, const Value& mask, double p) {
  Recorder record("dropout", {x, mask}, x.where);
  record.require_floating(0);
  require_probability(record, p);
  record.require_shape(mask.dtype() == DType::uint8 && mask.shape() == Shape{mask_bytes(x.shape())},
                       "a mask for {} is uint8 [{}], got {} {}", x.shape(), mask_bytes(x.shape()),
                       mask.dtype(), mask.shape());
  return record.add<DropoutOp>({p}, record.like(0));
}

namespace calls {

const Declaration<DropoutMaskAttributes> dropout_mask = {
    "dropout_mask", ACLGRAD_C(aclnnDropoutGenMaskV2Tensor), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      return aclnnDropoutGenMaskV2TensorGetWorkspaceSize(
          call.int_array(values.shape.dims()), values.p, call.input(0), call.input(1),
          /*offset=*/0, ACL_FLOAT, call.output(0), end...);
    }};
const Declaration<DropoutAttributes> apply_dropout = {"dropout", ACLGRAD_C(aclnnDropoutDoMask),
                                                      elementwise};

}  // namespace calls

namespace {

// What random numbers of a floating dtype are drawn by is finite.
void require_random(const Recorder& record, DType dtype, double number, std::string_view what) {
  record.require_dtype(is_floating(dtype), "random numbers are of a floating dtype, not {}", dtype);
  record.require_value(std::isfinite(number), "{} must be finite, got {}", what, number);
  record.require_holds(dtype, number, what);
}

}  // namespace

Value normal(const Graph& graph, Shape shape, double mean, double stddev, std::int64_t seed,
             std::int64_t offset, DType dtype, std::source_location where) {
  Recorder record("normal", graph, where);
  require_random(record, dtype, mean, "the mean");
  require_random(record, dtype, stddev, "the standard deviation");
  record.require_value(stddev >= 0, "the standard deviation must not be negative, got {}", stddev);
  return record.add<NormalOp>({mean, stddev, seed, offset}, {std::move(shape), dtype});
}

Value uniform(const Graph& graph, Shape shape, double low, double high, std::int64_t seed,
              std::int64_t offset, DType dtype, std::source_location where) {
  Recorder record("uniform", graph, where);
  require_random(record, dtype, low, "low");
  require_random(record, dtype, high, "high");
  record.require_value(low <= high, "low must not exceed high, got {} and {}", low, high);
  return record.add<UniformOp>({low, high, seed, offset}, {std::move(shape), dtype});
}

namespace calls {

const Declaration<NormalAttributes> normal = {"normal", ACLGRAD_C(aclnnInplaceNormal), separate};
const Declaration<UniformAttributes> uniform = {"uniform", ACLGRAD_C(aclnnInplaceUniform),
                                                separate};

}  // namespace calls
}  // namespace aclgrad
