// SPDX-License-Identifier: Apache-2.0
// Drawing the items, opening and closing them, pointing, finding, zooming.
import {address, byId, make, svg} from './shared.js';
import {BOX_HEIGHT, LANES, layOut, pathOf} from './layout.js';
import {data, fold, foldedItems, itemOf, moduleName, outlinesOf, presenting} from './fold.js';
import {addressed, bringIntoView, codeOf, currentBox, FEW, go, graph, HEADING, HEADINGS, itemBy, last, MARGIN,
  nameOf, namesOf, pane, pin, pinned, shapeOf, show, showDefault, showPosition, timeOf,
  titleOf} from './graph.js';

// ---- drawing -----------------------------------------------------------------------------------

export let items = [];            // what is drawn
export let outlined = new Set();  // the modules whose outlines can be drawn, with the pass
export let lines = [];
let natural = {width: 1, height: 1};
let scale = 1;
const overview = byId('overview');
const pen = document.createElement('canvas').getContext('2d');
function textWidth(text, font) {
  pen.font = font;
  return pen.measureText(text).width;
}

// A box on a live page has room for what its value may become.
const roomText = byId('live') ? '-1.2e-05 … 1.2e-05' : '';

// As wide as its texts, within reason.
function widthOf(item) {
  const family = getComputedStyle(document.body).fontFamily;
  const [head, text] = presenting ? [17, 15] : [13, 11.5];  // as in the style
  const mono = text + 'px ui-monospace, Menlo, Consolas, "Noto Sans Mono", monospace';
  const tensor = item.path === null && data.values[data.nodes[item.key].outputs[0]]?.tensor;
  const widths = [
    textWidth(titleOf(item), `700 ${head}px ${family}`) + textWidth(shapeOf(item), '12px ' + family) + 12,
    item.path === null && !presenting ? textWidth(codeOf(item), mono) : 0,  // a module's list may be cut
    Math.max(...[(tensor && tensor.text) || '', roomText].map((shown) => textWidth(shown, mono))) + textWidth(timeOf(item), '12px ' + family) + 12,
  ];
  return Math.round(Math.max(150, Math.min(presenting ? 600 : 340, Math.max(...widths) + (byId('live') ? 46 : 34))));  // there the edge of a gradient is wider
}

function boxOf(item, [x, y] = [0, 0]) {
  const kind = item.path === null ? data.nodes[item.key].kind : 'module';
  const names = item.path === null ? namesOf(data.nodes[item.key]).filter((name) => name) : [item.path];
  const place = item.path === null ? {id: 'n' + item.key, 'data-node': item.key} : {'data-module': item.path};
  return make('div', {
    class: `node ${item.pass} ${kind}`, ...place, tabindex: 0, role: 'button', title: names.join(', '),
    style: `left:${x + MARGIN}px;top:${y + MARGIN + HEADING}px;width:${item.width}px`,
  },
  make('div', {class: 'line'}, make('b', {class: 'what'}, titleOf(item)), make('span', {class: 'shape'}, shapeOf(item))),
  presenting ? '' : make('div', {class: 'line'}, make('code', {}, codeOf(item))),
  make('div', {class: 'line'}, make('span', {class: 'value'}), make('span', {class: 'time'}, timeOf(item))),
  presenting ? make('div', {class: 'line'}, make('span', {class: 'slope'})) : '');
}

// What flows along a line.
function carried(from, to) {
  const read = [...new Set(to.ids.flatMap((id) => data.nodes[id].inputs))]
    .filter((id) => data.values[id] && from.ids.includes(data.values[id].node));
  return read.slice(0, 6).map((id) => `${nameOf(id)}: ${data.values[id].spec}`).join(', ') + (read.length > 6 ? ', …' : '');
}

function linesOf(drawn, layout) {
  const heads = LANES.map((pass) => svg('marker', {id: 'head-' + pass, class: pass, viewBox: '0 0 8 8', refX: 7,
    refY: 4, markerWidth: 10, markerHeight: 10, markerUnits: 'userSpaceOnUse', orient: 'auto'},
  svg('path', {d: 'M0 0.5L8 4L0 7.5z'})));
  lines = layout.routes.map((route) => {
    const [from, to] = [drawn[route.from], drawn[route.to]];
    const path = svg('path', {class: from.pass, 'marker-end': `url(#head-${from.pass})`, d: pathOf(route)},
      svg('title', {}, carried(from, to)));
    return {path, from, to};
  });
  return svg('svg', {id: 'lines', width: natural.width, height: natural.height, 'aria-hidden': true},
    svg('defs', {}, ...heads),
    svg('g', {transform: `translate(${MARGIN} ${MARGIN + HEADING})`}, ...lines.map((line) => line.path)));
}

// The name of an outline closes the module; names of outlines that begin together stand side by side.
function outlineElements(outlines) {
  const font = '600 11px ' + getComputedStyle(document.body).fontFamily;
  const names = [];
  return outlines.map(({path, pass, depth, left, top, right, bottom}) => {
    const outer = names.filter((name) => name.pass === pass && path.startsWith(name.path + '.')).at(-1);
    const beside = outer && Math.abs(outer.top - top) < 16 && left < outer.end ? outer.end - left + 4 : 10;
    const text = '− ' + moduleName(path, outer ? outer.path : '');
    names.push({pass, path, top, end: left + beside + textWidth(text, font) + 12});
    return make('div', {class: 'outline ' + pass, style: `left:${left + MARGIN}px;top:${top + MARGIN + HEADING}px;` +
      `width:${right - left}px;height:${bottom - top}px;z-index:${depth}`},
    make('button', {type: 'button', 'data-close': path, style: `left:${beside}px`, title: `close ${path}`}, text));
  });
}

export function draw() {
  items = foldedItems();
  const drawn = items.filter(({index}) => index >= 0);
  outlined = new Set(items.flatMap((item) => item.groups.map((path) => `${path} ${item.pass}`)));
  // Names that an outline would shorten are whole where it cannot be drawn, which moves other boxes.
  let layout, outlines;
  for (let before = -1; before !== outlined.size;) {
    before = outlined.size;
    for (const item of items) item.width = widthOf(item);
    layout = layOut(drawn);
    outlines = outlinesOf(drawn, layout).filter(({path, pass}) => outlined.has(`${path} ${pass}`));
    outlined = new Set(outlines.map(({path, pass}) => `${path} ${pass}`));
  }
  natural = {width: layout.width + 2 * MARGIN, height: layout.height + HEADING + 2 * MARGIN};
  graph.style.width = natural.width + 'px';
  graph.style.height = natural.height + 'px';
  const lanes = layout.lanes.flatMap(({left, width}, lane) => (width === 0 ? [] : make('div', {
    class: 'lane ' + LANES[lane], style: `left:${left + MARGIN - 12}px;width:${width + 24}px`}, HEADINGS[lane])));
  items.forEach((item) => { item.box = boxOf(item, layout.corners[item.index]); });
  graph.replaceChildren(...lanes, ...outlineElements(outlines), linesOf(drawn, layout),
    ...drawn.flatMap((item) => ['\n', item.box]));  // a line each, to be read in the document
  const marks = drawn.map(({pass, index, width}) => svg('rect', {class: pass, width, height: BOX_HEIGHT,
    x: layout.corners[index][0] + MARGIN, y: layout.corners[index][1] + MARGIN + HEADING}));
  overview.replaceChildren(...marks, svg('rect', {class: 'window'}));
  overview.setAttribute('viewBox', `0 0 ${natural.width} ${natural.height}`);
}

// ---- opening and closing modules ---------------------------------------------------------------

const openThose = (wanted) => {
  fold.open = new Set([...fold.groups.values()].filter(wanted).map((group) => group.path));
};

// Changes what is open; the item with that node stays where it is on the screen.
function refold(change, id) {
  const placeOf = () => itemBy(itemOf(id)).box.getBoundingClientRect();
  const before = placeOf();
  change();
  pin(null);
  draw();
  showPosition();
  const after = placeOf();
  pane.scrollBy(after.left - before.left, after.top - before.top);
  showFound();
}

const isWithin = (path, outer) => path === outer || path.startsWith(outer + '.');
const openModule = (path) => refold(() => fold.open.add(path), fold.of.findIndex((paths) => paths.includes(path)));
const closeModule = (path) => refold(() => {
  for (const inner of [...fold.open]) if (isWithin(inner, path)) fold.open.delete(inner);
}, fold.of.findIndex((paths) => paths.includes(path)));

// Opens all that the node is in.
export function reveal(id) {
  if (itemOf(id) !== id) refold(() => fold.of[id].forEach((path) => fold.open.add(path)), id);
  pin(id);
  showDefault();
  bringIntoView(id);
}

byId('unfold').addEventListener('click', () => refold(() => openThose(() => true), 0));
byId('fold').addEventListener('click', () => { refold(() => openThose(() => false), 0); fit(); });
for (const name of ['fold', 'unfold']) byId(name).hidden = fold.groups.size === 0;

// ---- pointing and finding ----------------------------------------------------------------------

const itemAt = (event) => {
  const box = event.target.closest('.node');
  return box ? items.find((item) => item.box === box) : undefined;
};
for (const type of ['mouseover', 'focusin']) {
  graph.addEventListener(type, (event) => { if (itemAt(event)) show(itemAt(event).key); });
}
for (const type of ['mouseout', 'focusout']) {
  graph.addEventListener(type, (event) => { if (itemAt(event)) showDefault(); });
}
function choose(event) {
  const item = itemAt(event);
  if (event.target.dataset.close) closeModule(event.target.dataset.close);
  if (!item) return;
  if (item.path !== null) return openModule(item.path);
  pin(pinned === item.key ? null : item.key);
  showDefault();
}
graph.addEventListener('click', choose);
graph.addEventListener('keydown', (event) => {
  if (!['Enter', ' '].includes(event.key) || !itemAt(event)) return;
  event.preventDefault();
  choose(event);
});
for (const mark of document.querySelectorAll('#times [data-node]')) {
  mark.addEventListener('click', () => {
    const id = Number(mark.dataset.node);
    if (!data.nodes[id]) return;
    byId('view').scrollIntoView({block: 'nearest'});
    reveal(id);
  });
}

const haystack = data.nodes.map((node) => [node.op, node.call, node.where, node.attributes, node.module,
  ...node.outputs.map(nameOf)].join(' ').toLowerCase());
let found = [];
const word = () => byId('find').value.trim().toLowerCase();
function showFound() {
  items.forEach((item) => item.box.classList.toggle('dim', word() !== '' && !item.ids.some((id) => found.includes(id))));
}
byId('find').addEventListener('input', () => {
  found = haystack.flatMap((text, id) => (word() && text.includes(word()) ? [id] : []));
  showFound();
  if (found.length) bringIntoView(itemOf(found[0]));
});
byId('find').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !found.length) return;
  found.push(found.shift());
  reveal(found[0]);
});

// ---- zooming and moving ------------------------------------------------------------------------

// The point of the window at x, y stays.
export function zoom(to, x = pane.clientWidth / 2, y = pane.clientHeight / 2) {
  const [left, top] = [(pane.scrollLeft + x) / scale, (pane.scrollTop + y) / scale];
  scale = Math.max(0.05, Math.min(2, to));
  graph.style.zoom = scale;
  pane.scrollTo(left * scale - x, top * scale - y);
  showOverview();
}
export const widthScale = (most = 1) => Math.min(most, (pane.clientWidth - 8) / natural.width);
const wholeScale = (most = 1) => Math.min(widthScale(most), (pane.clientHeight - 8) / natural.height);
const fit = () => zoom(wholeScale(presenting ? 2 : 1));
// What is presented fills its window, and is never too small to be read from afar.
export const presentedScale = () => (wholeScale(2) >= 1.15 ? wholeScale(2) : Math.max(1.15, widthScale(1.4)));
byId('fit').addEventListener('click', fit);
byId('smaller').addEventListener('click', () => zoom(scale / 1.25));
byId('larger').addEventListener('click', () => zoom(scale * 1.25));
pane.addEventListener('wheel', (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  const {left, top} = pane.getBoundingClientRect();
  zoom(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1), event.clientX - left, event.clientY - top);
}, {passive: false});
let drag = null;
pane.addEventListener('pointerdown', (event) => {
  if (event.pointerType === 'mouse' && event.button === 0 && !event.target.closest('.node, button')) drag = event;
});
addEventListener('pointermove', (event) => {
  if (!drag) return;
  pane.classList.add('dragged');
  pane.scrollBy(drag.clientX - event.clientX, drag.clientY - event.clientY);
  drag = event;
});
addEventListener('pointerup', () => { drag = null; pane.classList.remove('dragged'); });

// The whole graph, small, where it does not fit into its window.
export function showOverview() {
  const [width, height] = [pane.clientWidth / scale, pane.clientHeight / scale];
  overview.toggleAttribute('hidden', width >= natural.width - 1 && height >= natural.height - 1);
  const small = Math.min(Math.min(180, pane.clientWidth / 4) / natural.width, pane.clientHeight * 0.7 / natural.height);
  overview.setAttribute('width', Math.max(24, natural.width * small));
  overview.setAttribute('height', natural.height * small);
  const view = overview.lastChild;
  view.setAttribute('x', pane.scrollLeft / scale);
  view.setAttribute('y', pane.scrollTop / scale);
  view.setAttribute('width', Math.min(width, natural.width));
  view.setAttribute('height', Math.min(height, natural.height));
  items.forEach((item) => overview.children[item.index]?.classList.toggle('now', item.key === currentBox()));
}
// Brings the place that the pointer is at to the middle of the window.
function lookAt(event) {
  const box = overview.getBoundingClientRect();
  const part = (at, from, size) => Math.max(0, Math.min(1, (at - from) / size));
  pane.scrollTo(
    part(event.clientX, box.left, box.width) * natural.width * scale - pane.clientWidth / 2,
    part(event.clientY, box.top, box.height) * natural.height * scale - pane.clientHeight / 2);
}
overview.addEventListener('pointerdown', (event) => {
  overview.setPointerCapture(event.pointerId);
  lookAt(event);
});
overview.addEventListener('pointermove', (event) => { if (event.buttons & 1) lookAt(event); });
pane.addEventListener('scroll', showOverview);
addEventListener('resize', showOverview);

// On paper there is no window: the graph is as wide as a page, or as high as one where it can still be read.
addEventListener('beforeprint', () => {
  const wide = Math.min(1, 1000 / natural.width), whole = Math.min(wide, 660 / natural.height);
  graph.style.zoom = whole > 0.7 * wide ? whole : wide;
});
addEventListener('afterprint', () => { graph.style.zoom = scale; });

// ---- the start ---------------------------------------------------------------------------------

const setHeight = (height) => document.querySelector('main').style.setProperty('--height', height + 'px');
const most = Math.max(560, innerHeight * 0.8);
setHeight(most);
const deepest = Math.max(-1, ...[...fold.groups.values()].map((group) => group.depth)) + 1;
if (data.nodes.length <= FEW || address.get('open') === 'all') {
  openThose(() => true);
  draw();
} else {
  // Modules that hold others are open as deep as leaves few boxes that can be read without zooming.
  const openTo = (depth) => openThose((group) => group.holds && group.depth < depth);
  for (let depth = 0; depth <= deepest; ++depth) {
    openTo(depth);
    draw();
    if (depth === 0 || (items.length <= FEW && wholeScale() >= 0.33)) continue;
    openTo(depth - 1);
    draw();
    break;
  }
}
zoom(presenting ? presentedScale() : data.nodes.length <= FEW || byId('live') ? Math.max(0.6, widthScale()) : wholeScale());
setHeight(Math.min(most, Math.max(560, natural.height * scale + 62)));
go(addressed() ?? last, addressed() !== null);
document.body.dataset.ready = 'yes';
