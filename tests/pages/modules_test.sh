#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: modules_test.sh PROGRAM FOLDER
# The page of a transformer's training step: it opens whole, folded by module; modules open, backward beside
# forward, and close; what a search finds is shown.
set -u
# shellcheck source=/dev/null
source "$(dirname "$0")/browser.sh"
begin "$@"
for ((i = 0; i < 40; ++i)); do echo "To be, or not to be, that is the question: $i"; done >text.txt
"$program" --data text.txt --steps 1 --letters 1 --out out >printed.txt 2>&1 || fail "exit status $?: $(cat printed.txt)"
cat >moves.js <<'JS'
const drawn = () => document.querySelectorAll('.node').length;
const modules = (path) => [...document.querySelectorAll('[data-module]')]
  .filter((box) => box.dataset.module === path).map((box) => box.classList[1]).join(' ');
const seen = document.body.dataset;
seen.first = drawn() > 15 && drawn() <= 60;
seen.fits = pane.scrollWidth <= pane.clientWidth && pane.scrollHeight <= pane.clientHeight;
document.querySelector('[data-module="blocks"]')?.click();  // a wide window has it open
seen.blocks = modules('blocks.0');
const before = drawn();
document.querySelector('[data-module="blocks.0"]').click();
seen.opened = drawn() > before && modules('blocks.0') === '';
seen.inside = modules('blocks.0.attention');
const heightOf = (pass) => document.querySelector(`.${pass}[data-module="blocks.0.feed_forward"]`).offsetTop;
seen.beside = heightOf('forward') === heightOf('backward');
document.querySelector('[data-close="blocks.0"]').click();
seen.closed = drawn() === before;
document.getElementById('unfold').click();
seen.all = drawn() === data.nodes.length;
document.getElementById('fold').click();
const find = document.getElementById('find');
find.value = 'blocks.2.attention.projection';
find.dispatchEvent(new Event('input'));
find.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}));
seen.found = document.querySelector('.node.shown .what').textContent;
JS
with_moves out/graph_geglu.html
load "file://$PWD/moved.html"
for words in 'first="true"' 'fits="true"' 'blocks="forward backward update"' 'opened="true"' \
  'inside="forward backward update"' 'beside="true"' 'closed="true"' 'all="true"' 'found="blocks.2.attention.projection.bias"'; do
  has "data-$words"
done
picture "file://$PWD/out/graph_geglu.html#theme=light" light.png 1400,1000
((failures == 0))
