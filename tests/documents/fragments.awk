# SPDX-License-Identifier: Apache-2.0
# usage: awk -f fragments.awk PAGE CONTEXT
# CONTEXT with the page's N-th block of C++ in the place of each line "// block N". A line of dots in
# a block stands for code that is left out. All blocks must have a place, and places a block.
FNR == 1 { ++file }
file == 1 && /^```cpp$/ { ++blocks; first[blocks] = FNR + 1; inside = 1; next }
file == 1 && /^```/ { inside = 0; next }
file == 1 && inside { block[blocks] = block[blocks] ($0 == "..." ? "" : $0) "\n" }
file == 1 { page = FILENAME; next }
/^ *\/\/ block [0-9]+$/ {
  if ($NF < 1 || $NF > blocks) {
    printf "%s:%d: %s has %d blocks of C++\n", FILENAME, FNR, page, blocks > "/dev/stderr"
    failed = 1
    exit 1
  }
  ++placed[$NF]
  printf "#line %d \"%s\"\n%s#line %d \"%s\"\n", first[$NF], page, block[$NF], FNR + 1, FILENAME
  next
}
{ print }
END {
  if (failed) exit 1
  for (i = 1; i <= blocks; ++i) if (placed[i] != 1) {
    printf "%s: block %d of C++ has no place in %s\n", page, i, FILENAME > "/dev/stderr"
    exit 1
  }
}
