// SPDX-License-Identifier: Apache-2.0
#include "ops/record/writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "ops/record/helpers.h"
#include "ops/record/settings.h"
#include "ops/record/text.h"

namespace aclgrad::record {
namespace {

constexpr int kFormat = 1;       // of the record; a reader refuses another
constexpr uint64_t kAlign = 64;  // of contents in their file
// Contents from this size on have pages of their own, which go to the disk at once and do not stay
// in memory: what a record would otherwise take of it is the dearest of recording.
constexpr uint64_t kLarge = 64 << 10;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kPiece = 1 << 20;  // of a write, whose memory serves the next one again

struct HashOfHash {
  size_t operator()(const Hash& hash) const { return hash.low; }
};

// Where a content stands, or will when the thread that writes it is done.
struct Place {
  uint64_t begin = 0;
  bool is_written = false;
};

enum class Status { kNotAsked, kWriting, kStopped };

struct Files {
  std::mutex mutex;
  std::atomic<Status> status = Status::kNotAsked;
  int calls = -1;
  int contents = -1;
  uint64_t next = 0;
  uint64_t end = 0;  // of contents
  std::unordered_map<Hash, Place, HashOfHash> known;
  std::condition_variable written;
};

// There as long as the process, for threads that outlive main.
Files& files() {
  static Files* const instance = new Files;
  return *instance;
}

void stop(Files& all, const std::string& why) {
  say(why + "; from here on nothing is recorded");
  all.status = Status::kStopped;
}

uint64_t rounded_up(uint64_t at, uint64_t align) { return (at + align - 1) / align * align; }

// At a place; -1: at the end.
bool write_all(int file, const void* data, size_t size, off_t at = -1) {
  constexpr int kDontCache = 0x80;  // RWF_DONTCACHE of Linux 6.14
  int flags = at >= 0 && size >= kLarge ? kDontCache : 0;
  auto* from = static_cast<char*>(const_cast<void*>(data));
  while (size > 0) {
    const iovec piece = {from, std::min(size, kPiece)};
    const ssize_t written = pwritev2(file, &piece, 1, at, flags);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && flags != 0) {  // the system or the disk has no such way
      flags = 0;
      continue;
    }
    if (written <= 0) return false;
    from += written;
    size -= static_cast<size_t>(written);
    if (at >= 0) at += written;
  }
  return true;
}

std::string program() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length < 0 ? "" : std::string(path, static_cast<size_t>(length));
}

int make_file(const std::string& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

// With the folders above it.
bool make_folder(const std::string& folder) {
  for (size_t end = folder.find('/', 1); end != std::string::npos;
       end = folder.find('/', end + 1)) {
    mkdir(folder.substr(0, end).c_str(), 0777);  // what fails here fails below
  }
  return mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST;
}

// A folder that has a record of another process stays as it is: this process's is made beside it.
void open_files(Files& all) {
  std::string folder = settings().folder;
  all.status = Status::kStopped;
  if (folder.empty()) return;
  for (const bool is_second : {false, true}) {
    if (is_second) folder += "." + std::to_string(getpid());
    if (!make_folder(folder)) break;
    all.calls = make_file(folder + "/calls.jsonl");
    if (all.calls >= 0 || errno != EEXIST) break;
  }
  if (all.calls < 0) {
    say("cannot write a record to " + folder + " (" + std::strerror(errno) +
        "); nothing is recorded");
    return;
  }
  all.contents = make_file(folder + "/contents.bin");
  if (all.contents < 0) {
    say("cannot write " + folder + "/contents.bin (" + std::strerror(errno) +
        "); nothing is recorded");
    return;
  }
  if (folder != settings().folder) {
    say(settings().folder + " has a record already; this process writes to " + folder);
  }
  Text head;
  head.open('{').key("record").whole(kFormat).key("program").quoted(program());
  head.key("process").whole(getpid()).close('}');
  const std::string line = head.string() + "\n";
  all.status = Status::kWriting;
  if (!write_all(all.calls, line.data(), line.size()))
    stop(all, std::string("calls.jsonl: ") + std::strerror(errno));
}

// A child writes a record of its own; its parent's files are not its.
void forget_in_child() {
  Files& all = files();
  forget_helpers();
  new (&all.mutex) std::mutex;
  new (&all.written) std::condition_variable;
  for (int* const file : {&all.calls, &all.contents}) {
    if (*file >= 0) close(*file);
    *file = -1;
  }
  all.next = all.end = 0;
  all.known.clear();
  if (all.status == Status::kWriting) all.status = Status::kNotAsked;
}

}  // namespace

bool is_recording() {
  Files& all = files();
  if (all.status != Status::kNotAsked) return all.status == Status::kWriting;
  const std::lock_guard lock(all.mutex);
  if (all.status == Status::kNotAsked) {
    static const int watches = pthread_atfork(nullptr, nullptr, forget_in_child);
    static_cast<void>(watches);
    open_files(all);
  }
  return all.status == Status::kWriting;
}

uint64_t write_line(const std::string& rest) {
  Files& all = files();
  const std::lock_guard lock(all.mutex);
  if (all.status != Status::kWriting) return 0;
  const uint64_t number = all.next++;
  const std::string line = "{\"n\":" + std::to_string(number) + rest + "\n";
  if (!write_all(all.calls, line.data(), line.size()))
    stop(all, std::string("calls.jsonl: ") + std::strerror(errno));
  return number;
}

namespace {

std::optional<uint64_t> place_of(std::span<const std::byte> bytes, const Hash& hash) {
  Files& all = files();
  std::unique_lock lock(all.mutex);
  if (all.status != Status::kWriting) return std::nullopt;
  if (const auto found = all.known.find(hash); found != all.known.end()) {
    const Place& there = found->second;
    all.written.wait(lock, [&] { return there.is_written || all.status != Status::kWriting; });
    return there.is_written ? std::optional(there.begin) : std::nullopt;
  }
  const bool is_large = bytes.size() >= kLarge;
  const uint64_t begin = rounded_up(all.end, is_large ? kPage : kAlign);
  if (bytes.size() > settings().bytes || begin > settings().bytes - bytes.size())
    return std::nullopt;
  bool& is_written = all.known.emplace(hash, Place{begin}).first->second.is_written;
  all.end = begin + bytes.size();
  if (is_large) all.end = rounded_up(all.end, kPage);
  lock.unlock();  // the others look at other tensors meanwhile
  const bool is_done =
      write_all(all.contents, bytes.data(), bytes.size(), static_cast<off_t>(begin));
  const int error = errno;
  lock.lock();
  is_written = is_done;
  if (!is_done) stop(all, std::string("contents.bin: ") + std::strerror(error));
  all.written.notify_all();
  return is_done ? std::optional(begin) : std::nullopt;
}

}  // namespace

Kept keep(std::span<const std::byte> bytes) {
  const Hash hash = hash_of(bytes);
  return {hash, place_of(bytes, hash)};
}

}  // namespace aclgrad::record
