// SPDX-License-Identifier: Apache-2.0
import {address, byId, make, theme} from './shared.js';
import {data, fold, itemOf, moduleName, presenting} from './fold.js';
import {items, lines, outlined, showOverview} from './view.js';

export const last = data.order.length;
export const MARGIN = 24;   // around the drawing
export const HEADING = 34;  // above the lanes
export const HEADINGS = ['forward ↓', 'backward ↑', 'update ↓'];
export const FEW = 60;      // so many nodes are shown unfolded, and items of a larger graph at first
export let position = last;  // operators done
export let pinned = null;   // the key of the item that a click keeps in the panel
let player = null;   // the timer while playing
export const graph = byId('graph');
export const pane = byId('scroll');
export const pin = (key) => { pinned = key; };

// What a live page adds to the panel and the boxes follows these events.
const tell = (what) => document.dispatchEvent(new Event(what));

// ---- texts -------------------------------------------------------------------------------------

function duration(us) {
  if (us < 1) return (us * 1e3).toFixed(0) + ' ns';
  if (us < 1e3) return us.toPrecision(3) + ' µs';
  return (us / 1e3).toPrecision(3) + ' ms';
}

function bytes(count) {
  if (count < 1024) return count + ' B';
  return count < 1 << 20 ? (count / 1024).toFixed(1) + ' KiB' : (count / (1 << 20)).toFixed(1) + ' MiB';
}

export const nameOf = (id) => data.values[id]?.name || 'value ' + id;

export const namesOf = (node) => node.outputs.map((id) => data.values[id]?.name || '');

// The modules that an item is in and whose outlines are drawn in its pass, from the inside out.
const outlinesAround = (item) => item.groups.filter((path) => outlined.has(`${path} ${item.pass}`)).reverse();

// A name without the path of the innermost outline that it is in.
function shortName(name, item) {
  const path = outlinesAround(item).find((group) => name.includes(group + '.'));
  return path === undefined ? name : name.replace(path + '.', '');
}

export function titleOf(item) {
  if (item.path !== null) return moduleName(item.path, outlinesAround(item)[0] || '');
  const node = data.nodes[item.key];
  return shortName(namesOf(node)[0] || node.op, item);
}

export function shapeOf(item) {
  if (item.path !== null) return item.ids.length + (item.ids.length === 1 ? ' node' : ' nodes');
  const [first, ...more] = data.nodes[item.key].outputs;
  const spec = data.values[first]?.spec || '';
  return spec.slice(spec.indexOf('[')) + (more.length ? ' …' : '');
}

// A call's name says the operator's; what calls none has room for it.
export function codeOf(item) {
  if (item.path !== null) return [...new Set(callsOf(item).map((id) => data.nodes[id].op))].join(', ');
  const node = data.nodes[item.key];
  return node.call || (namesOf(node)[0] ? node.op : node.kind);
}

const callsOf = (item) => item.ids.filter((id) => data.nodes[id].kind === 'call');

export function timeOf(item) {
  const times = item.ids.map((id) => data.times?.[id]).filter((time) => time !== undefined);
  return times.length ? duration(times.reduce((sum, time) => sum + time, 0)) : '';
}

// ---- what is done at a position ----------------------------------------------------------------

const isIdle = (id) => last > 0 && data.nodes[id].position < 0;
const isDone = (id) => last === 0 || (data.nodes[id].position >= 0 && data.nodes[id].position <= position);
export const isKnown = (id) => data.values[id] && isDone(data.values[id].node);

function stateOf(item) {
  const calls = callsOf(item);
  if ((calls.length ? calls : item.ids).every(isIdle)) return 'idle';
  return item.ids.every((id) => isDone(id) || isIdle(id)) ? 'done' : 'todo';
}

// Of several outputs the first, of a module what its last operator gives; the panel shows all.
const resultOf = (item) => data.nodes[item.ids.at(-1)].outputs[0];

export function valueText(item) {
  if (stateOf(item) === 'idle') return 'did not run';
  if (item.path !== null && !presenting) {
    const calls = callsOf(item);
    const done = calls.filter(isDone).length;
    return last > 0 && calls.length && done < calls.length ? `${done} of ${calls.length} done` : '';
  }
  const id = resultOf(item);
  return data.values[id]?.tensor && isKnown(id) ? data.values[id].tensor.text : '';
}

// What a box that is presented says of the gradient of its value.
export function gradientText(item) {
  const gradient = data.values[resultOf(item)]?.gradient;
  return gradient !== undefined && isKnown(gradient) && data.values[gradient].tensor?.text ? '∂ ' + data.values[gradient].tensor.text : '';
}

// All elements of a tensor, as they were kept, or undefined where its corner alone was.
export function elementsOf(tensor) {
  if (tensor.all === undefined) return undefined;
  const bytes = Uint8Array.from(atob(tensor.all), (c) => c.charCodeAt(0));
  return tensor.wide ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
}

export const elementText = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(4))) : String(value));

// The index of a row of the matrix that the last axis and all others make: "3, 1" of [5, 2, 7].
export function rowIndex(tensor, row) {
  const index = [];
  for (const extent of tensor.shape.slice(0, -1).reverse()) {
    index.unshift(row % extent);
    row = Math.floor(row / extent);
  }
  return index.join(', ');
}

// Which part of each tensor is looked at, and the element that was asked for, by the tensor's object.
const looks = new Map();
export const lookOf = (tensor) => looks.get(tensor) ?? {row: 0, column: 0, at: null};

// What is seen of a matrix: where it begins, how much there is, and whether there is room for numbers.
export function windowOf(tensor) {
  const {row: top, column: left} = lookOf(tensor);
  const rows = Math.min(tensor.edge, tensor.rows - top), columns = Math.min(tensor.edge, tensor.columns - left);
  return {top, left, rows, columns, small: columns > 8 || rows > 12};
}

export function elementName(tensor, row, column) {
  const rank = tensor.shape.length;
  return `[${[...(rank > 1 ? [rowIndex(tensor, row)] : []), ...(rank > 0 ? [column] : [])].join(', ')}]`;
}

// Of a live page the part that is looked at is there as soon as it has come.
const textAt = (tensor, all, row, column) => (all ? elementText(all[row * tensor.columns + column])
  : tensor.cells[row - (tensor.row ?? 0)]?.[column - (tensor.column ?? 0)] ?? '…');

// A cell is a colour; where there is room, and for the element that was asked for, a number, too.
export function paintCell(cell, tensor, all, row, column, small, titled = true) {
  const text = textAt(tensor, all, row, column), value = Number(text);
  const part = Math.min(1, Math.abs(value) / (tensor.scale || 1));
  const colour = value < 0 ? 'var(--series-2)' : 'var(--series-1)';
  cell.style.backgroundColor = Number.isFinite(value)
    ? `color-mix(in srgb, ${colour} ${Math.round(part * (small ? 100 : 42))}%, var(--grid))` : 'var(--series-4)';
  if (titled) cell.title = `${elementName(tensor, row, column)} ${text}`;
  cell.textContent = small ? '' : text;
  return cell;
}

export function cells(tensor) {
  const all = elementsOf(tensor), {at} = lookOf(tensor), {top, left, rows, columns, small} = windowOf(tensor);
  const rank = tensor.shape.length;
  const heading = (text) => make('th', text ? {scope: 'col'} : {role: 'presentation'}, text);
  const numbers = (count, from) => Array.from({length: count}, (_, i) => from + i);
  const head = rank > 0 ? make('tr', {}, rank > 1 ? heading('') : '', numbers(columns, left).map((column) =>
    heading(small && columns > 1 && (column - left) % 4 ? '' : String(column)))) : '';
  const body = numbers(rows, top).map((row) => make('tr', {}, rank > 1 ? make('th', {scope: 'row'}, rowIndex(tensor, row)) : '',
    numbers(columns, left).map((column) => {
      const asked = at && at[0] === row && at[1] === column;
      return paintCell(make('td', asked ? {class: 'asked'} : {}), tensor, all, row, column, small);
    })));
  const table = make('table', {class: small ? 'cells small' : 'cells'}, head, body);
  const asked = at ? make('div', {class: 'stats asked'}, `${elementName(tensor, ...at)} is `, make('b', {}, textAt(tensor, all, ...at))) : null;
  const cut = tensor.rows > rows || tensor.columns > columns;
  if (!cut) return [table, asked];
  const range = (from, count, whole) => (count === whole ? `${whole}` : `${from} to ${from + count - 1} of ${whole}`);
  const part = `rows ${range(top, rows, tensor.rows)}, columns ${range(left, columns, tensor.columns)}`;
  if (!all && !tensor.asked) return [table, asked, make('div', {class: 'stats'}, `The first ${rows} × ${columns} of ${tensor.rows} × ${tensor.columns} elements.`)];
  return [table, asked, make('div', {class: 'stats'}, part), mover(tensor, rows, columns)];
}

// Buttons that move the part of a large tensor that is shown, and a field for the index of an element.
function mover(tensor, rows, columns) {
  const look = lookOf(tensor), edge = tensor.edge;
  const to = (row, column, at = null) => {
    const within = (place, whole) => Math.max(0, Math.min(whole - edge, place));
    looks.set(tensor, {row: within(row, tensor.rows), column: within(column, tensor.columns), at});
    byId('details').querySelectorAll('.grid').forEach((grid) => {
      if (grid.tensor === tensor) grid.replaceChildren(...cells(tensor).flat(Infinity).filter((part) => part !== null && part !== ''));
    });
    tell('moved');
  };
  const button = (sign, title, down, right, ends) => {
    const one = make('button', {type: 'button', title, ...(ends ? {disabled: ''} : {})}, sign);
    one.addEventListener('click', () => to(look.row + down * edge, look.column + right * edge));
    return one;
  };
  const field = make('input', {type: 'text', size: 9, 'aria-label': 'index of an element',
    placeholder: tensor.shape.map((extent) => extent - 1).join(', ')});
  const find = (event) => {
    const index = field.value.split(/[^0-9-]+/).filter((text) => text !== '').map(Number)
      .map((at, axis) => (at < 0 ? at + tensor.shape[axis] : at));
    const fits = index.length === tensor.shape.length && index.every((at, axis) => at >= 0 && at < tensor.shape[axis]);
    field.classList.toggle('bad', !fits);
    if (!fits) return;
    const row = index.slice(0, -1).reduce((sum, at, axis) => sum * tensor.shape[axis] + at, 0), column = index.at(-1);
    to(row - (edge >> 1), column - (edge >> 1), [row, column]);
    event.preventDefault();
  };
  field.addEventListener('keydown', (event) => {
    event.stopPropagation();  // arrows move in the text, not from operator to operator
    if (event.key === 'Enter') find(event);
  });
  field.addEventListener('change', find);
  return make('div', {class: 'mover'},
    button('◀', 'columns before', 0, -1, look.column === 0), button('▶', 'columns behind', 0, 1, look.column + columns >= tensor.columns),
    button('▲', 'rows before', -1, 0, look.row === 0), button('▼', 'rows behind', 1, 0, look.row + rows >= tensor.rows),
    make('label', {}, 'element ', field));
}

function grid(tensor) {
  const element = make('div', {class: 'grid'}, cells(tensor));
  element.tensor = tensor;
  return element;
}

export function statsOf(tensor) {
  const stats = [];
  if (tensor.count > 1 && tensor.low !== undefined) {
    stats.push(`${tensor.low} to ${tensor.high}, mean ${tensor.mean}`);
  }
  if (tensor.zeros > 0 && tensor.count > 1) stats.push(`${tensor.zeros} of ${tensor.count} are 0`);
  return stats.join(' · ');
}

function tensorView(tensor) {
  return [
    grid(tensor), make('div', {class: 'stats'}, statsOf(tensor)),
    tensor.not_finite > 0
      ? make('div', {class: 'stats bad'}, `${tensor.not_finite} of ${tensor.count} are not finite`) : null,
  ];
}

function state(id) {
  const value = data.values[id];
  if (!value) return make('div', {class: 'stats'}, 'not shown on this page');
  if (value.tensor && isKnown(id)) return tensorView(value.tensor);
  const done = data.nodes[value.node].position;
  if (last === 0) return null;
  if (done > position) return make('div', {class: 'stats'}, `comes with operator ${done}`);
  return make('div', {class: 'stats'}, done < 0 ? 'not needed in this run' : 'not observed');
}

function valueView(id) {
  const value = data.values[id] || {};
  const parts = [make('div', {class: 'head'}, make('b', {}, nameOf(id)),
    make('span', {class: 'faint'}, value.spec || '')), state(id)];
  if (value.gradient !== undefined) {
    parts.push(make('div', {class: 'gradient'},
      make('div', {class: 'head'}, 'its gradient ', make('b', {}, nameOf(value.gradient))),
      state(value.gradient)));
  }
  if (value.gradient_of !== undefined) {
    parts.push(make('div', {class: 'stats'}, 'the gradient of ', make('b', {}, nameOf(value.gradient_of))));
  }
  return make('div', {class: 'tensor'}, parts);
}

// ---- the panel ---------------------------------------------------------------------------------

function intro() {
  return [
    make('h2', {}, last ? 'Before the first operator' : 'The graph'),
    make('p', {}, last ? 'Inputs, weights and constants are there; nothing has been computed.'
      : 'As recorded; it has not been run for this page.'),
    make('p', {class: 'faint'}, 'Point at a node to see it here, click to keep it.'),
    fold.groups.size ? make('p', {class: 'faint'},
      'A box with a double edge is a module: a click opens it, a click on the name of its outline closes it.') : null,
    last ? make('p', {class: 'faint'}, make('kbd', {}, '←'), ' ', make('kbd', {}, '→'),
      ' one operator back or on, ', make('kbd', {}, 'space'), byId('live') ? ' train' : ' play') : null,
  ];
}

const factList = (facts) => make('dl', {}, facts.filter(([, text]) => text).map(([name, text]) =>
  [make('dt', {}, name), make('dd', {}, name === 'call' ? make('code', {}, text) : text)]));

// At most a few values of a module: a page is no list.
function some(title, ids) {
  const shown = 6;
  return ids.length ? [make('h3', {}, title), ids.slice(0, shown).map(valueView), ids.length > shown
    ? make('p', {class: 'stats'}, `and ${ids.length - shown} more`) : null] : null;
}

function describeModule(item) {
  const inside = new Set(item.ids);
  const makers = (id) => data.values[id]?.node;
  const read = new Set(item.ids.flatMap((id) => data.nodes[id].inputs));
  const outside = items.filter((other) => other !== item)
    .flatMap((other) => other.ids.flatMap((id) => data.nodes[id].inputs));
  const calls = callsOf(item);
  return [
    make('h2', {class: item.pass}, item.path, make('span', {class: 'chip'}, item.pass)),
    factList([['nodes', String(item.ids.length)], ['operators', codeOf(item)], ['time', timeOf(item)],
      ['ran', last > 0 && calls.length ? `${calls.filter((id) => !isIdle(id)).length} of ${calls.length} operators` : '']]),
    some('Reads', [...read].filter((id) => !inside.has(makers(id)))),
    some('Gives', [...new Set(outside)].filter((id) => inside.has(makers(id)))),
  ];
}

function describe(item) {
  if (item.path !== null) return describeModule(item);
  const id = item.key;
  const node = data.nodes[id];
  return [
    make('h2', {class: node.pass}, node.op, make('span', {class: 'chip'}, node.pass)),
    factList([
      ['node', String(id)], ['module', node.module], ['call', node.call], ['attributes', node.attributes],
      ['recorded at', node.where],
      ['gradient of', node.of === undefined ? '' : `node ${node.of} ${data.nodes[node.of].op}`],
      ['time', timeOf(item)],
      ['operator', node.kind !== 'call' || !last ? '' : node.position > 0 ? `${node.position} of ${last}` : 'did not run'],
    ]),
    node.inputs.length ? make('h3', {}, 'Reads') : null, [...new Set(node.inputs)].map(valueView),
    node.outputs.length ? make('h3', {}, node.kind === 'call' ? 'Writes' : 'Holds') : null,
    node.outputs.map(valueView),
  ];
}

export const itemBy = (key) => items.find((item) => item.key === key);

export function show(key) {
  const shown = key === null ? undefined : itemBy(key);
  byId('details').replaceChildren(...(shown ? describe(shown) : intro()).flat(Infinity)
    .filter((part) => part !== null));
  items.forEach((item) => item.box.classList.toggle('shown', item === shown));
  lines.forEach((line) => line.path.classList.toggle('hot', line.from === shown || line.to === shown));
  tell('shown');
}

export const current = () => (position > 0 && last > 0 ? data.order[position - 1] : null);
const currentItem = () => (current() === null ? null : itemOf(current()));
// The box that stands for it: where forward alone is drawn, that of what a backward operator differentiates.
export const currentBox = () => {
  const id = current(), of = presenting && id !== null ? data.nodes[id].of : undefined;
  return of === undefined ? currentItem() : itemOf(of);
};
export const showDefault = () => show(pinned ?? currentItem());

export function bringIntoView(key) {
  if (!itemBy(key).box.isConnected) return;
  const box = itemBy(key).box.getBoundingClientRect();
  const seen = pane.getBoundingClientRect();
  const outside = box.left < seen.left || box.right > seen.right || box.top < seen.top ||
    box.bottom > seen.bottom;
  if (!outside) return;
  pane.scrollBy(box.left + box.width / 2 - seen.left - seen.width / 2,
    box.top + box.height / 2 - seen.top - seen.height / 2);
}

// ---- going from operator to operator -----------------------------------------------------------

export function showPosition() {
  for (const item of items) {
    const is = stateOf(item);
    for (const name of ['done', 'todo', 'idle']) item.box.classList.toggle(name, is === name);
    item.box.classList.toggle('now', item.key === currentBox());
    item.box.classList.toggle('returning', item.key === currentBox() && item.key !== currentItem());
    item.box.querySelector('.value').textContent = valueText(item);
    if (presenting) item.box.querySelector('.slope').textContent = gradientText(item);
    item.is = is;
  }
  for (const {path, from, to} of lines) path.classList.toggle('todo', from.is !== 'done' || to.is !== 'done');
  document.body.dataset.position = position;
  if (last > 0) {
    byId('position').value = position;
    byId('now').textContent = `${position} of ${last}` +
      (current() === null ? '' : ` · ${data.nodes[current()][presenting ? 'op' : 'call']}`);
  }
  if (data.live && byId('alive')) {
    byId('alive').textContent = position < data.live.length
      ? `After ${position} operators of ${last} ${bytes(data.live[position])} are alive.` : '';
  }
  showDefault();
  showOverview();
  tell('walked');
}

export function go(to, follow = true) {
  position = Math.max(0, Math.min(last, to));
  pinned = null;
  showPosition();
  if (follow && current() !== null) bringIntoView(currentBox());
}

export function travel(to) {
  go(to);
  address.set('position', position);
}

// The position in the address, or null; it was called "step" once.
export function addressed() {
  const text = address.get('position') ?? address.get('step') ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
}

function stop() {
  clearInterval(player);
  player = null;
  if (byId('play')) byId('play').textContent = 'Play';
}

function play() {
  if (player !== null) return stop();
  if (position === last) travel(0);
  byId('play').textContent = 'Pause';
  player = setInterval(() => {
    travel(position + 1);
    if (position === last) stop();
  }, 700);
}

if (byId('player')) {
  byId('position').addEventListener('input', (event) => { stop(); travel(Number(event.target.value)); });
  byId('back').addEventListener('click', () => { stop(); travel(position - 1); });
  byId('on').addEventListener('click', () => { stop(); travel(position + 1); });
  byId('play').addEventListener('click', play);
  document.addEventListener('keydown', (event) => {
    if (event.target.type === 'search' || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = {ArrowLeft: position - 1, ArrowRight: position + 1, Home: 0, End: last}[event.key];
    if (to !== undefined) {
      event.preventDefault();
      stop();
      travel(to);
    } else if (event.key === ' ' && !event.target.closest('button, .node')) {
      event.preventDefault();
      play();
    }
  });
  addEventListener('hashchange', () => {
    theme.show();
    if (addressed() !== null) go(addressed());
  });
}
