#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: new_operator.sh check ROOT COMPILER
#        new_operator.sh build ROOT FOLDER [options of CMake]
# Adds an operator with its gradient, softsign, to a copy of the sources: the whole files of
# new_operator/, and pieces of files, each before or behind a line that its first line quotes. So
# CONTRIBUTING's list of what an operator touches stays true.
#
# check: the pieces fit and compile, the files are those of CONTRIBUTING's table, and no more than an
# operator may touch. build: the copy, in FOLDER, is built, and values, calls that must be refused, gradient, pages
# and export list have the new operator without another edit.
set -euo pipefail
mode=$1
compiler=${3-}
work=
root=$(realpath "$2")
template=$root/tests/structure/new_operator
max_files=8
max_lines=150

fail() {
  echo "new_operator.sh: $*" >&2
  exit 1
}

places() { (cd "$template" && find . -type f | sed 's|^\./||; s|\.pieces$||' | sort); }

# add TREE: the operator, to a tree that has at least the files that it changes.
add() {
  local place
  while read -r place; do
    if [[ -f $template/$place ]]; then
      [[ ! -e $1/$place ]] || fail "$place is there already"
      mkdir -p "$(dirname "$1/$place")"
      cp "$template/$place" "$1/$place"
    else
      awk '
        FNR == NR && /^@@ / {
          before = $2 == "before"
          line = substr($0, before ? 11 : 10)
          place[line] = before
          next
        }
        FNR == NR { piece[line] = piece[line] $0 "\n"; next }
        ($0 in place) && place[$0] { printf "%s", piece[$0] }
        { print }
        ($0 in place) { if (!place[$0]) printf "%s", piece[$0]; ++found[$0] }
        END {
          for (line in place) if (found[line] != 1) {
            print "new_operator.sh: " FILENAME " has " found[line] + 0 " lines " line > "/dev/stderr"
            exit 1
          }
        }' "$template/$place.pieces" "$1/$place" >"$1/$place.new"
      mv "$1/$place.new" "$1/$place"
    fi
  done < <(places)
}

check() {
  local place lines
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  (cd "$root" && places | while read -r place; do [[ ! -f $place ]] || cp --parents "$place" "$work"; done)
  add "$work"
  lines=$(find "$template" -type f -exec cat {} + | grep -vc '^@@ ')
  echo "$(places | wc -l) files, $lines lines"
  (($(places | wc -l) <= max_files && lines <= max_lines)) ||
    fail "an operator with its gradient may touch $max_files files and $max_lines lines"
  while read -r place; do
    grep -qF "\`${place//softsign/silu}\`" "$root/CONTRIBUTING.md" ||
      fail "CONTRIBUTING.md does not say that an operator touches ${place//softsign/silu}"
  done < <(places)
  while read -r place; do
    places | grep -qxF "${place//silu/softsign}" ||
      fail "CONTRIBUTING.md sends an operator to $place, which the template does not touch"
  done < <(sed -n '/^## How to add an operator/,/^What you get/ { s/^| [^|]*|\([^|]*\)|.*/\1/p }' \
    "$root/CONTRIBUTING.md" | grep -o '`[^`]*\.\(h\|cpp\)`' | tr -d '`')

  # The changed files are found first. One instruction set is enough to see that the kernel compiles.
  local tree folder includes=()
  for tree in "$work" "$root"; do
    for folder in . ops ops/include ops/common/include ops/contract/include framework framework/include autograd \
      autograd/include; do
      includes+=("-I$tree/$folder")
    done
  done
  while read -r place; do
    [[ $place != *.cpp ]] || "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -DFMT_SHARED \
      -DHWY_COMPILE_ONLY_STATIC "${includes[@]}" "$work/$place" || fail "$place does not compile"
  done < <(places)
}

# has TEXT COMMAND...: the command succeeds, and its output has the text.
has() {
  local text=$1 output
  shift
  output=$("$@" 2>&1) || fail "$* failed: $(tail -n 20 <<<"$output")"
  grep -qE -- "$text" <<<"$output" || fail "$* does not say '$text': $(tail -n 20 <<<"$output")"
}

build() {
  local folder=$1 bin=$1/build/release/bin
  shift
  rm -rf "$folder"
  mkdir -p "$folder"
  (cd "$root" && git ls-files -z | xargs -0 cp --parents --target-directory "$folder")
  add "$folder"
  (cd "$folder" && cmake --preset release -DACLGRAD_NATIVE=OFF "$@" >/dev/null &&
    cmake --build build/release --parallel "$(nproc)" --target opapi test_cases test_contract \
      aclgrad-gradcheck reference_pages case_table hccl)
  has 'aclnnSoftsignBackward$' "$bin/case_table" --operators
  has '[1-9][0-9]* tests? .*ran' "$bin/test_cases" '--gtest_filter=*Softsign*'
  has '[1-9][0-9]* tests? .*ran' "$bin/test_contract" '--gtest_filter=*Softsign*'
  has '^aclnnSoftsignBackward +right' "$bin/aclgrad-gradcheck" --op softsign
  "$bin/reference_pages" "$folder/docs/reference" >/dev/null
  has 'aclnnSoftsignBackward' cat "$folder/docs/reference/checks.md"
  for page in operators operators.zh; do
    has 'aclnnSoftsign`.*`softsign\(x\)`.*`aclnnSoftsignBackward`' cat "$folder/docs/reference/$page.md"
  done
  bash "$folder/tests/cases/check_coverage.sh" "$folder/build/release/lib/libopapi.so" "$bin/case_table"
  bash "$folder/tests/structure/check_symbols.sh" "$folder/ops/include" \
    "$folder"/build/release/lib/lib{ascendcl,nnopbase,opapi,hccl}.so
  bash "$folder/tests/structure/check_docs.sh" "$folder/build/release/lib/libopapi.so" "$folder"
  (cd "$folder" && bash tests/structure/check_includes.sh)
}

case $mode in
  check) check ;;
  build) build "$(realpath -m "$3")" "${@:4}" ;;
  *) fail "there is no mode '$mode'" ;;
esac
