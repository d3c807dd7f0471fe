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
#include <set>
#include <string_view>
#include <vector>

#include "ops/hccl/local_group.h"
#include "ops/hccl/message_group.h"
#include "ops/hccl/transport.h"

namespace aclgrad::hccl {
namespace {

constexpr char kMadeAlready[] = "the group of this root info was made, or given up, already";
constexpr char kMakeAnother[] = "Call HcclGetRootInfo again for another group.";

// How often a rank that waits for others looks for letters.
constexpr std::chrono::microseconds kLookEvery{200};

constexpr int kNowhere = -2;

// The ranks of a group that is being made.
struct Gathering {
  uint32_t size = 0;
  // With the process that they meet with: where each rank is, kNowhere until it has announced
  // itself.
  std::vector<int> announced;
  uint32_t count = 0;
  // What comes of it: where all are, and then the group; or why not.
  std::vector<int> processes;
  bool is_being_made = false;
  std::shared_ptr<Group> group;
  Outcome failure;
  std::condition_variable changed;

  bool is_decided() const {
    return group || !failure.ok() || (!processes.empty() && !is_being_made);
  }
};

// What processes tell each other: a rank announces itself; where all are, or why there will be no
// group, is the answer. Followed by numbers of processes, or by words.
struct Letter {
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
  const Transport* const way = transport();
  return way == nullptr ? kThisProcess : way->process();
}

bool meets_here(const Invitation& invitation) {
  return transport() == nullptr || invitation.number == kThisProcess ||
         invitation.number == own_number();
}

// Null when the group was made, or given up, already. Called under the lock, like all that follows.
std::shared_ptr<Gathering> find_gathering(const Invitation& invitation) {
  auto& table = rendezvous().gatherings;
  auto found = table.find(invitation.group);
  if (found == table.end()) {
    if (invitation.process == this_process()) return nullptr;
    found = table.emplace(invitation.group, std::make_shared<Gathering>()).first;
  }
  return found->second;
}

void post(int process, const Letter& letter, const void* rest = nullptr, size_t bytes = 0) {
  std::string text(sizeof letter + bytes, '\0');
  std::memcpy(text.data(), &letter, sizeof letter);
  if (bytes > 0) std::memcpy(text.data() + sizeof letter, rest, bytes);
  transport()->post(process, text);
}

// The other processes that ranks have announced themselves from.
std::set<int> guests(const Gathering& gathering) {
  std::set<int> processes(gathering.announced.begin(), gathering.announced.end());
  processes.erase(kNowhere);
  processes.erase(own_number());
  return processes;
}

// There will be no group, here and wherever somebody is known to wait for it.
void give_up(const Invitation& invitation, Gathering& gathering, HcclResult result,
             std::string_view why) {
  gathering.failure = {result, std::string(why)};
  rendezvous().gatherings.erase(invitation.group);
  gathering.changed.notify_all();
  const Letter letter{Letter::Kind::kFailure, result, invitation, 0, 0, 0};
  for (const int process : guests(gathering)) post(process, letter, why.data(), why.size());
}

// What is wrong with a rank that announces itself; "" for nothing.
std::string find_fault(const Gathering& gathering, uint32_t size, uint32_t rank) {
  if (gathering.size != size) {
    return fmt::format("the ranks disagree on their number: rank {} says {}, others say {}", rank,
                       size, gathering.size);
  }
  if (gathering.announced[rank] == kNowhere) return "";
  return fmt::format("two ranks join the group as rank {}", rank);
}

// A rank has announced itself with this process.
void welcome(const Invitation& invitation, Gathering& gathering, uint32_t size, uint32_t rank,
             int process) {
  if (gathering.size == 0) {
    gathering.size = size;
    gathering.announced.assign(size, kNowhere);
  }
  if (const std::string fault = find_fault(gathering, size, rank); !fault.empty()) {
    gathering.announced.push_back(process);  // is to hear of it, too
    give_up(invitation, gathering, HCCL_E_PARA, fault);
    return;
  }
  gathering.announced[rank] = process;
  if (++gathering.count < size) return;
  gathering.processes = gathering.announced;
  gathering.changed.notify_all();
  const Letter letter{Letter::Kind::kProcesses, HCCL_SUCCESS, invitation, size, 0, 0};
  for (const int guest : guests(gathering)) {
    post(guest, letter, gathering.processes.data(), size * sizeof(int));
  }
}

void read(const std::string& text) {
  Letter letter{};
  std::memcpy(&letter, text.data(), sizeof letter);
  const std::string_view rest = std::string_view(text).substr(sizeof letter);
  const std::lock_guard lock(rendezvous().mutex);
  const std::shared_ptr<Gathering> gathering = find_gathering(letter.invitation);
  switch (letter.kind) {
    case Letter::Kind::kAnnouncement:
      if (gathering) {
        welcome(letter.invitation, *gathering, letter.size, letter.rank, letter.process);
      } else {
        letter.kind = Letter::Kind::kFailure;
        letter.result = HCCL_E_PARA;
        post(letter.process, letter, kMadeAlready, std::strlen(kMadeAlready));
      }
      break;
    case Letter::Kind::kProcesses:
      gathering->processes.resize(letter.size);
      std::memcpy(gathering->processes.data(), rest.data(), rest.size());
      gathering->changed.notify_all();
      break;
    case Letter::Kind::kFailure:
      if (gathering) give_up(letter.invitation, *gathering, letter.result, rest);
      break;
  }
}

void read_letters() {
  while (const std::optional<std::string> text = transport()->next_post()) read(*text);
}

std::string missing_ranks(const Gathering& gathering) {
  if (gathering.announced.empty()) return "another rank";
  std::vector<size_t> missing;
  for (size_t rank = 0; rank < gathering.announced.size(); ++rank) {
    if (gathering.announced[rank] == kNowhere) missing.push_back(rank);
  }
  return fmt::format("rank{} {} of {}", missing.size() == 1 ? "" : "s", fmt::join(missing, ", "),
                     gathering.size);
}

// Until it is decided what comes of the gathering.
void wait(std::unique_lock<std::mutex>& lock, const Invitation& invitation, Gathering& gathering,
          std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const auto is_decided = [&] { return gathering.is_decided(); };
  while (!gathering.is_decided()) {
    if (transport() == nullptr) {
      gathering.changed.wait_until(lock, deadline, is_decided);
    } else {
      lock.unlock();
      read_letters();
      lock.lock();
      gathering.changed.wait_for(lock, kLookEvery, is_decided);
    }
    // Once all are known, another thread makes the group, and that comes to an end by itself.
    if (gathering.is_decided() || gathering.is_being_made) continue;
    if (std::chrono::steady_clock::now() < deadline) continue;
    const std::string reason = transport_failure();
    give_up(invitation, gathering, HCCL_E_TIMEOUT,
            fmt::format("{} did not join within {}{}{}", missing_ranks(gathering),
                        to_text(patience), reason.empty() ? "" : "; ", reason));
  }
}

std::shared_ptr<Group> make_group(const Invitation& invitation, const std::vector<int>& processes) {
  const bool is_alone = std::all_of(processes.begin(), processes.end(),
                                    [&](int each) { return each == processes.front(); });
  if (is_alone) return std::make_shared<LocalGroup>(static_cast<uint32_t>(processes.size()));
  constexpr uint64_t kTags = 32768;
  return std::make_shared<MessageGroup>(*transport(), processes,
                                        static_cast<int>(invitation.group.bits[0] % kTags));
}

const char* what_helps(HcclResult result) {
  if (result != HCCL_E_TIMEOUT) return kMakeAnother;
  if (transport() != nullptr) return "All ranks must come, from processes of the same launcher.";
  if (!transport_failure().empty()) return "Build libhccl where MPI is installed.";
  return "Ranks are threads of this process; ranks in processes of their own need an MPI launcher, "
         "such as mpirun.";
}

}  // namespace

void publish(const Invitation& invitation) {
  const std::lock_guard lock(rendezvous().mutex);
  rendezvous().gatherings.emplace(invitation.group, std::make_shared<Gathering>());
}

std::shared_ptr<Group> join_group(const Invitation& invitation, uint32_t size, uint32_t rank,
                                  std::chrono::milliseconds patience) {
  start_transport(patience);
  std::unique_lock lock(rendezvous().mutex);
  const std::shared_ptr<Gathering> gathering = find_gathering(invitation);
  if (!gathering) throw Failure(HCCL_E_PARA, kMadeAlready, kMakeAnother);
  try {
    if (meets_here(invitation)) {
      welcome(invitation, *gathering, size, rank, own_number());
    } else {
      post(invitation.number,
           {Letter::Kind::kAnnouncement, HCCL_SUCCESS, invitation, size, rank, own_number()});
    }
    wait(lock, invitation, *gathering, patience);
  } catch (const std::bad_alloc&) {
    if (!lock.owns_lock()) lock.lock();
    gathering->failure = out_of_memory();
    rendezvous().gatherings.erase(invitation.group);
    gathering->changed.notify_all();
    throw;
  }
  if (!gathering->failure.ok()) {
    const auto& [result, text] = gathering->failure;
    throw Failure(result, text, what_helps(result));
  }
  if (!gathering->group) {
    gathering->is_being_made = true;
    lock.unlock();
    std::shared_ptr<Group> group;
    Outcome failure;
    try {
      group = make_group(invitation, gathering->processes);
    } catch (const std::bad_alloc&) {
      failure = out_of_memory();
    } catch (const std::exception& error) {
      failure = {HCCL_E_NETWORK, error.what()};
    }
    lock.lock();
    gathering->group = std::move(group);
    gathering->failure = failure;
    rendezvous().gatherings.erase(invitation.group);
    gathering->changed.notify_all();
    if (!failure.ok()) throw Failure(failure.result, failure.text);
  }
  return gathering->group;
}

}  // namespace aclgrad::hccl
