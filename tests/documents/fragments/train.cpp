// SPDX-License-Identifier: Apache-2.0
#include <aclgrad/aclgrad.h>

#include <filesystem>

using namespace aclgrad;

void layers() {
  // block 1
}

void schedules(std::int64_t step) {
  // block 2
}

Value sixteen_bits(const Sequential& network, const Value& x) {
  // block 3
  return logits;
}

void checkpoints(const std::filesystem::path& path, std::int64_t step, data::Position next,
                 const data::Batches& batches, const std::vector<Variable>& state) {
  // block 4
}

void reports(std::int64_t step, std::int64_t steps, double loss, const Results& results,
             const Value& hidden, const report::Heatmap& heatmap) {
  // block 5
}
