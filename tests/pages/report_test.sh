#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: report_test.sh PROGRAM FOLDER
# The reports of train_digits in a browser: of a run, of a run that was killed, and the comparison.
set -u
program=$1
folder=$2
# shellcheck source=/dev/null
source "$(dirname "$0")/browser.sh"
find_browser
begin_in "$folder"
"$program" --epochs 8 --activation selu --out out >printed.txt 2>progress.txt || fail "exit status $?"

load "file://$PWD/out/report_selu.html"
has 'data-ready="yes"'
has 'finished'
has 'Outputs of hidden1'
has 'Gradient norms'
has 'Mistakes'
load "file://$PWD/out/report.html#theme=dark"
has 'data-theme="dark"'
has 'href="report_selu.html"'

# What a killed run leaves is a whole page that says, once it is old, that something is wrong.
"$program" --epochs 100000 --activation selu --out killed >/dev/null 2>&1 &
process=$!
for ((i = 0; i < 100; ++i)); do
  [[ -s killed/report_selu.html ]] && break
  sleep 0.1
done
kill -9 $process
wait $process 2>/dev/null
load "file://$PWD/killed/report_selu.html"
has '>running<'
has 'http-equiv="refresh"'
sed -i 's/data-written="[0-9]*"/data-written="1000000000"/' killed/report_selu.html
load "file://$PWD/killed/report_selu.html"
has 'the run may have been killed'

picture "file://$PWD/out/report_selu.html#theme=light" light.png 1300,1700
picture "file://$PWD/out/report.html#theme=dark" dark.png 1300,1400
((failures == 0))
