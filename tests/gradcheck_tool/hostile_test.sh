#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# hostile_test.sh TOOL FOLDER PAIRS LIBRARY: libraries that end, hang, split or deceive the process that checks them, in
# every place that it enters. A wrong gradient is never right, a right one never passes by an exit status, the tool ends
# in time, and nothing outlives it.
set -uo pipefail
tool=$1 folder=$2 pairs=$3 library=$4
limit=60 # seconds for a call
failures=0

fail() {
  printf '%s\n' "$*"
  failures=$((failures + 1))
}

# No process is left that the tool started, and none that those did: they have this test's mark.
export HOSTILE_MARK=$$-hostile
leftovers() {
  local file process all=()
  for file in $(grep -lzs "^HOSTILE_MARK=$HOSTILE_MARK$" /proc/[0-9]*/environ); do
    process=${file//[^0-9]/}
    [[ $(readlink "/proc/$process/exe") =~ /(sleep|$(basename "$tool"))$ ]] && all+=("$process")
  done
  printf '%s' "${all[*]}"
}

# attack STATUSES TEXT PLACE:DEED ARGUMENT...: one of the exit statuses, text in the output, nobody left, in 60 seconds.
attack() {
  local statuses=$1 text=$2 deed=$3 status=0 output left
  shift 3
  output=$(HOSTILE=$deed timeout 60 "$tool" "$@" --time-limit "$limit" 2>&1) || status=$?
  [[ " $statuses " == *" $status "* && $output == *"$text"* ]] ||
    fail "$deed $*: exit status $status instead of $statuses, or no '$text' in
$output"
  left=$(leftovers)
  [[ -z $left ]] || fail "$deed $*: left behind: $left"
}

pair() { attack "$1" "$2" "$3" --header "$folder/hostile_style.h" --so "$pairs" --forward "$4" --backward "${4}_backward"; }
# Of all that is checked, as much as enters the place.
silu() { attack "$1" "$2" "$3" --library "$library" --op silu --dtype float32 --shape 3 "${@:4}"; }

# Without any of it the one is right, the other wrong.
pair 0 "gradcheck: right" none squares
pair 1 "are not the derivative" none cubes
silu 0 "gradcheck: right" none

exits="ended the process with status 0"
hangs="did not return within 0.5 s"
for deed in exit _exit report; do
  pair 4 "opening the library $exits" "constructor:$deed" cubes
  pair 3 "$exits" "forward:$deed" cubes
  pair 1 "$exits" "backward:$deed" cubes
  pair 1 "$exits" "backward:$deed" squares
  silu 4 "opening it $exits" "constructor:$deed"
  for place in phase_one phase_two; do silu 1 "$exits" "$place:$deed" --check values; done
  silu 1 "$exits" "runtime:$deed" --check statuses
done
pair 4 "crashed (Aborted)" constructor:abort cubes
pair 1 "crashed (Aborted)" backward:abort squares
silu 1 "crashed (Aborted)" phase_two:abort
for deed in hang ignore block; do
  limit=0.5
  pair 4 "opening the library $hangs" "constructor:$deed" squares
  pair 3 "$hangs" "forward:$deed" squares
  pair 1 "$hangs" "backward:$deed" squares
  silu 4 "opening it $hangs" "constructor:$deed"
  for place in phase_one phase_two; do silu 1 "$hangs" "$place:$deed" --check values; done
  silu 1 "$hangs" "runtime:$deed" --check statuses
done
limit=60
pair 1 "stopped (" backward:stop squares
silu 1 "stopped (" phase_two:stop
# Who watches is not stopped for good: the verdict comes.
pair 0 "gradcheck: right" constructor:watcher squares
pair 1 "are not the derivative" constructor:watcher cubes
silu 0 "gradcheck: right" constructor:watcher --check values
# What happens when a library is unloaded is no part of a gradient; it does not keep the tool.
for deed in exit hang abort; do
  pair 0 "gradcheck: right" "destructor:$deed" squares
  silu 0 "gradcheck: right" "destructor:$deed"
done
# Processes of its own, and descriptors: the verdict is that of the gradient, and nobody is left.
for deed in fork daemon split close; do
  for place in constructor forward backward; do pair 0 "gradcheck: right" "$place:$deed" squares; done
  pair 1 "are not the derivative" "backward:$deed" cubes
done
for deed in fork daemon split close; do
  silu 0 "gradcheck: right" "constructor:$deed" --check values
  silu 0 "gradcheck: right" "phase_two:$deed" --check values
done
# What the watcher is told of lines and calls is no line that it has: it does not start for ever.
for place in phase_one phase_two; do silu 4 "wrote to memory of the check" "$place:scribble" --check values; done

# Whoever started the tool may have given it children, which are none of what is checked, nor are theirs.
for children in "sleep 2718" "(sleep 2718 & sleep 0.2)"; do
  HOSTILE=backward:hang sh -c "$children & exec \"\$0\" \"\$@\"" "$tool" --header "$folder/hostile_style.h" --so "$pairs" \
    --forward squares --backward squares_backward --time-limit 0.5 >/dev/null 2>&1
  left=$(leftovers)
  if [[ $left =~ ^[0-9]+$ ]]; then
    kill "$left"
  else
    fail "$children: '$left' is left instead of the one that was there before"
  fi
done

# The tool itself is ended, however: so is all the rest.
for number in INT TERM HUP KILL; do
  for deed in hang daemon; do
    HOSTILE=backward:$deed "$tool" --header "$folder/hostile_style.h" --so "$pairs" --forward squares \
      --backward squares_backward --time-limit 60 >/dev/null 2>&1 &
    process=$!
    sleep 0.4
    { kill "-$number" "$process" && wait "$process"; } 2>/dev/null
    left=x
    for _ in {1..50}; do
      left=$(leftovers)
      [[ -z $left ]] && break
      sleep 0.1
    done
    [[ -z $left ]] || fail "SIG$number: left behind: $left"
  done
done

# Where no process is to be had, that is said.
if [[ $(id -u) != 0 ]]; then
  output=$(ulimit -u 1 && "$tool" --op silu 2>&1) && fail "checked without a process: $output"
  [[ $output == *"no process can be started"* ]] || fail "without processes: $output"
fi
exit $((failures > 0))
