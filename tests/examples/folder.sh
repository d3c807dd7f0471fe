# SPDX-License-Identifier: Apache-2.0
# For tests to source: begin_in FOLDER starts afresh in it; fail says what went wrong and goes on, and
# a test ends with ((failures == 0)). train FOLDER OPTION... runs the array `training`, a program with its
# options, into a folder and puts what it says beside it. left FOLDER FILE... asks for the files in it.
# refused WORDS ARGUMENT... runs $program, which must end with status 2 and one of its lines with the words (a
# regular expression). kill_at FILE COMMAND... kills a command as soon as there is the file, after ten seconds
# at the latest.
failures=0

begin_in() {
  rm -rf "$1"
  mkdir -p "$1"
  cd "$1" || exit 1
}

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

train() {
  local out=$1
  shift
  "${training[@]}" --out "$out" "$@" >"$out.txt" 2>"$out.errors" || fail "status $?: $(cat "$out.errors")"
}

left() {
  local file
  for file in "${@:2}"; do
    [[ -s $1/$file ]] || fail "there is no $file in $1"
  done
}

refused() {
  local words=$1 status=0
  shift
  "$program" "$@" >refused.txt 2>&1 || status=$?
  ((status == 2)) && grep -q -- "$words" refused.txt || fail "$*: status $status, or not '$words': $(cat refused.txt)"
}

kill_at() {
  local file=$1 process
  shift
  "$@" >/dev/null 2>&1 &
  process=$!
  for _ in {1..200}; do
    [[ ! -e $file ]] || break
    sleep 0.05
  done
  kill -9 $process 2>/dev/null
  wait $process 2>/dev/null
}
