#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: report_test.sh PROGRAM FOLDER
# The reports of train_digits in a browser: of a run, of a run that was killed, and the comparison.
set -u
# shellcheck source=/dev/null
source "$(dirname "$0")/browser.sh"
begin "$@"
"$program" --epochs 8 --activation selu --schedule constant --out out >printed.txt 2>progress.txt || fail "exit status $?"

load "file://$PWD/out/report_selu.html"
has 'data-ready="yes"'
has 'finished'
has 'Outputs of selu(hidden1)'
has 'Gradient norms by layer'
has 'Gradient norms'
has 'Updates by layer'
has 'Mistakes'
has '<dt>seed</dt>'
! grep -q '<h3>Learning rate</h3>' page.txt || fail "a constant learning rate is drawn as a chart"

# Reading a chart at a point, and zooming into it.
cat >moves.js <<'JS'
const plot = document.querySelector('#curves .plot');
const picture = plot.querySelector('svg');
const box = picture.getBoundingClientRect();
const move = (type, x, target = picture) => target.dispatchEvent(
  new PointerEvent(type, {clientX: box.left + x, clientY: box.top + 90, button: 0, bubbles: true}));
const ticks = () => [...picture.querySelectorAll('text.middle')].map((text) => text.textContent).join(' ');
const whole = ticks();
move('pointermove', box.width - 20);
document.body.dataset.read = plot.querySelector('.reading').textContent;
move('pointerdown', box.width / 3);
move('pointerup', box.width / 2, window);
document.body.dataset.zoomed = ticks() !== whole && !plot.querySelector('.whole').hidden;
plot.querySelector('.whole').click();
document.body.dataset.back = ticks() === whole && plot.querySelector('.whole').hidden;
// Smoothing draws the curve itself faintly behind; a chart is logarithmic or not, and the address says so.
const curvesOf = () => [...picture.querySelectorAll('path.curve')];
const straight = curvesOf()[0].getAttribute('d');
const slider = document.getElementById('smoothing');
slider.value = 0.9;
slider.dispatchEvent(new Event('input'));
document.body.dataset.smooth = curvesOf()[0].classList.contains('raw') && curvesOf()[0].getAttribute('d') !== straight &&
  curvesOf().length > document.querySelectorAll('#curves figure')[0].querySelectorAll('.keys span').length;
slider.value = 0;
slider.dispatchEvent(new Event('input'));
document.body.dataset.straight = curvesOf()[0].getAttribute('d') === straight;
const log = document.querySelector('#curves figure .switch');
const heights = () => [...picture.querySelectorAll('text.end')].map((text) => text.textContent).join(' ');
const decades = heights();
log.click();
document.body.dataset.linear = heights() !== decades && log.getAttribute('aria-pressed') === 'false';
document.body.dataset.address = decodeURIComponent(location.hash);
log.click();
document.body.dataset.decades = heights() === decades;
// What begins far from where it goes on is shown without its beginning, until that is asked for.
const figure = document.querySelector('#curves .figures').appendChild(document.createElement('figure'));
const far = new Chart(figure, {title: 'far', x_label: 'step', y_label: '', log_y: false, switches: true,
  curves: [{name: '', x: [...Array(40).keys()], y: [...Array(40).keys()].map((x) => (x < 3 ? 10 * x : 90 + x / 10))}]});
document.body.dataset.focus = far.y.low > 80;
far.focus.click();
document.body.dataset.whole = far.y.low < 10;
JS
with_moves out/report_selu.html
load "file://$PWD/moved.html"
grep -q 'data-read="step 17[0-9]step [0-9.]*mean [0-9.]* at 17[0-9]"' page.txt ||
  fail "at a point the chart reads: $(grep -o 'data-read="[^"]*"' page.txt)"
has 'data-zoomed="true"'
has 'data-back="true"'
for words in smooth straight linear decades focus whole; do has "data-$words=\"true\""; done
has 'data-address="#smoothing=0&amp;log=[&quot;-Loss&quot;]"'

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
picture "file://$PWD/out/report_selu.html#theme=dark" narrow.png 500,1700
picture "file://$PWD/out/report.html#theme=dark" dark.png 1300,1400
((failures == 0))
