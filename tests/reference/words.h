// SPDX-License-Identifier: Apache-2.0
// What the reference says of each operator in words; everything else on its pages is looked up or
// asked of the library.
#ifndef ACLGRAD_TESTS_REFERENCE_WORDS_H_
#define ACLGRAD_TESTS_REFERENCE_WORDS_H_

#include <functional>
#include <string>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad::reference {

/// A text in both languages of the pages.
struct Text {
  std::string english;
  std::string chinese;
};

/// A node in a graph, and the inputs with respect to which it is differentiated.
struct Recorded {
  Value result;
  std::vector<Value> inputs;
};

/// Operators that share a formula: with and without a result of their own, versions.
struct Words {
  std::vector<std::string> operators;
  Text computes;
  std::string in_graph = {};  ///< the framework's function; empty when there is none
  std::function<Recorded(Graph&)> record = nullptr;  ///< a call of it, where it has a gradient
};

struct Section {
  Text title;
  std::vector<Words> operators;
};

/// All sections, in the order of the pages.
std::vector<Section> sections();

Section activations();
Section functions();
Section arithmetic();
Section products();
Section training();

}  // namespace aclgrad::reference

#endif  // ACLGRAD_TESTS_REFERENCE_WORDS_H_
