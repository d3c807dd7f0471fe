#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: make.sh LOCALEDEF FOLDER
# Makes the locale of comma.src in FOLDER. Its characters are those of ASCII, listed here, as the lists that
# come with glibc are in a package that a small system lacks.
set -u
here=$(dirname "$0")
mkdir -p "$2"
{
  printf '<code_set_name> ASCII\n<comment_char> %%\n<escape_char> /\nCHARMAP\n'
  awk 'BEGIN { for (i = 0; i < 128; ++i) printf "<U%04X> /x%02x c%d\n", i, i, i }'
  echo 'END CHARMAP'
} >"$2.charmap"
"$1" -c -f "$2.charmap" -i "$here/comma.src" "$2"
[ -f "$2/LC_NUMERIC" ]
