#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: smoke_test.sh BENCH_KERNELS FOLDER
# All contenders must compute the same. Then two short repetitions of every smallest cell: each must
# come out with a time of ours, peers and limits must be there, and the report must compare every
# promise that such a run can compare.
set -eu
rm -rf "$2/performance" # of an earlier run
mkdir -p "$2"
"$1" --quick --threads 1 --check
"$1" --quick --passes 2 --threads 1 --markdown "$2/performance.md" --csv "$2/performance.csv" \
  >"$2/table.txt" 2>"$2/progress.txt" || {
  cat "$2/progress.txt"
  exit 1
}
cells=$("$1" --quick --threads 1 --list 2>/dev/null | wc -l)
((cells > 200)) || { echo "only $cells cells"; exit 1; }
for contender in aclgrad oneDNN 'ordinary stores' 'non-temporal stores'; do
  rows=$(grep -c ",$contender," "$2/performance.csv" || true)
  echo "$contender: $rows of $cells cells"
  [[ $contender != aclgrad || $rows == "$cells" ]] || exit 1
  ((rows > 20)) || exit 1
done
levels=$(grep -c ',aclgrad (best of rounds),' "$2/performance.csv" || true)
((levels > 900)) || { echo "only $levels times on other data"; exit 1; }
grep -qE '^\| data in \[-20, 20\].* \| [0-9]+ of [0-9]+ cells; most ' "$2/performance.md"
for operation in Selu SeluBackward 'EluBackward self' HardswishBackwardV2 'GeluBackward erf' \
  'GeGluBackward tanh' Copy; do
  grep -q "^| $operation |" "$2/performance.md" || { echo "no row for $operation"; exit 1; }
done
for row in 'elementwise Selu FLOAT' 'training AdamW BFLOAT16' 'training ReduceSum rows FLOAT' \
  'products Matmul transposed b FLOAT'; do
  grep -q "^${row#* } " "$2/performance/${row%% *}.csv" || { echo "no speed: $row"; exit 1; }
done
grep -q '^operator,.*,"3 N(0,1)",' "$2/performance/other-data.csv"
grep -q '^Selu FLOAT,' "$2/performance/layouts.csv"
grep -qE '^\| elementwise operators: at least.* \| [0-9]+ of [0-9]+ cells; least ' "$2/performance.md"
grep -qE '^\| 16M FLOAT.* \| not measured \|$' "$2/performance.md" # by so small a run
grep -q 'Of 2 passes over all cells' "$2/performance.md"
grep -q '</svg>' "$2/performance.svg"
grep -qE '^(In [0-9]+ of [0-9]+ cells by more than 3 %|Nowhere, in )' "$2/performance.md" ||
  { echo "the page does not say where others are faster"; exit 1; }
# Layers come beside what is there, in a part of the page of their own.
for layers in recurrent attention; do
  "$1" --program "bench_$layers" 1 --threads 1 --filter 'Lstm cell' 8x4x16x32 \
    --markdown "$2/performance.md" >>"$2/table.txt"
done
for row in 'Lstm cell and backward BFLOAT16 32x128 to 128' 'Causal attention FLOAT 8x4x16x32'; do
  grep -qE "^\| $row threads=1 \| [0-9.]+" "$2/performance.md" || { echo "no time of $row"; exit 1; }
done
grep -q '^| Selu |' "$2/performance.md" || { echo "a part took the place of all"; exit 1; }
