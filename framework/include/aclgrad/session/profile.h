// SPDX-License-Identifier: Apache-2.0
// Profile: how long every node of one run took. In that of Session::profile the nodes run one by
// one and are waited for, so a time includes launching and waiting, and what a replay does better
// does not show. Session::timeline does not wait between them: it shows what the session's two
// streams do at the same time.
//
//   Profile profile = session.profile({{x, batch}});
//   std::cout << profile.to_string(10);
//   write_file_atomically("step.json", profile.chrome_trace());  // chrome://tracing, Perfetto
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad {

struct Profile {
  struct Entry {
    NodeId node = 0;
    std::string operation;            ///< "geglu"
    std::string call;                 ///< "aclnnGeGluV3"
    std::string name;                 ///< of the first output; "" when it has none
    std::string where;                ///< "examples/x.cpp:41"
    std::vector<std::string> inputs;  ///< "float32 [2, 3]"
    std::vector<std::string> outputs;
    Pass pass = Pass::forward;
    double start_us = 0;  ///< microseconds since the first node began
    double duration_us = 0;
    int stream = 0;  ///< 1 for asynchronous nodes
  };

  std::vector<Entry> nodes;  ///< in the order of running

  /// The sum of all durations in microseconds.
  double total_us() const;

  /// From the beginning of the first node to the end of the last.
  double span_us() const;

  /// How long nodes ran on the second stream, and for how long of that one of the first ran too.
  double async_us() const;
  double hidden_us() const;

  /// A table of the nodes that took longest, at most `rows` of them.
  std::string to_string(std::size_t rows = 20) const;

  /// One complete event a node, in the JSON form that trace viewers read; a stream is a thread.
  std::string chrome_trace() const;

  /// A picture: time to the right, a lane for each stream, nodes coloured by their pass.
  std::string svg() const;
};

}  // namespace aclgrad
