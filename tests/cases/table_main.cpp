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

const char* label(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT:
      return "FLOAT";
    case ACL_FLOAT16:
      return "FLOAT16";
    case ACL_BF16:
      return "BFLOAT16";
    case ACL_DOUBLE:
      return "DOUBLE";
    case ACL_INT8:
      return "INT8";
    case ACL_UINT8:
      return "UINT8";
    case ACL_INT16:
      return "INT16";
    case ACL_INT32:
      return "INT32";
    case ACL_INT64:
      return "INT64";
    default:
      return aclgrad::contract::label_of(dtype);
  }
}

void print_operators() {
  std::set<std::string> names;
  for (const Case& row : all_cases()) names.insert(row.api);
  for (const std::string& name : names) std::printf("%s\n", name.c_str());
}

void print_markdown() {
  std::printf("| operator | attributes | dtypes tested | bound (ulp) | gradient of |\n");
  std::printf("|---|---|---|---|---|\n");
  for (const Case& row : all_cases()) {
    std::string dtypes;
    for (aclDataType dtype : row.dtypes)
      dtypes += (dtypes.empty() ? "" : ", ") + std::string(label(dtype));
    std::printf("| `%s` | %s | %s | %g | %s |\n", row.api.c_str(), row.attributes.c_str(),
                dtypes.c_str(), row.max_ulp,
                row.derivative_of ? row.derivative_of->forward_row.c_str() : "");
  }
}

void print_in_graph() {
  for (const auto& family : aclgrad::contract::families()) {
    for (const auto& op : family.operators) {
      if (!op.is_elementwise() || op.words.in_graph.empty() || !op.call.form_of.empty()) continue;
      std::printf("%s %s\n", op.name().c_str(), op.words.in_graph.c_str());
    }
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
