# SPDX-License-Identifier: Apache-2.0
# usage: awk -v page=NAME -f program.awk PAGE
# The program in a page: its blocks of C++, one after the other. After a block that is followed by one
# of text, unless it ends the program, it prints a line with the record separator.
# The compiler takes the program to be examples/NAME.cpp, as it may be for the reader.
function flush() {
  for (i = 1; i <= lines; ++i) {
    print line[i] (i == lines && followed && line[i] != "}" ? " std::fputs(\"\\x1e\\n\", stdout);" : "")
  }
  lines = 0
}
BEGIN { print "#include <cstdio>\n#line 1 \"examples/" page ".cpp\"" }
/^```cpp$/ { followed = 0; flush(); inside = 1; next }
/^```text$/ { followed = 1; flush(); next }
/^```/ { inside = 0; next }
inside { line[++lines] = $0 }
END { followed = 0; flush() }
