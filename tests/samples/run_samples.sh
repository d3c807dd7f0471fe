#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run_samples.sh BUILD DIR...
# Runs the programs of folders, unchanged, with the public headers and libraries alone: files in C (.c), C++
# (.cpp, .cc) and Python (.py), and the first C++ program of each document, from its first #include to the closing
# brace of main, as the vendor's operator pages print it. Folders in them and headers (.h) are left out.
set -u
build=$(cd "$1" && pwd)
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
ran=0

# program_of DOCUMENT: the end of main is found by counting braces, as some documents have lost their indentation.
program_of() {
  # LC_ALL=C: comments may hold bytes that are no valid text.
  LC_ALL=C awk '/^#include/ {inside = 1}
                inside && /^```/ {exit}
                inside {print}
                inside && /^int main/ {in_main = 1}
                in_main {depth += gsub(/{/, "{") - gsub(/}/, "}")}
                in_main && /}/ && depth == 0 {exit}' "$1"
}

# compile COMPILER... SOURCE: into $work/sample; SOURCE's own folder is searched for its headers.
compile() {
  "$@" -w -I"$root/ops/include" -o "$work/sample" -L"$build/lib" -lascendcl -lnnopbase -lopapi -lm \
    -Wl,-rpath,"$build/lib" && return
  echo "   does not compile"
  failed=$((failed + 1))
  return 1
}

run() {
  "$@"
  local status=$?
  echo "   exit status $status"
  ran=$((ran + 1))
  ((status == 0)) || failed=$((failed + 1))
}

samples=()
for folder in "$@"; do samples+=("$folder"/*); done
for sample in "${samples[@]}"; do
  [[ -f $sample && $sample != *.h ]] || continue
  echo "== $(basename "$sample")"
  case $sample in
    *.py)
      PYTHONPATH=$root/ops/python LD_LIBRARY_PATH=$build/lib run python3 "$sample"
      ;;
    *.c)
      compile "${CC:-gcc}" -std=c11 "$sample" && run "$work/sample"
      ;;
    *.cpp | *.cc)
      compile "${CXX:-g++}" -std=c++17 "$sample" && run "$work/sample"
      ;;
    *)
      program_of "$sample" >"$work/sample.cpp"
      if grep -q 'int main' "$work/sample.cpp"; then
        compile "${CXX:-g++}" -std=c++17 "$work/sample.cpp" && run "$work/sample"
      else
        echo "   no program in it"
      fi
      ;;
  esac
done
echo "$ran programs ran, $failed failed"
((failed == 0 && ran > 0))
