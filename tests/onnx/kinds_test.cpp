// SPDX-License-Identifier: Apache-2.0
// Every kind of node that the headers declare is written, and then compared with what it computes
// when it comes back, or refused with a reason.
#include "tests/onnx/kinds.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <typeindex>

#include "onnx/export/call.h"
#include "tests/onnx/saved_cases.h"

namespace aclgrad {
namespace {

std::set<std::type_index> kinds_of_cases() {
  std::set<std::type_index> all;
  for (const SavedCase& each : all_saved_cases()) {
    const Graph graph(Mode::evaluation);
    std::vector<Value> inputs;
    for (const onnx::Example& example : each.examples) {
      inputs.push_back(graph.input(example.name, example.shape, example.dtype));
    }
    each.record(inputs);
    for (std::size_t k = 0; k < graph.size(); ++k) {
      const Op& op = *graph.node(static_cast<NodeId>(k)).op;
      all.insert(typeid(op));
    }
  }
  return all;
}

TEST(OnnxSave, EveryKindOfNodeIsWrittenOrRefused) {
  ASSERT_GT(std::size(kKinds), 250u);
  for (const auto& [name, type] : kKinds) {
    EXPECT_NE(onnx::saving::table().find(type), nullptr)
        << name << " is in no table of framework/onnx/export";
  }
}

TEST(OnnxSave, EveryKindThatIsWrittenIsCompared) {
  // A runtime draws masks of its own: WritesDropoutAndBatchNormInTraining looks at what is written.
  const std::set<std::type_index> not_comparable = {typeid(DropoutOp)};
  const std::set<std::type_index> compared = kinds_of_cases();
  for (const auto& [name, type] : kKinds) {
    const auto* row = onnx::saving::table().find(type);
    if (row == nullptr || row->is_refused || not_comparable.contains(type)) continue;
    EXPECT_TRUE(compared.contains(type)) << name << " is in no case of tests/onnx/saved_*.cpp";
  }
}

}  // namespace
}  // namespace aclgrad
