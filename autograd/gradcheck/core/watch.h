// SPDX-License-Identifier: Apache-2.0
// A process that calls a library under test, and one that watches it: before each call it says what
// it is about to call, so that the other one knows where it ended, or hangs. Started again, it
// leaves out the calls that ended it before.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace aclgrad::gradcheck::detail {

/// Memory that both processes see. Calls are counted within a section.
struct Watch {
  std::int64_t section;
  std::int64_t call;   // 0: none yet
  std::int64_t depth;  // of calls that have begun and not returned
  char text[512];
};

/// How a process ended, by section and call.
using Crashes = std::map<std::pair<std::int64_t, std::int64_t>, std::string>;

/// From now on this process is watched; null: no longer. Both outlive that.
void be_watched(Watch* watch, const Crashes* crashes);

/// "", or how the section ends its process whatever is left out of it: its call 0.
std::string begin_section(std::int64_t section);

/// A call, from its beginning until this goes out of scope.
class WatchedCall {
 public:
  explicit WatchedCall(const std::string& text);
  ~WatchedCall();
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;

  /// "", or how this call ended the process that made it before, so that it must be left out.
  const std::string& crash() const { return crash_; }

 private:
  std::string crash_;
};

/// Calls of the library's runtime beside those: they may take as long as one of them.
class WatchedStretch {
 public:
  WatchedStretch();
  ~WatchedStretch();
  WatchedStretch(const WatchedStretch&) = delete;
  WatchedStretch& operator=(const WatchedStretch&) = delete;
};

}  // namespace aclgrad::gradcheck::detail
