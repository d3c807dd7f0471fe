# SPDX-License-Identifier: Apache-2.0
# To be sourced: files of MNIST's format, made of the small digits in the file $digits.

# Prints numbers as 32 bits, most significant byte first.
words() {
  local number
  for number in "$@"; do
    # shellcheck disable=SC2059
    printf "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((number >> 24 & 255)) $((number >> 16 & 255)) \
      $((number >> 8 & 255)) $((number & 255)))"
  done
}
# idx NAME FIRST COUNT: pictures of 28x28 with every pixel of 8x8 three times in both directions, and labels.
idx() {
  {
    words $((0x0803)) "$3" 28 28
    tail -n +"$2" "$digits" | head -n "$3" | LC_ALL=C awk -F, '{
      for (y = 0; y < 28; ++y) for (x = 0; x < 28; ++x) {
        inside = x >= 2 && x < 26 && y >= 2 && y < 26
        printf "%c", inside ? int($(int((y - 2) / 3) * 8 + int((x - 2) / 3) + 1) * 255 / 16) : 0
      }
    }'
  } >"data/$1-images-idx3-ubyte"
  {
    words $((0x0801)) "$3"
    tail -n +"$2" "$digits" | head -n "$3" | LC_ALL=C awk -F, '{printf "%c", $65 + 0}'
  } >"data/$1-labels-idx1-ubyte"
}
