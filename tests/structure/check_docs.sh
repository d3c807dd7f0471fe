#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: check_docs.sh LIBOPAPI ROOT
# Every operator stands in the table of operators, every example in its index; every link between the
# documents leads to a file, and every path that they name is one of the tree, from its root or from a
# folder of it; every row of a table has as many cells as its head; the gradients without a second order
# are those that the page names. What a program writes is marked as such in .gitattributes.
set -u
cd "$2" || exit 1
source tests/support/operators.sh
broken=0
for page in docs/reference/operators.md docs/reference/operators.zh.md; do
  missing=$(comm -23 <(operators_of "$1") \
    <(grep -oE '`\w+`' "$page" | tr -d '`' | sort -u))
  [[ -z $missing ]] || {
    echo "$page does not list $missing"
    broken=1
  }
done
for example in examples/*.cpp examples/aclnn/*.cpp examples/hccl/*.cpp examples/*/main.cpp; do
  example=${example#examples/}
  grep -qF "](${example%/main.cpp})" examples/README.md || {
    echo "examples/README.md does not list $example"
    broken=1
  }
done
while IFS=: read -r file link; do
  target=$(dirname "$file")/${link%%#*}
  [[ -e $target ]] || {
    echo "$file: there is no $link"
    broken=1
  }
done < <(find README.md CONTRIBUTING.md docs examples -name '*.md' -exec awk '
  FNR == 1 { code = 0 }
  /^```/ { code = !code }
  !code { for (text = $0; match(text, /\]\([^):]+\)/); text = substr(text, RSTART + RLENGTH)) {
            print FILENAME ":" substr(text, RSTART + 2, RLENGTH - 3) } }' {} +)
# A bar in a cell, in code, too, is a new cell, unless a backslash stands before it.
uneven=$(find README.md CONTRIBUTING.md docs examples -name '*.md' -exec awk '
  FNR == 1 { code = cells = 0 }
  /^```/ { code = !code }
  code || !/^\|/ { cells = 0; next }
  { row = $0
    gsub(/\\\|/, "", row)
    count = gsub(/\|/, "", row)
    if (cells && count != cells) print FILENAME ":" FNR ": a row with " count - 1 " cells in a table of " cells - 1
    cells = cells ? cells : count }' {} +)
[[ -z $uneven ]] || {
  echo "$uneven"
  broken=1
}
# Of other projects, and of programs that the reader is told to save.
elsewhere='^(aten/|examples/(first|tutorial|tutorial_attention)\.cpp$)'
paths=$(find . \( -name .git -o -path ./build -o -path ./out \) -prune -o -type f -print)
while IFS=: read -r file path; do
  [[ $path =~ $elsewhere || $'\n'$paths$'\n' == */"${path#./}"$'\n'* ]] || {
    echo "$file: there is no file $path"
    broken=1
  }
done < <(find README.md CONTRIBUTING.md docs examples tests -name '*.md' -exec awk '
  FNR == 1 { code = 0 }
  /^```/ { code = !code }
  !code { for (text = $0; match(text, /`[A-Za-z0-9_.\/-]+\/[A-Za-z0-9_.-]+\.(cpp|h|py|sh|md|txt|cmake|js|awk)`/);
               text = substr(text, RSTART + RLENGTH)) {
            print FILENAME ":" substr(text, RSTART + 1, RLENGTH - 2) } }' {} + | sort -u)
# Which gradients have none of their own: by the rules, and by the page.
gradients() { grep -rohwE "$1[A-Za-z0-9]+BackwardOp" "$2" | sed 's/.* //' | sort -u; }
by_rules=$(comm -23 <(gradients '(using|class) ' framework/include/aclgrad/ops) <(gradients '' autograd/rules) |
  sed -E 's/BackwardOp$//; s/([a-z0-9])([A-Z])/\1_\2/g' | tr '[:upper:]' '[:lower:]' | sort)
by_page=$(sed -n '/^No second order have:/,/^$/p' docs/gradcheck.md | grep -o '`[a-z0-9_]*`' | tr -d '`' | sort)
[[ $by_rules == "$by_page" ]] || {
  echo "docs/gradcheck.md lists as without a second order: ${by_page//$'\n'/ }; by the rules it is: ${by_rules//$'\n'/ }"
  broken=1
}
if git rev-parse --git-dir >/dev/null 2>&1; then
  unmarked=$(grep -rlE --include='*.md' --include='*.h' \
    '[Ww]ritten by `./dev|`./dev [a-z]+` makes this file|Made by .*/tools/.* Do not edit' docs ops |
    git check-attr --stdin linguist-generated | grep -v ': set$')
  [[ -z $unmarked ]] || {
    echo ".gitattributes: written by a program and not marked as generated: $unmarked"
    broken=1
  }
fi
exit $broken
