#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: smoke_test.sh BENCH_TRAIN FOLDER
# A few steps of every workload: all who compute a loss must compute the same one (bench_train fails
# otherwise), ours and the floor must be there with a time, and every promise must be compared.
set -eu
mkdir -p "$2"
rm -rf "$2/performance-training" "$2/networks" # of an earlier run
"$1" --quick --workloads W1 W2 W3 --threads 1 2 --markdown "$2/performance-training.md" >"$2/table.txt" 2>"$2/progress.txt" || {
  cat "$2/table.txt" "$2/progress.txt"
  exit 1
}
cat "$2/table.txt"
for workload in W1 W2 W3; do
  for threads in 1 2; do
    for who in aclgrad 'bare products'; do
      grep -qE "^\| $workload \| $threads \| $who \| [0-9.]*[1-9]" "$2/performance-training.md" ||
        { echo "no time of $who for $workload with $threads thread(s)"; exit 1; }
    done
  done
  grep -qE "^\| $workload: at most .* \| [0-9.]+ MB" "$2/performance-training.md" ||
    { echo "the memory of $workload is not compared"; exit 1; }
done

# The networks of the examples, which take longer.
"$1" --quick --workloads W4 W5 W6 W8 W4b W5b W8b --threads 2 --markdown "$2/networks.md" >"$2/networks.txt" 2>"$2/progress.txt" || {
  cat "$2/networks.txt" "$2/progress.txt"
  exit 1
}
for workload in W4 W5 W6 W8 W4b W5b W8b; do
  for who in aclgrad 'bare products'; do
    grep -qE "^\| $workload \| 2 \| $who \| [0-9.]*[1-9]" "$2/networks.md" ||
      { echo "no time of $who for $workload"; exit 1; }
  done
done
grep -qE '^(In [0-9]+ of [0-9]+ cells by more than 3 %|Nowhere, in |Nobody was compared)' "$2/networks.md" ||
  { echo "the page does not say where others are faster"; exit 1; }
