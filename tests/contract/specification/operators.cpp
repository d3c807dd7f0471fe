// SPDX-License-Identifier: Apache-2.0
// Whether the headers declare every operator with the types that its contract gives its parameters.
// Prints what differs; the exit status is 1 then.
#include <cstdio>

#include "aclgrad_contract/contracts.h"

using namespace aclgrad::contract;

int main() {
  size_t different = 0;
  for (const Operator& op : all_contracts()) {
    std::vector<std::string> wanted;
    for (const size_t i : declared_parameters(op)) wanted.push_back(type_of(op.call.parameters[i]));
    if (wanted == op.call.types) continue;
    ++different;
    std::printf("%s\n", op.name().c_str());
    for (size_t i = 0; i < std::max(wanted.size(), op.call.types.size()); ++i) {
      std::printf("  %-24s is declared %s\n", i < wanted.size() ? wanted[i].c_str() : "nothing",
                  i < op.call.types.size() ? op.call.types[i].c_str() : "nothing");
    }
  }
  std::printf("%zu of %zu operators are declared otherwise than the contract says\n", different,
              all_contracts().size());
  return different == 0 ? 0 : 1;
}
