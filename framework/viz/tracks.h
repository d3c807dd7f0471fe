// SPDX-License-Identifier: Apache-2.0
// Parallel tracks for lines that share a gutter or a channel: lines from one source may run on top
// of each other, others that overlap run side by side.
#ifndef ACLGRAD_FRAMEWORK_VIZ_TRACKS_H_
#define ACLGRAD_FRAMEWORK_VIZ_TRACKS_H_

#include <cstddef>
#include <map>

namespace aclgrad::viz {

class Tracks {
 public:
  /// Announces that lines of the source run from a to b.
  void add(std::size_t source, double a, double b);

  /// Gives out the tracks. Call once, after the last add().
  void assign();

  std::size_t count() const { return count_; }
  std::size_t track(std::size_t source) const { return spans_.at(source).track; }

 private:
  struct Span {
    double low;
    double high;
    std::size_t track = 0;
  };

  std::map<std::size_t, Span> spans_;  // by source
  std::size_t count_ = 0;
};

}  // namespace aclgrad::viz

#endif  // ACLGRAD_FRAMEWORK_VIZ_TRACKS_H_
