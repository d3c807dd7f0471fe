// SPDX-License-Identifier: Apache-2.0
// VizPage: a graph, forward, backward and update, as one HTML page that needs no network. Nodes are
// coloured by pass and show their aclnn call and the line that recorded them; after a run the page
// also has every value and gradient, a slider over the operators in the order of running, the time
// of each node and the memory over time.
//
//   VizPage page(graph, {.title = "One step of training"});
//   page.add(gradients);                             // which value is the gradient of which
//   page.run({loss, update}, {{x, batch}, {t, labels}});
//   write_file_atomically("backprop.html", page.html());
//
// "backprop.html#position=3" opens the page after the third operator. For Graphviz see
// aclgrad/graph/dot.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/gradients.h"
#include "aclgrad/session.h"

namespace aclgrad {

namespace viz {
struct GraphView;
}

/// What a page shows at most; it says so where that leaves something out.
struct VizOptions {
  std::string title = "Graph";
  std::size_t max_nodes = 1500;    ///< in the order of recording
  std::int64_t max_elements = 16;  ///< of a tensor along each edge, as a matrix of its last axis by
                                   ///< all others; ranges and means are over the whole tensor
  std::int64_t max_values = 1 << 18;  ///< elements of all tensors together that the page keeps, of
                                      ///< small tensors first: any part of such a tensor can be
                                      ///< looked at, of others the first max_elements alone
};

class VizPage {
 public:
  /// Keeps the graph alive; nodes recorded later are on the page, too.
  explicit VizPage(const Graph& graph, VizOptions options = {});
  VizPage(VizPage&&) noexcept;
  VizPage& operator=(VizPage&&) noexcept;
  ~VizPage();

  /// Gradients are shown beside the values they belong to.
  void add(const Gradients& gradients);

  /// Runs eagerly for the values, and as planned, node by node, for the memory report and the
  /// times, which are those of the quickest of five runs. Variables are left as they were found.
  /// Throws what Session and run() throw.
  void run(const std::vector<Fetch>& fetches, std::span<const Feed> feeds);
  void run(const std::vector<Fetch>& fetches, std::initializer_list<Feed> feeds = {});

  /// What run() adds, piece by piece, for sessions of your own. One operator with its tensors, as
  /// an observer sees them (SessionOptions::observer); a later one replaces an earlier one.
  void add(const Node& node, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs);
  void add(Profile profile);
  void add(MemoryReport report);

  /// The page.
  std::string html() const;

 private:
  std::unique_ptr<viz::GraphView> view_;
};

/// From now on fit() can write the page of a step that `aclgrad-verify --at STEP` asks for; without
/// it that has the step's values only, as what trains is linked with no pages.
void provide_step_pages();

}  // namespace aclgrad
