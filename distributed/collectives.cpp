// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/distributed/collectives.h"

#include <fmt/format.h>

#include <optional>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/random.h"
#include "aclgrad/ops/shape.h"
#include "aclgrad/runtime.h"
#include "aclgrad/runtime/accept_double.h"
#include "membership.h"

namespace aclgrad {
namespace {

using detail::check_hccl;
using detail::Membership;

// What all of them are: a call of HCCL with a flat tensor.
class CollectiveOp : public StreamOp {
 public:
  CollectiveOp(std::shared_ptr<Membership> membership, CollectiveOptions options)
      : membership_(std::move(membership)), options_(options) {}

  std::string attributes() const override { return fmt::format("{} ranks", membership_->size()); }
  bool is_async() const override { return options_.async; }

 protected:
  const Membership& membership() const { return *membership_; }

  // Most products have no sums of float64; ours have while that is enabled.
  template <class Call>
  void queue_sum(const StreamCall& call, DType dtype, const Call& hccl) const {
    std::optional<detail::AcceptDouble> permission;
    if (dtype == DType::float64 && detail::AcceptDouble::is_available()) permission.emplace();
    check_hccl(hccl(), call_name(), label(call.node()));
  }

 private:
  std::shared_ptr<Membership> membership_;
  CollectiveOptions options_;
};

std::size_t bytes_of(const StreamCall::Buffer& buffer) {
  return static_cast<std::size_t>(buffer.spec->shape.numel()) * size_of(buffer.spec->dtype);
}

// Queues copies that lay the inputs side by side in `flat`, and fill up the rest with zeros.
void pack(const StreamCall& call, const StreamCall::Buffer& flat, aclrtStream stream) {
  auto* at = static_cast<std::byte*>(flat.address);
  std::size_t room = bytes_of(flat);
  for (const StreamCall::Buffer& input : call.inputs()) {
    const std::size_t bytes = bytes_of(input);
    if (bytes == 0) continue;
    check_status(
        aclrtMemcpyAsync(at, room, input.address, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
        "aclrtMemcpyAsync", label(call.node()));
    at += bytes;
    room -= bytes;
  }
  if (room == 0) return;
  check_status(aclrtMemsetAsync(at, room, 0, room, stream), "aclrtMemsetAsync", label(call.node()));
}

std::uint64_t count_of(const StreamCall::Buffer& buffer) {
  return static_cast<std::uint64_t>(buffer.spec->shape.numel());
}

class AllReduceOp final : public CollectiveOp {
 public:
  using CollectiveOp::CollectiveOp;
  std::string_view name() const override { return "all_reduce"; }
  std::string_view call_name() const override { return "HcclAllReduce"; }

  void queue(const StreamCall& call, aclrtStream stream) const override {
    const StreamCall::Buffer& sum = call.outputs().front();
    void* from = call.inputs().front().address;
    if (call.inputs().size() > 1) {
      pack(call, sum, stream);
      from = sum.address;
    }
    queue_sum(call, sum.spec->dtype, [&] {
      return HcclAllReduce(from, sum.address, count_of(sum), detail::hccl_type(sum.spec->dtype),
                           HCCL_REDUCE_SUM, membership().comm(), stream);
    });
  }
};

// Outputs: the share, and the flat tensor of what is summed.
class ReduceScatterOp final : public CollectiveOp {
 public:
  using CollectiveOp::CollectiveOp;
  std::string_view name() const override { return "reduce_scatter"; }
  std::string_view call_name() const override { return "HcclReduceScatter"; }

  void queue(const StreamCall& call, aclrtStream stream) const override {
    const StreamCall::Buffer& share = call.outputs()[0];
    const StreamCall::Buffer& flat = call.outputs()[1];
    pack(call, flat, stream);
    queue_sum(call, share.spec->dtype, [&] {
      return HcclReduceScatter(flat.address, share.address, count_of(share),
                               detail::hccl_type(share.spec->dtype), HCCL_REDUCE_SUM,
                               membership().comm(), stream);
    });
  }
};

class AllGatherOp final : public CollectiveOp {
 public:
  using CollectiveOp::CollectiveOp;
  std::string_view name() const override { return "all_gather"; }
  std::string_view call_name() const override { return "HcclAllGather"; }

  void queue(const StreamCall& call, aclrtStream stream) const override {
    const StreamCall::Buffer& share = call.inputs().front();
    check_hccl(HcclAllGather(share.address, call.outputs().front().address, count_of(share),
                             detail::hccl_type(share.spec->dtype), membership().comm(), stream),
               call_name(), label(call.node()));
  }
};

struct PartOp final : ViewOp {
  std::int64_t first;

  explicit PartOp(std::int64_t first_) : first(first_) {}
  std::string_view name() const override { return "part"; }
  std::string attributes() const override { return fmt::format("from {}", first); }
};

const std::shared_ptr<Membership>& membership_of(const Recorder& record,
                                                 const Communicator& communicator) {
  record.require_value(communicator.membership() != nullptr,
                       "there are no other ranks to exchange with");
  return communicator.membership();
}

std::vector<Value> dense(const std::vector<Value>& tensors, std::source_location where) {
  std::vector<Value> all;
  for (const Value& tensor : tensors) all.push_back(contiguous({tensor, where}));
  return all;
}

std::int64_t elements_of(const Recorder& record, const std::vector<Value>& tensors) {
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    record.require_same_dtype(0, i);
    elements += tensors[i].shape().numel();
  }
  return elements;
}

}  // namespace

Value all_reduce(const Communicator& communicator, const std::vector<Value>& tensors,
                 CollectiveOptions options, std::source_location where) {
  Recorder record("all_reduce", dense(tensors, where), where);
  const std::int64_t elements = elements_of(record, tensors);
  return record.add(std::make_shared<AllReduceOp>(membership_of(record, communicator), options),
                    {Shape{elements}, tensors.front().dtype()});
}

Value reduce_scatter(const Communicator& communicator, const std::vector<Value>& tensors,
                     CollectiveOptions options, std::source_location where) {
  Recorder record("reduce_scatter", dense(tensors, where), where);
  const std::int64_t size = communicator.size();
  const std::int64_t share = (elements_of(record, tensors) + size - 1) / size;
  const DType dtype = tensors.front().dtype();
  return record
      .add(std::make_shared<ReduceScatterOp>(membership_of(record, communicator), options),
           {{Shape{share}, dtype}, {Shape{share * size}, dtype}})
      .front();
}

Value all_gather(const Communicator& communicator, const Value& share, CollectiveOptions options,
                 std::source_location where) {
  Recorder record("all_gather", {contiguous({share, where})}, where);
  return record.add(std::make_shared<AllGatherOp>(membership_of(record, communicator), options),
                    {Shape{share.shape().numel() * communicator.size()}, share.dtype()});
}

Value part(const Value& flat, std::int64_t first, const Shape& shape, std::source_location where) {
  Recorder record("part", {flat}, where);
  record.require_shape(flat.shape().rank() == 1 && flat.is_contiguous(), "{} is not a flat tensor",
                       flat);
  record.require_shape(first >= 0 && first + shape.numel() <= flat.shape().numel(),
                       "a tensor of shape {} from element {} on does not lie in {} of {}", shape,
                       first, flat, flat.shape());
  return record.add_view(std::make_shared<PartOp>(first), shape, shape.strides(),
                         flat.offset() + first);
}

}  // namespace aclgrad
