#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No folder of sources has more than 40 files, and no source file more than 500 lines, but for the
# exceptions below, each with its reason.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
most_files=40
most_lines=500
broken=0

declare -A large_folders=(
  [ops/include/aclnnop]="one header for each function, under the vendor's paths"
)
declare -A large_files=(
  [ops/contract/include/aclgrad_contract/operator.h]="all that an operator's contract can say"
  [tests/autograd/rules_test.cpp]="a test for each rule of the gradients"
  [tests/framework/training/trainer_test.cpp]="a test for each option of the trainer"
)

sources=$(find autograd bench cmake distributed docs examples framework ops tests -type f \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.c' -o -name '*.cc' -o -name '*.sh' -o -name '*.py' \
  -o -name '*.js' -o -name '*.awk' \))

while read -r count folder; do
  ((count <= most_files)) || [[ -n ${large_folders[$folder]-} ]] && continue
  echo "$folder: $count sources, expected at most $most_files: divide it by subject"
  broken=1
done < <(sed 's,/[^/]*$,,' <<<"$sources" | sort | uniq -c)

while read -r count file; do
  ((count <= most_lines)) || [[ $file == total || -n ${large_files[$file]-} ]] && continue
  echo "$file: $count lines, expected at most $most_lines: one subject a file"
  broken=1
done < <(xargs wc -l <<<"$sources")

# An exception that is none any more goes.
for folder in "${!large_folders[@]}"; do
  (($(grep -cE "^$folder/[^/]*$" <<<"$sources") > most_files)) && continue
  echo "check_sizes.sh: $folder needs no exception"
  broken=1
done
for file in "${!large_files[@]}"; do
  [[ -f $file ]] && (($(wc -l <"$file") > most_lines)) && continue
  echo "check_sizes.sh: $file needs no exception"
  broken=1
done
exit $broken
