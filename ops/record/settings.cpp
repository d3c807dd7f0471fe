// SPDX-License-Identifier: Apache-2.0
#include "ops/record/settings.h"

#include <fnmatch.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace aclgrad::record {
namespace {

std::string_view word(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A whole number of at least 1; of bytes of at least 0, with K, M or G behind it.
bool read_number(const char* name, bool has_unit, uint64_t& number) {
  const uint64_t least = has_unit ? 0 : 1;
  std::string_view text = word(name);
  if (text.empty()) return true;
  const std::string whole(text);
  int shift = 0;
  const size_t unit = std::string_view("KMG").find(text.back());
  if (has_unit && unit != std::string_view::npos) {
    shift = 10 * (static_cast<int>(unit) + 1);
    text.remove_suffix(1);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && number >= least && number <= UINT64_MAX >> shift) {
    number <<= shift;
    return true;
  }
  say(std::string(name) + " is \"" + whole + "\", expected a number of at least " +
      (has_unit ? "0, which may end in K, M or G" : "1") + "; nothing is recorded");
  return false;
}

Settings read_settings() {
  Settings settings;
  settings.folder = word("ACLGRAD_RECORD");
  if (settings.folder.empty()) return settings;
  std::string_view rest = word("ACLGRAD_RECORD_FUNCTIONS");
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    if (comma > 0) settings.functions.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (!read_number("ACLGRAD_RECORD_FIRST", false, settings.first) ||
      !read_number("ACLGRAD_RECORD_EVERY", false, settings.every) ||
      !read_number("ACLGRAD_RECORD_SIZE", true, settings.bytes)) {
    settings.folder.clear();
  }
  return settings;
}

}  // namespace

bool Settings::keeps(const char* function, uint64_t count) const {
  if (count / every >= first || count % every != 0) return false;
  return functions.empty() || std::ranges::any_of(functions, [&](const std::string& glob) {
           return fnmatch(glob.c_str(), function, 0) == 0;
         });
}

const Settings& settings() {
  static const Settings* const read =
      new Settings(read_settings());  // for threads that outlive main
  return *read;
}

void say(std::string_view sentence, std::string_view more) noexcept {
  const std::string_view parts[] = {"aclgrad record: ", sentence, more, "\n"};
  iovec pieces[4];
  for (int i = 0; i < 4; ++i) pieces[i] = {const_cast<char*>(parts[i].data()), parts[i].size()};
  if (writev(STDERR_FILENO, pieces, 4) < 0) return;  // nobody to tell
}

}  // namespace aclgrad::record
