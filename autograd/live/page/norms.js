// SPDX-License-Identifier: Apache-2.0
// How large gradients are: a strip of bars, one a parameter, and the tint of the boxes in the graph. All
// on one logarithmic scale, whose ends are powers of ten.
import {byId, make} from '../../../framework/page/shared.js';
import {extent, number} from '../../../framework/page/chart.js';
import {data, itemOf} from '../../../framework/page/fold.js';
import {current, currentBox, isKnown, itemBy, pane} from '../../../framework/page/graph.js';
import {items, lines, reveal} from '../../../framework/page/view.js';
import {shapeOfValue} from './formulas.js';
import {live, now, setText} from './live.js';
import {dash} from './pictures.js';

// By how much the gradients of weight matrices shrink from layer to layer on their way back: the mean
// ratio of neighbours, a geometric one. Several networks side by side have one each.
function shrinking(gradients) {
  if (gradients.some(({norm}) => !Number.isFinite(norm))) return 'Gradients are not finite';
  const byPart = new Map();
  for (const {parameter, value, norm} of gradients) {
    if (shapeOfValue(value).length < 2 || !(norm > 0)) continue;
    const part = parameter.split('.')[0];
    byPart.set(part, [...(byPart.get(part) ?? []), norm]);
  }
  const parts = [...byPart.values()].every((norms) => norms.length >= 3) && byPart.size > 1
    ? [...byPart] : [['', [...byPart.values()].flat()]];
  return parts.filter(([, norms]) => norms.length >= 3).map(([part, norms]) => {
    const ratio = (norms.at(-1) / norms[0]) ** (1 / (norms.length - 1));
    const by = (factor) => (factor < 10 ? factor.toFixed(factor < 2 ? 2 : 1) : number(factor, 2));
    const text = ratio > 1.05 ? `shrink by ${by(ratio)} a layer` : ratio < 1 / 1.05 ? `grow by ${by(1 / ratio)} a layer` : 'keep their size';
    return part ? `${part}: ${text}` : `Gradients ${text}`;
  }).join(', ');
}

export const norms = {
  bars: [],
  low: 0, high: 0,  // powers of ten at the ends
  build() {
    norms.axis = make('div', {class: 'axis faint', 'aria-hidden': 'true'}, make('span'), make('span'));
    const strip = make('div', {class: 'norm-bars'}, live.frame.gradients.map(({parameter, value}) => {
      const bar = make('button', {type: 'button', class: shapeOfValue(value).length < 2 ? 'bar less' : 'bar'}, make('i'));
      bar.addEventListener('click', () => reveal(data.values[value].node));
      for (const type of ['pointerenter', 'focus']) bar.addEventListener(type, () => norms.say(parameter));
      for (const type of ['pointerleave', 'blur']) bar.addEventListener(type, () => norms.say(null));
      norms.bars.push({bar, fill: bar.firstChild, parameter});
      return bar;
    }));
    norms.caption = make('figcaption', {class: 'faint'});
    norms.name = dash.card('Gradients', 'norms', make('div', {class: 'strip-row'}, norms.axis, strip), norms.caption).name;
    norms.say(null);
  },
  // The caption speaks of the parameter whose bar is pointed at.
  say(parameter) {
    norms.said = parameter;
    const one = now.gradients.find((each) => each.parameter === parameter);
    setText(norms.caption, one ? `${parameter}: ${number(one.norm ?? NaN, 3)}` : 'norm by layer, first to last, logarithmic');
  },
  // The place of a norm between the ends, 0 to 1; null for 0 and what is not finite.
  part(norm) {
    if (!(norm > 0) || !Number.isFinite(norm)) return null;
    return Math.max(0, Math.min(1, (Math.log10(norm) - norms.low) / (norms.high - norms.low)));
  },
  // The ends follow the norms: outwards at once, inwards when there is a decade to spare, so that they
  // do not flicker.
  scaleTo(all) {
    const logs = all.filter((norm) => norm > 0 && Number.isFinite(norm)).map(Math.log10);
    if (!logs.length) return;
    const [least, most] = extent(logs);
    const first = norms.low === norms.high;
    if (first || most > norms.high || most < norms.high - 1.3) norms.high = Math.ceil(most);
    if (first || least < norms.low || least > norms.low + 1.3) norms.low = Math.floor(least);
    norms.low = Math.max(norms.high - 14, Math.min(norms.low, norms.high - 3));
  },
  show(frame) {
    if (!norms.bars.length) return;
    frame.gradients.forEach(({parameter, norm, weight, update}, i) => {
      const one = norms.bars[i], part = norms.part(norm);
      if (!one) return;
      const height = part === null ? (norm === 0 ? 0 : 1) : Math.max(0.02, part);
      if (one.height !== height) one.fill.style.transform = `scaleY(${one.height = height})`;
      one.bar.classList.toggle('bad', part === null && norm !== 0);
      if (frame.playing) return;
      const text = `${parameter}: gradient ${number(norm ?? NaN, 3)}, weight ${number(weight ?? NaN, 3)}, update ${number(update ?? NaN, 2)}`;
      one.bar.title = text;
      one.bar.setAttribute('aria-label', text);
    });
    if (norms.said) norms.say(norms.said);
    const [top, bottom] = norms.axis.children;
    setText(top, `1e${norms.high}`);
    setText(bottom, `1e${norms.low}`);
    setText(norms.name, shrinking(frame.gradients) || 'Gradients');
  },
};

// The tint of boxes: of a forward one by the gradient of its result, as soon as that arrived; of a
// backward one by what it passes on. The lines between backward boxes are as wide.
export const heat = {
  // The largest norm of an item's gradients that are known; -Infinity where none is.
  gradientOf(item) {
    item.gradients ??= item.ids.flatMap((id) => data.nodes[id].outputs).map((value) => (item.pass === 'forward'
      ? data.values[value]?.gradient : data.values[value]?.gradient_of !== undefined ? value : undefined))
      .filter((value) => value !== undefined);
    return item.gradients.reduce((most, value) =>
      (isKnown(value) ? Math.max(most, data.values[value].tensor?.norm ?? 0) : most), -Infinity);
  },
  show() {
    const all = Object.values(data.values).filter((value) => value.gradient_of !== undefined).map((value) => value.tensor?.norm);
    norms.scaleTo(all);
    for (const item of items) {
      if (item.pass === 'update') continue;
      const norm = heat.gradientOf(item), part = norm === 0 ? 0 : norms.part(norm);
      // A change that is not seen is not drawn: the browser would paint every line anew.
      if (item.heat === part || (part !== null && Math.abs(item.heat - part) < 0.04)) continue;
      item.heat = part;
      item.box.classList.toggle('heated', part !== null);
      item.box.style.setProperty('--heat', (part ?? 0).toFixed(2));
    }
    for (const line of lines) {
      const {path, from, to} = line;
      if (from.pass !== 'backward' || to.pass !== 'backward' || line.heat === from.heat) continue;
      line.heat = from.heat;
      path.style.strokeWidth = from.heat === null ? '' : 1.2 + 4 * from.heat;
    }
    const legend = byId('heat');
    legend.hidden = norms.low === norms.high;
    setText(legend.lastChild, `gradient 1e${norms.low} to 1e${norms.high}`);
    heat.light();
  },
  // When a gradient arrives at a node, the boxes light up whose results receive one from it.
  light() {
    const id = current(), node = id === null ? null : data.nodes[id];
    const lit = new Set(node?.pass !== 'backward' || now.playing ? []
      : node.outputs.map((value) => data.values[value]?.gradient_of).filter((value) => value !== undefined)
        .map((value) => itemOf(data.values[value].node)));
    for (const item of items) item.box.classList.toggle('lit', lit.has(item.key));
    return lit;
  },
  // Both ends of the way of a gradient are in the window where they fit.
  follow() {
    heat.show();
    const lit = heat.light();
    if (!lit.size) return;
    const boxes = [...lit, currentBox()].map((key) => itemBy(key).box).filter((box) => box.isConnected).map((box) => box.getBoundingClientRect());
    if (!boxes.length) return;
    const seen = pane.getBoundingClientRect(), edge = 12;
    const by = (low, high) => {
      const [from, to] = [Math.min(...boxes.map((box) => box[low])) - edge, Math.max(...boxes.map((box) => box[high])) + edge];
      return to - from > seen[high] - seen[low] ? 0 : Math.max(0, to - seen[high]) || Math.min(0, from - seen[low]);
    };
    pane.scrollBy(by('left', 'right'), by('top', 'bottom'));
  },
};
