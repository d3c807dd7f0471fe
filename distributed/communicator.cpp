// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/distributed/communicator.h"

#include <fmt/format.h>

#include "aclgrad/error.h"
#include "aclgrad/runtime.h"
#include "membership.h"

namespace aclgrad {
namespace detail {

void check_hccl(HcclResult result, std::string_view function, std::string_view where) {
  check_status(result, function, where, HcclGetErrorString(result));
}

HcclDataType hccl_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return HCCL_DATA_TYPE_FP32;
    case DType::float16:
      return HCCL_DATA_TYPE_FP16;
    case DType::bfloat16:
      return HCCL_DATA_TYPE_BFP16;
    case DType::float64:
      return HCCL_DATA_TYPE_FP64;
    case DType::int64:
      return HCCL_DATA_TYPE_INT64;
    case DType::int32:
      return HCCL_DATA_TYPE_INT32;
    case DType::int16:
      return HCCL_DATA_TYPE_INT16;
    case DType::int8:
      return HCCL_DATA_TYPE_INT8;
    case DType::uint8:
    case DType::boolean:
      return HCCL_DATA_TYPE_UINT8;
  }
  throw DTypeError(fmt::format("there is no exchange of dtype {}", static_cast<int>(dtype)));
}

}  // namespace detail

namespace {

void synchronize(const detail::Membership& membership, std::string_view what) {
  check_status(aclrtSynchronizeStream(membership.stream().get()), "aclrtSynchronizeStream", what);
}

}  // namespace

Communicator::Communicator() = default;
Communicator::Communicator(std::shared_ptr<detail::Membership> membership)
    : membership_(std::move(membership)) {}
Communicator::Communicator(const Communicator&) = default;
Communicator& Communicator::operator=(const Communicator&) = default;
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;

HcclRootInfo Communicator::make_root() {
  ensure_runtime();
  HcclRootInfo root{};
  detail::check_hccl(HcclGetRootInfo(&root), "HcclGetRootInfo");
  return root;
}

Communicator Communicator::join(const HcclRootInfo& root, int rank, int size,
                                const CommunicatorOptions& options) {
  if (size < 1 || rank < 0 || rank >= size) {
    throw ValueError(fmt::format("there is no rank {} of {}", rank, size));
  }
  ensure_runtime();
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  if (options.timeout_seconds) config.hcclExecTimeOut = *options.timeout_seconds;
  Stream stream;
  HcclComm comm = nullptr;
  detail::check_hccl(HcclCommInitRootInfoConfig(static_cast<std::uint32_t>(size), &root,
                                                static_cast<std::uint32_t>(rank), &config, &comm),
                     "HcclCommInitRootInfoConfig", fmt::format("rank {} of {}", rank, size));
  return Communicator(std::make_shared<detail::Membership>(std::move(stream), comm, rank, size));
}

int Communicator::rank() const noexcept { return membership_ ? membership_->rank() : 0; }
int Communicator::size() const noexcept { return membership_ ? membership_->size() : 1; }

void Communicator::barrier() const {
  if (size() == 1) return;
  detail::check_hccl(HcclBarrier(membership_->comm(), membership_->stream().get()), "HcclBarrier");
  synchronize(*membership_, "waiting for the other ranks");
}

void Communicator::broadcast(std::span<const Variable> variables) const {
  if (size() == 1) return;
  for (const Variable& variable : variables) variable.check_alive();
  for (const Variable& variable : variables) {
    detail::check_hccl(
        HcclBroadcast(variable.address(), static_cast<std::uint64_t>(variable.shape().numel()),
                      detail::hccl_type(variable.dtype()), 0, membership_->comm(),
                      membership_->stream().get()),
        "HcclBroadcast", fmt::format("variable `{}`", variable.name()));
    variable.mark_changed();
  }
  synchronize(*membership_, "giving all ranks the variables of rank 0");
}

std::vector<std::byte> Communicator::all_gather(std::span<const std::byte> bytes) const {
  std::vector<std::byte> all(bytes.begin(), bytes.end());
  if (size() == 1) return all;
  DeviceBuffer mine(bytes.size());
  DeviceBuffer everyones(bytes.size() * static_cast<std::size_t>(size()));
  mine.upload(bytes.data(), bytes.size());
  detail::check_hccl(
      HcclAllGather(mine.data(), everyones.data(), bytes.size(), HCCL_DATA_TYPE_UINT8,
                    membership_->comm(), membership_->stream().get()),
      "HcclAllGather");
  synchronize(*membership_, "gathering from all ranks");
  all.resize(everyones.bytes());
  everyones.download(all.data(), all.size());
  return all;
}

void Communicator::broadcast(std::span<std::byte> bytes) const {
  if (size() == 1) return;
  DeviceBuffer buffer(bytes.size());
  buffer.upload(bytes.data(), bytes.size());
  detail::check_hccl(HcclBroadcast(buffer.data(), bytes.size(), HCCL_DATA_TYPE_UINT8, 0,
                                   membership_->comm(), membership_->stream().get()),
                     "HcclBroadcast");
  synchronize(*membership_, "giving all ranks what rank 0 has");
  buffer.download(bytes.data(), bytes.size());
}

}  // namespace aclgrad
