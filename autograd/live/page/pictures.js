// SPDX-License-Identifier: Apache-2.0
// The row of pictures: what is drawn into or typed, the network's own pictures, gradients by layer, the
// loss. Sizes and colours are read when they change, never for a frame.
import {byId, make} from '../../../framework/page/shared.js';
import {Axis, extent, number, sampleOf, styleOf} from '../../../framework/page/chart.js';
import {presenting} from '../../../framework/page/fold.js';
import {live, newest, now, pause, say, send, sendLatest, setText} from './live.js';
import {norms} from './norms.js';
import {present} from './present.js';

export const ink = {
  names: ['ink', 'faint', 'line', 'grid', 'paper', 'accent', ...Array.from({length: 6}, (_, i) => `series-${i + 1}`)],
  read() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ink.names) ink[name] = style.getPropertyValue('--' + name).trim();
    [ink.size, ink.family] = [presenting ? 17 : 11, getComputedStyle(document.body).fontFamily];
  },
  series(i) { return ink[`series-${i % 6 + 1}`]; },
  // The parts of a colour that is written as #rrggbb.
  parts(name) { return [1, 3, 5].map((at) => parseInt(ink[name].slice(at, at + 2), 16)); },
};

// A canvas parses its font when that is set, even to the one that it has. Whatever is written beside something
// else is measured by the size.
function setFont(pen, size) {
  const font = `${size}px ${ink.family}`;
  if (pen.fontSet !== font) pen.font = pen.fontSet = font;
  pen.size = size;
}

// A canvas as sharp as the screen; paint(pen, width, height) draws it whole.
export class Picture {
  static all = [];
  constructor(name, paint) {
    this.paint = paint;
    this.element = make('canvas', {role: 'img', 'aria-label': name});
    this.pen = this.element.getContext('2d');
    Picture.all.push(this);
    new ResizeObserver(([{contentRect}]) => {
      this.ratio = devicePixelRatio || 1;
      [this.width, this.height] = [contentRect.width, contentRect.height];
      this.element.width = Math.round(this.width * this.ratio);
      this.element.height = Math.round(this.height * this.ratio);
      this.pen.fontSet = null;  // a new size takes it away
      this.draw();
    }).observe(this.element);
  }
  draw() {
    if (!this.width) return;
    this.pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.pen.clearRect(0, 0, this.width, this.height);
    setFont(this.pen, this.element.closest('.large') ? Math.max(18, ink.size) : ink.size);
    this.paint(this.pen, this.width, this.height);
  }
}

function write(pen, text, x, y, align = 'left', colour = ink.faint) {
  pen.fillStyle = colour;
  pen.textAlign = align;
  pen.fillText(text, x, y);
}

// What tells the one of several curves from the others, whatever their order: a colour and a dash.
function stylesOf(labels) {
  const order = [...labels].sort();
  return labels.map((label) => styleOf(order.indexOf(label)));
}

// Curves over common axes: series of [x, y]. Gives the place of x, or null where there is nothing.
export function plot(pen, width, height, series, log = false, styles = series.map((_, i) => styleOf(i))) {
  const shown = (y) => Number.isFinite(y) && (!log || y > 0);
  const ys = series.flatMap((points) => points.map(([, y]) => y).filter(shown));
  const [from, to] = extent(series.flatMap((points) => points.map(([x]) => x)));
  if (!ys.length) {
    write(pen, series.flat().length ? 'no finite number' : 'nothing yet', width / 2, height / 2, 'center');
    return null;
  }
  const y = Axis.loose(...extent(ys), log), x = new Axis(from, Math.max(to, from + 1), false);
  const ticks = y.ticks(log ? 6 : 4), left = 8 + 0.6 * pen.size * Math.max(...ticks.map(([, text]) => text.length));
  const bottom = height - 5 - pen.size, right = width - 8;
  const atX = (value) => left + x.part(value) * (right - left), atY = (value) => bottom - y.part(value) * (bottom - 6);
  pen.lineWidth = 1;
  for (const [value, text] of ticks) {
    pen.fillStyle = ink.grid;
    pen.fillRect(left, Math.round(atY(value)), right - left, 1);
    write(pen, text, left - 5, atY(value) + pen.size / 3, 'right');
  }
  write(pen, number(from, 6), left, height - 3);
  write(pen, number(Math.max(to, from + 1), 6), right, height - 3, 'right');
  series.forEach((points, i) => {
    pen.strokeStyle = ink[`series-${styles[i].colour + 1}`];
    pen.setLineDash(styles[i].dash.split(' ').filter(Boolean).map(Number));
    pen.lineWidth = pen.size / 6;
    pen.lineJoin = 'round';
    pen.beginPath();
    let open = false;
    for (const [at, value] of points) {
      if (shown(value)) pen[open ? 'lineTo' : 'moveTo'](atX(at), atY(value));
      open = shown(value);
    }
    pen.stroke();
    pen.setLineDash([]);
    const end = points.findLast(([, value]) => shown(value));
    if (end && points.length < 3) pen.fillRect(atX(end[0]) - 2, atY(end[1]) - 2, 4, 4);
  });
  return {place: (px) => x.value((px - left) / (right - left))};
}

// ---- the network's own pictures ----------------------------------------------------------------

const small = document.createElement('canvas');

// A field over a rectangle, as colours on both sides of the middle of its range, and the points of the data.
function paintSurface(pen, width, height, {shape: [rows, columns], values, low, high, x, y, points = []}) {
  const side = Math.min(width, height), left = (width - side) / 2;
  const field = new Float32Array(Uint8Array.from(atob(values), (c) => c.charCodeAt(0)).buffer);
  const [none, less, more] = ['paper', 'series-2', 'series-1'].map((name) => ink.parts(name));
  const image = new ImageData(columns, rows);
  field.forEach((value, i) => {
    const way = (2 * value - low - high) / (high - low), part = 0.62 * Math.sqrt(Math.min(1, Math.abs(way)));
    const end = way < 0 ? less : more, at = 4 * i;
    for (let k = 0; k < 3; ++k) image.data[at + k] = Number.isFinite(value) ? none[k] + part * (end[k] - none[k]) : 128;
    image.data[at + 3] = 255;
  });
  [small.width, small.height] = [columns, rows];
  small.getContext('2d').putImageData(image, 0, 0);
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(small, left, 0, side, side);
  const size = points.length > 60 ? 2.2 : points.length > 12 ? 3 : 5.5;
  pen.lineWidth = size > 3 ? 2 : 1;
  for (const [across, up, kind] of points) {
    pen.beginPath();
    pen.arc(left + (across - x[0]) / (x[1] - x[0]) * side, side - (up - y[0]) / (y[1] - y[0]) * side, size, 0, 2 * Math.PI);
    pen.fillStyle = kind === 0 ? ink['series-2'] : kind === 1 ? ink['series-1'] : ink.series(kind);
    pen.strokeStyle = ink.paper;
    pen.fill();
    pen.stroke();
  }
}

// Of probabilities the largest is brought out; others all have their numbers.
function paintBars(pen, width, height, {labels, values}) {
  const most = Math.max(1e-30, ...values.filter(Number.isFinite)), best = values.indexOf(most);
  const shares = most <= 1 && values.length > 3;
  const each = width / values.length, foot = 6 + pen.size, room = height - foot - pen.size - 6;
  values.forEach((value, i) => {
    const tall = Math.max(0, Number.isFinite(value) ? value / (shares ? 1 : most) : 0) * room, middle = (i + 0.5) * each;
    pen.fillStyle = shares && i === best ? ink.accent : ink.line;
    pen.fillRect(middle - each * 0.36, height - foot - tall, each * 0.72, Math.max(1, tall));
    const colour = i === best || !shares ? ink.ink : ink.faint;
    write(pen, labels[i], middle, height - 4, 'center', colour);
    const text = Number.isFinite(value) ? number(value, shares ? 2 : 3) : 'not finite';
    if (i === best || !shares || pen.measureText(text).width < each) write(pen, text, middle, height - foot - 4 - tall, 'center', colour);
  });
  return ([x]) => {
    const i = Math.floor(x / each);
    return values[i] === undefined ? null : `${labels[i]}: ${Number.isFinite(values[i]) ? number(values[i]) : 'not finite'}`;
  };
}

function paintGrid(pen, width, height, {rows, columns, values}) {
  const head = pen.size + 5, edge = pen.size + 7, each = Math.min((width - edge) / columns.length, (height - head) / rows.length);
  const most = Math.max(1e-30, ...values.flat().filter(Number.isFinite).map(Math.abs));
  const left = Math.max(edge, (width - each * columns.length) / 2), visible = (text) => (text === ' ' ? '␣' : text);
  const size = Math.max(7, Math.min(pen.size, each)), numbers = Math.min(pen.size, each * 0.36);  // where there is room
  const short = (value) => (value === 0 || most > 1 || !Number.isFinite(value) ? number(value ?? NaN, 2) : value.toFixed(2));
  setFont(pen, size);
  columns.forEach((text, j) => write(pen, visible(text), left + (j + 0.5) * each, size, 'center'));
  rows.forEach((text, i) => {
    setFont(pen, size);
    write(pen, visible(text), left - 5, head + (i + 0.5) * each + size / 3, 'right');
    if (numbers > 8) setFont(pen, numbers);
    values[i].forEach((value, j) => {
      pen.fillStyle = ink.grid;
      pen.fillRect(left + j * each, head + i * each, each - 1, each - 1);
      pen.globalAlpha = Number.isFinite(value) ? Math.min(1, Math.abs(value) / most) : 1;
      pen.fillStyle = value < 0 ? ink['series-2'] : ink['series-1'];
      pen.fillRect(left + j * each, head + i * each, each - 1, each - 1);
      const deep = pen.globalAlpha > 0.6;
      pen.globalAlpha = 1;
      if (numbers > 8) write(pen, short(value), left + (j + 0.5) * each, head + (i + 0.5) * each + numbers / 3, 'center', deep ? ink.paper : ink.ink);
    });
  });
  return ([x, y]) => {
    const [i, j] = [Math.floor((y - head) / each), Math.floor((x - left) / each)];
    return values[i]?.[j] === undefined ? null : `${number(values[i][j] ?? NaN)} in row ${i}, ${visible(rows[i])}; column ${j}, ${visible(columns[j])}`;
  };
}

function paintCurves(pen, width, height, {series, log, labels}) {
  const scale = plot(pen, width, height, series.map((values) => values.map((value, i) => [i + 1, value === null ? NaN : Number(value)])), log, stylesOf(labels));
  return scale && (([x]) => {
    const at = Math.round(scale.place(x));
    const read = series.map((values, i) => `${labels[i]} ${values[at - 1] === null ? 'not finite' : number(Number(values[at - 1]))}`);
    return at < 1 || at > series[0].length ? null : `${at}: ${read.join(', ')}`;
  });
}

// Each gives what there is to read at a place, as text, where there is something.
const PAINTERS = {surface: paintSurface, bars: paintBars, grid: paintGrid, lines: paintCurves};
const READ_WHAT = {bars: 'point at a bar for its number', grid: 'point at a cell for its number', lines: 'point at a place for its numbers'};

// What a picture shows, for who cannot see it.
function pictureText({title, kind, labels, values}) {
  if (kind !== 'bars') return title;
  const most = Math.max(...values);
  return `${title}: ${labels[values.indexOf(most)]} with ${number(most, 3)}`;
}

// ---- the cards ---------------------------------------------------------------------------------

export const dash = {
  own: [],  // of the network
  log: null,  // null: where losses are far apart
  card(title, kind, ...content) {
    const name = make('span', {title}, title), heading = make('h2', {}, name), card = make('figure', {class: 'card of-' + kind}, heading, content);
    heading.append(present.button(card));
    byId('dash').append(card);
    return {name, heading};
  },
  build() {
    ink.read();
    new MutationObserver(() => { ink.read(); Picture.all.forEach((picture) => picture.draw()); })
      .observe(document.documentElement, {attributes: true, attributeFilter: ['data-theme']});
    live.drawings.forEach((drawing) => dash.pad(drawing));
    live.texts.forEach((text) => dash.field(text));
    live.frame.pictures.forEach((first, i) => {
      const picture = new Picture(first.title, (pen, width, height) => {
        const shown = now.pictures[i];
        read = shown && PAINTERS[shown.kind]?.(pen, width, height, shown);
        if (place) said();
      });
      // What is pointed at has its number below the picture.
      let read = null, place = null;
      const caption = first.kind === 'surface' ? '' : make('figcaption', {class: 'faint'}, READ_WHAT[first.kind]);
      const said = () => setText(caption, (place && read?.(place)) || READ_WHAT[first.kind]);
      const point = (at) => { place = at; if (caption) said(); };
      picture.element.addEventListener('pointermove', (event) => point([event.offsetX, event.offsetY]));
      picture.element.addEventListener('pointerleave', () => point(null));
      const card = dash.card(first.title, first.kind, picture.element, caption);
      if (first.kind === 'lines') {
        const styles = stylesOf(first.labels);
        card.name.after(make('small', {}, first.labels.map((label, k) => make('span', {}, make('i', {style: sampleOf(styles[k])}), label))));
      }
      dash.own.push({picture, name: card.name});
    });
    if (live.frame.gradients.length) norms.build();
    dash.buildLoss();
  },
  buildLoss() {
    const log = make('button', {type: 'button', class: 'switch', 'aria-pressed': 'false', title: 'logarithmic or linear'}, 'log');
    let scale = null;
    const isLog = () => {
      if (dash.log !== null) return dash.log;
      const [low, high] = extent(now.losses.map(([, loss]) => loss).filter(Number.isFinite));
      return low > 0 && high > 50 * low;
    };
    const curve = new Picture('the loss of each step', (pen, width, height) => {
      log.setAttribute('aria-pressed', isLog());
      const points = [...now.losses, [now.step, now.loss]];
      scale = plot(pen, width, height, [points.map(([at, loss]) => [at, loss === null ? NaN : Number(loss)])],
        isLog());
    });
    log.addEventListener('click', () => {
      dash.log = !isLog();
      curve.draw();
    });
    curve.element.addEventListener('click', (event) => {
      const to = scale && Math.round(scale.place(event.offsetX));
      if (to !== null && live.limits.back) pause().then(() => send({do: 'goto', step: Math.max(newest.first, Math.min(newest.step, to))}));
    });
    if (live.limits.back) curve.element.title = 'a click goes back to that step';
    const {heading} = dash.card('Loss by step', 'loss', curve.element);
    heading.append(log);
    dash.loss = curve;
  },
  draw() {
    dash.own.forEach(({picture}) => picture.draw());
    dash.loss.draw();
  },
  show(frame) {
    dash.own.forEach(({picture, name}, i) => {
      if (frame.pictures[i]) setText(name, frame.pictures[i].title);
      if (!frame.playing && frame.pictures[i]) picture.element.setAttribute('aria-label', pictureText(frame.pictures[i]));
    });
    norms.show(frame);
    if (!frame.playing) dash.loss.element.setAttribute('aria-label', `the loss by step; at step ${frame.step} it is ${frame.loss}`);
  },

  // A grid of pixels to draw on; a stroke is soft at its edge.
  pad({name, shape: [rows, columns], high, pixels}) {
    const drawn = Float64Array.from(pixels);
    let each = 1, left = 0;
    const sizes = (width, height) => {
      const side = Math.min(width / columns, height / rows);
      return [side, (width - side * columns) / 2];
    };
    const picture = new Picture(`${name}: draw here`, (pen, width, height) => {
      [each, left] = sizes(width, height);
      const [paper, dark] = ['grid', 'ink'].map((one) => ink.parts(one));
      drawn.forEach((value, i) => {
        const part = Math.min(1, value / high);
        pen.fillStyle = `rgb(${paper.map((from, k) => Math.round(from + part * (dark[k] - from)))})`;
        pen.fillRect(left + i % columns * each, Math.floor(i / columns) * each, each - 0.5, each - 0.5);
      });
    });
    const changed = () => {
      picture.draw();
      sendLatest('drawing ' + name, {do: 'drawing', name, pixels: [...drawn].map((value) => Math.round(value * 100) / 100)});
    };
    let before = null;
    const dab = (event) => {
      const to = [(event.offsetX - left) / each, event.offsetY / each], from = before ?? to;
      const length = Math.hypot(to[0] - from[0], to[1] - from[1]), dabs = Math.max(1, Math.ceil(4 * length));
      for (let k = 1; k <= dabs; ++k) {
        const [x, y] = [0, 1].map((axis) => from[axis] + (to[axis] - from[axis]) * k / dabs);
        drawn.forEach((value, i) => {
          const apart = Math.hypot(i % columns + 0.5 - x, Math.floor(i / columns) + 0.5 - y);
          drawn[i] = Math.max(value, high * Math.max(0, Math.min(1, 1.35 - apart)));
        });
      }
      before = to;
      changed();
    };
    picture.element.addEventListener('pointerdown', (event) => { picture.element.setPointerCapture(event.pointerId); before = null; dab(event); });
    picture.element.addEventListener('pointermove', (event) => { if (event.buttons & 1) dab(event); });
    const clear = make('button', {type: 'button', class: 'switch'}, 'clear');
    clear.addEventListener('click', () => { drawn.fill(0); changed(); });
    dash.card(`Draw a ${name}`, 'pad', picture.element).heading.append(clear);
  },
  field({name, text, max}) {
    const input = make('textarea', {maxlength: max, rows: 3, 'aria-label': name, spellcheck: 'false'});
    input.value = text;
    let taken = text;
    input.addEventListener('input', () => {
      const bytes = new TextEncoder().encode(input.value).length;
      if (bytes > max) {
        input.value = taken;
        return say(`At most ${max} bytes of text, not ${bytes}: a letter of English has one.`, true);
      }
      taken = input.value;
      sendLatest('text ' + name, {do: 'text', name, text: taken});
    });
    dash.card(name[0].toUpperCase() + name.slice(1), 'text', input, make('p', {class: 'faint'}, `at most ${max} bytes`));
  },
};
