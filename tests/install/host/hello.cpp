// SPDX-License-Identifier: Apache-2.0
// The smallest program: what it costs to include and link the library.
#include <aclgrad/aclgrad.h>

#include <cstdio>

int main() {
  aclgrad::Graph graph;
  graph.input("x", {2});
  std::puts(graph.to_string().c_str());
}
