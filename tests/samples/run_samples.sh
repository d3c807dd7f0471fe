#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run_samples.sh BUILD DIR
# Takes the first C++ program out of each document in DIR (from its first #include to the closing brace
# of main, as the vendor's operator pages print it), compiles it unchanged against the public headers,
# links it with -lascendcl -lnnopbase -lopapi and runs it.
set -u
build=$(cd "$1" && pwd)
documents=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
ran=0

for document in "$documents"/*; do
  name=$(basename "$document")
  # The end of main is found by counting braces: some documents have lost their indentation.
  # LC_ALL=C: comments may hold bytes that are no valid text.
  LC_ALL=C awk '/^#include/ {inside = 1}
                inside && /^```/ {exit}
                inside {print}
                inside && /^int main/ {in_main = 1}
                in_main {depth += gsub(/{/, "{") - gsub(/}/, "}")}
                in_main && /}/ && depth == 0 {exit}' "$document" >"$work/sample.cpp"
  if ! grep -q 'int main' "$work/sample.cpp"; then
    echo "== $name: no program in it"
    continue
  fi
  echo "== $name"
  if ! ${CXX:-g++} -std=c++17 -w -I"$root/ops/include" "$work/sample.cpp" -o "$work/sample" \
    -L"$build/lib" -lascendcl -lnnopbase -lopapi -Wl,-rpath,"$build/lib"; then
    echo "   does not compile"
    failed=$((failed + 1))
    continue
  fi
  "$work/sample"
  status=$?
  echo "   exit status $status"
  ran=$((ran + 1))
  ((status == 0)) || failed=$((failed + 1))
done
echo "$ran programs ran, $failed failed"
((failed == 0 && ran > 0))
