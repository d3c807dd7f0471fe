#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_peers.sh BUILD PAGE: checks the libraries of bench/peers with aclgrad-gradcheck, writes the
# tables between the page's markers, and runs the command of every finding: each must find it again.
set -euo pipefail
build=$1 page=$2
tool=$build/bin/aclgrad-gradcheck
begin='<!-- begin: written by check_peers.sh -->'
end='<!-- end: written by check_peers.sh -->'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

version_of() { dpkg-query -W -f '${Version}' "$1" 2>/dev/null || echo "of an unknown version"; }

{
  printf '%s\n\nProcessor: %s, %d cores. Written on %s.\n' "$begin" \
    "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -1)" "$(nproc)" "$(date +%F)"
  for peer in 'torch libtorch libtorch-dev' 'onednn oneDNN libdnnl-dev'; do
    read -r file name package <<<"$peer"
    library=$build/lib/libpeer_$file.so
    [[ -f $library ]] || continue
    printf '\n## %s %s\n\n' "$name" "$(version_of "$package")"
    status=0
    "$tool" --library "$library" --all --check values,inputs,bits \
      --dtype float32,float16,bfloat16,float64 --quiet \
      --markdown "$folder/$file.md" >"$folder/$file.txt" || status=$?
    # 4 and above: it could not be checked at all; findings are what the page is for.
    if ((status == 3 || status == 4 || status > 5)); then cat "$folder/$file.txt" >&2; exit 1; fi
    cat "$folder/$file.md"
  done
  printf '\n%s\n' "$end"
} >"$folder/tables"

awk -v begin="$begin" -v end="$end" -v tables="$folder/tables" '
  $0 == begin { while ((getline line < tables) > 0) print line; skip = 1 }
  !skip { print }
  $0 == end { skip = 0 }' "$page" >"$folder/page"
cp "$folder/page" "$page"

# What rests on memory that a library never wrote differs from run to run.
attempts=6
count=0 failed=0 repeated=0
while IFS=$'\t' read -r function check command; do
  read -ra arguments <<<"${command#aclgrad-gradcheck }"
  count=$((count + 1))
  for ((attempt = 1; attempt <= attempts; ++attempt)); do
    again=$("$tool" "${arguments[@]}" --json - 2>&1) || true
    [[ $again == *"\"check\": \"$check\""* && $again == *"\"operator\": \"$function"* ]] && break
  done
  if ((attempt > attempts)); then
    printf 'does not find it again: %s (%s): %s\n' "$function" "$check" "$command" >&2
    failed=$((failed + 1))
  elif ((attempt > 1)); then
    repeated=$((repeated + 1))
  fi
done < <(sed -n 's/^| \(aclnn[^ ]*\) | \([^|]*\) | .* | `\(aclgrad-gradcheck .*\)` |$/\1\t\2\t\3/p' "$page")
echo "$((count - failed)) of $count commands find their finding again ($repeated not in the first run)"
((failed == 0))
