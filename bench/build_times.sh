#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: build_times.sh REPOSITORY FOLDER TABLE
# What a newcomer and a contributor wait for, without a compiler cache: clones the last commit into
# FOLDER (made anew), times the two commands of the README there, then rebuilds after a change of one
# file, and writes the table as Markdown.
set -euo pipefail
repository=$(cd "$1" && pwd)
folder=$2
table=$(realpath "$3")
export CCACHE_DISABLE=1

rm -rf "$folder"
git clone -q "$repository" "$folder"
log=$(cd "$folder" && pwd).log
rows=()

# timed WHAT COMMAND...: adds a row with the minutes that the command took.
timed() {
  local what=$1 start end seconds
  shift
  echo "$what ..." >&2
  start=$(date +%s.%N)
  "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; exit 1; }
  end=$(date +%s.%N)
  seconds=$(awk -v a="$start" -v b="$end" 'BEGIN { printf "%.0f", b - a }')
  rows+=("| $what | $((seconds / 60)):$(printf '%02d' $((seconds % 60))) |")
  echo "${rows[-1]}" >&2
}

rebuild() {
  sed -i '1s|$|//|' "$1" # a change that means nothing, which a look at its time stamp does not show
  cmake --build build/release --parallel "$(nproc)"
}

cd "$folder"
timed '`./dev demo`, from the clone' ./dev demo
timed '`./dev test`, after it' ./dev test
timed '`./dev test` again, nothing changed' ./dev test
for file in ops/activation/selu_kernel.cpp ops/activation/selu.cpp framework/session/executable.cpp \
  tests/framework/session/replay_test.cpp framework/include/aclgrad/graph.h \
  ops/include/aclnn/acl_meta.h; do
  [[ -f $file ]] || { echo "build_times.sh: there is no $file" >&2; exit 1; }
  timed "rebuild after a change of \`$file\`" rebuild "$file"
done

{
  echo '# Build times'
  echo
  echo "Written by \`./dev bench build\`: $(git rev-parse --short HEAD), $(date +%F), $(nproc) cores,"
  echo "$(c++ --version | head -n 1), $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release). No compiler"
  echo 'cache; packages were installed before where not said otherwise. A rebuild is of everything: libraries,'
  echo 'tools, tests, examples.'
  echo
  echo '| what | min:s |'
  echo '|---|---|'
  printf '%s\n' "${rows[@]}"
} >"$table"
