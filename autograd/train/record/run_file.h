// SPDX-License-Identifier: Apache-2.0
// The file of a run's record: one JSON object, whose last member "entries" is an array with a line
// for each entry, so that appending costs what the entry has. It is valid JSON after every append;
// of a file whose writer was killed all whole lines are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace aclgrad::detail {

/// Members in the order in which they were added. Floating numbers are texts, which hold NaN and
/// infinity, too, and give the same bits when they are read, whatever the locale.
using RunJson = nlohmann::ordered_json;

inline constexpr std::string_view kRunFormat = "aclgrad run 1";

/// The text of a number in a record, and back; the second throws IoError.
std::string number_text(double value);
double number_of(const RunJson& text);

struct RunFile {
  RunJson header;                // without entries
  std::vector<RunJson> entries;  // objects
};

/// Throws IoError that says why it is no record of a run.
RunFile read_run_file(const std::filesystem::path& path);

class RunFileWriter {
 public:
  /// Begins a file with this header and these entries, in the place of what has its name. Throws
  /// IoError.
  RunFileWriter(std::filesystem::path path, const RunJson& header,
                const std::vector<RunJson>& entries = {});
  ~RunFileWriter();
  RunFileWriter(const RunFileWriter&) = delete;
  RunFileWriter& operator=(const RunFileWriter&) = delete;

  /// Throws IoError.
  void append(const RunJson& entry);

 private:
  const std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t end_ = 0;  // of the last entry
  bool is_empty_;
};

}  // namespace aclgrad::detail
