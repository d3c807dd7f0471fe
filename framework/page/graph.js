// SPDX-License-Identifier: Apache-2.0
const data = JSON.parse(document.getElementById('data').textContent);
const byId = (id) => document.getElementById(id);
const boxes = data.nodes.map((_, id) => byId('n' + id));
const lines = [...document.querySelectorAll('#lines path[data-from]')];
const linesOf = data.nodes.map(() => []);
for (const line of lines) {
  linesOf[line.dataset.from].push(line);
  linesOf[line.dataset.to].push(line);
}
const last = data.order.length;
let step = last;     // operators done
let pinned = null;   // the node that a click keeps in the panel
let player = null;   // the timer while playing

// ---- texts -------------------------------------------------------------------------------------

// An element with attributes and children; strings become text, never markup.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== ''));
  return element;
}

function duration(us) {
  if (us < 1) return (us * 1e3).toFixed(0) + ' ns';
  if (us < 1e3) return us.toPrecision(3) + ' µs';
  return (us / 1e3).toPrecision(3) + ' ms';
}

function bytes(count) {
  if (count < 1024) return count + ' B';
  return count < 1 << 20 ? (count / 1024).toFixed(1) + ' KiB' : (count / (1 << 20)).toFixed(1) + ' MiB';
}

const nameOf = (id) => data.values[id]?.name || 'value ' + id;

// ---- what is done after so many steps ----------------------------------------------------------

const isDone = (id) => last === 0 || (data.nodes[id].step >= 0 && data.nodes[id].step <= step);
const isKnown = (id) => data.values[id] && isDone(data.values[id].node);

function valueText(id) {
  const tensor = data.values[id]?.tensor;
  return tensor && isKnown(id) ? tensor.text : '';
}

function cells(tensor) {
  const small = tensor.columns > 8 || tensor.rows > 12;
  const body = tensor.cells.map((row) => make('tr', {}, row.map((text) => {
    const part = Math.min(1, Math.abs(Number(text)) / (tensor.scale || 1));
    const colour = Number(text) < 0 ? 'var(--series-2)' : 'var(--series-1)';
    const ground = Number.isNaN(part) || !Number.isFinite(Number(text)) ? 'var(--series-4)'
      : `color-mix(in srgb, ${colour} ${Math.round(part * (small ? 100 : 42))}%, var(--grid))`;
    return make('td', {style: 'background:' + ground, title: text}, small ? '' : text);
  })));
  const table = make('table', {class: small ? 'cells small' : 'cells'}, body);
  const cut = tensor.rows > tensor.cells.length || tensor.columns > (tensor.cells[0] || []).length;
  return [table, cut ? make('div', {class: 'stats'},
    `The first ${tensor.cells.length} × ${tensor.cells[0].length} of ${tensor.rows} × ${tensor.columns} elements.`)
    : null];
}

function tensorView(tensor) {
  const stats = [];
  if (tensor.count > 1 && tensor.low !== undefined) {
    stats.push(`${tensor.low} to ${tensor.high}, mean ${tensor.mean}`);
  }
  if (tensor.zeros > 0 && tensor.count > 1) stats.push(`${tensor.zeros} of ${tensor.count} are 0`);
  return [
    cells(tensor), make('div', {class: 'stats'}, stats.join(' · ')),
    tensor.not_finite > 0
      ? make('div', {class: 'stats bad'}, `${tensor.not_finite} of ${tensor.count} are not finite`) : null,
  ];
}

function state(id) {
  const value = data.values[id];
  if (!value) return make('div', {class: 'stats'}, 'not shown on this page');
  if (value.tensor && isKnown(id)) return tensorView(value.tensor);
  const done = data.nodes[value.node].step;
  if (last === 0) return null;
  if (done > step) return make('div', {class: 'stats'}, `comes with step ${done}`);
  return make('div', {class: 'stats'}, done < 0 ? 'not needed in this run' : 'nobody looked at it');
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
    last ? make('p', {class: 'faint'}, make('kbd', {}, '←'), ' ', make('kbd', {}, '→'),
      ' one operator back or on, ', make('kbd', {}, 'space'), ' play') : null,
  ];
}

function describe(id) {
  const node = data.nodes[id];
  const facts = [
    ['node', String(id)], ['call', node.call], ['attributes', node.attributes],
    ['recorded at', node.where],
    ['time', data.times?.[id] === undefined ? '' : duration(data.times[id])],
    ['step', node.kind === 'call' && node.step > 0 ? `${node.step} of ${last}` : ''],
  ].filter(([, text]) => text);
  return [
    make('h2', {class: node.pass}, node.op, make('span', {class: 'chip'}, node.pass)),
    make('dl', {}, facts.map(([name, text]) => [make('dt', {}, name),
      make('dd', {}, name === 'call' ? make('code', {}, text) : text)])),
    node.inputs.length ? make('h3', {}, 'Reads') : null, [...new Set(node.inputs)].map(valueView),
    node.outputs.length ? make('h3', {}, node.kind === 'call' ? 'Writes' : 'Holds') : null,
    node.outputs.map(valueView),
  ];
}

function show(id) {
  byId('details').replaceChildren(...(id === null ? intro() : describe(id)).flat(Infinity)
    .filter((part) => part !== null));
  boxes.forEach((box, other) => box.classList.toggle('shown', other === id));
  lines.forEach((line) => line.classList.remove('hot'));
  if (id !== null) linesOf[id].forEach((line) => line.classList.add('hot'));
}

const current = () => (step > 0 && last > 0 ? data.order[step - 1] : null);
const showDefault = () => show(pinned ?? current());

function bringIntoView(id) {
  const box = boxes[id].getBoundingClientRect();
  const frame = byId('scroll').getBoundingClientRect();
  const outside = box.left < frame.left || box.right > frame.right || box.top < frame.top ||
    box.bottom > frame.bottom;
  if (!outside) return;
  byId('scroll').scrollBy(box.left + box.width / 2 - frame.left - frame.width / 2,
    box.top + box.height / 2 - frame.top - frame.height / 2);
}

// ---- steps -------------------------------------------------------------------------------------

function go(to, follow = true) {
  step = Math.max(0, Math.min(last, to));
  boxes.forEach((box, id) => {
    box.classList.toggle('done', isDone(id));
    box.classList.toggle('todo', !isDone(id));
    box.classList.toggle('now', id === current());
    // Of several outputs the first; the panel shows all.
    box.querySelector('.value').textContent = valueText(data.nodes[id].outputs[0]);
  });
  for (const line of lines) {
    line.classList.toggle('todo', !isDone(line.dataset.from) || !isDone(line.dataset.to));
  }
  document.body.dataset.step = step;
  if (last > 0) {
    byId('step').value = step;
    byId('now').textContent = `${step} of ${last}` +
      (current() === null ? '' : ` · ${data.nodes[current()].call}`);
  }
  if (data.live && byId('alive')) {
    byId('alive').textContent = step < data.live.length
      ? `At step ${step} of ${last} ${bytes(data.live[step])} are alive.` : '';
  }
  pinned = null;
  showDefault();
  showOverview();
  if (follow && current() !== null) bringIntoView(current());
}

function travel(to) {
  go(to);
  address.set('step', step);
}

function stop() {
  clearInterval(player);
  player = null;
  if (byId('play')) byId('play').textContent = 'Play';
}

function play() {
  if (player !== null) return stop();
  if (step === last) travel(0);
  byId('play').textContent = 'Pause';
  player = setInterval(() => {
    travel(step + 1);
    if (step === last) stop();
  }, 700);
}

if (last > 0) {
  byId('step').addEventListener('input', (event) => { stop(); travel(Number(event.target.value)); });
  byId('back').addEventListener('click', () => { stop(); travel(step - 1); });
  byId('on').addEventListener('click', () => { stop(); travel(step + 1); });
  byId('play').addEventListener('click', play);
  document.addEventListener('keydown', (event) => {
    if (event.target.type === 'search' || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = {ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: last}[event.key];
    if (to !== undefined) {
      event.preventDefault();
      stop();
      travel(to);
    } else if (event.key === ' ' && event.target.tagName !== 'BUTTON') {
      event.preventDefault();
      play();
    }
  });
  addEventListener('hashchange', () => {
    theme.show();
    if (address.get('step') !== null) go(Number(address.get('step')));
  });
}

// ---- pointing, finding, zooming ----------------------------------------------------------------

boxes.forEach((box, id) => {
  box.addEventListener('mouseenter', () => show(id));
  box.addEventListener('mouseleave', showDefault);
  box.addEventListener('focus', () => show(id));
  box.addEventListener('blur', showDefault);
  box.addEventListener('click', () => { pinned = pinned === id ? null : id; showDefault(); });
  const time = data.times?.[id];
  if (time !== undefined) box.querySelector('.time').textContent = duration(time);
});
for (const mark of document.querySelectorAll('#times [data-node]')) {
  mark.addEventListener('click', () => {
    const id = Number(mark.dataset.node);
    if (!boxes[id]) return;
    pinned = id;
    showDefault();
    byId('view').scrollIntoView({block: 'nearest'});
    bringIntoView(id);
  });
}

const haystack = data.nodes.map((node) => [node.op, node.call, node.where, node.attributes,
  ...node.outputs.map(nameOf)].join(' ').toLowerCase());
let found = [];
byId('find').addEventListener('input', (event) => {
  const word = event.target.value.trim().toLowerCase();
  found = haystack.flatMap((text, id) => (word && text.includes(word) ? [id] : []));
  boxes.forEach((box, id) => box.classList.toggle('dim', word !== '' && !found.includes(id)));
  if (found.length) bringIntoView(found[0]);
});
byId('find').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !found.length) return;
  found.push(found.shift());
  pinned = found[0];
  showDefault();
  bringIntoView(found[0]);
});

const graph = byId('graph');
const frame = byId('scroll');
const natural = {width: graph.offsetWidth, height: graph.offsetHeight};
let scale = 1;
function zoom(to) {
  scale = Math.max(0.1, Math.min(2, to));
  graph.style.zoom = scale;
  showOverview();
}
// As high as the drawing, if the window has room for that.
function setHeight() {
  const wanted = Math.max(560, natural.height * scale + 18);
  const height = Math.min(wanted, innerHeight * 0.8) + 'px';
  document.querySelector('main').style.setProperty('--height', height);
}
const widthScale = () => Math.min(1, (frame.clientWidth - 8) / natural.width);
byId('fit').addEventListener('click', () => {
  zoom(Math.min(widthScale(), (frame.clientHeight - 8) / natural.height));
});
byId('smaller').addEventListener('click', () => zoom(scale / 1.25));
byId('larger').addEventListener('click', () => zoom(scale * 1.25));
frame.addEventListener('wheel', (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  zoom(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
}, {passive: false});
let drag = null;
frame.addEventListener('pointerdown', (event) => {
  if (event.button === 0 && !event.target.closest('.node')) drag = event;
});
addEventListener('pointermove', (event) => {
  if (!drag) return;
  frame.classList.add('dragged');
  frame.scrollBy(drag.clientX - event.clientX, drag.clientY - event.clientY);
  drag = event;
});
addEventListener('pointerup', () => { drag = null; frame.classList.remove('dragged'); });

// ---- the whole graph, small, where it does not fit into its window ------------------------------

const overview = byId('overview');
const drawn = (attributes) => {
  const element = document.createElementNS(overview.namespaceURI, 'rect');
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return overview.appendChild(element);
};
// The places of the boxes are read before the first zoom.
const marks = boxes.map((box, id) => drawn({class: data.nodes[id].pass, x: box.offsetLeft,
  y: box.offsetTop, width: box.offsetWidth, height: box.offsetHeight}));
const view = drawn({class: 'window'});
overview.setAttribute('viewBox', `0 0 ${natural.width} ${natural.height}`);
function showOverview() {
  const [width, height] = [frame.clientWidth / scale, frame.clientHeight / scale];
  overview.toggleAttribute('hidden', width >= natural.width - 1 && height >= natural.height - 1);
  const small = Math.min(180 / natural.width, frame.clientHeight * 0.7 / natural.height);
  overview.setAttribute('width', Math.max(24, natural.width * small));
  overview.setAttribute('height', natural.height * small);
  view.setAttribute('x', frame.scrollLeft / scale);
  view.setAttribute('y', frame.scrollTop / scale);
  view.setAttribute('width', Math.min(width, natural.width));
  view.setAttribute('height', Math.min(height, natural.height));
  marks.forEach((mark, id) => mark.classList.toggle('now', id === current()));
}
// Brings the place that the pointer is at to the middle of the window.
function lookAt(event) {
  const box = overview.getBoundingClientRect();
  const part = (at, from, size) => Math.max(0, Math.min(1, (at - from) / size));
  frame.scrollTo(
    part(event.clientX, box.left, box.width) * natural.width * scale - frame.clientWidth / 2,
    part(event.clientY, box.top, box.height) * natural.height * scale - frame.clientHeight / 2);
}
overview.addEventListener('pointerdown', (event) => {
  overview.setPointerCapture(event.pointerId);
  lookAt(event);
});
overview.addEventListener('pointermove', (event) => { if (event.buttons & 1) lookAt(event); });
frame.addEventListener('scroll', showOverview);
addEventListener('resize', showOverview);

zoom(Math.max(0.6, widthScale()));
setHeight();
const asked = address.get('step');
go(asked === null ? last : Number(asked), asked !== null);
document.body.dataset.ready = 'yes';
