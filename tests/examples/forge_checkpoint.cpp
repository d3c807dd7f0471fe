// SPDX-License-Identifier: Apache-2.0
// usage: forge_checkpoint FILE STEP EPOCH BATCH
// Makes a checkpoint say that it is of another place; its checksum is right.
#include <aclgrad/io/checkpoint.h>

#include <cstdlib>
#include <filesystem>

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  aclgrad::Checkpoint checkpoint = aclgrad::load_checkpoint(argv[1]).value();
  checkpoint.step = std::strtoll(argv[2], nullptr, 10);
  checkpoint.position = {std::strtoull(argv[3], nullptr, 10), std::strtoll(argv[4], nullptr, 10)};
  aclgrad::save_checkpoint(argv[1], checkpoint);
}
