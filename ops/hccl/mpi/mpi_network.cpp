// SPDX-License-Identifier: Apache-2.0
// The network over MPI. Only raw bytes are moved; reductions are the library's own, because those
// of MPI fix no order.
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "ops/hccl/mpi/module.h"
#include "ops/hccl/mpi/pending_sends.h"
#include "ops/hccl/network.h"

namespace aclgrad::hccl {
namespace {

// For texts between processes, in the program's world: no other library is likely to use it.
constexpr int kPostTag = 0x3cc1;
constexpr int kNoticeTag = Channel::kTags;

// Below MPI_THREAD_MULTIPLE one call at a time; above, nothing.
class MpiLock {
 public:
  void serialize() { serialized_ = true; }
  std::unique_lock<std::mutex> enter() {
    return serialized_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }

 private:
  bool serialized_ = false;
  std::mutex mutex_;
};

MpiLock& mpi_lock() {
  static auto& instance = *new MpiLock;
  return instance;
}

void require(int status, const char* what) {
  if (status != MPI_SUCCESS) throw std::runtime_error(fmt::format("{} failed", what));
}

// The text of the next message with this tag, if there is one.
struct Received {
  int source;
  std::string text;
};
std::optional<Received> take_text(MPI_Comm comm, int tag) {
  const auto lock = mpi_lock().enter();
  int found = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  require(MPI_Improbe(MPI_ANY_SOURCE, tag, comm, &found, &message, &status), "MPI_Improbe");
  if (found == 0) return {};
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  std::string text(static_cast<size_t>(bytes), '\0');
  require(MPI_Mrecv(text.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  return Received{status.MPI_SOURCE, std::move(text)};
}

// Sends that are never waited for.
class Outbox {
 public:
  void send(MPI_Comm comm, int process, int tag, const std::string& text) {
    const auto lock = mpi_lock().enter();
    const std::lock_guard own(mutex_);
    sends_.send(
        text,
        [](MPI_Request& request) {
          int done = 0;
          return MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done != 0;
        },
        [&](const std::string& kept) {
          MPI_Request request = MPI_REQUEST_NULL;
          require(MPI_Isend(kept.data(), static_cast<int>(kept.size()), MPI_BYTE, process, tag,
                            comm, &request),
                  "MPI_Isend");
          return request;
        });
  }

 private:
  std::mutex mutex_;
  PendingSends<MPI_Request> sends_;
};

Outbox& outbox() {
  static auto& instance = *new Outbox;
  return instance;
}

class MpiChannel : public Channel {
 public:
  explicit MpiChannel(MPI_Comm comm) : comm_(comm) {}

  Request send(size_t process, int tag, const void* memory, size_t bytes) override {
    const auto lock = mpi_lock().enter();
    MPI_Request request = MPI_REQUEST_NULL;
    require(MPI_Isend(memory, static_cast<int>(bytes), MPI_BYTE, static_cast<int>(process), tag,
                      comm_, &request),
            "MPI_Isend");
    return pack(request, bytes, false);
  }

  Request receive(size_t process, int tag, void* memory, size_t bytes) override {
    const auto lock = mpi_lock().enter();
    MPI_Request request = MPI_REQUEST_NULL;
    require(MPI_Irecv(memory, static_cast<int>(bytes), MPI_BYTE, static_cast<int>(process), tag,
                      comm_, &request),
            "MPI_Irecv");
    return pack(request, bytes, true);
  }

  Progress test(Request& packed) override {
    const auto lock = mpi_lock().enter();
    MPI_Request request = MPI_REQUEST_NULL;
    std::memcpy(&request, &packed.handle[0], sizeof request);
    int done = 0;
    MPI_Status status;
    const int result = MPI_Test(&request, &done, &status);
    std::memcpy(&packed.handle[0], &request, sizeof request);
    if (result != MPI_SUCCESS) {
      int kind = MPI_SUCCESS;
      MPI_Error_class(result, &kind);
      return kind == MPI_ERR_TRUNCATE ? Progress::kWrongSize : Progress::kFailed;
    }
    if (done == 0) return Progress::kPending;
    if (packed.handle[1] < 0) return Progress::kDone;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    return bytes == packed.handle[1] ? Progress::kDone : Progress::kWrongSize;
  }

  void cancel(Request& packed) override {
    const auto lock = mpi_lock().enter();
    MPI_Request request = MPI_REQUEST_NULL;
    std::memcpy(&request, &packed.handle[0], sizeof request);
    MPI_Cancel(&request);
  }

  void notify(size_t process, const std::string& text) override {
    outbox().send(comm_, static_cast<int>(process), kNoticeTag, text);
  }

  std::optional<Notice> next_notice() override {
    std::optional<Received> received = take_text(comm_, kNoticeTag);
    if (!received) return {};
    return Notice{static_cast<size_t>(received->source), std::move(received->text)};
  }

 private:
  static Request pack(MPI_Request request, size_t bytes, bool is_receive) {
    static_assert(sizeof request <= sizeof(int64_t));
    Request packed;
    std::memcpy(&packed.handle[0], &request, sizeof request);
    packed.handle[1] = is_receive ? static_cast<int64_t>(bytes) : -1;
    return packed;
  }

  const MPI_Comm comm_;  // freed with everything else when MPI ends
};

class MpiNetwork : public Network {
 public:
  MpiNetwork() {
    MPI_Comm_rank(MPI_COMM_WORLD, &process_);
    MPI_Comm_group(MPI_COMM_WORLD, &world_);
    int processes = 1;
    const char* const known = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (known != nullptr) processes = std::atoi(known);
    is_oversubscribed_ = processes > static_cast<int>(std::thread::hardware_concurrency());
  }

  int process() const override { return process_; }

  bool is_oversubscribed() const override { return is_oversubscribed_; }

  bool is_open() const override {
    int is_over = 0;
    return MPI_Finalized(&is_over) == MPI_SUCCESS && is_over == 0;
  }

  void post(int process, const std::string& text) override {
    outbox().send(MPI_COMM_WORLD, process, kPostTag, text);
  }

  std::optional<std::string> next_post() override {
    std::optional<Received> received = take_text(MPI_COMM_WORLD, kPostTag);
    if (!received) return {};
    return std::move(received->text);
  }

  std::unique_ptr<Channel> open_channel(const std::vector<int>& processes, int tag) override {
    const auto lock = mpi_lock().enter();
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    require(MPI_Group_incl(world_, static_cast<int>(processes.size()), processes.data(), &group),
            "MPI_Group_incl");
    require(MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &comm), "MPI_Comm_create_group");
    MPI_Group_free(&group);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return std::make_unique<MpiChannel>(comm);
  }

  void skip_finalize() override { skips_finalize_ = true; }
  bool skips_finalize() const { return skips_finalize_; }

 private:
  int process_ = 0;
  bool is_oversubscribed_ = false;
  MPI_Group world_ = MPI_GROUP_NULL;
  std::atomic<bool> skips_finalize_{false};
};

MpiNetwork* g_network = nullptr;

// Ends what start() began. With a rank that hangs this would wait for ever: then the process ends
// without it, which makes the launcher end all others.
void finish() {
  int is_over = 0;
  if (MPI_Finalized(&is_over) != MPI_SUCCESS || is_over != 0) return;
  if (g_network != nullptr && g_network->skips_finalize()) return;
  MPI_Finalize();
}

bool start(std::string& failure) {
  int is_started = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&is_started);
  if (is_started != 0) {
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE) {
      mpi_lock().serialize();
      std::fputs(
          "hccl: the program started MPI without MPI_THREAD_MULTIPLE; it must not call MPI "
          "while operations are queued. MPI_Init_thread, or OMPI_MPI_THREAD_LEVEL=3 in the "
          "environment, lifts this.\n",
          stderr);
    }
  } else {
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) {
      failure = "MPI_Init_thread failed";
      return false;
    }
    if (level < MPI_THREAD_MULTIPLE) mpi_lock().serialize();
    std::atexit(finish);
  }
  int is_set = 0;
  int* most = nullptr;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&most), &is_set);
  if (is_set == 0 || *most < kNoticeTag) {
    failure = "this MPI has too few tags";
    return false;
  }
  return true;
}

}  // namespace
}  // namespace aclgrad::hccl

extern "C" __attribute__((visibility("default"))) aclgrad::hccl::Network* hcclOpenMpi(
    std::string& failure) {
  using namespace aclgrad::hccl;
  if (!start(failure)) return nullptr;
  g_network = new MpiNetwork;  // lives as long as the process
  return g_network;
}
