// SPDX-License-Identifier: Apache-2.0
// Conversion, copies, and tensors made from nothing.
#ifndef ACLGRAD_OPS_FILL_H_
#define ACLGRAD_OPS_FILL_H_

#include <source_location>

#include "aclgrad/graph.h"

namespace aclgrad {

/// x converted; x itself when it has the dtype already.
Value cast(const Value& x, DType dtype,
           std::source_location where = std::source_location::current());

/// A dense copy.
Value copy(const Value& x, std::source_location where = std::source_location::current());

/// x itself when it is dense, else a dense copy.
Value contiguous(const Value& x, std::source_location where = std::source_location::current());

/// Tensors filled on the device in every run; for one that is uploaded once see Graph::constant.
Value zeros(Graph& graph, Shape shape, DType dtype = DType::float32,
            std::source_location where = std::source_location::current());
Value full(Graph& graph, Shape shape, double value, DType dtype = DType::float32,
           std::source_location where = std::source_location::current());

/// Random numbers from the operator library's generator: every run gives the same ones, those of
/// (seed, offset). Throw ValueError when deviation < 0 and when low > high.
Value normal(Graph& graph, Shape shape, double mean, double deviation, std::int64_t seed,
             std::int64_t offset = 0, DType dtype = DType::float32,
             std::source_location where = std::source_location::current());
Value uniform(Graph& graph, Shape shape, double low, double high, std::int64_t seed,
              std::int64_t offset = 0, DType dtype = DType::float32,
              std::source_location where = std::source_location::current());

struct CastOp final : AclnnOp {
  std::string_view name() const override { return "cast"; }
  std::string_view call_name() const override { return "aclnnCast"; }
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct CopyOp final : AclnnOp {
  std::string_view name() const override { return "copy"; }
  std::string_view call_name() const override { return "aclnnInplaceCopy"; }
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct ZerosOp final : AclnnOp {
  std::string_view name() const override { return "zeros"; }
  std::string_view call_name() const override { return "aclnnInplaceZero"; }
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct FullOp final : AclnnOp {
  double value;

  explicit FullOp(double value_) : value(value_) {}
  std::string_view name() const override { return "full"; }
  std::string_view call_name() const override { return "aclnnInplaceFillScalar"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct NormalOp final : AclnnOp {
  double mean;
  double deviation;
  std::int64_t seed;
  std::int64_t offset;

  NormalOp(double mean_, double deviation_, std::int64_t seed_, std::int64_t offset_)
      : mean(mean_), deviation(deviation_), seed(seed_), offset(offset_) {}
  std::string_view name() const override { return "normal"; }
  std::string_view call_name() const override { return "aclnnInplaceNormal"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct UniformOp final : AclnnOp {
  double low;
  double high;
  std::int64_t seed;
  std::int64_t offset;

  UniformOp(double low_, double high_, std::int64_t seed_, std::int64_t offset_)
      : low(low_), high(high_), seed(seed_), offset(offset_) {}
  std::string_view name() const override { return "uniform"; }
  std::string_view call_name() const override { return "aclnnInplaceUniform"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_FILL_H_
