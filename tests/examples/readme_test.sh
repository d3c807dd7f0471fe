#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: readme_test.sh BUILD README
# Compiles the README's C++ program exactly as printed, runs it, and compares what it prints with the
# block of text that follows it.
set -eu
build=$1
readme=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^```cpp$/ {inside = 1; next} /^```/ && inside {exit} inside' "$readme" >"$work/program.cpp"
awk '/^```cpp$/ {seen = 1} seen && /^```text$/ {inside = 1; next} /^```/ && inside {exit} inside' \
  "$readme" >"$work/expected.txt"
grep -q 'int main' "$work/program.cpp" || { echo "the README has no program"; exit 1; }
[[ -s $work/expected.txt ]] || { echo "the README does not say what the program prints"; exit 1; }
root=$(dirname "$readme")
${CXX:-g++} -std=c++20 -Wall -Wextra -I"$root/framework/include" -I"$root/autograd/include" \
  -I"$root/ops/include" "$work/program.cpp" -o "$work/program" \
  "$build/lib/libaclgrad_autograd.a" "$build/lib/libaclgrad_framework.a" -L"$build/lib" \
  -lopapi -lnnopbase -lascendcl -lfmt -Wl,-rpath,"$build/lib" ${ACLGRAD_LINK_FLAGS:-}
"$work/program" | tee "$work/printed.txt"
diff "$work/expected.txt" "$work/printed.txt"
