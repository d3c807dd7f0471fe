// SPDX-License-Identifier: Apache-2.0
#include "train/record/run_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "aclgrad/tensor/number_text.h"
#include "io/posix_file.h"

namespace aclgrad::detail {
namespace {

constexpr std::string_view kEntries = ",\n\"entries\": [\n", kEnd = "\n]}\n";

// Command lines and paths need not be UTF-8.
std::string line_of(const RunJson& json, int indent = -1) {
  return json.dump(indent, ' ', false, RunJson::error_handler_t::replace);
}

}  // namespace

std::string number_text(double value) { return fmt::format("{}", value); }

double number_of(const RunJson& text) {
  const std::optional<double> number =
      text.is_string() ? number_from_text(text.get_ref<const std::string&>()) : std::nullopt;
  if (!number) throw IoError("a record of a run has a number that is none: " + line_of(text));
  return *number;
}

RunFile read_run_file(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  const auto fail = [&](const std::string& why) {
    throw IoError(fmt::format("{}: is no record of a run: {}", path.string(), why));
  };
  const std::size_t begin = text.find(kEntries);
  if (begin == text.npos) fail("it has no line `\"entries\": [`");
  RunFile file;
  file.header = RunJson::parse(text.substr(0, begin) + "}", nullptr, false);
  if (!file.header.is_object()) fail("what stands before its entries is no JSON");
  if (const RunJson format = file.header.value("format", RunJson()); format != kRunFormat) {
    fail(fmt::format("its format is {} instead of \"{}\"", line_of(format), kRunFormat));
  }
  std::size_t at = begin + kEntries.size();
  while (at < text.size() && text[at] != ']') {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos) break;  // its writer was killed, or is writing
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.ends_with(',')) line.pop_back();
    if (line.empty()) continue;
    RunJson entry = RunJson::parse(line, nullptr, false);
    if (!entry.is_object()) {
      fail(fmt::format("entry {} is no JSON object", file.entries.size() + 1));
    }
    file.entries.push_back(std::move(entry));
  }
  return file;
}

RunFileWriter::RunFileWriter(std::filesystem::path path, const RunJson& header,
                             const std::vector<RunJson>& entries)
    : path_(std::move(path)), is_empty_(entries.empty()) {
  std::string text = line_of(header, 1);
  text.resize(text.rfind('\n'));  // the brace that ends it
  text += kEntries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    text += (i > 0 ? ",\n" : "") + line_of(entries[i]);
  }
  end_ = text.size();
  text += kEnd;
  // Not forced to the disk, which may take longer than the first hundred steps: what is lost with
  // the power is a record, and a run is not verified by one that is cut off.
  TemporaryFile fresh(path_);
  fresh.write(text);
  fresh.take_name(/*is_forced=*/false);
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail_io(path_, "write", errno);
}

RunFileWriter::~RunFileWriter() { ::close(descriptor_); }

// One write: a reader finds the line or what was there before, or, after a kill, a part of it.
void RunFileWriter::append(const RunJson& entry) {
  const std::string text = (is_empty_ ? "" : ",\n") + line_of(entry) + std::string(kEnd);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = ::pwrite(descriptor_, text.data() + done, text.size() - done,
                                   static_cast<off_t>(end_ + done));
    if (wrote < 0 && errno != EINTR) fail_io(path_, "write", errno);
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
  end_ += text.size() - kEnd.size();
  is_empty_ = false;
}

}  // namespace aclgrad::detail
