// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/invitation.h"

#include <cstring>
#include <random>

#include "ops/hccl/call.h"
#include "ops/hccl/transport.h"

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

Token make_token() {
  std::random_device source;
  const auto word = [&] { return uint64_t{source()} << 32 | source(); };
  return {{word(), word()}};
}

// Scrambles its argument, each bit of which has an effect on all of the result (splitmix64).
uint64_t scramble(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace

const Token& this_process() {
  static const Token token = make_token();
  return token;
}

Invitation make_invitation() { return {make_token(), this_process(), process_number()}; }

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

Invitation derive(const Invitation& parent, uint64_t number, const uint32_t* ranks, size_t count,
                  int process) {
  // Not of this process, whoever asks: nobody has published it.
  Invitation invitation{parent.group, {}, process};
  for (size_t half = 0; half < 2; ++half) {
    uint64_t& bits = invitation.group.bits[half];
    bits = scramble(bits + half);
    bits = scramble(bits ^ number);
    for (size_t i = 0; i < count; ++i) bits = scramble(bits ^ ranks[i]);
  }
  return invitation;
}

}  // namespace aclgrad::hccl
