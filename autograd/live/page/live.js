// SPDX-License-Identifier: Apache-2.0
// A network that trains in the program that serves this page: its frames are drawn, its commands sent.
// The page decides nothing about numbers. Runs behind chart.js and the scripts of a graph's page; the other
// files of this folder may stand in any order, as all starts when the document is complete.
const live = JSON.parse(byId('live').textContent);
const lossAt = data.nodes[data.values[live.loss]?.node]?.step ?? 0;  // the walk's place where the loss is known
const gradientsAt = Math.max(lossAt, ...data.order.map((id, i) => (data.nodes[id].pass === 'backward' ? i + 1 : 0)));
const tensorIds = new WeakMap();  // the value of each tensor
const ended = 'The program has ended; what is shown is the last that it said.';
// The first frame's tensors stand in the page once, with the values of the graph.
live.frame.values = Object.fromEntries(Object.entries(data.values).filter(([, value]) => value.tensor)
  .map(([id, value]) => [id, value.tensor]));
let now = live.frame;             // on show
let newest = live.frame;          // as received
let scheduled = false;
let readAt = 0;                   // when tables were painted

// ---- what the program says ---------------------------------------------------------------------

// Only the newest frame is drawn, once for each that the screen shows.
function receive(frame) {
  if (frame.graph !== live.graph) return location.reload();
  if (frame.number < newest.number) return;
  newest = frame;
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
    for (const key of ['low', 'high', 'mean', 'scale', 'all']) if (!(key in summary)) delete value.tensor[key];
    Object.assign(value.tensor, summary, {cells});
    tensorIds.set(value.tensor, Number(id));
  }
}

function showFrame() {
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
    if (item.path === null) setText(item.value ??= item.box.querySelector('.value'), valueText(item));
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
  document.body.dataset.number = now.number;
}

// Text that stays is not written again.
function setText(element, text) {
  if ((element.firstChild?.data ?? '') !== text || element.childNodes.length > 1) element.textContent = text;
}

// While training all values of a step are shown; what is kept in the panel stays.
function showAll() {
  if (step === last) return;
  const kept = pinned;
  go(last, false);
  pinned = kept;
  showDefault();
  address.set('step', step);
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
  byId('train').classList.toggle('playing', now.playing);
  setText(byId('train').querySelector('span'), now.playing ? 'Pause' : 'Train');
  if (now.note) say(now.note);
  else if (before.playing && !now.playing) say(`step ${now.step}, loss ${now.loss}`);
  editor.list(now.edited);
}

// A quiet line, also read aloud: what was refused and why, or where training stands.
let quiet = null;
function say(text, isError = false) {
  clearTimeout(quiet);
  setText(byId('say'), text);
  byId('say').classList.toggle('bad', isError);
  if (text !== ended) quiet = setTimeout(() => setText(byId('say'), ''), 8000);
}

function listen() {
  const events = new EventSource('events');
  let late = null;
  events.addEventListener('frame', (event) => receive(JSON.parse(event.data)));
  events.addEventListener('open', () => {
    clearTimeout(late);
    if (document.body.classList.contains('ended')) say('');
    late = null;
    document.body.classList.remove('ended');
  });
  // The browser tries again by itself, unless it was refused.
  events.addEventListener('error', () => {
    const end = () => { document.body.classList.add('ended'); say(ended, true); };
    if (events.readyState === EventSource.CLOSED) end();
    else late ??= setTimeout(end, 4000);
  });
}

// ---- what the page asks for --------------------------------------------------------------------

async function post(command) {
  try {
    const answer = await fetch('command', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(command)});
    const text = await answer.text();
    const body = text.startsWith('{') ? JSON.parse(text) : {error: text || `refused (${answer.status})`};
    if (!answer.ok) {
      say(body.error, true);
      return null;
    }
    if (byId('say').textContent === ended) say('');
    if (body.number !== undefined) receive(body);
    return body;
  } catch {
    say(ended, true);
    return null;
  }
}

// Commands go one after the other. Keys that repeat faster than the program answers are dropped.
let asking = Promise.resolve(), waiting = 0;
function send(command) {
  if (waiting > 2 && ['step', 'back'].includes(command.do)) return Promise.resolve(null);
  ++waiting;
  asking = asking.then(() => post(command)).finally(() => { --waiting; });
  return asking;
}

// Of commands that replace each other, as while something is dragged, the latest goes when the one
// before it is answered.
const replacing = new Map();
async function sendLatest(kind, command) {
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

const pause = () => (now.playing ? send({do: 'pause'}) : Promise.resolve());

// Behind the last operator comes the next training step, before the first the end of the one before.
async function walk(to) {
  await pause();
  if (to <= last && to >= 0) return travel(to);
  if (to < 0 && newest.step <= newest.first) return;
  if (await send({do: to > last ? 'step' : 'back'})) travel(to > last ? 0 : last);
}

// Who looks at all of a step goes on doing so; else the new weights are walked through from the beginning.
async function trainStep() {
  await pause();
  const whole = step === last;
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
  const ranged = target.matches('input[type=range]') && target.id !== 'step';
  const keys = {
    ArrowLeft: () => (event.shiftKey ? stepBack() : walk(step - 1)), ArrowRight: () => (event.shiftKey ? trainStep() : walk(step + 1)),
    ArrowUp: trainStep, ArrowDown: stepBack, Home: () => walk(0), End: () => walk(last),
    l: () => walk(lossAt), g: () => walk(gradientsAt), '?': () => byId('help').showModal(),
  };
  const act = key === ' ' && !target.closest('button, .node') ? toggleTraining : keys[key.length === 1 ? key.toLowerCase() : key];
  if (!act || (ranged && key.length > 1)) return;
  event.preventDefault();
  act();
}

// ---- the start ---------------------------------------------------------------------------------

function wire() {
  const clicks = {
    restart: () => send({do: 'reset'}), train: toggleTraining, earlier: stepBack, update: trainStep,
    before: () => walk(step - 1), behind: () => walk(step + 1), 'to-loss': () => walk(lossAt),
    'to-gradients': () => walk(gradientsAt), keys: () => byId('help').showModal(),
    'rate-own': () => send({do: 'rate', to: null}),
  };
  for (const [id, act] of Object.entries(clicks)) byId(id).addEventListener('click', act);
  // What was clicked with a pointer does not keep the keys.
  document.addEventListener('click', (event) => { if (event.detail > 0) event.target.closest('button, .node')?.blur(); });
  byId('step').addEventListener('input', (event) => walk(Number(event.target.value)));
  byId('rate-slide').addEventListener('input', (event) => setRate(10 ** Number(event.target.value)));
  byId('rate').addEventListener('change', (event) => setRate(Number(event.target.value)));
  byId('at').addEventListener('change', (event) => {
    const to = Number(event.target.value);
    event.target.blur();
    if (Number.isInteger(to) && to >= 0) pause().then(() => send({do: 'goto', step: to}));
  });
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
    if (address.get('step') !== null) go(Number(address.get('step')));
  });
  for (const {name, options, now: chosen} of live.choices) {
    const list = make('select', {'aria-label': name}, options.map((option) =>
      make('option', {value: option, ...(option === chosen ? {selected: ''} : {})}, option)));
    list.addEventListener('change', () => send({do: 'choose', name, to: list.value}).then((done) => { if (!done) list.value = chosen; }));
    byId('choices').append(make('label', {}, name + ' ', list));
  }
}

function setRate(to) {
  if (!(to >= 0 && Number.isFinite(to))) return say('A learning rate is a number from 0.', true);
  byId('rate-own').hidden = false;
  if (document.activeElement !== byId('rate')) byId('rate').value = number(to, 3);
  sendLatest('rate', {do: 'rate', to});
}

document.addEventListener('DOMContentLoaded', () => {
  byId('title').textContent = live.title;
  byId('size').textContent = `${data.nodes.length} nodes, ${Object.keys(data.values).length} values`;
  byId('step').max = last;
  byId('step').value = step;
  dash.build();
  editor.build();
  wire();
  document.addEventListener('shown', decoratePanel);
  document.addEventListener('stepped', heat.follow);
  if (step === last) pinned = itemOf(data.values[live.loss].node);  // more is to be seen at the loss than at the last update
  showFrame();
  showDefault();
  listen();
  document.body.dataset.live = 'yes';
});
