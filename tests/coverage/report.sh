#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# report.sh BUILD: what the profiles of the tests say about ops/, file by file, and the two sums that
# ./dev coverage records.
set -euo pipefail
build=$1
# The binaries that carry the code of ops/.
objects=()
for binary in "$build"/lib/lib{nnopbase,ascendcl,hccl}*.so "$build"/bin/test_{meta,kernels}; do
  objects+=(-object "$binary")
done
llvm-profdata-16 merge -o "$build/all.profdata" "$build"/profiles/*.profraw

# The table of llvm-cov for sources of the project, a line for each file and one for all.
table() {
  llvm-cov-16 report "$build/lib/libopapi.so" "${objects[@]}" -instr-profile="$build/all.profdata" \
    -show-region-summary=false -show-branch-summary "$@"
}
# Of a table's last line, the share, how many there are and how many were not reached.
sum() {
  awk -v all="$1" '/^TOTAL/ {
    printf "%.1f%% (%d out of %d)\n", 100 * ($all - $(all + 1)) / $all, $all - $(all + 1), $all
  }'
}

lines=$(table ops)
branches=$(table ops/meta/rules.cpp ops/activation ops/arithmetic ops/attention ops/convolution ops/index ops/loss \
  ops/matmul ops/normalization ops/optimizer ops/pooling ops/random ops/recurrent ops/reduction ops/resampling ops/shape)
printf '%s\n\n%s\n' "$lines" "$branches"
printf 'lines of ops/: %s\n' "$(sum 5 <<<"$lines")"
printf 'branches of the checks: %s\n' "$(sum 8 <<<"$branches")"
