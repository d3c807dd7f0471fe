// SPDX-License-Identifier: Apache-2.0
// Checks a backward that is a pair of two-phase executors in a shared library, found at run time:
// check_executors [LIBRARY]. By default this project's own.
#include <aclgrad/gradcheck/two_phase.h>
#include <aclnnop/aclnn_hardswish_backward.h>
#include <fmt/format.h>

namespace gc = aclgrad::gradcheck;

int main(int argc, char** argv) {
  const auto library = gc::Library::open(argc > 1 ? argv[1] : "libopapi.so");
  auto* plan = library->function<decltype(aclnnHardswishBackwardGetWorkspaceSize)>(
      "aclnnHardswishBackwardGetWorkspaceSize");

  gc::Candidate candidate(gc::elementwise(
                              "hardswish",
                              [](auto x) {
                                using T = decltype(x);
                                return x <= -3 ? T(0) : x >= 3 ? x : x * (x + 3) / 6;
                              },
                              -6, 6),
                          // Tensors arrive in order: gradient, input, then the result.
                          gc::from_executors(library, "aclnnHardswishBackward",
                                             [plan](auto t, auto* size, auto** executor) {
                                               return plan(t[0], t[1], t[2], size, executor);
                                             }));
  candidate.in_place = {0, 1};  // the result may overwrite either

  const gc::Report report = gc::check_operator(candidate);
  fmt::print("{}", report.to_string());
  return report.exit_status();
}
