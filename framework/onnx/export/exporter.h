// SPDX-License-Identifier: Apache-2.0
// Writes recordings of one network as an ONNX graph.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {

/// One network, recorded for batches of several sizes, the smallest first. Of one recording all is
/// fixed.
struct Recording {
  Graph graph;
  std::vector<Value> inputs;
  std::vector<Value> outputs;
  std::int64_t batch = 0;
};

class Exporter {
 public:
  Exporter(const std::vector<Recording>& recordings, proto::GraphProto& graph);

  /// Throws ValueError that lists what cannot be said.
  void write(const std::vector<std::string>& output_names);

 private:
  friend class Call;

  const Graph& first() const { return recordings_.front().graph; }
  void find_needed();
  void check_recordings() const;
  void declare_inputs();
  void write_node(const Node& node);
  void call_outputs(const Node& node, const std::vector<Term>& made);
  void declare_outputs(const std::vector<std::string>& names);
  void declare(proto::ValueInfoProto& info, const std::string& name, const Value& value) const;

  Extent extent(const std::function<std::int64_t(const Recording&)>& get) const;
  Extents extents(ValueId id) const;
  Term batch();
  Term term(ValueId id) const;

  const std::vector<Recording>& recordings_;
  Builder builder_;
  std::vector<bool> needed_nodes_, needed_values_;
  std::unordered_map<ValueId, Term> terms_;
  std::string batch_input_;  // whose first axis is the batch
  std::vector<std::string> unsayable_;
};

}  // namespace aclgrad::onnx::saving
