// SPDX-License-Identifier: Apache-2.0
// Records of calls of any content: they are read and replayed, or there is one clear error. The
// bytes are the lines; those of tensors are the same for all.
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "aclgrad/error.h"
#include "replay/replay.h"
#include "tests/fuzz/target.h"

namespace aclgrad::fuzz {
namespace {

class RecordFolder {
 public:
  RecordFolder() {
    path_ = std::filesystem::temp_directory_path() / "fuzzed_recordXXXXXX";
    require(mkdtemp(path_.data()) != nullptr, "there is room for a record");
    std::ofstream contents(path_ + "/contents.bin", std::ios::binary);
    for (int i = 0; i < 4096; ++i) contents.put(static_cast<char>(i * 7));
  }
  ~RecordFolder() {
    for (const char* const name : {"/calls.jsonl", "/contents.bin", ""})
      std::remove((path_ + name).c_str());
  }
  RecordFolder(const RecordFolder&) = delete;
  RecordFolder& operator=(const RecordFolder&) = delete;

  const std::string& with(const uint8_t* bytes, size_t size) const {
    std::ofstream calls(path_ + "/calls.jsonl", std::ios::binary | std::ios::trunc);
    calls.write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    return path_;
  }

 private:
  std::string path_;
};

}  // namespace

void fuzz_record(const uint8_t* bytes, size_t size) {
  static const RecordFolder folder;
  static replay::Runner runner(gradcheck::Library::linked());
  try {
    const replay::Record record(folder.with(bytes, size));
    const replay::Report report =
        replay::replay(record, runner, {.gradients = true}, [](std::uint64_t) {});
    require(!to_text(report).empty() && !to_json(report).empty() && !to_html(report).empty(),
            "there is a report");
    require(first_difference(record, record, runner).empty(), "a record is as itself");
  } catch (const Error& error) {
    require(*error.what() != '\0', "an error says what is wrong");
  }
}

}  // namespace aclgrad::fuzz
