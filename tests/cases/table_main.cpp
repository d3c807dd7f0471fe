// SPDX-License-Identifier: Apache-2.0
// case_table --operators: the names of the operators that have rows, one a line.
// case_table --markdown: the rows as a Markdown table.
// case_table --in-graph: how a graph records each elementwise operator: "aclnnElu elu(x, alpha)".
#include <cstdio>
#include <cstring>
#include <set>

#include "aclgrad_contract/contracts.h"
#include "aclgrad_contract/numbers.h"
#include "tests/cases/case.h"

using namespace aclgrad::cases;

namespace {

void print_operators() {
  std::set<std::string> names;
  for (const Row& row : all_cases()) names.insert(row.api());
  for (const std::string& name : names) std::printf("%s\n", name.c_str());
}

void print_markdown() {
  std::printf("| operator | attributes | dtypes tested | bound (ulp) | gradient of |\n");
  std::printf("|---|---|---|---|---|\n");
  for (const Row& row : all_cases()) {
    std::string dtypes;
    for (const aclDataType dtype : row.dtypes()) {
      dtypes += (dtypes.empty() ? "" : ", ") + std::string(aclgrad::contract::label_of(dtype));
    }
    std::string forward;
    if (row.is_gradient()) {
      const Arguments call = row.forward(2);
      forward = call.op().name() + (call.label().empty() ? "" : " " + call.label());
    }
    std::printf("| `%s` | %s | %s | %g | %s |\n", row.api().c_str(), row.attributes().c_str(),
                dtypes.c_str(), bound_of(row.arguments()).of_float, forward.c_str());
  }
}

void print_in_graph() {
  for (const Operator& op : aclgrad::contract::all_contracts()) {
    if (!op.is_elementwise() || op.words.in_graph.empty() || !op.call.form_of.empty()) continue;
    std::printf("%s %s\n", op.name().c_str(), op.words.in_graph.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--operators") == 0) {
    print_operators();
  } else if (argc == 2 && std::strcmp(argv[1], "--markdown") == 0) {
    print_markdown();
  } else if (argc == 2 && std::strcmp(argv[1], "--in-graph") == 0) {
    print_in_graph();
  } else {
    std::fprintf(stderr, "usage: case_table --operators | --markdown | --in-graph\n");
    return 2;
  }
}
