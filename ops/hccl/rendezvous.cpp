// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/rendezvous.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "ops/hccl/network.h"

namespace aclgrad::hccl {
namespace {

// ---- Invitations --------------------------------------------------------------------------------

Token make_token() {
  std::random_device source;
  const auto word = [&] { return uint64_t{source()} << 32 | source(); };
  return {word(), word()};
}

}  // namespace

const Token& this_process() {
  static const Token token = make_token();
  return token;
}

Invitation make_invitation() {
  return {.group = make_token(), .process = this_process(), .number = process_number()};
}

HcclRootInfo to_root_info(const Invitation& invitation) {
  static_assert(sizeof invitation <= sizeof(HcclRootInfo));
  HcclRootInfo info{};
  std::memcpy(info.internal, &invitation, sizeof invitation);
  return info;
}

Invitation from_root_info(const HcclRootInfo& info) {
  Invitation invitation;
  std::memcpy(&invitation, info.internal, sizeof invitation);
  if (invitation.magic == kMagic) return invitation;
  throw Failure(HCCL_E_PARA, "argument rootInfo has bytes that HcclGetRootInfo did not write",
                "Hand all bytes of the root's HcclRootInfo to every rank before it joins.");
}

Invitation derive(const Invitation& parent, uint64_t number, const uint32_t* ranks, size_t count,
                  int process) {
  std::vector<uint32_t> words(ranks, ranks + count);
  for (const uint64_t each : {parent.group[0], parent.group[1], number}) {
    words.push_back(static_cast<uint32_t>(each));
    words.push_back(static_cast<uint32_t>(each >> 32));
  }
  // Not of this process: it was not published here.
  Invitation invitation{.number = process};
  std::array<uint32_t, 4> bits{};
  std::seed_seq(words.begin(), words.end()).generate(bits.begin(), bits.end());
  std::memcpy(invitation.group.data(), bits.data(), sizeof bits);
  return invitation;
}

// ---- Gatherings ---------------------------------------------------------------------------------

namespace {

constexpr char kMadeAlready[] = "the group of this root info was made, or given up, already";
constexpr char kMakeAnother[] = "Call HcclGetRootInfo again for another group.";

// How often a rank that waits for others looks for messages.
constexpr std::chrono::microseconds kLookEvery{200};

constexpr int kNowhere = -2;

// The ranks of a group that is being made.
struct Gathering {
  // Where each rank is, kNowhere until that is known: to the process that they meet with once a
  // rank has announced itself, to the others once all have.
  std::vector<int> processes;
  bool is_being_made = false;
  // The group that was made, or why none was.
  std::shared_ptr<Group> group;
  Outcome failure;
  std::condition_variable changed;

  bool is_complete() const {
    return !processes.empty() &&
           std::find(processes.begin(), processes.end(), kNowhere) == processes.end();
  }
  bool is_decided() const { return group || !failure.ok() || (is_complete() && !is_being_made); }
};

// What processes tell each other: a rank announces itself; where all are, or why there will be no
// group, is the answer. Followed by numbers of processes, or by words.
struct Message {
  enum class Kind : int32_t { kAnnouncement, kProcesses, kFailure };

  Kind kind;
  HcclResult result;
  Invitation invitation;
  uint32_t size;
  uint32_t rank;
  int32_t process;
};

struct Rendezvous {
  std::mutex mutex;
  std::map<Token, std::shared_ptr<Gathering>> gatherings;
};

Rendezvous& rendezvous() {
  static auto& instance = *new Rendezvous;
  return instance;
}

int own_number() {
  const Network* const way = network();
  return way == nullptr ? kThisProcess : way->process();
}

bool meets_here(const Invitation& invitation) {
  return network() == nullptr || invitation.number == kThisProcess ||
         invitation.number == own_number();
}

// Null when the group was made, or given up, already. Called under the lock, like all that follows.
std::shared_ptr<Gathering> find_gathering(const Invitation& invitation) {
  auto& table = rendezvous().gatherings;
  const auto found = table.find(invitation.group);
  if (found != table.end()) return found->second;
  if (invitation.process == this_process()) return nullptr;
  return table.emplace(invitation.group, std::make_shared<Gathering>()).first->second;
}

void post(int process, const Message& message, const void* rest = nullptr, size_t bytes = 0) {
  std::string text(sizeof message + bytes, '\0');
  std::memcpy(text.data(), &message, sizeof message);
  if (bytes > 0) std::memcpy(text.data() + sizeof message, rest, bytes);
  network()->post(process, text);
}

// Posts a message to all of these processes but this one.
void post_to_others(std::set<int> processes, const Message& message, const void* rest,
                    size_t bytes) {
  processes.erase(kNowhere);
  processes.erase(own_number());
  for (const int each : processes) post(each, message, rest, bytes);
}

// Nothing more comes of it.
void end(const Invitation& invitation, Gathering& gathering, const Outcome& outcome) {
  gathering.failure = outcome;
  rendezvous().gatherings.erase(invitation.group);
  gathering.changed.notify_all();
}

// There will be no group, here and wherever a rank is known to wait for it: in these processes.
void fail(const Invitation& invitation, Gathering& gathering, const Outcome& outcome,
          std::set<int> processes) {
  end(invitation, gathering, outcome);
  post_to_others(std::move(processes),
                 {Message::Kind::kFailure, outcome.result, invitation, 0, 0, 0},
                 outcome.text.data(), outcome.text.size());
}

// A rank has announced itself with this process.
void announce(const Invitation& invitation, Gathering& gathering, uint32_t size, uint32_t rank,
              int process) {
  std::vector<int>& processes = gathering.processes;
  if (processes.empty()) processes.assign(size, kNowhere);
  std::set<int> known(processes.begin(), processes.end());
  known.insert(process);
  std::string fault;
  if (processes.size() != size) {
    fault = fmt::format("the ranks disagree on their number: rank {} says {}, others say {}", rank,
                        size, processes.size());
  } else if (processes[rank] != kNowhere) {
    fault = fmt::format("two ranks join the group as rank {}", rank);
  }
  if (!fault.empty()) return fail(invitation, gathering, {HCCL_E_PARA, fault}, std::move(known));
  processes[rank] = process;
  if (!gathering.is_complete()) return;
  gathering.changed.notify_all();
  post_to_others(std::move(known),
                 {Message::Kind::kProcesses, HCCL_SUCCESS, invitation, size, 0, 0},
                 processes.data(), size * sizeof(int));
}

void read(const std::string& text) {
  Message message{};
  std::memcpy(&message, text.data(), sizeof message);
  const std::string rest = text.substr(sizeof message);
  const std::lock_guard lock(rendezvous().mutex);
  const std::shared_ptr<Gathering> gathering = find_gathering(message.invitation);
  switch (message.kind) {
    case Message::Kind::kAnnouncement:
      if (gathering) {
        announce(message.invitation, *gathering, message.size, message.rank, message.process);
      } else {
        message.kind = Message::Kind::kFailure;
        message.result = HCCL_E_PARA;
        post(message.process, message, kMadeAlready, std::strlen(kMadeAlready));
      }
      break;
    case Message::Kind::kProcesses:
      gathering->processes.resize(message.size);
      std::memcpy(gathering->processes.data(), rest.data(), rest.size());
      gathering->changed.notify_all();
      break;
    case Message::Kind::kFailure:
      if (gathering) end(message.invitation, *gathering, {message.result, rest});
      break;
  }
}

std::string missing_ranks(const std::vector<int>& processes) {
  if (processes.empty()) return "another rank";
  std::vector<size_t> missing;
  for (size_t rank = 0; rank < processes.size(); ++rank) {
    if (processes[rank] == kNowhere) missing.push_back(rank);
  }
  return fmt::format("rank{} {} of {}", missing.size() == 1 ? "" : "s", fmt::join(missing, ", "),
                     processes.size());
}

// Until it is decided what comes of the gathering.
void wait(std::unique_lock<std::mutex>& lock, const Invitation& invitation, Gathering& gathering,
          std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  const auto is_decided = [&] { return gathering.is_decided(); };
  while (!gathering.is_decided()) {
    if (network() == nullptr) {
      gathering.changed.wait_until(lock, deadline, is_decided);
    } else {
      lock.unlock();
      while (const std::optional<std::string> text = network()->next_post()) read(*text);
      lock.lock();
      gathering.changed.wait_for(lock, kLookEvery, is_decided);
    }
    // Once all are known, another thread makes the group, and that comes to an end by itself.
    const bool is_late = std::chrono::steady_clock::now() >= deadline;
    if (gathering.is_decided() || gathering.is_being_made || !is_late) continue;
    const std::string reason = network_failure();
    fail(invitation, gathering,
         {HCCL_E_TIMEOUT,
          fmt::format("{} did not join within {}{}{}", missing_ranks(gathering.processes),
                      to_text(timeout), reason.empty() ? "" : "; ", reason)},
         {gathering.processes.begin(), gathering.processes.end()});
  }
}

// Once all are known: by the first of this process to see it.
void make_group(std::unique_lock<std::mutex>& lock, const Invitation& invitation,
                Gathering& gathering) {
  gathering.is_being_made = true;
  lock.unlock();
  std::shared_ptr<Group> group;
  Outcome failure;
  try {
    group = std::make_shared<Group>(gathering.processes, network(),
                                    static_cast<int>(invitation.group[0] % Network::kChannelTags));
  } catch (const std::bad_alloc&) {
    failure = out_of_memory();
  } catch (const std::exception& error) {
    failure = {HCCL_E_NETWORK, error.what()};
  }
  lock.lock();
  gathering.group = std::move(group);
  end(invitation, gathering, failure);
}

const char* what_helps(HcclResult result) {
  if (result == HCCL_E_PARA) return kMakeAnother;
  if (result != HCCL_E_TIMEOUT) return "";
  if (network() != nullptr) return "All ranks must come, from processes of the same launcher.";
  if (!network_failure().empty()) return "Build libhccl where MPI is installed.";
  return "Ranks are threads of this process; ranks in processes of their own need an MPI launcher, "
         "such as mpirun.";
}

}  // namespace

void publish(const Invitation& invitation) {
  const std::lock_guard lock(rendezvous().mutex);
  rendezvous().gatherings.emplace(invitation.group, std::make_shared<Gathering>());
}

std::shared_ptr<Group> join_group(const Invitation& invitation, uint32_t size, uint32_t rank,
                                  std::chrono::milliseconds timeout) {
  start_network(timeout);
  std::unique_lock lock(rendezvous().mutex);
  const std::shared_ptr<Gathering> gathering = find_gathering(invitation);
  if (!gathering) throw Failure(HCCL_E_PARA, kMadeAlready, kMakeAnother);
  try {
    if (meets_here(invitation)) {
      announce(invitation, *gathering, size, rank, own_number());
    } else {
      post(invitation.number,
           {Message::Kind::kAnnouncement, HCCL_SUCCESS, invitation, size, rank, own_number()});
    }
    wait(lock, invitation, *gathering, timeout);
    if (!gathering->group && gathering->failure.ok()) make_group(lock, invitation, *gathering);
  } catch (const std::bad_alloc&) {
    if (!lock.owns_lock()) lock.lock();
    end(invitation, *gathering, out_of_memory());
    throw;
  }
  if (gathering->failure.ok()) return gathering->group;
  throw Failure(gathering->failure, what_helps(gathering->failure.result));
}

}  // namespace aclgrad::hccl
