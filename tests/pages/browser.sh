# SPDX-License-Identifier: Apache-2.0
# For tests to source, in the folder they work in: a headless browser.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/../examples/folder.sh"

# begin PROGRAM FOLDER: sets `program`, and goes to an empty folder; where there is no browser the test ends as
# skipped.
begin() {
  program=$1
  find_browser
  begin_in "$2"
}

find_browser() {
  local name
  for name in chromium chromium-browser google-chrome; do
    browser=$(command -v "$name") && return
  done
  echo "skipped: there is no Chromium here (./dev test-pages installs it)"
  exit 77
}

# browse ADDRESS OPTION...: loads a page and lets its scripts run for a second of the browser's own time,
# which is less than the two after which the report of a running run loads itself anew.
browse() {
  local address=$1 sandbox=()
  shift
  ((EUID != 0)) || sandbox=(--no-sandbox) # the browser refuses to run as root with one
  timeout 60 "$browser" --headless=new "${sandbox[@]}" --disable-gpu --hide-scrollbars \
    --no-first-run --user-data-dir="$PWD/profile" --virtual-time-budget=1000 \
    --enable-logging=stderr --v=0 "$@" "$address" 2>browser.log
}

# load ADDRESS: the page after its scripts, in the file page.txt. Fails on anything on the console.
load() {
  browse "$1" --dump-dom >page.txt || fail "the browser's exit status is $? for $1"
  ! grep CONSOLE browser.log || fail "there are messages on the console of $1"
  ! grep -o 'data-error="[^"]*"' page.txt || fail "a script of $1 failed"
}

# has WORDS: the page contains them.
has() {
  grep -qF -- "$1" page.txt || fail "'$1' is not in the page"
}

# with_moves PAGE: the page with the script moves.js at its end, in moved.html.
with_moves() {
  awk '/^<\/body>/ {print "<script>"; while ((getline line < "moves.js") > 0) print line; print "</script>"} 1' \
    "$1" >moved.html
}

# picture ADDRESS FILE SIZE: a screenshot, which must be more than an empty page.
picture() {
  browse "$1" --window-size="$3" --screenshot="$2" >/dev/null
  [[ -s $2 ]] && (($(stat -c %s "$2") > 30000)) || fail "the screenshot of $1 shows nothing"
}
