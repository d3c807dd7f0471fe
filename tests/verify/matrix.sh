#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: matrix.sh BUILD PAGE [BUILD...]
# The demo's four networks, trained once by the first build with a record, and verified by aclgrad-verify in every
# way of running that is here: threads, sessions, resumed, other builds, other processors (emulated). Writes
# a page with a table, and fails where a cell parts.
set -euo pipefail
build=$(realpath "$1")
page=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

arguments=(--epochs 4 --checkpoint-every 23 --seed 7)
program=("$build/bin/train_digits" "${arguments[@]}" --out)
"${program[@]}" "$work/digits" >"$work/log" 2>&1 || { tail "$work/log" >&2; exit 1; }
records=("$work"/digits/*.run.json)

declare -A cells reasons
networks=() rows=()
for record in "${records[@]}"; do
  name=$(basename "$record" .run.json)
  name=${name%.safetensors}
  networks+=("${name#checkpoint_}")
done

# row NAME WORD... : a row of the table, by a command in which RECORD and STEP (of its next to last state) are
# those of each network.
row() {
  local name=$1 i record step words
  shift
  rows+=("$name")
  for i in "${!records[@]}"; do
    record=${records[i]}
    step=$(sed -n 's/^{"step":\([0-9]*\),"losses".*"sha256".*/\1/p' "$record" | tail -n 2 | head -n 1)
    words=("${@//RECORD/$record}")
    words=("${words[@]//STEP/$step}")
    if env "${words[@]}" >"$work/log" 2>&1; then
      cells[${networks[i]},$name]=$(sed -n 's/^equal: \([0-9]*\) states.*/equal (\1)/p' "$work/log")
    else
      cells[${networks[i]},$name]="**parts**"
      reasons["${networks[i]}, $name"]=$(grep -m1 -E 'parted|^aclgrad-verify:' "$work/log" || tail -n 1 "$work/log")
      failed=1
    fi
    echo "${networks[i]}, $name: ${cells[${networks[i]},$name]} ${reasons["${networks[i]}, $name"]-}"
  done
}

verify=("$build/bin/aclgrad-verify" --quiet RECORD)
for count in 1 2 3 4; do row "$count threads" OMP_NUM_THREADS="$count" "${verify[@]}"; done
for session in launch eager; do row "$session" ACLGRAD_SESSION="$session" "${verify[@]}"; done
row resumed "${verify[@]}" --from STEP
for other in "$@"; do
  row "$(basename "$other")" "${verify[@]}" -- "$(realpath "$other")/bin/train_digits" "${arguments[@]}" --out \
    "$work/again"
done
# Kernels held to another instruction set of this processor, where Highway is a library of its own.
choice=$build/lib/libinstruction_set.so
if [[ -e $choice ]] && ldd "$choice" | grep -q libhwy; then
  for target in SSE4 AVX2 AVX3 NEON; do
    held=(LD_PRELOAD="$choice" ACLGRAD_TEST_TARGET="$target")
    if env "${held[@]}" true 2>/dev/null; then row "$target" "${held[@]}" "${verify[@]}"; fi
  done
fi
if command -v qemu-x86_64 >/dev/null; then
  for model in Haswell Nehalem core2duo; do
    row "$model" "${verify[@]}" -- qemu-x86_64 -cpu "$model" "${program[@]}" "$work/again"
  done
fi

{
  cat <<TEXT
# The same bits

<!-- tests/verify/matrix.sh writes this page: ./dev verify-matrix -->
The demo's networks (\`train_digits ${arguments[*]}\`: 1,437 digits, AdamW, a cosine schedule, dropout), trained once with a
[record](how-to/verify-a-run.md) and verified by \`aclgrad-verify\` in other ways: the number of states (parameters, buffers,
optimizer) that are equal, bit for bit. Recorded on $(sed -n 's/^ *"processor": "\(.*\)",/\1/p' "${records[0]}"), $(nproc) threads, by a build of
$("${CXX:-c++}" --version | head -n 1).

TEXT
  printf '| |'
  printf ' %s |' "${networks[@]}"
  printf '\n|---|'
  printf -- '---|%.0s' "${networks[@]}"
  printf '\n'
  for name in "${rows[@]}"; do
    printf '| %s |' "$name"
    for network in "${networks[@]}"; do printf ' %s |' "${cells[$network,$name]-}"; done
    printf '\n'
  done
  for key in "${!reasons[@]}"; do printf '\n* %s: %s\n' "$key" "${reasons[$key]}"; done
  cat <<'TEXT'

`launch` and `eager` are sessions that replay nothing
(`ACLGRAD_SESSION`); resumed is from the run's own checkpoint; `SSE4` to `AVX3` are kernels held to that instruction set on the same
processor (AVX3 is AVX-512; of SSE4 they run their portable code, which has no fused multiply-add); a build or a processor is a row where
`./dev verify-matrix BUILD...` was given one, or an emulator is installed.

## What may differ, and why

* **Products of 16 bits** use a processor's own instructions for them, unless the program asks for
  `ACL_OPT_DETERMINISTIC` ([numbers](guide/numbers.md)).
* **Initial weights** of normal distributions, `schedule::cosine()`, `step()` and `polynomial()`, and tables of positions call
  `log`, `cos`, `sin` and `pow` of the C library in double and round once to float. Another C library, or glibc on a processor
  without fused multiply-add, may have another last bit of the double, which the rounding hides but once in some hundred million
  numbers. `aclgrad-verify` would name the tensor before the first step.
* **Ranks** give the bits of one with as many micro-batches where their number is a power of two that divides that of the
  micro-batches (test `Promise.TwoRanksDoWhatOneDoes`, [training](guide/training.md)); others add up in another order.
* **Complex tensors**, which nothing is trained in, call the C library.

Nothing else does: no operator calls a function of the C library whose result is not exact (test `verify.symbols`), products and
sums are contracted nowhere (`-ffp-contract=off`), and the rounding mode in which `fit()` is called changes nothing
(`Verifying.TheRoundingModeOfTheProgramChangesNothing`, `InFloatModes`). One that is set before the optimizer is made does: its
learning rate is then rounded to float32 so.
TEXT
} >"$work/page"
mv "$work/page" "$page"
exit $failed
