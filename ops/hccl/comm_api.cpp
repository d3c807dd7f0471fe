// SPDX-License-Identifier: Apache-2.0
// hccl/hccl_comm.h: making communicators, asking about them, ending them.
#include <algorithm>
#include <cstring>
#include <deque>
#include <set>
#include <vector>

#include "hccl/hccl.h"
#include "ops/hccl/communicator.h"
#include "ops/hccl/rendezvous.h"

namespace aclgrad::hccl {
namespace {

std::string made_up_name(const Invitation& invitation) {
  const auto& [high, low] = invitation.group;
  return fmt::format("hccl_{:016x}{:016x}", high, low);
}

// Joins the group and makes its communicator.
HcclComm make_communicator(const Invitation& invitation, uint32_t size, uint32_t rank,
                           int32_t device, Settings settings, bool is_part_of_another) {
  if (settings.name.empty()) settings.name = made_up_name(invitation);
  Registration registration(device, settings.name);
  const auto group = join_group(invitation, size, rank, settings.connect_timeout);
  try {
    return registration.complete(std::make_shared<Communicator>(
        Communicator::Identity{group, invitation, rank, device, is_part_of_another},
        std::move(settings)));
  } catch (...) {
    group->leave(rank);  // the others need not wait
    throw;
  }
}

// Both ways to join; `settings` is called once all else has been checked.
template <class GetSettings>
HcclResult join(const char* function, uint32_t size, const HcclRootInfo* info, uint32_t rank,
                HcclComm* comm, const GetSettings& settings) {
  return entry(function, [&] {
    const int32_t device = current_device();
    if (size == 0) throw bad_value("nRanks", size, "1 or more");
    if (rank >= size) throw bad_value("rank", rank, fmt::format("less than nRanks, {}", size));
    if (comm == nullptr) throw null_pointer("comm");
    if (info == nullptr) throw null_pointer("rootInfo");
    *comm = make_communicator(from_root_info(*info), size, rank, device, settings(),
                              /*is_part_of_another=*/false);
  });
}

void check_devices(uint32_t count, const int32_t* devices) {
  uint32_t there = 0;
  aclrtGetDeviceCount(&there);
  std::set<int32_t> seen;
  for (uint32_t i = 0; i < count; ++i) {
    if (seen.insert(devices[i]).second) continue;
    throw Failure(HCCL_E_PARA, fmt::format("argument devices has {} twice", devices[i]));
  }
  for (const int32_t device : seen) {
    if (device >= 0 && static_cast<uint32_t>(device) < there) continue;
    throw Failure(HCCL_E_INTERNAL,
                  fmt::format("argument devices has {}, but there {} {} device{}", device,
                              there == 1 ? "is" : "are", there, there == 1 ? "" : "s"),
                  "The environment variable ACLGRAD_DEVICE_COUNT sets their number.");
  }
}

void make_all(uint32_t count, const int32_t* devices, HcclComm* comms) {
  Settings settings = default_settings();
  const Invitation invitation = make_invitation();
  settings.name = made_up_name(invitation);
  const auto group =
      std::make_shared<Group>(std::vector<int>(count, kThisProcess), /*network=*/nullptr, 0);
  std::deque<Registration> registrations;
  std::vector<std::shared_ptr<Communicator>> made;
  for (uint32_t rank = 0; rank < count; ++rank) {
    registrations.emplace_back(devices[rank], settings.name);
    made.push_back(std::make_shared<Communicator>(
        Communicator::Identity{group, invitation, rank, devices[rank], false}, settings));
  }
  for (uint32_t rank = 0; rank < count; ++rank) {
    comms[rank] = registrations[rank].complete(made[rank]);
  }
}

// What subCommRankId and the like say of a part of the parent's group.
void check_part(const Communicator& parent, uint32_t count, const uint32_t* ranks, uint32_t rank) {
  if (parent.identity.is_part_of_another) {
    throw Failure(HCCL_E_NOT_SUPPORT, "argument comm is itself a part of another group");
  }
  if (count == 0 || count > parent.size()) {
    throw bad_value("rankNum", count, fmt::format("1 to the size of the group, {}", parent.size()));
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (ranks[i] < parent.size() && (i == 0 || ranks[i] > ranks[i - 1])) continue;
    throw Failure(HCCL_E_PARA, fmt::format("argument rankIds has {} at {}, expected ranks of the "
                                           "group, ascending",
                                           ranks[i], i));
  }
  if (rank >= count || ranks[rank] != parent.rank()) {
    throw bad_value("subCommRankId", rank,
                    fmt::format("the place of rank {} in rankIds", parent.rank()));
  }
}

// Writes answer(communicator) to the output parameter `name`.
template <class Value, class Answer>
HcclResult ask(const char* function, HcclComm comm, const char* name, Value* value,
               const Answer& answer) {
  return entry(function, [&] {
    if (comm == nullptr) throw null_pointer("comm");
    if (value == nullptr) throw null_pointer(name);
    answer(*use(comm));
  });
}

}  // namespace
}  // namespace aclgrad::hccl

using namespace aclgrad::hccl;

HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
  return entry(__func__, [&] {
    current_device();
    if (rootInfo == nullptr) throw null_pointer("rootInfo");
    const Invitation invitation = make_invitation();
    publish(invitation);
    *rootInfo = to_root_info(invitation);
  });
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                HcclComm* comm) {
  return join(__func__, nRanks, rootInfo, rank, comm, default_settings);
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                      const HcclCommConfig* config, HcclComm* comm) {
  return join(__func__, nRanks, rootInfo, rank, comm,
              [&] { return settings_from(config, default_settings()); });
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms) {
  return entry(__func__, [&] {
    current_device();
    if (ndev == 0) throw bad_value("ndev", ndev, "1 or more");
    if (comms == nullptr) throw null_pointer("comms");
    if (devices == nullptr) throw null_pointer("devices");
    std::fill_n(comms, ndev, nullptr);
    check_devices(ndev, devices);
    make_all(ndev, devices, comms);
  });
}

HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds,
                                   uint64_t subCommId, uint32_t subCommRankId,
                                   HcclCommConfig* config, HcclComm* subComm) {
  constexpr uint64_t kNoMember = 0xFFFFFFFF;
  return entry(__func__, [&] {
    const int32_t device = current_device();
    if (comm == nullptr) throw null_pointer("comm");
    if (subComm == nullptr) throw null_pointer("subComm");
    if (*comm == nullptr) throw null_pointer("*comm");
    const auto in_use = use(*comm);
    const Communicator& parent = *in_use;
    *subComm = nullptr;
    if (rankIds == nullptr && subCommId == kNoMember) return;
    if (rankIds == nullptr) throw null_pointer("rankIds");
    check_part(parent, rankNum, rankIds, subCommRankId);
    Settings settings = parent.settings;
    settings.name.clear();
    if (config != nullptr) settings = settings_from(config, std::move(settings));
    *subComm = make_communicator(derive(parent.identity.invitation, subCommId, rankIds, rankNum,
                                        parent.identity.group->process_of(rankIds[0])),
                                 rankNum, subCommRankId, device, std::move(settings),
                                 /*is_part_of_another=*/true);
  });
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
  return ask(__func__, comm, "rankSize", rankSize, [&](const auto& it) { *rankSize = it.size(); });
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
  return ask(__func__, comm, "rank", rank, [&](const auto& it) { *rank = it.rank(); });
}

HcclResult HcclGetCommName(HcclComm comm, char* commName) {
  return ask(__func__, comm, "commName", commName, [&](const auto& it) {
    const std::string& name = it.settings.name;
    std::memcpy(commName, name.c_str(), name.size() + 1);
  });
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError) {
  return ask(__func__, comm, "asyncError", asyncError,
             [&](const auto& it) { *asyncError = it.async_error(); });
}

HcclResult HcclCommDestroy(HcclComm comm) {
  return entry(__func__, [&] {
    const int32_t device = current_device();
    if (comm != nullptr) remove(comm, device)->end();
  });
}
