// SPDX-License-Identifier: Apache-2.0
import {address, byId, make} from './shared.js';
import {Chart, number} from './chart.js';

const written = byId('written');
const data = JSON.parse(byId('data').textContent);

// The distribution of a layer's outputs at a few steps, the first and the last among them.
function histogram(layer) {
  const shown = Math.min(4, layer.history.length);
  const curves = Array.from({length: shown}, (_, i) => {
    const one = layer.history[shown === 1 ? 0 : Math.floor(i * (layer.history.length - 1) / (shown - 1))];
    const width = Math.max((one.high - one.low) / one.shares.length, 1e-30);
    return {name: `step ${one.step}`, x: one.shares.map((_, bin) => one.low + (bin + 0.5) * width),
      y: one.shares.map((share) => share / width)};
  });
  return {title: `Outputs of ${layer.name}`, x_label: 'value', y_label: 'density', log_y: false, curves};
}

function unhealthy(layers) {
  const curves = layers.map((layer) => ({name: layer.name, x: layer.history.map((one) => one.step),
    y: layer.history.map((one) => 100 * (one.dead + one.exploding) / one.units)}));
  return curves.some((curve) => curve.y.some((part) => part > 0))
    ? [{title: 'Dead and exploding units', x_label: 'step', y_label: 'percent of the layer', log_y: false, curves}] : [];
}

// A chart of values that never change is a number.
const isConstant = (chart) => chart.curves.every((curve) => new Set(curve.y).size < 2);

function drawCharts(section, charts) {
  if (!section) return;
  for (const chart of charts) {
    if (chart.values_per_point > 1) chart.note = `Each point is the mean of up to ${chart.values_per_point} values.`;
    const figure = section.querySelector('.figures').appendChild(make('figure'));
    if (chart.x_label === 'step') chart.marks = data.marks;
    chart.switches = section.id === 'curves';
    new Chart(figure, chart);
  }
}
const curves = data.charts.filter((chart) => !isConstant(chart));
byId('curves').hidden = curves.length === 0;
const said = new Set((data.settings || []).map(([name]) => name.toLowerCase()));
for (const chart of data.settings ? data.charts.filter((one) => isConstant(one) && !said.has(one.title.toLowerCase())) : []) {
  for (const {name, y} of chart.curves.filter((curve) => curve.y.length)) {
    document.querySelector('.settings').append(make('div', {}, make('dt', {}, name ? `${chart.title}, ${name}` : chart.title),
      make('dd', {}, y[0] === null ? 'not finite' : number(y[0], 5))));
  }
}
drawCharts(byId('curves'), curves);
drawCharts(byId('layers'), [...unhealthy(data.layers || []), ...(data.layers || []).map(histogram)]);

// The page of a run that lasts loads itself anew, so how it is looked at stands in the address.
const smoothing = byId('smoothing');
if (smoothing) {
  const set = () => {
    Chart.smooth(Number(smoothing.value));
    smoothing.title = Number(smoothing.value) ? `each value counts ${smoothing.value} times as much as the one behind it` : 'off';
  };
  smoothing.closest('label').hidden = !curves.some((chart) => chart.curves.some(Chart.canSmooth));
  smoothing.value = address.get('smoothing') ?? 0;
  set();
  smoothing.addEventListener('input', () => {
    set();
    address.set('smoothing', smoothing.value);
  });
}

// How old the page is; a run that has long been silent has probably been killed.
function age() {
  const seconds = Math.max(0, Math.round(Date.now() / 1000 - Number(written.dataset.written)));
  if (written.dataset.state !== 'running') return;
  const text = seconds < 120 ? seconds + ' s' : Math.round(seconds / 60) + ' min';
  const late = seconds > 60 + 10 * Number(written.dataset.every);
  written.classList.toggle('late', late);
  written.textContent = `written ${text} ago` + (late ? '; the run may have been killed' : '');
}
if (written) {
  age();
  setInterval(age, 1000);
}
document.body.dataset.ready = 'yes';
