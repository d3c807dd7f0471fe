// SPDX-License-Identifier: Apache-2.0
// hccl/hccl_comm.h: making communicators, asking about them, ending them.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <vector>

#include "hccl/hccl.h"
#include "ops/hccl/communicator.h"
#include "ops/hccl/device.h"
#include "ops/hccl/local_group.h"
#include "ops/hccl/rendezvous.h"

namespace aclgrad::hccl {
namespace {

// A name kept for a communicator in the making; it goes with the communicator once there is one.
class NameReservation {
 public:
  NameReservation(int32_t device, const std::string& name) : device_(device), name_(name) {
    if (!reserve_name(device, name)) {
      throw Failure(
          HCCL_E_PARA,
          fmt::format("a communicator of device {} has the name \"{}\" already", device, name));
    }
  }
  ~NameReservation() {
    if (!is_kept_) release_name(device_, name_);
  }
  NameReservation(const NameReservation&) = delete;
  NameReservation& operator=(const NameReservation&) = delete;

  void keep() { is_kept_ = true; }

 private:
  const int32_t device_;
  const std::string name_;
  bool is_kept_ = false;
};

std::string made_up_name(const Invitation& invitation) {
  const auto& [high, low] = invitation.group.bits;
  return fmt::format("hccl_{:016x}{:016x}", high, low);
}

// Joins the group and makes its communicator.
HcclComm make_communicator(const Invitation& invitation, uint32_t size, uint32_t rank,
                           int32_t device, Settings settings, bool is_part_of_another) {
  if (settings.name.empty()) settings.name = made_up_name(invitation);
  NameReservation name(device, settings.name);
  const auto group = join_group(invitation, size, rank, settings.connect_timeout);
  try {
    HcclComm handle = enroll(std::make_shared<Communicator>(
        Communicator::Identity{group, invitation, rank, device, is_part_of_another},
        std::move(settings)));
    name.keep();
    return handle;
  } catch (...) {
    group->leave(rank);  // the others need not wait
    throw;
  }
}

// What both functions check first.
HcclResult check_join(const Call& call, uint32_t size, const HcclRootInfo* info, uint32_t rank,
                      const HcclComm* comm) {
  if (size == 0) return call.bad_value(HCCL_E_PARA, "nRanks", size, "1 or more");
  if (rank >= size) {
    return call.bad_value(HCCL_E_PARA, "rank", rank, fmt::format("less than nRanks, {}", size));
  }
  if (comm == nullptr) return call.null_pointer("comm");
  if (info == nullptr) return call.null_pointer("rootInfo");
  return HCCL_SUCCESS;
}

HcclResult check_devices(const Call& call, uint32_t count, const int32_t* devices) {
  uint32_t there = 0;
  if (aclrtGetDeviceCount(&there) != ACL_SUCCESS) return call.no_device();
  std::set<int32_t> seen;
  for (uint32_t i = 0; i < count; ++i) {
    if (!seen.insert(devices[i]).second) {
      return call.failed(HCCL_E_PARA, fmt::format("argument devices has {} twice", devices[i]));
    }
  }
  for (const int32_t device : seen) {
    if (device < 0 || static_cast<uint32_t>(device) >= there) {
      return call.failed(HCCL_E_INTERNAL,
                         fmt::format("argument devices has {}, but there {} {} device{}", device,
                                     there == 1 ? "is" : "are", there, there == 1 ? "" : "s"),
                         "The environment variable ACLGRAD_DEVICE_COUNT sets their number.");
    }
  }
  return HCCL_SUCCESS;
}

HcclResult make_all(uint32_t count, const int32_t* devices, HcclComm* comms) {
  Settings settings = default_settings();
  const Invitation invitation = make_invitation();
  settings.name = made_up_name(invitation);
  const auto group = std::make_shared<LocalGroup>(count);
  std::vector<HcclComm> made;
  try {
    for (uint32_t rank = 0; rank < count; ++rank) {
      NameReservation name(devices[rank], settings.name);
      made.push_back(nullptr);
      made.back() = enroll(std::make_shared<Communicator>(
          Communicator::Identity{group, invitation, rank, devices[rank], false}, settings));
      name.keep();
    }
  } catch (...) {
    for (size_t rank = 0; rank < made.size(); ++rank) dismiss(made[rank], devices[rank]);
    throw;
  }
  std::copy(made.begin(), made.end(), comms);
  return HCCL_SUCCESS;
}

struct Part {
  uint32_t count;
  const uint32_t* ranks;
  uint64_t number;
  uint32_t rank;
};

HcclResult check_part(const Call& call, const Communicator& parent, const Part& part) {
  if (parent.is_part_of_another()) {
    return call.not_supported("argument comm is itself a part of another group");
  }
  if (part.count == 0 || part.count > parent.size()) {
    return call.bad_value(HCCL_E_PARA, "rankNum", part.count,
                          fmt::format("1 to the size of the group, {}", parent.size()));
  }
  for (uint32_t i = 0; i < part.count; ++i) {
    if (part.ranks[i] >= parent.size() || (i > 0 && part.ranks[i] <= part.ranks[i - 1])) {
      return call.failed(HCCL_E_PARA,
                         fmt::format("argument rankIds has {} at {}, expected ranks of "
                                     "the group, ascending",
                                     part.ranks[i], i));
    }
  }
  if (part.rank >= part.count || part.ranks[part.rank] != parent.rank()) {
    return call.bad_value(HCCL_E_PARA, "subCommRankId", part.rank,
                          fmt::format("the place of rank {} in rankIds", parent.rank()));
  }
  return HCCL_SUCCESS;
}

}  // namespace
}  // namespace aclgrad::hccl

using namespace aclgrad::hccl;

HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
  return entry(__func__, [&](const Call& call) {
    if (!current_device()) return call.no_device();
    if (rootInfo == nullptr) return call.null_pointer("rootInfo");
    const Invitation invitation = make_invitation();
    publish(invitation);
    *rootInfo = to_root_info(invitation);
    return HCCL_SUCCESS;
  });
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                HcclComm* comm) {
  return entry(__func__, [&](const Call& call) {
    const std::optional<int32_t> device = current_device();
    if (!device) return call.no_device();
    if (const HcclResult bad = check_join(call, nRanks, rootInfo, rank, comm)) return bad;
    *comm = make_communicator(from_root_info(*rootInfo), nRanks, rank, *device, default_settings(),
                              /*is_part_of_another=*/false);
    return HCCL_SUCCESS;
  });
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                      const HcclCommConfig* config, HcclComm* comm) {
  return entry(__func__, [&](const Call& call) {
    const std::optional<int32_t> device = current_device();
    if (!device) return call.no_device();
    if (const HcclResult bad = check_join(call, nRanks, rootInfo, rank, comm)) return bad;
    *comm = make_communicator(from_root_info(*rootInfo), nRanks, rank, *device,
                              settings_from(config, default_settings()),
                              /*is_part_of_another=*/false);
    return HCCL_SUCCESS;
  });
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms) {
  return entry(__func__, [&](const Call& call) {
    if (!current_device()) return call.no_device();
    if (ndev == 0) return call.bad_value(HCCL_E_PARA, "ndev", ndev, "1 or more");
    if (comms == nullptr) return call.null_pointer("comms");
    if (devices == nullptr) return call.null_pointer("devices");
    std::fill_n(comms, ndev, nullptr);
    if (const HcclResult bad = check_devices(call, ndev, devices)) return bad;
    return make_all(ndev, devices, comms);
  });
}

HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds,
                                   uint64_t subCommId, uint32_t subCommRankId,
                                   HcclCommConfig* config, HcclComm* subComm) {
  constexpr uint64_t kNoMember = 0xFFFFFFFF;
  return entry(__func__, [&](const Call& call) {
    const std::optional<int32_t> device = current_device();
    if (!device) return call.no_device();
    if (comm == nullptr) return call.null_pointer("comm");
    if (subComm == nullptr) return call.null_pointer("subComm");
    if (*comm == nullptr) return call.null_pointer("*comm");
    const Use parent(*comm);
    if (!parent) return not_live(call, *comm);
    *subComm = nullptr;
    if (rankIds == nullptr && subCommId == kNoMember) return HCCL_SUCCESS;
    if (rankIds == nullptr) return call.null_pointer("rankIds");
    const Part part{rankNum, rankIds, subCommId, subCommRankId};
    if (const HcclResult bad = check_part(call, *parent.get(), part)) return bad;
    Settings settings = parent->settings();
    settings.name.clear();
    if (config != nullptr) settings = settings_from(config, std::move(settings));
    *subComm = make_communicator(
        derive(parent->invitation(), subCommId, rankIds, rankNum, parent->process_of(rankIds[0])),
        rankNum, subCommRankId, *device, std::move(settings), /*is_part_of_another=*/true);
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
  return entry(__func__, [&](const Call& call) {
    if (comm == nullptr) return call.null_pointer("comm");
    if (rankSize == nullptr) return call.null_pointer("rankSize");
    const Use use(comm);
    if (!use) return not_live(call, comm);
    *rankSize = use->size();
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
  return entry(__func__, [&](const Call& call) {
    if (comm == nullptr) return call.null_pointer("comm");
    if (rank == nullptr) return call.null_pointer("rank");
    const Use use(comm);
    if (!use) return not_live(call, comm);
    *rank = use->rank();
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetCommName(HcclComm comm, char* commName) {
  return entry(__func__, [&](const Call& call) {
    if (comm == nullptr) return call.null_pointer("comm");
    if (commName == nullptr) return call.null_pointer("commName");
    const Use use(comm);
    if (!use) return not_live(call, comm);
    const std::string& name = use->settings().name;
    std::memcpy(commName, name.c_str(), name.size() + 1);
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError) {
  return entry(__func__, [&](const Call& call) {
    if (comm == nullptr) return call.null_pointer("comm");
    if (asyncError == nullptr) return call.null_pointer("asyncError");
    const Use use(comm);
    if (!use) return not_live(call, comm);
    *asyncError = use->async_error();
    return HCCL_SUCCESS;
  });
}

HcclResult HcclCommDestroy(HcclComm comm) {
  return entry(__func__, [&](const Call& call) {
    const std::optional<int32_t> device = current_device();
    if (!device) return call.no_device();
    if (comm == nullptr) return HCCL_SUCCESS;
    const Removal removal = dismiss(comm, *device);
    if (removal.result == HCCL_E_AGAIN) {
      return call.failed(HCCL_E_AGAIN, "another thread is in a call with the communicator",
                         "Destroy it once all its calls have returned.");
    }
    if (!removal.communicator) return not_live(call, comm);
    removal.communicator->end();
    return HCCL_SUCCESS;
  });
}
