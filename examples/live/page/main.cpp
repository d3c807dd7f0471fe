// SPDX-License-Identifier: Apache-2.0
// The networks of ./dev live, one of them in the web worker of its page (./dev wasm).
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "examples/live/networks.h"

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  for (const networks::Entry& entry : networks::all()) {
    if (entry.name != name) continue;
    aclgrad::live::run_in_worker(entry.choices, entry.make,
                                 {.title = entry.title, .lessons = entry.lessons});
    return 0;
  }
  fmt::print(stderr, "there is no network `{}`\n", name);
  return 1;
}
