// SPDX-License-Identifier: Apache-2.0
// What an operator computes, in symbols and with the numbers of one element. Backward operators are rules:
// their formulas say what the gradient of an input is. An operator without an entry has no formula.
import {data} from '../../../framework/page/fold.js';
import {elementsOf, elementText, isKnown, nameOf} from '../../../framework/page/graph.js';

// A node as its formula reads it. An element is named by its index, a list.
class Reading {
  constructor(node, index) {
    this.node = node;
    this.out = node.outputs[0];
    this.index = index;
  }
  // An attribute of "alpha=1, reduction=mean", or the only one of "0.5".
  attribute(name, fallback) {
    const found = new RegExp(`(?:^|, )${name}=(\\[[^\\]]*\\]|[^,]*)`).exec(this.node.attributes);
    return found ? found[1] : fallback;
  }
  number(name, fallback) { return Number(this.attribute(name, fallback)); }
  shape(i) { return shapeOfValue(this.node.inputs[i]); }
  name(i) { return symbol(this.node.inputs[i]); }
  // The number of an element of an input as text, or null where it is not there.
  at(i, index) { return elementAt(this.node.inputs[i], index); }
  // An input's index under broadcasting: its axes of extent 1 have one place only.
  broadcast(i) {
    const shape = this.shape(i);
    return shape.map((extent, axis) => (extent === 1 ? 0 : this.index[this.index.length - shape.length + axis] ?? 0));
  }
  own(i) { return this.at(i, this.broadcast(i)); }
  count(i) { return this.shape(i).reduce((all, extent) => all * extent, 1); }
}

export const shapeOfValue = (id) => data.values[id]?.tensor?.shape ?? [];

// The name of a value in a formula: a gradient is named after what it is the gradient of, a transposed
// matrix after the matrix.
export function symbol(id) {
  const value = data.values[id];
  if (value?.gradient_of !== undefined) return '∂' + symbol(value.gradient_of);
  const node = data.nodes[value?.node];
  if (node?.kind === 'view' && !value.name) return symbol(node.inputs[0]) + (node.op === 'permute' ? 'ᵀ' : '');
  return value?.name || (node?.op === 'constant' && value.tensor?.count === 1 ? value.tensor.text : node?.kind === 'call' ? node.op : nameOf(id));
}

export function elementAt(id, index) {
  const tensor = data.values[id]?.tensor;
  if (!tensor || !isKnown(id)) return null;
  const column = index.at(-1) ?? 0;
  const row = index.slice(0, -1).reduce((sum, at, axis) => sum * tensor.shape[axis] + at, 0);
  const cell = tensor.cells[row - (tensor.row ?? 0)]?.[column - (tensor.column ?? 0)];
  if (cell !== undefined) return cell;
  const all = elementsOf(tensor);
  return all ? elementText(all[row * tensor.columns + column]) : null;
}

// A factor or exponent; a negative one in brackets.
const factor = (text) => (text.startsWith('-') ? `(${text})` : text);

// The first terms of a sum of products, as numbers.
function products(count, left, right) {
  const terms = [];
  for (let k = 0; k < Math.min(count, 4); ++k) {
    const [a, b] = [left(k), right(k)];
    if (a === null || b === null) return null;
    terms.push(`${factor(a)}·${factor(b)}`);
  }
  return terms.join(' + ') + (count > 4 ? ` + … (${count} terms)` : '');
}

function product(reading, a, b) {
  const {index} = reading, inner = reading.shape(a).at(-1), row = reading.shape(a).length > 1;
  const outer = reading.shape(b).length > 2 ? index.slice(0, -2) : [];
  return products(inner, (k) => reading.at(a, row ? [...index.slice(0, -1), k] : [k]),
    (k) => reading.at(b, reading.shape(b).length > 1 ? [...outer, k, index.at(-1)] : [k]));
}

// f(x) of each element, with the number put in.
const unary = (rule, numbers) => (r) => [rule(r.name(0), r), r.own(0) && numbers(r.own(0), r)];
const simple = (name) => unary((x) => `${name}(${x})`, (x) => `${name}(${x})`);
const binary = (sign) => (r) => {
  const alpha = r.attribute('alpha', '1'), times = alpha === '1' ? '' : `${factor(alpha)}·`;
  const [a, b] = [r.own(0), r.own(1)];
  return [`${r.name(0)} ${sign} ${times}${r.name(1)}`, a && b && `${factor(a)} ${sign} ${times}${factor(b)}`];
};
const scalar = (sign) => (r) => {
  const by = Number(r.node.attributes.replace(/.*=/, '')).toPrecision(4).replace(/\.?0+$/, '');
  return [`${r.name(0)} ${sign} ${by}`, r.own(0) && `${factor(r.own(0))} ${sign} ${by}`];
};

// g times the slope of an activation, which is computed from x or from the result y.
const chain = (slope, numbers) => (r) => {
  const [g, s] = [r.own(0), r.own(1)];
  return [`${r.name(0)} · ${slope(r.name(1), r)}`, g && s && `${factor(g)} · ${numbers(Number(s), r, factor(s))}`];
};

const LAMBDA = 1.050701, ALPHA = 1.673263;  // of SELU
const brief = (value) => String(Number(value.toPrecision(4)));
const sigmoidOf = (x) => 1 / (1 + Math.exp(-x));
const normalOf = (x) => {  // the normal distribution function, to 7 digits (Abramowitz and Stegun 26.2.17)
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const rest = Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI) * t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x > 0 ? 1 - rest : rest;
};
const eluSlope = (r, s) => {
  const [alpha, scale, inner] = ['alpha', 'scale', 'input_scale'].map((name) => r.number(name, 1));
  if (s > 0) return brief(scale);
  return r.attribute('is_result') === 'true' ? `${brief(inner)}·(${brief(s)} + ${brief(alpha * scale)})`
    : `${brief(alpha * scale * inner)}·e^${factor(brief(s * inner))}`;
};
const words = (...lines) => () => lines;

const FORMULAS = {
  matmul: (r) => [`Σₖ ${r.name(0)}[i, k] · ${r.name(1)}[k, j]`, product(r, 0, 1)],
  addmm: (r) => {
    const bias = r.own(0), sum = product(r, 1, 2);
    return [`Σₖ ${r.name(1)}[i, k] · ${r.name(2)}[k, j] + ${r.name(0)}[j]`, bias && sum && `${sum} + ${factor(bias)}`];
  },
  add: binary('+'), sub: binary('−'), mul: binary('·'), div: binary('/'), inplace_add: binary('+'),
  adds: scalar('+'), muls: scalar('·'), divs: scalar('/'),
  neg: unary((x) => `−${x}`, (x) => `−${factor(x)}`), exp: unary((x) => `e^${x}`, (x) => `e^${factor(x)}`),
  log: simple('log'), sqrt: simple('√'), abs: simple('abs'), tanh: simple('tanh'),
  relu: unary((x) => `max(0, ${x})`, (x) => `max(0, ${x})`),
  sigmoid: unary((x) => `1 / (1 + e^−${x})`, (x) => `1 / (1 + e^${factor(brief(-Number(x)))})`),
  silu: unary((x) => `${x} · σ(${x})`, (x) => `${factor(x)} · ${brief(sigmoidOf(Number(x)))}`),
  gelu: unary((x) => `${x} · Φ(${x})`, (x) => `${factor(x)} · ${brief(normalOf(Number(x)))}`),
  selu: unary((x) => `λ ${x} where ${x} > 0, else λ α (e^${x} − 1); λ = 1.051, λ α = 1.758`,
    (x) => (Number(x) > 0 ? `1.051 · ${x}` : `1.758 · (e^${factor(x)} − 1)`)),
  elu: unary((x) => `${x} where ${x} > 0, else α (e^${x} − 1), times a scale`, (x, r) => {
    const [alpha, scale, inner] = ['alpha', 'scale', 'input_scale'].map((name) => r.number(name, 1));
    return Number(x) > 0 ? `${brief(scale)} · ${x}` : `${brief(alpha * scale)} · (e^${factor(brief(inner * Number(x)))} − 1)`;
  }),
  leaky_relu: unary((x, r) => `${x} where ${x} > 0, else ${r.attribute('negative_slope', '0.01')} ${x}`,
    (x, r) => (Number(x) > 0 ? x : `${r.attribute('negative_slope', '0.01')} · ${factor(x)}`)),

  tanh_backward: chain((y) => `(1 − ${y}²)`, (s, r, y) => `(1 − ${y}²)`),
  sigmoid_backward: chain((y) => `${y} · (1 − ${y})`, (s, r, y) => `${y} · (1 − ${y})`),
  threshold_backward: chain((x) => `(1 where ${x} > 0, else 0)`, (s) => (s > 0 ? '1' : '0')),
  selu_backward: chain((y) => `(λ where ${y} > 0, else ${y} + λ α); λ = 1.051, λ α = 1.758`,
    (s, r, y) => (s > 0 ? brief(LAMBDA) : `(${y} + ${brief(LAMBDA * ALPHA)})`)),
  elu_backward: chain((x, r) => (r.attribute('is_result') === 'true' ? `(1 where ${x} > 0, else ${x} + α)`
    : `(1 where ${x} > 0, else α e^${x})`) + ', times a scale', (s, r) => eluSlope(r, s)),
  leaky_relu_backward: chain((x, r) => `(1 where ${x} > 0, else ${r.attribute('negative_slope', '0.01')})`,
    (s, r) => (s > 0 ? '1' : r.attribute('negative_slope', '0.01'))),
  silu_backward: chain((x) => `σ(${x}) · (1 + ${x} · (1 − σ(${x})))`, (s) =>
    `${brief(sigmoidOf(s))} · (1 + ${factor(brief(s))} · ${brief(sigmoidOf(-s))})`),
  gelu_backward: chain((x) => `(Φ(${x}) + ${x} · φ(${x}))`, (s) =>
    `(${brief(normalOf(s))} + ${factor(brief(s))} · ${brief(Math.exp(-s * s / 2) / Math.sqrt(2 * Math.PI))})`),

  mse_loss: (r) => [`the ${r.attribute('reduction', 'mean')} of (${r.name(0)} − ${r.name(1)})²`, squares(r)],
  mse_loss_backward: (r) => {
    const [g, x, t] = [0, 1, 2].map((i) => r.own(i)), n = r.attribute('reduction') === 'mean' ? ` / ${r.count(1)}` : '';
    return [`${r.name(0)} · 2 (${r.name(1)} − ${r.name(2)})${n}`, g && x && t && `${factor(g)} · 2 · (${x} − ${factor(t)})${n}`];
  },
  softmax: (r) => {
    const line = alongOf(r, 0), own = r.own(0), sum = line && sumOfPowers(line);
    return [`e^${r.name(0)}[j] / Σₖ e^${r.name(0)}[k]`, own && (sum ? `e^${factor(own)} / (${sum})` : `e^${factor(own)} / Σₖ e^${r.name(0)}[k]`)];
  },
  softmax_backward: (r) => {
    const [g, y] = [r.own(0), r.own(1)], [gs, ys] = [alongOf(r, 0), alongOf(r, 1)];
    const sum = (gs && ys && products(gs.length, (k) => gs[k], (k) => ys[k])) || 'Σₖ g[k] y[k]';
    return [`y · (g − Σₖ g[k] y[k]) with g = ${r.name(0)}, y = ${r.name(1)}`, g && y && `${factor(y)} · (${g} − (${sum}))`];
  },
  log_softmax: (r) => {
    const line = alongOf(r, 0), own = r.own(0), sum = line && sumOfPowers(line);
    return [`${r.name(0)}[j] − log Σₖ e^${r.name(0)}[k]`, own && (sum ? `${own} − log(${sum})` : `${own} − log Σₖ e^${r.name(0)}[k]`)];
  },
  log_softmax_backward: (r) => {
    const [g, y] = [r.own(0), r.own(1)], gs = alongOf(r, 0);
    return ['g − p · Σₖ g[k] with p = softmax: behind a cross entropy this is (p − 1) / rows for the right class and p / rows for the others',
      g && y && `${g} − ${brief(Math.exp(Number(y)))} · ${gs ? `(${terms(gs.map(factor))})` : 'Σₖ g[k]'}`];
  },
  nll_loss: (r) => ['the mean over the rows of −log p of the right class', classes(r)],
  nll_loss_backward: words('−1 / rows at the right class of each row, 0 elsewhere, times what arrived'),
  bce_with_logits: words('the mean of −t log σ(x) − (1 − t) log(1 − σ(x))'),
  bce_with_logits_backward: (r) => [`${r.name(0)} · (σ(x) − t) / count`, null],
  reduce_sum: (r) => {
    const axes = r.attribute('axes', '').replace(/[[\]]/g, '');
    const over = axes === '' ? 'all axes' : /,/.test(axes) ? `the axes ${axes}` : `axis ${axes}`;
    return [`the sum of ${r.name(0)} over ${over}: what was used many times gets the sum of what its uses send`, column(r)];
  },
  mean: (r) => [`the mean of ${r.name(0)}`, null],
  layer_norm: words('(x − mean) / √(variance + ε) of each row, times a weight, plus a bias'),
  layer_norm_backward: words('what arrived, less its mean and less its part along the normalized row, divided by the deviation: a row’s shift and scale get no gradient'),
  rms_norm: words('x / √(mean of x² + ε) of each row, times a weight'),
  embedding: words('the rows of the table that the indices name'),
  embedding_dense_backward: words('each row of the table gets the sum of what arrived at its uses'),
  geglu: (r) => [`a · GELU(b), ${r.attribute('activate_left') === 'true' ? 'b and a' : 'a and b'} the halves of each row of ${r.name(0)}`, null],
  geglu_backward: words('to the half a: g · GELU(b); to the half b: g · a · (Φ(b) + b · φ(b))'),
  copy: (r) => [r.name(0), null],
  assign: (r) => [r.name(1), null],
  accumulate: (r) => {
    const decay = r.attribute('decay', '1'), [old, x] = [r.own(0), r.own(1)];
    return [`${r.name(1)} + ${decay} · ${r.name(0)}`, old && x && `${x} + ${decay} · ${factor(old)}`];
  },
  cat: (r) => [`${r.node.inputs.map((_, i) => r.name(i)).join(', then ')}, along axis ${r.number('dim', 0)}`, null],
  lstm: words('the last of h and c, all of h: at each time i, f, g, o = the four parts of W x + U h + b; c ← σ(f) · c + σ(i) · tanh(g), h ← σ(o) · tanh(c)'),
  lstm_backward: words('back through time: δc ← δc · σ(f) + δh · σ(o) · (1 − tanh(c)²); the parts of the gates get δc times their slopes, and W and U the sum over all times'),
  where: words('the second where the first is true, else the third'),
  dropout: words('0 where the mask says so, the rest scaled so that the mean stays'),
  apply_adam_w: (r) => [`m ← β₁ m + (1 − β₁) g, v ← β₂ v + (1 − β₂) g², w ← w − rate · (m̂ / (√v̂ + ε) + decay · w); ` +
    `β₁ = ${r.attribute('beta1', '0.9')}, β₂ = ${r.attribute('beta2', '0.999')}`, adamW(r)],
};

// The texts along the axis of a softmax, at the place of the element, or null where they are not all there.
function alongOf(r, i) {
  const shape = r.shape(i), axis = (r.number('dim', -1) + shape.length) % shape.length;
  const all = Array.from({length: shape[axis] ?? 0}, (_, k) => r.at(i, r.index.map((at, d) => (d === axis ? k : at))));
  return all.length === 0 || all.includes(null) || all.includes('…') ? null : all;
}

const terms = (all) => all.slice(0, 4).join(' + ') + (all.length > 4 ? ` + … (${all.length} terms)` : '');

// Of a sum of powers the first terms, and what it is.
function sumOfPowers(texts) {
  const sum = texts.reduce((all, text) => all + Math.exp(text === '-inf' ? -Infinity : Number(text)), 0);
  return `${terms(texts.map((text) => `e^${factor(text)}`))} = ${brief(sum)}`;
}

// The steps that are counted are those before this one.
function adamW(r) {
  const [w, m, v, g] = [0, 1, 2, 3].map((i) => r.own(i)), steps = r.at(4, [0]);
  if ([w, m, v, g, steps].includes(null)) return null;
  const [beta1, beta2, rate, decay, epsilon] = ['beta1', 'beta2', 'learning_rate', 'weight_decay', 'epsilon'].map((name) => r.number(name, 0));
  const time = Number(steps) + 1;
  const first = `(${beta1} · ${factor(m)} + ${brief(1 - beta1)} · ${factor(g)}) / ${brief(1 - beta1 ** time)}`;
  const second = `(${beta2} · ${factor(v)} + ${brief(1 - beta2)} · ${factor(g)}²) / ${brief(1 - beta2 ** time)}`;
  return `${w} − ${rate} · (${first} / (√(${second}) + ${epsilon})${decay ? ` + ${decay} · ${factor(w)}` : ''})`;
}

function squares(r) {
  const count = r.count(0), columns = r.shape(0).at(-1) ?? 1, terms = [];
  for (let i = 0; i < Math.min(3, count); ++i) {
    const index = r.shape(0).length > 1 ? [Math.floor(i / columns), i % columns] : r.shape(0).length ? [i] : [];
    const [x, t] = [r.at(0, index), r.at(1, index)];
    if (r.shape(0).length > 2 || x === null || t === null) return null;
    terms.push(`(${x} − ${factor(t)})²`);
  }
  const sum = terms.join(' + ') + (count > 3 ? ' + …' : '');
  return r.attribute('reduction') === 'mean' && count > 1 ? `(${sum}) / ${count}` : sum;
}

// What the right classes of the first rows add to a loss.
function classes(r) {
  const rows = r.count(1), terms = [];
  for (let i = 0; i < Math.min(3, rows); ++i) {
    const label = r.at(1, [i]), text = label === null ? null : r.at(0, [i, Number(label)]);
    if (text === null) return null;
    terms.push(factor(text));
  }
  return r.attribute('reduction') === 'mean' ? `−(${terms.join(' + ')}${rows > 3 ? ' + …' : ''}) / ${rows}` : null;
}

// The terms of a sum over the rows of a matrix.
function column(r) {
  if (r.attribute('axes') !== '[0]' || r.shape(0).length !== 2) return null;
  const rows = r.shape(0)[0], terms = [];
  for (let i = 0; i < Math.min(rows, 4); ++i) terms.push(r.at(0, [i, r.index.at(-1)]));
  return terms.includes(null) ? null : terms.map(factor).join(' + ') + (rows > 4 ? ` + … (${rows} terms)` : '');
}

// The formula of a node for the element at a flat index of its first output: what is computed, and how
// with numbers, as far as they are there. Empty without an entry.
export function formula(node, flat) {
  const rule = FORMULAS[node.op], out = node.outputs[0];
  if (!rule || out === undefined) return [];
  const shape = shapeOfValue(out), index = [];
  for (const extent of [...shape].reverse()) {
    index.unshift(flat % extent);
    flat = Math.floor(flat / extent);
  }
  const [symbols, numbers] = rule(new Reading(node, index)), result = elementAt(out, index);
  const place = index.length ? `[${index.join(', ')}]` : '';
  return [`${symbol(out)} ${/^(inplace_|apply_|accumulate|assign)/.test(node.op) ? '←' : '='} ${symbols}`, numbers && result ? `${place || symbol(out)} = ${numbers} = ${result}` : null];
}
