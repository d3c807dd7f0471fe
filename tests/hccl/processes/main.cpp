// SPDX-License-Identifier: Apache-2.0
// usage: mpirun ... hccl_ranks WHAT THREADS FILE
// A rank for every thread of every process; does WHAT and says that it is fine. The root info goes
// from rank 0 to the others through FILE, so that the program itself does not know of MPI.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include "tests/hccl/processes/rank.h"

namespace aclgrad::testing {

void require(const Rank& rank, bool condition, const std::string& what) {
  if (condition) return;
  std::printf("rank %u: FAILED: %s; %s\n", rank.rank, what.c_str(), recent_message().c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

void synchronize(const Rank& rank) {
  require(rank, aclrtSynchronizeStream(rank.stream) == ACL_SUCCESS, "synchronize");
}

std::string recent_message() {
  const char* const message = aclGetRecentErrMsg();
  return message == nullptr ? "" : message;
}

}  // namespace aclgrad::testing

namespace {

using namespace aclgrad::testing;

uint32_t number_from(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : static_cast<uint32_t>(std::atoi(text));
}

void publish(const HcclRootInfo& info, const std::string& file) {
  std::ofstream(file + ".new", std::ios::binary).write(info.internal, sizeof info.internal);
  std::filesystem::rename(file + ".new", file);
}

HcclRootInfo wait_for(const std::string& file) {
  while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  HcclRootInfo info;
  std::ifstream(file, std::ios::binary).read(info.internal, sizeof info.internal);
  return info;
}

void run(Rank rank, int32_t device, const std::string& what, const std::string& file) {
  require(rank, aclrtSetDevice(device) == ACL_SUCCESS, "aclrtSetDevice");
  require(rank, aclrtCreateStream(&rank.stream) == ACL_SUCCESS, "aclrtCreateStream");
  if (rank.rank == 0) {
    HcclRootInfo info;
    require(rank, HcclGetRootInfo(&info) == HCCL_SUCCESS, "HcclGetRootInfo");
    publish(info, file);
  }
  const HcclRootInfo info = wait_for(file);
  if (what == "missing" && rank.rank == 1) pause();
  const uint32_t size = what == "other_size" ? rank.size + rank.rank : rank.size;
  require(rank, HcclCommInitRootInfo(size, &info, rank.rank, &rank.comm) == HCCL_SUCCESS,
          "joining");
  const std::map<std::string, void (*)(const Rank&)> actions{{"operations", check_operations},
                                                             {"recording", check_recording},
                                                             {"parts", check_parts},
                                                             {"killed", be_killed},
                                                             {"hanging", hang},
                                                             {"leaving", leave},
                                                             {"disagreeing", disagree},
                                                             {"other_order", take_another_order}};
  actions.at(what)(rank);
  require(rank, HcclCommDestroy(rank.comm) == HCCL_SUCCESS, "HcclCommDestroy");
  require(rank, aclrtDestroyStream(rank.stream) == ACL_SUCCESS, "aclrtDestroyStream");
  std::printf("rank %u: fine\n", rank.rank);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: mpirun -n N hccl_ranks WHAT THREADS FILE\n");
    return 2;
  }
  const uint32_t threads = static_cast<uint32_t>(std::atoi(argv[2]));
  setenv("ACLGRAD_DEVICE_COUNT", argv[2], 1);
  setenv("ACLGRAD_HCCL_CONNECT_TIMEOUT", std::strcmp(argv[1], "missing") == 0 ? "2" : "50", 1);
  setenv("HCCL_EXEC_TIMEOUT", std::strcmp(argv[1], "hanging") == 0 ? "2" : "50", 1);
  const uint32_t process = number_from("OMPI_COMM_WORLD_RANK");
  const uint32_t processes = number_from("OMPI_COMM_WORLD_SIZE");
  aclInit(nullptr);
  // Neighbours are in different processes, and in the opposite order of the launcher's.
  std::vector<std::thread> ranks;
  for (uint32_t thread = 0; thread < threads; ++thread) {
    const uint32_t rank = thread * processes + (processes - 1 - process);
    ranks.emplace_back(run, Rank{.rank = rank, .size = threads * processes},
                       static_cast<int32_t>(thread), argv[1], argv[3]);
  }
  for (std::thread& each : ranks) each.join();
  aclFinalize();
  return 0;
}
