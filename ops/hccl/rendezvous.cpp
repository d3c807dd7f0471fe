// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/rendezvous.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <vector>

#include "ops/hccl/local_group.h"

namespace aclgrad::hccl {
namespace {

// The bytes of a root info; the rest is zero.
struct Layout {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
  Invitation invitation;
};
static_assert(sizeof(Layout) <= sizeof(HcclRootInfo));

constexpr char kMagic[8] = {'a', 'c', 'l', 'g', 'h', 'c', 'c', 'l'};
constexpr uint32_t kVersion = 1;

// The ranks of a group that is being made.
struct Gathering {
  uint32_t size = 0;
  std::vector<bool> joined;
  uint32_t count = 0;
  std::shared_ptr<Group> group;  // when all have joined
  std::string failure;
  std::condition_variable changed;
};

struct Rendezvous {
  std::mutex mutex;
  std::map<Token, std::shared_ptr<Gathering>> gatherings;
};

Rendezvous& rendezvous() {
  static auto& instance = *new Rendezvous;
  return instance;
}

Token make_token() {
  std::random_device source;
  const auto word = [&] { return uint64_t{source()} << 32 | source(); };
  return {{word(), word()}};
}

const Token& this_process() {
  static const Token token = make_token();
  return token;
}

// Scrambles its argument, each bit of which has an effect on all of the result (splitmix64).
uint64_t scramble(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

std::string missing_ranks(const Gathering& gathering) {
  std::vector<size_t> missing;
  for (size_t rank = 0; rank < gathering.joined.size(); ++rank) {
    if (!gathering.joined[rank]) missing.push_back(rank);
  }
  return fmt::format("rank{} {}", missing.size() == 1 ? "" : "s", fmt::join(missing, ", "));
}

std::shared_ptr<Gathering> find_gathering(const Invitation& invitation, uint32_t size) {
  auto& table = rendezvous().gatherings;
  auto found = table.find(invitation.group);
  if (found == table.end()) {
    if (invitation.process == this_process()) {
      throw Failure(HCCL_E_PARA, "the group of this root info was made, or given up, already",
                    "Call HcclGetRootInfo again for another group.");
    }
    found = table.emplace(invitation.group, std::make_shared<Gathering>()).first;
  }
  std::shared_ptr<Gathering> gathering = found->second;
  if (gathering->size == 0) {
    gathering->size = size;
    gathering->joined.assign(size, false);
  }
  return gathering;
}

}  // namespace

Invitation make_invitation() { return {make_token(), this_process()}; }

void announce(const Invitation& invitation) {
  const std::lock_guard lock(rendezvous().mutex);
  rendezvous().gatherings.emplace(invitation.group, std::make_shared<Gathering>());
}

HcclRootInfo to_root_info(const Invitation& invitation) {
  Layout layout{.magic = {}, .version = kVersion, .reserved = 0, .invitation = invitation};
  std::memcpy(layout.magic, kMagic, sizeof kMagic);
  HcclRootInfo info{};
  std::memcpy(info.internal, &layout, sizeof layout);
  return info;
}

Invitation from_root_info(const HcclRootInfo& info) {
  Layout layout{};
  std::memcpy(&layout, info.internal, sizeof layout);
  if (std::memcmp(layout.magic, kMagic, sizeof kMagic) != 0 || layout.version != kVersion) {
    throw Failure(HCCL_E_PARA, "argument rootInfo has bytes that HcclGetRootInfo did not write",
                  "Hand all bytes of the root's HcclRootInfo to every rank before it joins.");
  }
  return layout.invitation;
}

Invitation derive(const Invitation& parent, uint64_t number, const uint32_t* ranks, size_t count) {
  // Not of this process, whoever asks: nobody has announced it.
  Invitation invitation{parent.group, {}};
  for (size_t half = 0; half < 2; ++half) {
    uint64_t& bits = invitation.group.bits[half];
    bits = scramble(bits + half);
    bits = scramble(bits ^ number);
    for (size_t i = 0; i < count; ++i) bits = scramble(bits ^ ranks[i]);
  }
  return invitation;
}

std::shared_ptr<Group> join_group(const Invitation& invitation, uint32_t size, uint32_t rank,
                                  std::chrono::milliseconds patience) {
  std::unique_lock lock(rendezvous().mutex);
  const std::shared_ptr<Gathering> gathering = find_gathering(invitation, size);
  const auto give_up = [&](HcclResult result, std::string why, const char* solution = "") {
    gathering->failure = why;
    rendezvous().gatherings.erase(invitation.group);
    gathering->changed.notify_all();
    throw Failure(result, std::move(why), solution);
  };
  if (gathering->size != size) {
    give_up(HCCL_E_PARA, fmt::format("the ranks disagree on their number: rank {} says {}, others "
                                     "say {}",
                                     rank, size, gathering->size));
  }
  if (gathering->joined[rank]) {
    give_up(HCCL_E_PARA, fmt::format("two ranks join the group as rank {}", rank));
  }
  gathering->joined[rank] = true;
  if (++gathering->count == size) {
    gathering->group = std::make_shared<LocalGroup>(size);
    rendezvous().gatherings.erase(invitation.group);
    gathering->changed.notify_all();
    return gathering->group;
  }
  const bool is_over = gathering->changed.wait_for(
      lock, patience, [&] { return gathering->group || !gathering->failure.empty(); });
  if (!is_over) {
    give_up(
        HCCL_E_TIMEOUT,
        fmt::format("{} of {} did not join within {}", missing_ranks(*gathering), size,
                    to_text(patience)),
        "Ranks are threads of this process; ranks in processes of their own need an MPI launcher, "
        "such as mpirun.");
  }
  if (!gathering->group) throw Failure(HCCL_E_PARA, gathering->failure);
  return gathering->group;
}

}  // namespace aclgrad::hccl
