// SPDX-License-Identifier: Apache-2.0
// usage: [mpirun -n RANKS] distributed_ranks WHAT FOLDER
// Trains, with a checkpoint in FOLDER after every third step, from which it goes on if there is
// one, and writes the weights there at the end. WHAT happens on the way:
//   nothing   nothing
//   killed    rank 1 is killed before step 7
//   hanging   rank 1 hangs before step 7; the others wait for 2 s
//   writing   rank 0 is killed while it writes a checkpoint
// A rank whose training fails says why, and ends with status 3.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/distributed/training.h"

namespace {

using namespace aclgrad;
using namespace aclgrad::testing;

constexpr std::int64_t kStep = 7;

// Writes the checkpoint again, and again, until the process is killed.
[[noreturn]] void write_until_killed(const std::filesystem::path& path) {
  const Checkpoint checkpoint = *load_checkpoint(path);
  std::thread([] {
    usleep(50000);
    raise(SIGKILL);
  }).detach();
  while (true) save_checkpoint(path, checkpoint);
}

void interrupt(const std::string& what, int rank, const std::filesystem::path& checkpoint) {
  if (what == "writing" && rank == 0) write_until_killed(checkpoint);
  if (rank != 1) return;
  if (what == "killed") raise(SIGKILL);
  while (what == "hanging") pause();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: distributed_ranks nothing|killed|hanging|writing FOLDER\n");
    return 2;
  }
  const std::string what = argv[1];
  const std::filesystem::path folder = argv[2];
  int rank = -1;
  try {
    const Communicator communicator =
        Communicator::from_environment({.timeout_seconds = what == "hanging" ? 2 : 50});
    rank = communicator.rank();
    // The same bits on any number of ranks that divides 4.
    Settings settings;
    settings.micro_batches = 4;
    settings.checkpoint = folder / "run";
    settings.before_step = [&](int, std::int64_t step) {
      if (step == kStep) interrupt(what, rank, settings.checkpoint);
    };
    const Outcome outcome = train(communicator, settings);
    std::printf("rank %d: trained for %zu steps\n", rank, outcome.losses.size());
    if (communicator.is_first()) save_safetensors(folder / "weights", outcome.weights);
  } catch (const std::exception& error) {
    std::printf("rank %d: %s\n", rank, error.what());
    std::fflush(stdout);
    sleep(1);  // time for the others to say theirs before the launcher ends them
    return 3;
  }
}
