#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: matrix.sh BUILD PAGE [BUILD...]
# The demo and the networks of the examples, each trained once by the first build with a record, and verified by
# aclgrad-verify in every way of running that is here: threads, sessions, ranks, resumed, other instruction sets, other
# builds, other processors (emulated). Writes a page with a table, and fails where a cell parts.
set -euo pipefail
build=$(realpath "$1")
page=$2
shift 2
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# The digits as files like MNIST's: each pixel three by three, with a margin.
python3 - "$root/examples/data/digits.csv" "$work" <<'TEXT'
import struct, sys
rows = [[int(float(number)) for number in line.split(",")] for line in open(sys.argv[1]) if line[0].isdigit()]
for part, some in (("train", rows[:280]), ("t10k", rows[280:330])):
    pixels = bytearray()
    for row in some:
        picture = [[15 * row[8 * (i // 3) + j // 3] for j in range(24)] for i in range(24)]
        for line in [[0] * 24] * 2 + picture + [[0] * 24] * 2:
            pixels += bytes([0, 0] + line + [0, 0])
    with open(f"{sys.argv[2]}/{part}-images-idx3-ubyte", "wb") as file:
        file.write(struct.pack(">IIII", 0x803, len(some), 28, 28) + pixels)
    with open(f"{sys.argv[2]}/{part}-labels-idx1-ubyte", "wb") as file:
        file.write(struct.pack(">II", 0x801, len(some)) + bytes(row[64] for row in some))
TEXT

# Two hundred steps of each, or a few more.
declare -A words cells reasons
networks=()
network() { # NAME WORD...: a program and its options
  networks+=("$1")
  words[$1]="${*:2} --seed 7"
}
for activation in elu geglu hardswish selu; do
  network "digits, $activation" train_digits --activation "$activation" --epochs 9 --checkpoint-every 22 \
    --data "$root/examples/data/digits.csv"
done
text=(--data "$root/examples/data/walrus.txt" --steps 200 --letters 0)
network "text, GRU" recurrent --task characters "${text[@]}"
network "text, transformer" transformer "${text[@]}"
network "translate" translate --steps 200 --batch 16 --unseen 32 --beams 1
ranked=("${networks[@]}") # without batch normalization, and with --ranks
for kind in convolution:elu mobilenet:hardswish; do
  network "${kind/:/, }" "${kind%:*}" --activation "${kind#*:}" --data "$work" --epochs 10 --batch 14
done
network "add, GRU" recurrent --task adding --length 20 --adding-steps 200 --enough 0

# record FOLDER NETWORK WORD...: trains, and writes the record to FOLDER/NETWORK.json.
record() {
  local folder=$work/$1 name=$2 command
  read -ra command <<<"${words[$name]}"
  mkdir -p "$folder"
  "$build/bin/${command[0]}" "${command[@]:1}" "${@:3}" --out "$folder/$name" >"$work/log" 2>&1 ||
    { tail "$work/log" >&2; exit 1; }
  mv "$folder/$name"/*.run.json "$folder/$name.json"
}
for name in "${networks[@]}"; do record whole "$name"; done
for name in "${ranked[@]}"; do record parts "$name" --micro-batches 4; done

# begin NETWORK: the words with which a run that would take minutes is verified to its first evaluation.
begin() {
  grep -o '^{"step":[0-9]*,"losses".*"sha256"' "$work/whole/$1.json" | head -n 1 | sed 's/^{"step":\([0-9]*\).*/--until \1/'
}

# cell ROW NETWORK COMMAND...: what the command says of the run.
rows=()
cell() {
  local key="$2, $1"
  if "${@:3}" >"$work/log" 2>&1; then
    cells[$key]=$(sed -n 's/^equal: \([0-9]*\) states.*/equal (\1)/p' "$work/log")
  else
    cells[$key]="**parts**"
    reasons[$key]=$(grep -m1 -E 'parted|^aclgrad-verify:' "$work/log" || tail -n 1 "$work/log")
    failed=1
  fi
  echo "$key: ${cells[$key]} ${reasons[$key]-}"
}
verify=("$build/bin/aclgrad-verify" --quiet)

# row NAME WORD=VALUE...: the recorded programs, with these words in the environment.
row() {
  local network until=()
  rows+=("$1")
  for network in "${networks[@]}"; do
    # Without fused multiply-add in the processor, kernels are many times as slow.
    if [[ $1 == SSE4 ]]; then read -ra until < <(begin "$network"); fi
    cell "$1" "$network" env "${@:2}" "${verify[@]}" "$work/whole/$network.json" "${until[@]}"
  done
}

# compiler_of BUILD: "GNU 12.2.0".
compiler_of() {
  sed -n 's/^set(CMAKE_CXX_COMPILER_\(ID\|VERSION\) "\(.*\)")$/\2/p' "$1"/CMakeFiles/*/CMakeCXXCompiler.cmake |
    paste -sd ' '
}

# row_of whole|begin NAME COMMAND...: the programs of the folder that ends the command, started by the rest of it;
# to their end, or, emulated, to the first evaluation.
row_of() {
  local network command until=()
  rows+=("$2")
  for network in "${networks[@]}"; do
    read -ra command <<<"${words[$network]}"
    if [[ $1 == begin ]]; then read -ra until < <(begin "$network"); fi
    cell "$2" "$network" "${verify[@]}" "$work/whole/$network.json" "${until[@]}" -- \
      "${@:3:$#-3}" "${!#}/${command[0]}" "${command[@]:1}" --out "$work/again"
  done
}

for count in 1 2 3 4; do row "threads: $count" OMP_NUM_THREADS="$count"; done
for session in launch eager; do row "$session" ACLGRAD_SESSION="$session"; done
rows+=(resumed)
for name in "${networks[@]}"; do
  step=$(sed -n 's/^{"step":\([0-9]*\),"losses".*"sha256".*/\1/p' "$work/whole/$name.json" | tail -n 2 | head -n 1)
  cell resumed "$name" "${verify[@]}" "$work/whole/$name.json" --from "$step"
done
for ranks in 1 2 4; do
  rows+=("ranks: $ranks")
  for name in "${ranked[@]}"; do
    read -ra command <<<"${words[$name]}"
    cell "ranks: $ranks" "$name" "${verify[@]}" "$work/parts/$name.json" -- \
      "$build/bin/${command[0]}" "${command[@]:1}" --micro-batches 4 --ranks "$ranks" --out "$work/again"
  done
done
# Kernels held to another instruction set of this processor, where Highway is a library of its own.
choice=$build/lib/libinstruction_set.so
if [[ -e $choice ]] && ldd "$choice" | grep -q libhwy; then
  for target in SSE4 AVX2 AVX3 NEON; do
    held=(LD_PRELOAD="$choice" ACLGRAD_TEST_TARGET="$target")
    if env "${held[@]}" true 2>/dev/null; then row "$target" "${held[@]}"; fi
  done
fi
for other in "$@"; do
  other=$(realpath "$other")
  started=() far=whole
  name=$(basename "$other")
  system=${other%/opt/*} # of a build in a system of its own, as of ./dev test --system
  if [[ -d $other/sysroot ]]; then
    started=(bash "$root/tests/machines/foreign.sh" "$other/sysroot") far=begin
  elif [[ $system != "$other" ]]; then
    started=("$system/lib64/ld-linux-x86-64.so.2" --library-path "$other/lib:$system/usr/lib/x86_64-linux-gnu")
    name=$(sed -n 's/^VERSION_CODENAME=//p' "$system/etc/os-release")
  fi
  row_of "$far" "$name, $(compiler_of "$other")" "${started[@]}" "$other/bin"
done
if command -v qemu-x86_64 >/dev/null; then
  for model in Haswell Nehalem core2duo; do row_of begin "$model" qemu-x86_64 -cpu "$model" "$build/bin"; done
fi

# The table's line of a row: a cell for each network.
line() {
  printf '| %s |' "$1"
  for name in "${networks[@]}"; do printf ' %s |' "${cells["$name, $1"]-}"; done
  printf '\n'
}
for name in "${networks[@]}"; do
  last=$(grep -o '"sha256":"[0-9a-f]*"' "$work/whole/$name.json" | tail -n 1 | cut -d '"' -f 4)
  cells["$name, last state"]="\`${last:0:16}\`"
done
before=$(grep -s '^| last state' "$page" || true)
if [[ -n $before && $before != "$(line 'last state')" ]]; then
  printf 'The last states are others than those of %s:\n%s\n%s\n' "$page" "$before" "$(line 'last state')"
fi
{
  cat <<TEXT
# The same bits

<!-- tests/verify/matrix.sh writes this page: ./dev verify-matrix -->
The demo's networks (dropout, AdamW, a cosine schedule), and those of the examples: convolutions, a MobileNetV3, recurrent
networks, a transformer, an encoder and a decoder, on data that lie in the project, two hundred steps or a few more each. Each
was trained once with a [record](how-to/verify-a-run.md) and verified by \`aclgrad-verify\` in other ways: the number of states
(parameters, buffers, optimizer) that are equal, bit for bit. Recorded on
$(sed -n 's/^ *"processor": "\(.*\)",/\1/p' "$work/whole/${networks[0]}.json"), $(nproc) threads, by a build of
$("${CXX:-c++}" --version | head -n 1). \`./dev verify-matrix\` on another machine says whether it has the last states of this page.

TEXT
  printf '| |'
  printf ' %s |' "${networks[@]}"
  printf '\n|---|'
  printf -- '---|%.0s' "${networks[@]}"
  printf '\n'
  for name in "${rows[@]}" "last state"; do line "$name"; done
  for key in "${!reasons[@]}"; do printf '\n* %s: %s\n' "$key" "${reasons[$key]}"; done
  cat <<'TEXT'

`launch` and `eager` are sessions that replay nothing (`ACLGRAD_SESSION`); resumed is from the run's own checkpoint; ranks are
threads, of a run that was recorded with four micro-batches; `SSE4` to `AVX3` are kernels held to that instruction set on
the same processor (AVX3 is AVX-512; of SSE4 they run their portable code, which has no fused multiply-add); a build or a
processor is a row where `./dev verify-matrix BUILD...` was given one (that of aarch64 runs in an emulator), or an emulator
is installed; the last state is the beginning of its SHA-256. `SSE4` and what runs in an emulator are looked at up to the first
evaluation, after 20 to 100 steps. Clang 14 is no row, as it has no `std::source_location` and does not compile the library;
a record made on an Intel Xeon is verified by the tests of every build (`Verifying.WhatAnotherProcessorRecordedIsEqual`).

## What may differ, and why

* **Products of 16 bits** use a processor's own instructions for them, unless the program asks for
  `ACL_OPT_DETERMINISTIC` ([numbers](guide/numbers.md)).
* **Initial weights** of normal distributions, `schedule::cosine()`, `step()` and `polynomial()`, and tables of positions call
  `log`, `cos`, `sin` and `pow` of the C library in double and round once to float. Another C library, or glibc on a processor
  without fused multiply-add, may have another last bit of the double, which the rounding hides but once in some hundred million
  numbers. `aclgrad-verify` would name the tensor before the first step.
* **Ranks** give the bits of one with as many micro-batches where their number is a power of two that divides that of the
  micro-batches; others add up in another order ([training](guide/training.md)). Running statistics of batch normalization
  are those of the first rank's micro-batches.
* **Complex tensors**, which nothing is trained in, call the C library.

Nothing else does: no operator calls a function of the C library whose result is not exact (test `verify.symbols`), products and
sums are contracted nowhere (`-ffp-contract=off`), and the rounding mode in which `fit()` is called changes nothing
(`Verifying.TheRoundingModeOfTheProgramChangesNothing`, `InFloatModes`). One that is set before the optimizer is made does: its
learning rate is then rounded to float32 so.
TEXT
} >"$work/page"
mv "$work/page" "$page"
exit $failed
