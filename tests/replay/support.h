// SPDX-License-Identifier: Apache-2.0
// Programs that are recorded, before the provider with faults, and what a replay finds of them.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "replay/replay.h"

namespace aclgrad::replay {

class Folder {
 public:
  Folder() {
    std::string name = testing::TempDir() + "recordXXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Runs a command that is recorded, before the provider with faults or without it; returns its
// status as wait() has it.
inline int record(const std::string& folder, const std::string& command,
                  const std::string& settings = "", bool has_provider = true) {
  return std::system(fmt::format("LD_PRELOAD={}{} ACLGRAD_RECORD={} {} {} > /dev/null", RECORDER,
                                 has_provider ? ":" FAULTY_PROVIDER : "", folder, settings, command)
                         .c_str());
}

inline Runner& runner() {
  static Runner instance(gradcheck::Library::open(LIBRARY));
  return instance;
}

inline Report replayed(const Record& recorded, const Options& options = {}) {
  return replay(recorded, runner(), options, [](std::uint64_t) {});
}

// The calls that the driver has marked: what ends the next use of an operator, by aclrtGetDevice
// before it.
inline std::vector<std::uint64_t> marked(const Record& recorded) {
  std::vector<std::uint64_t> numbers;
  bool is_next = false;
  for (const Call& call : recorded.calls()) {
    is_next = is_next || call.function == "aclrtGetDevice";
    const bool is_last =
        call.plan || (!planned_operator(call.function).empty() && call.status != 0);
    if (is_next && is_last) {
      numbers.push_back(call.number);
      is_next = false;
    }
  }
  return numbers;
}

inline std::vector<std::uint64_t> found(const Report& report) {
  std::vector<std::uint64_t> numbers;
  for (const Finding& each : report.findings) {
    if (numbers.empty() || numbers.back() != each.number) numbers.push_back(each.number);
  }
  return numbers;
}

inline std::string all_text(const Report& report) {
  std::string text;
  for (const Finding& each : report.findings)
    text += fmt::format("{} {}: {}\n", each.number, each.kind, each.text);
  return text;
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace aclgrad::replay
