#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: backprop_test.sh PROGRAM FOLDER
# The page of backprop_step_by_step in a browser: it loads without a message on the console, the slider
# and the arrow keys move it, values come with their operators, and there is something to see.
set -u
# shellcheck source=/dev/null
source "$(dirname "$0")/browser.sh"
begin "$@"
"$program" >printed.txt || fail "exit status $?"
page=file://$PWD/out/backprop/backprop.html

# The element of a node, with the classes that show its state.
node() {
  grep -o "<div class=\"node [^>]* data-node=\"$1\"" page.txt
}
# The value that stands in the box of a node; boxes are one line each.
value() {
  sed -n "s/.*id=\"n$1\" .*<span class=\"value\">\([^<]*\)<.*/\1/p" page.txt
}

# At the end all is done and the last update is marked.
load "$page"
has 'data-ready="yes"'
has 'data-position="11"'
[[ $(node 18) == *" done now"* ]] || fail "after the last operator node 18 is: $(node 18)"
[[ $(grep -c 'class="node [^"]* todo' page.txt) == 0 ]] || fail "nodes are left to do"
[[ $(value 17) == '-0.91 … 2.2' ]] || fail "w1 becomes: $(value 17)"

# After three operators y is known, the loss is not.
load "$page#position=3"
has 'data-position="3"'
has '3 of 11 · aclnnMatmul'
[[ $(node 6) == *" done now"* ]] || fail "after operator 3 node 6 is: $(node 6)"
[[ $(node 7) == *" todo"* ]] || fail "after operator 3 node 7 is: $(node 7)"
[[ $(value 6) == -0.55374 ]] || fail "y is: $(value 6)"
[[ -z $(value 7) ]] || fail "the loss is shown before it is computed: $(value 7)"
has 'comes with operator 5' # the gradient of y
load "$page#step=4"
[[ $(value 7) == 1.11037 ]] || fail "the loss is: $(value 7)"

# The slider, the buttons and the keys, as a person uses them.
cat >moves.js <<'JS'
const seen = [];
const note = () => seen.push(document.body.dataset.position);
const slider = document.getElementById('position');
slider.value = 5;
slider.dispatchEvent(new Event('input', {bubbles: true}));
note();
const press = (key) => {
  document.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
  note();
};
['ArrowRight', 'ArrowRight', 'ArrowLeft', 'Home', 'ArrowLeft', 'End', 'ArrowRight'].forEach(press);
document.getElementById('back').click();
note();
document.getElementById('theme').click();
const find = document.getElementById('find');
find.value = 'elu(h)';
find.dispatchEvent(new Event('input'));
document.getElementById('n4').dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
document.body.dataset.seen = seen.join(' ');
document.body.dataset.bright = document.querySelectorAll('.node:not(.dim)').length;
document.body.dataset.title = document.querySelector('#details h2').textContent;
document.body.dataset.theme = document.documentElement.dataset.theme;
document.body.dataset.place = location.hash;
// The overview: there when the graph does not fit, a mark for every node; a click moves the window.
for (let i = 0; i < 5; ++i) document.getElementById('larger').click();
const small = document.getElementById('overview');
const corner = small.getBoundingClientRect();
small.dispatchEvent(new PointerEvent('pointermove',
  {clientX: corner.right - 1, clientY: corner.bottom - 1, buttons: 1}));
document.body.dataset.line = document.querySelector('#lines title').textContent;
document.body.dataset.marks =
  small.querySelectorAll('rect').length - document.querySelectorAll('.node').length;
document.body.dataset.cropped = !small.hasAttribute('hidden');
document.body.dataset.reached = pane.scrollTop > 0 && pane.scrollLeft > 0 &&
  pane.scrollTop + pane.clientHeight > pane.scrollHeight - 2 &&
  pane.scrollLeft + pane.clientWidth > pane.scrollWidth - 2;
document.getElementById('fit').click();
document.body.dataset.whole = small.hasAttribute('hidden');
// A large tensor: rows and columns have numbers, arrows show other parts, any element can be asked for.
const numbers = Float32Array.from({length: 4 * 40 * 30}, (_, i) => i);
const large = grid({shape: [4, 40, 30], rows: 160, columns: 30, edge: 16, count: 4800, scale: 4799, cells: [],
  all: btoa(String.fromCharCode(...new Uint8Array(numbers.buffer)))});
document.getElementById('details').append(large);
const rows = () => [...large.querySelectorAll('tr > th:first-child')].map((head) => head.textContent).filter(Boolean);
const corners = [rows()[0], rows().at(-1)];
large.querySelector('[title="rows behind"]').click();
large.querySelector('[title="rows behind"]').click();
large.querySelector('[title="rows behind"]').click();
document.body.dataset.rows = [...corners, rows()[0]].join(' | ');
const ask = (text) => {
  large.querySelector('input').value = text;
  large.querySelector('input').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}));
};
ask('2, 33, 5');
document.body.dataset.asked = large.querySelector('.stats.asked').textContent;
document.body.dataset.cell = large.querySelector('td.asked').title;
ask('-1, -1, -1');
document.body.dataset.end = large.querySelector('.stats.asked').textContent;
ask('4, 0, 0');
document.body.dataset.refused = large.querySelector('input').classList.contains('bad');
JS
with_moves out/backprop/backprop.html
load "file://$PWD/moved.html#theme=light"
has 'data-seen="5 6 7 6 0 0 11 11 10"'
has 'data-bright="2"' # elu(h) and its gradient
has 'data-title="matmulforward"'
has 'data-theme="dark"'
has 'data-place="#theme=dark&amp;position=10"'
has 'data-marks="1"' # the window
has 'data-line="x: float32 [1, 2]"'
has 'data-cropped="true"'
has 'data-reached="true"'
has 'data-whole="true"'
has 'data-rows="0, 0 | 0, 15 | 1, 8"'
has 'data-asked="[2, 33, 5] is 3395"'
has 'data-cell="[2, 33, 5] 3395"'
has 'data-end="[3, 39, 29] is 4799"'
has 'data-refused="true"'

picture "$page#position=9&theme=light" light.png 1360,1000
picture "$page#position=4&theme=dark" dark.png 500,800
((failures == 0))
