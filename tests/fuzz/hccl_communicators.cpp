// SPDX-License-Identifier: Apache-2.0
// Communicators: how they come about, and what they tell.
#include <array>

#include "tests/fuzz/hccl_ranks.h"

namespace aclgrad::fuzz {
namespace {

class Calls {
 public:
  Calls(Input& input, Ranks& ranks) : input_(input), ranks_(ranks) {}

  void one() {
    using Action = void (Calls::*)();
    constexpr Action kActions[] = {&Calls::ask, &Calls::configure, &Calls::invite,
                                   &Calls::all_devices, &Calls::part};
    set_device(0);
    (this->*input_.pick(kActions))();
  }

 private:
  void ask() {
    uint32_t number = 0;
    char name[COMM_NAME_MAX_LENGTH] = {};
    HcclResult later = HCCL_SUCCESS;
    HcclConfigValue value{.value = static_cast<int32_t>(input_.extent())};
    const auto config = static_cast<HcclConfig>(input_.below(3));
    check(HcclGetRankSize(ranks_.any_handle(input_), input_.once_in(8) ? nullptr : &number),
          "HcclGetRankSize");
    check(HcclGetRankId(ranks_.any_handle(input_), input_.once_in(8) ? nullptr : &number),
          "HcclGetRankId");
    check(HcclGetCommName(ranks_.any_handle(input_), input_.once_in(8) ? nullptr : name),
          "HcclGetCommName");
    check(HcclGetCommAsyncError(ranks_.any_handle(input_), input_.once_in(8) ? nullptr : &later),
          "the error");
    check(HcclSetConfig(config, value), "HcclSetConfig");
    check(HcclGetConfig(config, input_.once_in(8) ? nullptr : &value), "HcclGetConfig");
    require(HcclGetErrorString(static_cast<HcclResult>(input_.number<uint16_t>())) != nullptr,
            "words for every result");
  }

  HcclCommConfig any_config() {
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    for (size_t changes = input_.below(4); changes > 0; --changes) {
      // Most of it is about its first fields.
      const size_t at = input_.once_in(4) ? input_.number<uint16_t>() % sizeof config
                                          : input_.below(sizeof config < 256 ? sizeof config : 256);
      reinterpret_cast<unsigned char*>(&config)[at] = input_.byte();
    }
    return config;
  }
  void configure() {
    const HcclCommConfig config = any_config();
    HcclRootInfo info;
    HcclComm made = nullptr;
    expect_success(HcclGetRootInfo(&info), "HcclGetRootInfo");
    if (check(
            HcclCommInitRootInfoConfig(1, &info, 0, input_.once_in(16) ? nullptr : &config, &made),
            "HcclCommInitRootInfoConfig")) {
      ranks_.use_and_destroy(made);
    }
  }

  // Bytes that name a group, or do not; sizes and ranks for which no call waits.
  void invite() {
    HcclRootInfo info;
    HcclComm made = nullptr;
    expect_success(HcclGetRootInfo(&info), "HcclGetRootInfo");
    for (size_t changes = input_.below(3); changes > 0; --changes) {
      info.internal[input_.below(64)] = static_cast<char>(input_.byte());
    }
    const auto size = static_cast<uint32_t>(input_.below(2));
    const uint32_t rank = input_.once_in(8) ? input_.number<uint32_t>() : 0;
    if (check(HcclCommInitRootInfo(size, input_.once_in(16) ? nullptr : &info, rank,
                                   input_.once_in(16) ? nullptr : &made),
              "HcclCommInitRootInfo")) {
      ranks_.use_and_destroy(made);
    }
  }

  void all_devices() {
    int32_t devices[3];
    HcclComm made[3] = {};
    for (int32_t& each : devices) each = static_cast<int32_t>(input_.below(4)) - 1;
    const auto number = static_cast<uint32_t>(input_.below(4));
    set_device(0);
    if (!check(HcclCommInitAll(number, input_.once_in(16) ? nullptr : devices,
                               input_.once_in(16) ? nullptr : made),
               "HcclCommInitAll")) {
      return;
    }
    for (uint32_t i = 0; i < number; ++i) {
      set_device(static_cast<size_t>(devices[i]));
      expect_success(HcclCommDestroy(made[i]), "HcclCommDestroy");
    }
  }

  uint32_t rank() { return static_cast<uint32_t>(input_.below(kRanks + 1)); }
  void part() {
    uint32_t ranks[] = {rank(), rank()};
    HcclComm whole = input_.once_in(8) ? ranks_.any_handle(input_) : ranks_.alone.comm,
             made = nullptr;
    HcclCommConfig config = any_config();
    set_device(0);
    // A part of two ranks would wait for the other one.
    if (whole == ranks_.pair[0].comm || whole == ranks_.pair[1].comm) return;
    if (check(HcclCreateSubCommConfig(&whole, static_cast<uint32_t>(input_.below(3)),
                                      input_.once_in(8) ? nullptr : ranks,
                                      input_.once_in(8) ? 0xFFFFFFFF : input_.byte(), rank(),
                                      input_.once_in(2) ? nullptr : &config, &made),
              "HcclCreateSubCommConfig") &&
        made != nullptr) {
      ranks_.use_and_destroy(made);
    }
  }

  Input& input_;
  Ranks& ranks_;
};

}  // namespace

void fuzz_communicators(Input& input, Ranks& ranks) { Calls(input, ranks).one(); }

}  // namespace aclgrad::fuzz
