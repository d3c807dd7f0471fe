// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/channel.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>

#include "gradcheck/tool/processes.h"

namespace aclgrad::gradcheck {
namespace {

constexpr std::uint64_t kRoom = 1 << 20;
constexpr std::uint64_t kLargest = 1 << 30;  // bytes of a message

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(bytes) {
  data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (data_ == MAP_FAILED) fail("no memory can be shared with the process that is checked");
}

SharedMemory::~SharedMemory() { munmap(data_, bytes_); }

// Bytes are counted from the first on.
struct Channel::Ring {
  std::atomic<std::uint64_t> written;
  std::atomic<std::uint64_t> read;
  std::atomic<pid_t> writer;
  std::array<std::uint8_t, kRoom> bytes;
};

Channel::Channel() : memory_(sizeof(Ring)) { new (memory_.data()) Ring; }

Channel::Ring& Channel::ring() const { return *static_cast<Ring*>(memory_.data()); }

void Channel::belong_to_this_process() { ring().writer = getpid(); }

void Channel::write(const nlohmann::json& what) {
  if (ring().writer != getpid()) _exit(0);
  std::vector<std::uint8_t> message(sizeof(std::uint64_t));
  nlohmann::json::to_msgpack(what, message);
  const std::uint64_t size = message.size() - sizeof(size);
  std::memcpy(message.data(), &size, sizeof(size));
  for (const std::uint8_t byte : message) {
    const std::uint64_t at = ring().written;
    while (at - ring().read >= kRoom) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ring().bytes[at % kRoom] = byte;
    ring().written = at + 1;
  }
}

void Channel::take() {
  const std::uint64_t from = ring().read;
  const std::uint64_t count = std::min(ring().written - from, kRoom);
  for (std::uint64_t i = 0; i < count; ++i) taken_.push_back(ring().bytes[(from + i) % kRoom]);
  ring().read = from + count;
}

std::optional<nlohmann::json> Channel::read() {
  take();
  std::uint64_t size = 0;
  if (taken_.size() < sizeof(size)) return std::nullopt;
  std::memcpy(&size, taken_.data(), sizeof(size));
  if (size > kLargest) size = 0;  // no message is: from_msgpack() throws
  if (taken_.size() - sizeof(size) < size) return std::nullopt;
  const auto begin = taken_.begin() + sizeof(size);
  const auto end = begin + static_cast<std::ptrdiff_t>(size);
  std::optional<nlohmann::json> message(std::in_place, nlohmann::json::from_msgpack(begin, end));
  taken_.erase(taken_.begin(), end);
  return message;
}

}  // namespace aclgrad::gradcheck
