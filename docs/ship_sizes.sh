#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: ship_sizes.sh BUILD PAGE
# Writes the sizes of what a program needs beside it into the page, between its markers of sizes: of the
# files of this build and of this system's libraries, stripped.
set -euo pipefail
build=$1
page=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# bytes FILE: its size, stripped, to a thousand, as 1,157,000.
bytes() {
  strip --strip-unneeded -o "$work/stripped" "$(realpath "$1")"
  printf "%d" "$((($(stat -c %s "$work/stripped") + 500) / 1000))" | sed -E ':a; s/([0-9])([0-9]{3})($|,)/\1,\2\3/; ta; s/$/,000/'
}

# The library of this name that the program is linked with.
of_system() { ldd "$build/bin/xor" "$build/lib/libopapi.so" | awk -v name="$1" '$1 ~ "^" name {print $3; exit}'; }

fmt=$(of_system libfmt) hwy=$(of_system libhwy) z=$(of_system libz)
[[ -n $z ]] || z=$(ldd "$build/bin/train_digits" | awk '$1 ~ /^libz/ {print $3; exit}')
{
  echo "| the program, as \`examples/xor.cpp\` | $(bytes "$build/bin/xor") | framework and autograd are in it |"
  echo "| \`libopapi.so\` | $(bytes "$build/lib/libopapi.so") | operators, for SSE2 to AVX-512; looks for \`$(basename "$hwy")\` ($(bytes "$hwy")) |"
  echo "| \`libascendcl.so\` | $(bytes "$build/lib/libascendcl.so") | the runtime |"
  echo "| \`libnnopbase.so\` | $(bytes "$build/lib/libnnopbase.so") | tensors and executors |"
  echo "| \`$(basename "$fmt")\` | $(bytes "$fmt") | |"
  echo "| \`$(basename "$z")\` | $(bytes "$z") | only where \`Module::load()\`, \`read_npz()\`, \`write_npz()\`, \`read_pth()\`, \`read_png()\`, \`write_png()\` or \`image_folder()\` is called; every Debian has it |"
  echo "| \`libhccl.so\` | $(bytes "$build/lib/libhccl.so") | only with \`aclgrad::distributed\`; loads Open MPI where it is used |"
} >"$work/rows"
awk -v rows="$work/rows" '
  /^<!-- sizes/ { print; getline; print; getline; print; while ((getline line < rows) > 0) print line; inside = 1; next }
  /^<!-- end of sizes/ { inside = 0 }
  !inside' "$page" >"$work/page"
cmp -s "$work/page" "$page" || { cp "$work/page" "$page"; echo "wrote $page"; }
