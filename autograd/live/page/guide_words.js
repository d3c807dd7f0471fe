// SPDX-License-Identifier: Apache-2.0
// The words of a lesson's comments (guide.js). An action:
//
//   choose NAME OPTION [NAME OPTION]   step N         walk N (operators from the first)   press KEY [times]
//   show TITLE (of a box)              set VALUE INDEX NUMBER                             release
//   edit VALUE INDEX (open its editor) check VALUE INDEX   type TEXT   restart            play PACE
//   gradient VALUE (the box of the operator that makes its gradient)
//
// What is to be seen:
//
//   step N   past N   at N (operators done)   loss NUMBER   value VALUE INDEX NUMBER   zeros VALUE COUNT
//   norm PARAMETER NUMBER (of its gradient)   bar LABEL NUMBER   grid TITLE ROW COLUMN NUMBER
//   says TEXT (in the panel, the pictures, the editor or the bar)
//
// A value is named as in the graph, or, where it has no name, by the first operator that reads it (softmax.0); its
// gradient with "d " before it. What has spaces is in quotes. A number is seen as far as its digits go.
import {byId} from '../../../framework/page/shared.js';
import {data} from '../../../framework/page/fold.js';
import {isKnown, last, position, titleOf, travel} from '../../../framework/page/graph.js';
import {items, reveal} from '../../../framework/page/view.js';
import {editor} from './editor.js';
import {elementAt} from './formulas.js';
import {live, newest, now, pause, send, settled} from './live.js';
import {grids} from './panel.js';

const wordsOf = (text) => [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);

// The first of a name: a weight, before its update.
function valueNamed(name) {
  if (name.startsWith('d ')) return data.values[valueNamed(name.slice(2))].gradient;
  const [, op, input] = /^(\w+)\.(\d)$/.exec(name) ?? [];
  const found = Object.keys(data.values).find((id) => data.values[id].name === name) ?? data.nodes.find((node) => node.op === op)?.inputs[input];
  if (found === undefined) throw new Error(`There is no value “${name}” on this page: is it the network that the lesson means?`);
  return Number(found);
}

function elementOfValue(id, index) {
  const {tensor} = data.values[id];
  const at = elementAt(id, tensor.shape.map((extent, axis) => Math.floor(index / tensor.shape.slice(axis + 1).reduce((all, one) => all * one, 1)) % extent));
  return at === null ? NaN : Number(at);
}

// As near as the digits that are claimed say.
export function agrees(shown, claimed) {
  const [, fraction = '', exponent = '0'] = /^-?\d*\.?(\d*)(?:e(.*))?$/.exec(claimed) ?? [];
  return Math.abs(Number(shown) - Number(claimed)) <= 0.5001 * 10 ** (Number(exponent) - fraction.length);
}

async function goToStep(step) {
  await pause();
  if (step === newest.step) return;
  if (step < newest.step) await send({do: 'goto', step});
  else {
    await send({do: 'play', until: step});
    await settled(() => !newest.playing);
  }
}

function boxNamed(title) {
  const named = data.nodes.findIndex((node) => node.op === title || node.outputs.some((out) => data.values[out]?.name === title));
  if (named >= 0) return named;
  const item = items.find((one) => titleOf(one) === title);
  if (!item) throw new Error(`There is no box “${title}”.`);
  return item.ids[0];
}

// Its editor, as a click on the element opens it.
function openElement(name, index) {
  const id = valueNamed(name);
  reveal(data.values[id].node);
  const grid = grids().find((one) => one.tensor === data.values[id].tensor), cell = grid?.getElementsByTagName('td')[index];
  if (!cell) throw new Error(`The element ${index} of ${name} is not on show.`);
  cell.click();
}

const actions = {
  async choose(...pairs) {
    const choices = {};
    for (let i = 0; i < pairs.length; i += 2) choices[pairs[i]] = pairs[i + 1];
    const changes = live.choices.some(({name, now: chosen}) => choices[name] !== undefined && choices[name] !== chosen);
    if (await send({do: 'restore', choices}) === null) throw new Error(byId('say').textContent);
    if (changes) await new Promise(() => {});  // the page is loaded anew
  },
  step: (to) => goToStep(Number(to)),
  async walk(to) { await pause(); travel(to === 'end' ? last : Number(to)); },
  async press(key, times = '1') {
    for (let i = 0; i < Number(times); ++i) {
      document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
      await settled();
    }
  },
  show: (title) => reveal(boxNamed(title)),
  gradient: (name) => reveal(data.values[valueNamed('d ' + name)].node),
  async set(name, index, to) {
    await send({do: 'set', value: valueNamed(name), index: Number(index), to: Number(to)});
    reveal(data.values[valueNamed(name)].node);
  },
  edit: (name, index) => openElement(name, Number(index)),
  release: () => send({do: 'release'}),
  async check(name, index) {
    openElement(name, Number(index));
    await editor.askCheck();
  },
  async type(text = '') {
    const field = document.querySelector('.of-text textarea');
    field.value = text;
    field.dispatchEvent(new Event('input'));
    await settled();
  },
  restart: () => send({do: 'reset'}),
  play: (pace) => {
    byId('pace').value = pace;
    return send({do: 'play', per_second: Number(pace)});
  },
};

export async function carryOut(act) {
  const [word, ...rest] = wordsOf(act);
  if (!actions[word]) throw new Error(`A lesson cannot do “${word}”.`);
  await actions[word](...rest);
  await settled();
}

const plain = (text) => text.replace(/\s+/g, ' ');
const places = ['details', 'dash', 'editor', 'edited', 'say'];
const sights = {
  loss: (claimed) => agrees(now.loss, claimed),
  step: (step) => now.step === Number(step),
  past: (step) => now.step >= Number(step),
  at: (operators) => position === Number(operators),
  zeros(name, count) {
    const id = valueNamed(name);
    const all = Array.from({length: data.values[id].tensor.count}, (_, i) => elementOfValue(id, i));
    return all.filter((one) => one === 0).length === Number(count);
  },
  norm: (name, claimed) => agrees(now.gradients.find(({parameter}) => parameter === name)?.norm, claimed),
  value(name, index, claimed) {
    const id = valueNamed(name);
    return isKnown(id) && agrees(elementOfValue(id, Number(index)), claimed);
  },
  says: (...words) => places.some((id) => plain(byId(id).textContent).includes(words.join(' '))),
  bar(label, claimed) {
    const bars = now.pictures.find(({kind}) => kind === 'bars'), i = bars?.labels.indexOf(label) ?? -1;
    return i >= 0 && agrees(bars.values[i], claimed);
  },
  grid(title, row, column, claimed) {
    const grid = now.pictures.find((one) => one.kind === 'grid' && one.title.includes(title));
    return agrees(grid?.values[row]?.[column], claimed);
  },
};

export function isSeen(sight) {
  const [word, ...rest] = wordsOf(sight);
  try {
    return Boolean(sights[word]?.(...rest));
  } catch {
    return false;
  }
}
