// SPDX-License-Identifier: Apache-2.0
// The panel while numbers move: tensors are painted over in place, the formula follows the element that is
// pointed at or chosen, and the program is told which large tensors are looked at.
import {byId, make} from '../../../framework/page/shared.js';
import {data} from '../../../framework/page/fold.js';
import {cells, current, elementsOf, lookOf, paintCell, show, statsOf,
  windowOf} from '../../../framework/page/graph.js';
import {items} from '../../../framework/page/view.js';
import {editor} from './editor.js';
import {formula, shapeOfValue} from './formulas.js';
import {now, sendLatest, setText, tensorIds} from './live.js';

let chosen = null;   // {value, index} of the element that was clicked
export const setChosen = (element) => { chosen = element; };
let pointed = null;  // of the one under the pointer
let watched = '[]';

const shownItem = () => items.find((item) => item.box.classList.contains('shown'));
export const grids = () => [...byId('details').querySelectorAll('.grid')];

// The element that a cell of the panel shows.
export function elementOf(cell) {
  const tensor = cell?.closest('.grid')?.tensor, value = tensor && tensorIds.get(tensor);
  if (value === undefined) return null;
  const {top, left} = windowOf(tensor), rank = tensor.shape.length;
  const row = cell.parentNode.rowIndex - (rank > 0) + top, column = cell.cellIndex - (rank > 1) + left;
  return {value, index: row * tensor.columns + column, row, column, tensor};
}

function repaintGrid(grid) {
  const {tensor} = grid, all = elementsOf(tensor), {top, left, rows, columns, small} = windowOf(tensor);
  const painted = grid.getElementsByTagName('td');
  if (painted.length !== rows * columns) return;
  for (let i = 0; i < painted.length; ++i) {
    paintCell(painted[i], tensor, all, top + Math.floor(i / columns), left + i % columns, small, !now.playing);
  }
  if (grid.nextSibling) setText(grid.nextSibling, statsOf(tensor));
  mark(grid);
}

// Which cells stand overridden, and which one is chosen. One can be reached by the tabulator key, the
// others by arrows.
export function mark(grid) {
  const {tensor} = grid, value = tensorIds.get(tensor), {top, left, columns} = windowOf(tensor);
  const painted = grid.getElementsByTagName('td');
  const cellOf = (index) => {
    const row = Math.floor(index / tensor.columns) - top, column = index % tensor.columns - left;
    return row >= 0 && column >= 0 && column < columns ? painted[row * columns + column] : undefined;
  };
  for (const kind of ['edited', 'chosen']) for (const cell of grid.querySelectorAll('.' + kind)) cell.classList.remove(kind);
  for (const one of now.edited) if (one.value === value) cellOf(one.index)?.classList.add('edited');
  if (chosen?.value === value) cellOf(chosen.index)?.classList.add('chosen');
  if (painted[0] && !grid.querySelector('[tabindex]')) painted[0].tabIndex = 0;
}

// Goes to a cell, which the tabulator key then reaches in the place of the one before.
export function focusCell(cell) {
  for (const one of cell.closest('.grid').querySelectorAll('[tabindex]')) one.removeAttribute('tabindex');
  cell.tabIndex = 0;
  cell.focus();
}

function formulaLines() {
  const item = shownItem(), id = item?.path === null ? item.key : current();  // of a closed module what just ran
  if (!item?.ids.includes(id)) return [];
  const node = data.nodes[id], out = node.outputs[0];
  const about = [pointed, chosen].find((one) => one && (one.value === out ||
    (node.inputs.includes(one.value) && String(shapeOfValue(one.value)) === String(shapeOfValue(out)))));
  return formula(node, about ? about.index : 0);
}

export function showFormula() {
  const place = byId('formula'), said = formulaLines();
  if (place) [...place.children].forEach((line, i) => { setText(line, said[i] ?? ''); });
}

export function decoratePanel() {
  if (formulaLines().length) {
    byId('details').querySelector('dl')?.after(make('div', {id: 'formula'}, make('div'), make('div', {class: 'numbers'})));
    showFormula();
  }
  grids().forEach(mark);
  watch();
}

// While training only small tensors are sent whole, and the large ones that the panel shows; and at any time
// only the part of those that is looked at.
export function watch() {
  const large = [...new Set(grids().map(({tensor}) => tensor))].filter(({count}) => count > 64)
    .map((tensor) => ({value: tensorIds.get(tensor), row: lookOf(tensor).row, column: lookOf(tensor).column}))
    .filter(({row, column}) => now.playing || row > 0 || column > 0);
  const text = JSON.stringify(large);
  if (text === watched) return;
  watched = text;
  sendLatest('watch', {do: 'watch', values: large});
}

export function repaintPanel() {
  for (const grid of grids()) {
    const bad = grid.tensor.not_finite > 0;
    if (bad !== Boolean(grid.parentNode.querySelector('.bad'))) return show(shownItem()?.key ?? null);
    repaintGrid(grid);
  }
  showFormula();
}

// The elements of small tensors at the steps that were on show, and of the chosen one.
export const past = {
  frames: [],
  note(frame) {
    while (past.frames.length && past.frames.at(-1).step >= frame.step) past.frames.pop();
    const seen = new Map();
    for (const [id, {cells, count}] of Object.entries(frame.values)) {
      if (cells.length === 0 || (count > 64 && Number(id) !== chosen?.value)) continue;
      const {row: top = 0, column: left = 0} = frame.values[id];
      seen.set(Number(id), {width: cells[0].length, top, left, elements: Float32Array.from(cells.flat(), Number)});
    }
    past.frames.push({step: frame.step, seen});
    const kept = 300;  // the older half loses every other one
    if (past.frames.length > kept) past.frames.splice(0, kept / 2, ...past.frames.slice(0, kept / 2).filter((_, i) => i % 2 === 0));
  },
  of: ({value, row, column}) => past.frames.flatMap(({step: at, seen}) => {
    const {width, top, left, elements} = seen.get(value) ?? {width: 0};
    const place = (row - top) * width + column - left;
    return column >= left && column - left < width && elements[place] !== undefined ? [[at, elements[place]]] : [];
  }),
};

document.addEventListener('DOMContentLoaded', () => {
  const panel = byId('details');
  panel.addEventListener('pointerover', (event) => {
    const element = elementOf(event.target.closest('.cells td'));
    if (!element && !pointed) return;
    pointed = element;
    showFormula();
  });
  panel.addEventListener('pointerleave', () => { pointed = null; showFormula(); });
  panel.addEventListener('keydown', (event) => {
    const cell = event.target.closest('.cells td'), element = elementOf(cell);
    if (!element) return;
    const move = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[event.key];
    if (event.key === 'Enter' || event.key === ' ') editor.open(element, cell);
    else if (event.key === 'Escape') cell.blur();
    else if (move) {
      const to = cell.closest('table').rows[cell.parentNode.rowIndex + move[0]]?.cells[cell.cellIndex + move[1]];
      if (to?.tagName !== 'TD') return event.stopPropagation();
      focusCell(to);
      pointed = elementOf(to);
      showFormula();
    } else return;
    event.preventDefault();
    event.stopPropagation();  // the keys move within the tensor, not from operator to operator
  });
});
