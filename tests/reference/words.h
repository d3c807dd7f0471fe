// SPDX-License-Identifier: Apache-2.0
// What the reference says of each operator in words, which is what their contracts say, and how
// a graph records it; everything else on its pages is looked up or asked of the library.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad_contract/contracts.h"

namespace aclgrad::reference {

using contract::Text;

/// A node in a graph, and the inputs with respect to which it is differentiated.
struct Recorded {
  Value result;
  std::vector<Value> inputs;
};
using Record = std::function<Recorded(Graph&)>;

/// Operators that share a formula: with and without a result of their own, versions.
struct Words {
  std::vector<std::string> operators;
  Text computes;
  std::string in_graph = {};  ///< the framework's function; empty when there is none
};

struct Section {
  Text title;
  std::vector<Words> operators;
};

/// The families of contracts, in the order of the pages.
std::vector<Section> sections();

/// Records a node that calls the operator, where there is a function for that and a gradient; else
/// empty.
Record record_of(const std::string& op);

}  // namespace aclgrad::reference
