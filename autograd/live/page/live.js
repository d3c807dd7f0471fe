// SPDX-License-Identifier: Apache-2.0
// A network that trains in the program that serves this page: its frames are drawn, its commands sent.
// The page decides nothing about numbers. Runs behind chart.js and the scripts of a graph's page; the other
// files of this folder may stand in any order, as all starts when the document is complete.
import {address, byId, make, theme} from '../../../framework/page/shared.js';
import {number} from '../../../framework/page/chart.js';
import {data, itemOf, presenting} from '../../../framework/page/fold.js';
import {addressed, go, gradientText, last, pin, pinned, position, showDefault, travel,
  valueText} from '../../../framework/page/graph.js';
import {items} from '../../../framework/page/view.js';
import {editor} from './editor.js';
import {exchange} from './exchange.js';
import {guide} from './guide.js';
import {link} from './link.js';
import {heat} from './norms.js';
import {decoratePanel, grids, mark, past, repaintPanel, watch} from './panel.js';
import {dash} from './pictures.js';
import {present} from './present.js';

export const live = JSON.parse(byId('live').textContent);
const lossAt = data.nodes[data.values[live.loss]?.node]?.position ?? 0;  // the walk's place where the loss is known
const gradientsAt = Math.max(lossAt, ...data.order.map((id, i) => (data.nodes[id].pass === 'backward' ? i + 1 : 0)));
export const tensorIds = new WeakMap();  // the value of each tensor
const ended = 'The program has ended; what is shown is the last that it said.';
// The first frame's tensors stand in the page once, with the values of the graph.
live.frame.values = Object.fromEntries(Object.entries(data.values).filter(([, value]) => value.tensor)
  .map(([id, value]) => [id, value.tensor]));
export let now = live.frame;             // on show
export let newest = live.frame;          // as received
let scheduled = false;
let leaves = false;               // for the page of another network
let readAt = 0;                   // when tables were painted
const arrivals = [];              // who waits for a frame

// ---- what the program says ---------------------------------------------------------------------

// Only the newest frame is drawn, once for each that the screen shows.
function receive(frame) {
  if (frame.number < newest.number) return;
  link.note(frame);
  if (frame.graph !== live.graph) {
    leaves = true;
    return location.reload();
  }
  newest = frame;
  for (const each of arrivals.splice(0)) each.number <= frame.number ? each.resolve() : arrivals.push(each);
  if (!scheduled) requestAnimationFrame(showFrame);
  scheduled = true;
}

function takeValues(frame) {
  for (const [id, summary] of Object.entries(frame.values)) {
    const value = data.values[id];
    if (!value) continue;
    const cells = summary.cells.length || summary.count === 0 ? summary.cells : value.tensor?.cells;
    if (!cells) continue;  // never seen, and not watched
    value.tensor ??= {};
    for (const key of ['low', 'high', 'mean', 'scale', 'all', ...(cells === summary.cells ? ['row', 'column'] : [])]) if (!(key in summary)) delete value.tensor[key];
    Object.assign(value.tensor, summary, {cells, asked: true});  // more of them can be asked for
    tensorIds.set(value.tensor, Number(id));
  }
}

export function showFrame() {
  scheduled = false;
  const before = now;
  now = newest;
  takeValues(now);
  dash.draw();  // first: for a text on a canvas the browser computes all styles that changed before
  if (now.playing && !before.playing) {
    showAll();
    watch();
  }
  for (const item of items) {
    if (item.path !== null && !presenting) continue;
    setText(item.value ??= item.box.querySelector('.value'), valueText(item));
    if (presenting) setText(item.slope ??= item.box.querySelector('.slope'), gradientText(item));
  }
  heat.show();
  // While training, tables of numbers change ten times a second: nobody reads faster.
  if (!now.playing || performance.now() - readAt > 90) {
    readAt = performance.now();
    past.note(now);
    repaintPanel();
    editor.show();
  }
  showFacts(before);
  dash.show(now);
  guide.look();
  document.body.dataset.number = now.number;
}

// Text that stays is not written again.
export function setText(element, text) {
  if ((element.firstChild?.data ?? '') !== text || element.childNodes.length > 1) element.textContent = text;
}

// While training all values of a step are shown; what is kept in the panel stays.
function showAll() {
  if (position === last) return;
  const kept = pinned;
  go(last, false);
  pin(kept);
  showDefault();
  address.set('position', position);
}

function showFacts(before) {
  const rate = byId('rate');
  setText(byId('loss'), now.loss);
  setText(byId('speed'), now.playing && now.steps_per_second ? `${number(now.steps_per_second, 3)} steps/s` : '');
  if (document.activeElement !== byId('at') && (before.step !== now.step || before === now)) byId('at').value = now.step;
  if (before.rate !== now.rate || before === now) {
    if (document.activeElement !== rate) rate.value = number(now.rate ?? NaN, 3);
    if (document.activeElement !== byId('rate-slide')) byId('rate-slide').value = Math.log10(now.rate);
  }
  byId('earlier').disabled = now.step <= now.first;
  undo.show();
  byId('train').classList.toggle('playing', now.playing);
  setText(byId('train').querySelector('span'), now.playing ? 'Pause' : 'Train');
  if (now.note) say(now.note);
  else if (before.playing && !now.playing) say(`step ${now.step}, loss ${now.loss}`);
  editor.list(now.edited);
}

// A quiet line, also read aloud: what was refused and why, or where training stands.
let quiet = null, standing = '';  // what stays until it is over
export function say(text, isError = false) {
  clearTimeout(quiet);
  setText(byId('say'), text || standing);
  byId('say').classList.toggle('bad', isError || (!text && standing !== ''));
  if (text !== standing) quiet = setTimeout(() => say(''), 8000);
}

function stand(text) {
  if (text === standing) return;
  standing = text;
  document.body.classList.toggle('ended', text === ended);
  document.body.classList.toggle('silent', text !== '');
  say(text, true);
}

// Nothing moves any more; nothing is to look as if it did.
function end() {
  if (standing === ended) return;
  stand(ended);
  now = newest = {...newest, playing: false, steps_per_second: 0};
  showFacts(now);
  arrivals.splice(0).forEach(({resolve}) => resolve());
}

// When it was heard last, for how long it has not looked at what the page asks, and whether the line broke.
const life = {heard: performance.now(), busy: 0, over: false};

function hear({type, data: text}) {
  if (type === 'lost') return life.over ? undefined : probe();
  if (standing === ended && type !== 'open') return;  // what was still on its way
  life.heard = performance.now();
  if (type === 'frame') receive(JSON.parse(text));
  else if (type === 'life') life.busy = JSON.parse(text).busy;
  else if (type === 'trouble') say(JSON.parse(text).error, true);
  else if (type === 'end') end();
  else if (type === 'refused') {
    life.over = true;
    stand(JSON.parse(text).error);
  } else if (type === 'open' && standing === ended) stand('');
  watchLife();
}

// Is nobody there, or was it the line only, which the browser makes anew?
async function probe() {
  try {
    await exchange.probe();
  } catch {
    end();
  }
}

function watchLife() {
  if (standing === ended || life.over) return;
  const silent = (performance.now() - life.heard) / 1000;
  if (silent > 5) stand(`The program has not been heard of for ${silent.toFixed(0)} s: it hangs, or was stopped.`);
  else if (life.busy > 3) stand(`The program has not looked at this page for ${life.busy.toFixed(0)} s: it computes something else, or hangs.`);
  else stand('');
}

function listen() {
  setInterval(watchLife, 1000);
  addEventListener('pageshow', ({persisted}) => { if (persisted) location.reload(); });
  exchange.listen(hear);
}

// ---- what the page asks for --------------------------------------------------------------------

const arrival = (number) => (newest.number >= number ? null : new Promise((resolve) => {
  arrivals.push({number, resolve});
  setTimeout(resolve, 5000);
}));

// The frame that a command leads to comes to this page as to all others.
async function post(command) {
  let answer;
  try {
    answer = await exchange.ask({...command, brief: true});
  } catch {
    if (leaves) await new Promise(() => {});  // the browser does not wait for an answer; what follows is the new page's
    end();
    return null;
  }
  const body = answer.text.startsWith('{') ? JSON.parse(answer.text) : {error: answer.text};
  if (!answer.ok) {
    say(body.error, true);
    return null;
  }
  if (body.sent !== undefined) await arrival(body.sent);
  return body;
}

// Commands go one after the other. Clicks for a step that are made meanwhile go together: each counts.
export let asking = Promise.resolve(), waiting = 0, counted = null;
export function send(command) {
  const counts = ['step', 'back'].includes(command.do);
  if (counts && counted?.command.do === command.do && counted.command.count < 1000) {
    ++counted.command.count;
    return counted.answer;
  }
  ++waiting;
  const one = {command: counts ? {...command, count: 1} : command};
  counted = counts ? one : null;
  asking = one.answer = asking.then(() => {
    if (counted === one) counted = null;
    return post(one.command);
  }).finally(() => { --waiting; });
  return one.answer;
}

// When all that was asked for is answered and shown, and a condition holds.
export async function settled(holds = () => true) {
  const done = () => waiting === 0 && !scheduled && newest === now && holds();
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 20));
}

// Of commands that replace each other, as while something is dragged, the latest goes when the one
// before it is answered.
const replacing = new Map();
export async function sendLatest(kind, command) {
  const busy = replacing.has(kind);
  replacing.set(kind, command);
  if (busy) return;
  for (let next = null; (next = replacing.get(kind)) !== null;) {
    replacing.set(kind, null);
    await send(next);
  }
  replacing.delete(kind);
}

// ---- walking through a step --------------------------------------------------------------------

export const pause = () => (now.playing ? send({do: 'pause'}) : Promise.resolve());

// Behind the last operator comes the next training step, before the first the end of the one before.
let turning = false;
async function walk(to) {
  await pause();
  if (to <= last && to >= 0) return travel(to);
  if (turning || (to < 0 && newest.step <= newest.first)) return;
  turning = true;
  if (await send({do: to > last ? 'step' : 'back'})) travel(to > last ? 0 : last);
  turning = false;
}

// Who looks at all of a step goes on doing so; else the new weights are walked through from the beginning.
async function trainStep() {
  await pause();
  const whole = position === last;
  if (await send({do: 'step'}) && !whole) travel(0);
}

async function stepBack() {
  await pause();
  if (newest.step > newest.first) send({do: 'back'});
}

// A step for each picture of the screen can be followed, and is what training begins with.
const startTraining = () => send({do: 'play', per_second: Number(byId('pace').value)});
const toggleTraining = () => (newest.playing ? send({do: 'pause'}) : startTraining());

function onKey(event) {
  const {target, key} = event;
  if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
  if (target.matches('input:not([type=range]), select, textarea')) return;
  const ranged = target.matches('input[type=range]') && target.id !== 'position';
  const keys = {
    ArrowLeft: () => (event.shiftKey ? stepBack() : walk(position - 1)), ArrowRight: () => (event.shiftKey ? trainStep() : walk(position + 1)),
    ArrowUp: trainStep, ArrowDown: stepBack, Home: () => walk(0), End: () => walk(last),
    l: () => walk(lossAt), g: () => walk(gradientsAt), p: () => present.set(!presenting), '?': () => byId('help').showModal(),
  };
  const act = key === ' ' && !target.closest('button, .node') ? toggleTraining : keys[key.length === 1 ? key.toLowerCase() : key];
  if (!act || (ranged && key.length > 1)) return;
  event.preventDefault();
  if (event.repeat && waiting > 2) return;  // keys repeat faster than the program answers
  act();
}

// ---- fields ------------------------------------------------------------------------------------

// The number that a text is, with a point or a comma, or null.
export function numberIn(text) {
  const plain = text.trim().replace(/^([^.,]*),([^.,]*)$/, '$1.$2');
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
  return Number.isFinite(value) ? value : null;
}

export const isNone = (text) => (text.trim() === '' ? 'An empty field is' : `“${text.trim()}” is`);

// A field whose text is taken when it is done. What is shown there changes nothing, nor does what is refused.
function field(element, shown, take) {
  element.addEventListener('change', async () => {
    const text = element.value;
    element.blur();
    if (text.trim() !== shown()) await take(text);
    element.value = shown();
  });
}

const shownRate = () => number(newest.rate ?? NaN, 3);

function takeStep(text) {
  const {first, step: most} = newest;
  if (!/^\s*\d+\s*$/.test(text) || Number(text) < first || Number(text) > most) {
    return say(`${isNone(text)} no step of this run: it has ${first} to ${most}. Nothing was changed.`, true);
  }
  return pause().then(() => send({do: 'goto', step: Number(text)}));
}

function takeRate(text) {
  const to = numberIn(text);
  if (to === null || to < 0) return say(`${isNone(text)} no learning rate: a number from 0 on. Nothing was changed.`, true);
  return setRate(to);
}

// ---- the start ---------------------------------------------------------------------------------

function wire() {
  const clicks = {
    restart: () => send({do: 'reset'}), train: toggleTraining, earlier: stepBack, update: trainStep,
    before: () => walk(position - 1), behind: () => walk(position + 1), 'to-loss': () => walk(lossAt),
    'to-gradients': () => walk(gradientsAt), keys: () => byId('help').showModal(),
    'rate-own': () => send({do: 'rate', to: null}), present: () => present.set(!presenting),
  };
  for (const [id, act] of Object.entries(clicks)) byId(id).addEventListener('click', act);
  // What was clicked with a pointer does not keep the keys.
  document.addEventListener('click', (event) => { if (event.detail > 0) event.target.closest('button, .node')?.blur(); });
  byId('position').addEventListener('input', (event) => walk(Number(event.target.value)));
  byId('rate-slide').addEventListener('input', (event) => setRate(10 ** Number(event.target.value)));
  field(byId('rate'), shownRate, takeRate);
  field(byId('at'), () => String(newest.step), takeStep);
  undo.button.addEventListener('click', () => send({do: 'undo'}));
  byId('restart').after(undo.button);
  const pace = byId('pace');
  pace.value = address.get('pace') ?? '30';
  if (pace.selectedIndex < 0) pace.value = '30';
  pace.addEventListener('change', () => {
    address.set('pace', pace.value);
    if (newest.playing) startTraining();
  });
  byId('restart').hidden = byId('earlier').hidden = !live.limits.back;
  byId('at').readOnly = !live.limits.back;
  document.addEventListener('keydown', onKey);
  addEventListener('hashchange', () => {
    theme.show();
    if (addressed() !== null) go(addressed());
  });
  for (const {name, options, now: chosen} of live.choices) {
    const list = make('select', {'aria-label': name}, options.map((option) =>
      make('option', {value: option, ...(option === chosen ? {selected: ''} : {})}, option)));
    list.addEventListener('change', () => send({do: 'choose', name, to: list.value}).then((done) => { if (!done) list.value = chosen; }));
    byId('choices').append(make('label', {}, name + ' ', list));
  }
}

function setRate(to) {
  byId('rate-own').hidden = false;
  if (document.activeElement !== byId('rate')) byId('rate').value = number(to, 3);
  return sendLatest('rate', {do: 'rate', to});
}

// Takes back the latest edit, jump or restart, and done again brings it back.
const undo = {
  button: make('button', {type: 'button', id: 'undo', hidden: ''}, 'Undo'),
  show() {
    undo.button.hidden = !now.undo || !live.limits.back;
    undo.button.title = `undo: ${now.undo}; once more brings it back`;
  },
};

document.addEventListener('DOMContentLoaded', () => {
  byId('title').textContent = live.title;
  byId('size').textContent = `${data.nodes.length} nodes, ${Object.keys(data.values).length} values`;
  byId('position').max = last;
  byId('position').value = position;
  dash.build();
  editor.build();
  wire();
  present.build();
  document.addEventListener('shown', decoratePanel);
  document.addEventListener('moved', () => { grids().forEach(mark); watch(); });
  document.addEventListener('walked', heat.follow);
  if (position === last) pin(itemOf(data.values[live.loss].node));  // more is to be seen at the loss than at the last update
  showFrame();
  showDefault();
  guide.build();
  listen();
  link.begin();
  document.body.dataset.live = 'yes';
});
