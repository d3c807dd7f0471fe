# SPDX-License-Identifier: Apache-2.0
# "aclnnSiluBackward silu_backward(g, x)" to a row of words.cpp: of calls of one or two tensors, which
# are single letters, and constants.
match($0, / [a-z_0-9]+\([a-z](, [a-z])?(, ([0-9]+\.[0-9]+|\{[^}]*\}|[A-Z][a-z]*[A-Za-z]*::[a-z0-9]+))*\)/) {
  call = substr($0, RSTART + 1, RLENGTH - 1)
  match(call, /\([a-z](, [a-z][,)])?/)
  first = substr(call, RSTART + 1, 1)
  second = RLENGTH > 2 ? substr(call, RSTART + 4, 1) : ""
  printf "{\"%s\", %s([](X %s%s) { return %s; })},\n", $1, second == "" ? "of" : "of_two", first,
      second == "" ? "" : ", X " second, call
}
