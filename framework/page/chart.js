// SPDX-License-Identifier: Apache-2.0
// Line charts that can be read at a point and zoomed. A chart is {title, x_label, y_label, log_y, note,
// curves: [{name, x, y, colour}], marks: [[name, x]], switches}; null in `y` interrupts a curve; colours are
// numbers. One with switches can be drawn logarithmically or not, smoothed (Chart.smooth), and where its
// beginning lies far outside of what follows, without that.
import {address, listed, make, svg} from './shared.js';

const MARGINS = {top: 10, bottom: 46, right: 14};
const HEIGHT = 300;
const READ_AT_MOST = 12;  // curves at a point
const COLOURS = 6;
const DASHES = ['', '7 4', '2 3', '9 3 2 3'];  // so that colours alone need not tell curves apart
const KEYS_AS_GIVEN = 6;  // the keys of more curves stand in the order of their ends

export const number = (value, digits = 4) => {
  const text = String(Number(value.toPrecision(digits)));
  return text.replace(/e[+]?/, 'e');
};

// Of the first 24 curves no two have both in common.
export const styleOf = (i) => ({colour: i % COLOURS, dash: DASHES[(i + Math.floor(i / COLOURS)) % DASHES.length]});

// A piece of the line, as the style of an element.
export function sampleOf({colour, dash}) {
  const lengths = dash.split(' ').map(Number), ink = `var(--series-${colour + 1})`;
  if (lengths.length < 2) return `background:${ink}`;
  let at = 0;
  const stops = lengths.map((length, k) => `${k % 2 ? 'transparent' : ink} ${at}px ${at += length}px`);
  return `background:repeating-linear-gradient(90deg,${stops.join(',')})`;
}

// Round numbers (1, 2 or 5 times a power of ten) within a range, at most so many.
function linearTicks(low, high, count) {
  const least = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(least));
  const spacing = power * [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9));
  const ticks = [];
  for (let i = Math.ceil(low / spacing - 1e-6); i <= Math.floor(high / spacing + 1e-6); ++i) ticks.push(i * spacing);
  return ticks;
}

// Whole powers where there are many decades, not each; also 2 and 5 where there are few.
function logTicks(low, high, count) {
  const decades = Math.log10(high / low);
  if (decades < 1) return linearTicks(low, high, count);
  const factors = decades <= count / 3 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil(decades / count));
  const ticks = [];
  for (let power = Math.floor(Math.log10(low) / stride) * stride; power <= Math.log10(high); power += stride) {
    for (const factor of factors) ticks.push(factor * 10 ** power);
  }
  return ticks.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
}

export class Axis {
  constructor(low, high, log) {
    this.log = log;
    if (!(low <= high)) [low, high] = log ? [0.1, 1] : [0, 1];
    if (high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high))) {
      const margin = low === 0 ? 1 : Math.abs(low) / 2;
      [low, high] = [low - margin, high + margin];
    }
    [this.low, this.high] = [low, high];
  }
  // With some air, so that a curve does not run along the frame.
  static loose(low, high, log) {
    const {low: from, high: to} = new Axis(low, high, log);
    const air = log ? Math.exp(0.04 * Math.log(to / from)) : 0.04 * (to - from);
    return log ? new Axis(from / air, to * air, true) : new Axis(from - air, to + air, false);
  }
  part(value) {
    return this.log ? Math.log(value / this.low) / Math.log(this.high / this.low)
      : (value - this.low) / (this.high - this.low);
  }
  value(part) {
    return this.log ? this.low * (this.high / this.low) ** part : this.low + part * (this.high - this.low);
  }
  ticks(count) {
    const values = (this.log ? logTicks : linearTicks)(this.low, this.high, count);
    const spacing = values.length > 1 ? Math.abs(values[1] - values[0]) : 1;
    const digits = this.log ? 4 : Math.max(1, Math.ceil(Math.log10(Math.max(...values.map(Math.abs), spacing) / spacing)) + 1);
    return values.map((value) => [value, number(value, Math.min(15, digits + 1))]);
  }
}

const canDraw = (chart, y) => y !== null && Math.abs(y) < 1e300 && (!chart.log_y || y > 1e-300);

export function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return [low, high];
}

// The place in an ascending list that is closest to a value.
function nearest(list, value) {
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1; else high = middle;
  }
  return low > 0 && value - list[low - 1] < list[low] - value ? low - 1 : low;
}

// Means that forget: each value counts `weight` times as much as the one behind it.
function smoothed(y, weight) {
  let sum = 0, weights = 0;
  return y.map((value) => {
    if (value === null) return null;
    sum = weight * sum + value;
    weights = weight * weights + 1;
    return sum / weights;
  });
}

export class Chart {
  static count = 0;
  static all = [];

  // Smooths all curves of charts with switches that have many points; 0: none.
  static smooth(weight) {
    for (const one of Chart.all) one.setSmoothing(weight);
  }
  static canSmooth = (curve) => curve.x.length >= 30;

  constructor(figure, chart) {
    this.chart = chart;
    this.drawn = chart.curves;
    this.clip = 'clip' + Chart.count++;
    Chart.all.push(this);
    const logs = listed('log');
    const values = chart.curves.flatMap((curve) => curve.y.filter((y) => y !== null && y !== 0));
    if (logs.includes('+' + chart.title)) chart.log_y = true;
    if (logs.includes('-' + chart.title)) chart.log_y = false;
    this.setWhole();
    const switches = [];
    if (chart.switches && values.length && values.every((y) => y > 0)) {
      this.log = make('button', {type: 'button', class: 'switch', 'aria-pressed': chart.log_y, title: 'logarithmic or linear'}, 'log');
      this.log.addEventListener('click', () => this.setLog(!this.chart.log_y));
      switches.push(this.log);
    }
    if (chart.switches) {
      this.focus = make('button', {type: 'button', class: 'switch', 'aria-pressed': 'false', hidden: '', title: 'leave out the beginning, which lies far from the rest'}, 'zoom');
      this.focus.addEventListener('click', () => this.setFocus(this.focus.getAttribute('aria-pressed') !== 'true'));
      switches.push(this.focus);
    }
    this.setFocus(this.canFocus());
    this.picture = svg('svg', {role: 'img', 'aria-label': chart.title});
    this.reading = make('div', {class: 'reading', hidden: ''});
    this.reset = make('button', {type: 'button', class: 'whole', hidden: ''}, 'Whole');
    this.plot = make('div', {class: 'plot'}, this.picture, this.reset, this.reading);
    const named = chart.curves.some((curve) => curve.name);
    figure.append(make('h3', {}, chart.title, switches.length ? make('span', {class: 'switches'}, switches) : ''), this.plot,
      named ? make('div', {class: 'keys'}, this.order().map((i) => this.key(i, chart.curves[i].name))) : '',
      chart.note ? make('figcaption', {}, chart.note) : '');
    this.ready = true;
    new ResizeObserver(() => { if (this.plot.clientWidth !== this.width) this.draw(); }).observe(this.plot);
    this.draw();
    this.reset.addEventListener('click', () => this.zoom(this.whole));
    this.picture.addEventListener('dblclick', () => this.zoom(this.whole));
    this.picture.addEventListener('pointermove', (event) => this.read(event));
    this.picture.addEventListener('pointerleave', () => this.read(null));
    this.picture.addEventListener('pointerdown', (event) => this.press(event));
    this.picture.addEventListener('wheel', (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const at = this.x.value(this.across(event)), factor = event.deltaY < 0 ? 0.8 : 1.25;
      this.zoom(this.shown.map((edge) => at + (edge - at) * factor));
    }, {passive: false});
  }

  setWhole() {
    const {chart} = this;
    this.whole = extent(chart.curves.flatMap((curve) => curve.x.filter((_, i) => canDraw(chart, curve.y[i]))));
    this.shown = this.whole;
  }

  setLog(on) {
    this.chart.log_y = on;
    this.log.setAttribute('aria-pressed', on);
    this.setWhole();
    this.reset.hidden = true;
    this.setFocus(this.canFocus());
    const rest = listed('log').filter((one) => one.slice(1) !== this.chart.title);
    address.set('log', JSON.stringify([...rest, (on ? '+' : '-') + this.chart.title]));
  }

  setFocus(on) {
    this.focused = on;
    if (this.focus) {
      this.focus.hidden = !this.canFocus();
      this.focus.setAttribute('aria-pressed', on);
    }
    if (this.ready) this.draw();
  }

  setSmoothing(weight) {
    if (!this.chart.switches) return;
    this.drawn = this.chart.curves.map((curve) => (weight > 0 && Chart.canSmooth(curve)
      ? {...curve, y: smoothed(curve.y, weight), raw: curve.y} : curve));
    this.draw();
  }

  // The extent of what is drawn between two places.
  heights(from, to) {
    return extent(this.drawn.flatMap((curve) => curve.y.filter((y, i) =>
      canDraw(this.chart, y) && curve.x[i] >= from && curve.x[i] <= to)));
  }

  // Whether what comes behind the first quarter is less than a third as high as all.
  canFocus() {
    const {switches, log_y} = this.chart, [from, to] = this.whole;
    if (!switches || log_y || !this.chart.curves.some((curve) => curve.x.length > 4)) return false;
    const [low, high] = this.heights(from, to), [inner, outer] = this.heights(from + (to - from) / 4, to);
    return outer > inner && outer - inner < (high - low) / 3;
  }

  style(i) { return styleOf(this.chart.curves[i].colour ?? i); }

  // From the curve that ends highest to the one that ends lowest.
  order() {
    const {curves} = this.chart;
    const end = ({y}) => y.findLast((value) => canDraw(this.chart, value)) ?? -Infinity;
    const numbers = curves.map((_, i) => i);
    return curves.length > KEYS_AS_GIVEN ? numbers.sort((a, b) => end(curves[b]) - end(curves[a])) : numbers;
  }

  // The name of a curve; pointing at it brings the curve out.
  key(i, ...text) {
    const key = make('span', {}, make('i', {style: sampleOf(this.style(i))}), text);
    const point = (on) => this.lines.forEach((line, k) => line.classList.toggle('dim', on && k !== i));
    key.addEventListener('pointerenter', () => point(true));
    key.addEventListener('pointerleave', () => point(false));
    return key;
  }

  zoom([low, high]) {
    const [first, end] = this.whole;
    this.shown = [Math.max(first, low), Math.min(end, high)];
    if (!(this.shown[1] - this.shown[0] > 1e-9 * (end - first))) this.shown = this.whole;
    this.reset.hidden = this.shown[0] === first && this.shown[1] === end;
    this.read(null);
    this.draw();
  }

  draw() {
    const {chart} = this;
    this.width = this.plot.clientWidth;
    const width = Math.max(260, this.width);
    const [from, to] = this.shown;
    const begin = this.focused && from === this.whole[0] && to === this.whole[1] ? from + (to - from) / 4 : from;
    this.y = Axis.loose(...this.heights(begin, to), chart.log_y);
    this.x = new Axis(from, to, false);
    const ticks = this.y.ticks(6);
    const box = this.box = {left: 16 + 7 * Math.max(2, ...ticks.map(([, text]) => text.length)) + (chart.y_label ? 20 : 0),
      right: width - MARGINS.right, top: MARGINS.top, bottom: HEIGHT - MARGINS.bottom};
    const size = {x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top};
    const atX = (value) => box.left + this.x.part(value) * size.width;
    this.atY = (value) => box.bottom - this.y.part(value) * size.height;
    const line = (x, y, i, kind) => {
      let path = '', pen = 'M';
      x.forEach((at, k) => {
        if (!canDraw(chart, y[k])) { pen = 'M'; return; }
        // A lone point becomes a dot: a line of no length with round ends.
        const alone = pen === 'M' && !(k + 1 < x.length && canDraw(chart, y[k + 1]));
        path += `${pen}${atX(at).toFixed(1)} ${this.atY(y[k]).toFixed(1)}${alone ? 'h0' : ''}`;
        pen = 'L';
      });
      const {colour, dash} = this.style(i);
      return svg('path', {class: kind, d: path, style: `stroke:var(--series-${colour + 1});stroke-dasharray:${dash || 'none'}`});
    };
    this.lines = this.drawn.map(({x, y, raw}, i) => line(x, y, i, x.length > 300 && !raw ? 'curve thin' : 'curve'));
    const raws = this.drawn.flatMap(({x, raw}, i) => (raw ? [line(x, raw, i, 'curve raw')] : []));
    const marks = (chart.marks ?? []).filter(([, at]) => at >= from && at <= to).flatMap(([name, at]) => [
      svg('path', {class: 'mark', d: `M${atX(at)} ${box.top}V${box.bottom}`}),
      svg('text', {class: this.x.part(at) > 0.8 ? 'mark end' : 'mark', x: atX(at) + (this.x.part(at) > 0.8 ? -4 : 4), y: box.top + 12}, name)]);
    this.cross = svg('path', {class: 'cross'});
    this.chosen = svg('rect', {class: 'chosen', ...size, width: 0});
    this.picture.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    this.picture.replaceChildren(
      svg('clipPath', {id: this.clip}, svg('rect', size)),
      ...this.x.ticks(width < 480 ? 5 : 7).flatMap(([value, label]) => [
        svg('path', {class: 'grid', d: `M${atX(value)} ${box.top}V${box.bottom + 5}`}),
        svg('text', {x: atX(value), y: box.bottom + 19, class: 'middle'}, label)]),
      ...ticks.flatMap(([value, label]) => [
        svg('path', {class: 'grid', d: `M${box.left - 5} ${this.atY(value)}H${box.right}`}),
        svg('text', {x: box.left - 8, y: this.atY(value) + 4, class: 'end'}, label)]),
      svg('text', {x: (box.left + box.right) / 2, y: HEIGHT - 7, class: 'middle'}, chart.x_label),
      svg('text', {class: 'middle', transform: `translate(13 ${(box.top + box.bottom) / 2}) rotate(-90)`}, chart.y_label),
      svg('g', {'clip-path': `url(#${this.clip})`}, ...raws, ...this.lines),
      ...marks, svg('rect', {class: 'edge', ...size}), this.chosen, this.cross);
  }

  // Where a pointer is between the left and the right edge: 0 to 1.
  across(event) {
    const at = event.clientX - this.picture.getBoundingClientRect().left;
    return Math.max(0, Math.min(1, (at - this.box.left) / (this.box.right - this.box.left)));
  }

  // The values of the curves at the point that is closest to the pointer.
  read(event) {
    this.reading.hidden = event === null || !this.whole.every(Number.isFinite);
    this.cross.removeAttribute('d');
    if (this.reading.hidden) return;
    const at = this.x.value(this.across(event));
    const height = event.clientY - this.picture.getBoundingClientRect().top;
    let points = this.drawn.map((curve, i) => ({curve, i, k: nearest(curve.x, at)})).filter(({curve}) => curve.x.length);
    const apart = ({curve, k}) => Math.abs(curve.x[k] - at);
    const {curve, k} = points.reduce((best, one) => (apart(one) < apart(best) ? one : best));
    const x = curve.x[k];
    if (points.length > READ_AT_MOST) {  // those that the pointer is close to
      const far = (point) => Math.abs(this.atY(point.curve.y[point.k]) - height);
      const close = new Set([...points].sort((a, b) => far(a) - far(b)).slice(0, READ_AT_MOST));
      points = points.filter((point) => close.has(point));
    }
    const left = this.box.left + this.x.part(x) * (this.box.right - this.box.left);
    this.cross.setAttribute('d', `M${left} ${this.box.top}V${this.box.bottom}`);
    this.reading.replaceChildren(make('b', {}, `${this.chart.x_label} ${number(x, 6)}`), ...points.map((point) => {
      const y = point.curve.y[point.k], own = point.curve.x[point.k];
      return this.key(point.i, point.curve.name ? point.curve.name + ' ' : '', make('b', {}, y === null ? 'not finite' : number(y, 5)),
        own === x ? '' : ` at ${number(own, 6)}`);
    }));
    const onLeft = left > (this.box.left + this.box.right) / 2;
    this.reading.style.cssText = onLeft ? `right:${this.plot.clientWidth - left + 10}px` : `left:${left + 10}px`;
  }

  // Dragging chooses a stretch to zoom to.
  press(event) {
    if (event.button !== 0) return;
    const {left, right} = this.box;
    const begin = this.across(event);
    const ends = (moved) => [begin, this.across(moved)].sort((a, b) => a - b);
    const move = (moved) => {
      const [low, high] = ends(moved);
      this.chosen.setAttribute('x', left + low * (right - left));
      this.chosen.setAttribute('width', (high - low) * (right - left));
    };
    const end = (released) => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      this.chosen.setAttribute('width', 0);
      const [low, high] = ends(released);
      if ((high - low) * (right - left) > 6) this.zoom([low, high].map((part) => this.x.value(part)));
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
  }
}
