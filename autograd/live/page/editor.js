// SPDX-License-Identifier: Apache-2.0
// One element of a tensor: its number, to be typed or dragged, its past, and its gradient, to be checked
// by differences.
import {byId, make} from '../../../framework/page/shared.js';
import {number} from '../../../framework/page/chart.js';
import {data, itemOf} from '../../../framework/page/fold.js';
import {elementName, elementText, rowIndex} from '../../../framework/page/graph.js';
import {items} from '../../../framework/page/view.js';
import {elementAt, symbol} from './formulas.js';
import {asking, isNone, live, newest, now, numberIn, say, send, sendLatest, setText} from './live.js';
import {elementOf, focusCell, grids, mark, past, setChosen, showFormula} from './panel.js';
import {Picture, plot} from './pictures.js';

export const editor = {
  place: byId('editor'),
  element: null,  // {value, index, tensor, row, column}
  drag: null,     // {from, x, y} while dragged

  title: ({value, tensor, row, column}) => symbol(value) + elementName(tensor, row, column).replace('[]', ''),
  isWhole: ({value}) => /^u?int/.test(data.values[value].spec),
  text({value, index, tensor}) {
    const edit = now.edited.find((one) => one.value === value && one.index === index);
    return edit ? elementText(Number(edit.to)) :
      elementAt(value, tensor.shape.length > 1 ? [...rowIndex(tensor, Math.floor(index / tensor.columns)).split(', ').map(Number), index % tensor.columns]
        : tensor.shape.length ? [index] : []);
  },
  // How much a pixel of dragging changes.
  unit({tensor}) { return Math.max(tensor.scale || 0, 0.1) / 150; },

  build() {
    const button = (text, act, more) => {
      const one = make('button', {type: 'button', ...more}, text);
      one.addEventListener('click', act);
      return one;
    };
    editor.heading = make('b');
    editor.kind = make('div', {class: 'faint kind'});
    editor.field = make('input', {type: 'text', inputmode: 'decimal', 'aria-label': 'the number', autocomplete: 'off'});
    editor.bar = make('div', {class: 'scrub', role: 'slider', tabindex: 0, 'aria-label': 'drag to change'}, make('span', {}, '◂ drag ▸'));
    editor.spark = new Picture('its past', (pen, width, height) => {
      if (editor.element) plot(pen, width, height, [past.of(editor.element)]);
    });
    editor.slope = make('span');
    editor.check = button('Check', () => editor.askCheck(), {title: 'compare with difference quotients, in float64'});
    editor.release = button('Release', () => editor.element && send({do: 'release', value: editor.element.value}), {title: 'let it be computed again'});
    editor.tableau = make('div', {class: 'tableau', 'aria-live': 'polite'});
    editor.gradient = make('div', {class: 'line'}, editor.slope, editor.check);
    editor.place.append(make('div', {class: 'line'}, editor.heading, button('×', editor.close, {'aria-label': 'close', class: 'close'})), editor.kind,
      make('div', {class: 'line'}, editor.field, editor.bar, editor.release), editor.spark.element, editor.gradient, editor.tableau);
    editor.wire();
  },

  wire() {
    const {field, bar, place} = editor, panel = byId('details');
    // What is typed holds at once. The text that was there, and what is no number, change nothing, also where
    // numbers stood on the way to it.
    field.addEventListener('focus', () => { Object.assign(editor, {shown: field.value, typed: false}); });
    field.addEventListener('input', () => {
      const to = numberIn(field.value);
      if (field.value.trim() === editor.shown) return editor.takeBack();
      if (to === null) return;
      editor.typed = true;
      editor.set(to);
    });
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') field.blur();
      editor.nudge(event, ['ArrowUp', 'ArrowDown']);
    });
    field.addEventListener('blur', () => {
      if (editor.element && numberIn(field.value) === null && field.value !== editor.shown) {
        editor.takeBack();
        say(`${isNone(field.value)} no number. Nothing was changed.`, true);
      }
      editor.typed = false;
      editor.show();
    });
    bar.addEventListener('keydown', (event) => editor.nudge(event, ['ArrowUp', 'ArrowDown', 'ArrowRight', 'ArrowLeft']));
    bar.addEventListener('pointerdown', (event) => { bar.setPointerCapture(event.pointerId); editor.grab(event); });
    place.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      const cell = editor.cell();
      editor.close();
      if (cell) focusCell(cell);
    });
    // A click on a cell opens it; dragging a cell with the mouse changes it right away.
    let pressed = null;
    panel.addEventListener('pointerdown', (event) => {
      const cell = event.target.closest('.cells td'), element = elementOf(cell);
      pressed = element && event.button === 0 ? {element, cell, x: event.clientX, y: event.clientY, event} : null;
      if (pressed && event.pointerType !== 'touch') event.preventDefault();  // text is not selected
    });
    addEventListener('pointermove', (event) => {
      if (pressed && !editor.drag && event.pointerType !== 'touch' && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 4) {
        editor.open(pressed.element, pressed.cell, false);
        editor.grab(pressed.event);
      }
      editor.move(event);
    });
    for (const end of ['pointerup', 'pointercancel']) {
      addEventListener(end, () => {
        pressed = null;
        if (editor.drag) setTimeout(() => { editor.drag = null; place.classList.remove('dragged'); });  // behind the click
      });
    }
    panel.addEventListener('click', (event) => {
      const cell = event.target.closest('.cells td'), element = elementOf(cell);
      if (element && !editor.drag) editor.open(element, cell, event.pointerType === 'mouse');
    });
    byId('scroll').addEventListener('pointerdown', editor.close);
  },

  // What was typed since the field was entered.
  async takeBack() {
    if (!editor.typed) return;
    editor.typed = false;
    const {value, index} = editor.element, before = Number(editor.shown);
    await asking;
    if (live.limits.back && newest.undo === 'edit') send({do: 'undo'});
    else if (Number.isFinite(before)) sendLatest('set', {do: 'set', value, index, to: before});
  },
  cell: () => byId('details').querySelector('td.chosen'),

  open(element, cell, focus = true) {
    const {value, tensor} = element, {field, place} = editor;
    if (editor.element?.value !== value || editor.element.index !== element.index) editor.tableau.replaceChildren();
    editor.element = element;
    setChosen(element);
    past.note(now);
    const node = data.nodes[data.values[value].node];
    setText(editor.heading, editor.title(element));
    setText(editor.kind, node.op === 'variable' ? 'a weight: holds until training changes it'
      : `${node.kind === 'source' ? 'an input' : 'a result'}: stays as it is set until it is released or the next training step`);
    place.hidden = false;
    grids().forEach(mark);
    editor.show(true);
    // Beside the panel where there is room; its right edge stays when it grows.
    const near = cell.getBoundingClientRect(), beside = innerWidth - byId('details').getBoundingClientRect().left + 10;
    const fits = beside + place.offsetWidth < innerWidth;
    place.style.right = `${fits ? beside : Math.max(8, Math.min(innerWidth - near.right, innerWidth - place.offsetWidth - 8))}px`;
    place.style.top = `${Math.max(8, Math.min(fits ? near.top - 40 : near.bottom + 8, innerHeight - place.offsetHeight - 8))}px`;
    if (focus) {
      field.focus({preventScroll: true});
      field.select();
    }
    showFormula();
  },
  close() {
    if (editor.place.contains(document.activeElement)) document.activeElement.blur();  // keys are the page's from now on
    editor.place.hidden = true;
    editor.element = null;
  },

  show(anew = false) {
    const {element, field, drag} = editor;
    if (!element) return;
    const {value, index} = element, gradient = data.values[value].gradient;
    const text = editor.text(element);
    if (anew || (document.activeElement !== field && !drag)) field.value = text ?? '';
    // A number has no bounds; the tensor's own say where it stands among the others.
    const at = Number(text), ends = [Number(element.tensor.low ?? at), Number(element.tensor.high ?? at), at].filter(Number.isFinite);
    for (const [name, to] of Object.entries({now: Number.isFinite(at) ? at : '', min: Math.min(...ends), max: Math.max(...ends), text: text ?? ''})) {
      editor.bar.setAttribute('aria-value' + name, Number.isNaN(to) || Math.abs(to) === Infinity ? '' : to);
    }
    editor.release.hidden = !now.edited.some((one) => one.value === value && one.index === index);
    editor.gradient.hidden = gradient === undefined;
    if (gradient !== undefined) setText(editor.slope, `its gradient is ${editor.text({...element, value: gradient, tensor: data.values[gradient].tensor}) ?? '…'}`);
    editor.spark.draw();
  },

  // The number as the page can say it: a few digits more than dragging changes.
  set(to) {
    const {element, field, bar} = editor;
    if (editor.isWhole(element)) to = Math.round(to);
    if (document.activeElement !== field || editor.drag) field.value = number(to, 5);
    bar.style.setProperty('--at', `${Math.round(to / editor.unit(element)) % 1000}px`);
    sendLatest('set', {do: 'set', value: element.value, index: element.index, to});
  },
  grab(event) {
    const from = Number(editor.field.value), {tensor} = editor.element;
    // Where all are positive and decades apart, a pixel is a factor.
    const decades = Number(tensor.low) > 0 && Number(tensor.high) / Number(tensor.low) > 100;
    editor.drag = {from: Number.isFinite(from) ? from : 0, x: event.clientX, y: event.clientY, decades, unit: editor.unit(editor.element)};
    editor.place.classList.add('dragged');
  },
  move(event) {
    const {drag} = editor;
    if (!drag || !editor.element) return;
    const way = (event.clientX - drag.x + drag.y - event.clientY) * (event.shiftKey ? 0.1 : 1);
    const grain = 10 ** Math.floor(Math.log10(drag.unit));
    const unit = editor.isWhole(editor.element) ? 0.05 : drag.unit;
    editor.set(drag.decades ? drag.from * Math.exp(way / 60) : Number((Math.round((drag.from + way * unit) / grain) * grain).toPrecision(8)));
  },
  nudge(event, keys) {
    if (!keys.includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const up = ['ArrowUp', 'ArrowRight'].includes(event.key) ? 1 : -1, nudge = editor.isWhole(editor.element) ? 1 : 5 * editor.unit(editor.element);
    const to = Number(editor.field.value) + up * nudge * (event.shiftKey ? 0.1 : 1);
    if (Number.isFinite(to)) editor.set(Number(to.toPrecision(6)));
    editor.field.value = number(to, 5);
  },

  async askCheck() {
    if (!editor.element) return;
    const {value, index} = editor.element;
    setText(editor.tableau, 'computing …');
    const answer = await send({do: 'check', value, index});
    if (editor.element?.value !== value || editor.element.index !== index) return;
    if (!answer) return editor.tableau.replaceChildren();
    const {verdict, shown, ours, slope, error, rows, dtype, sentence} = answer.check;
    const word = {agrees: '✓ agrees', differs: '✗ differs', unclear: '? cannot be judged', edited: '✗ edited'}[verdict];
    const line = (name, text) => [make('dt', {}, name), make('dd', {}, text)];
    editor.tableau.replaceChildren(
      make('div', {class: `verdict ${verdict}${['differs', 'edited'].includes(verdict) ? ' bad' : ''}`}, word, make('span', {class: 'faint'}, ` in ${dtype}`)),
      make('dl', {}, line('on show', shown), line('ours', ours), line('by differences', slope), line('give or take', error)),
      make('p', {}, sentence),
      make('div', {class: 'triangle', tabindex: 0, role: 'region', 'aria-label': 'difference quotients'}, make('table', {},
        make('tr', {}, make('th', {}, 'h'), make('th', {}, 'difference'), rows.slice(1).map((_, i) => make('th', i ? {role: 'presentation'} : {}, i ? '' : 'extrapolated'))),
        rows.map(({h, quotients}) => make('tr', {}, make('th', {}, h), quotients.map((text) => make('td', {}, text)))))));
    const box = editor.place.getBoundingClientRect();
    if (box.bottom > innerHeight) editor.place.style.top = `${Math.max(8, innerHeight - box.height - 8)}px`;
  },

  // What stands overridden, each with a button that releases its value.
  listed: '',
  list(edited) {
    const text = JSON.stringify(edited);
    if (text === editor.listed) return;
    editor.listed = text;
    const few = 3, names = [...new Set(edited.map((one) => one.value))];
    const chip = (label, title, act) => {
      const one = make('button', {type: 'button', class: 'chip', title}, label + ' ×');
      one.addEventListener('click', act);
      return one;
    };
    const label = (value) => {
      const own = edited.filter((one) => one.value === value);
      if (own.length > 1) return `${symbol(value)}: ${own.length} elements`;
      const {tensor} = data.values[value], {index, to} = own[0];
      return `${symbol(value)}${elementName(tensor, Math.floor(index / tensor.columns), index % tensor.columns)} = ${elementText(Number(to))}`;
    };
    byId('edited').hidden = edited.length === 0;
    byId('edited').replaceChildren(...names.slice(0, few).map((value) =>
      chip(label(value), 'release: it is computed again', () => send({do: 'release', value}))),
    ...(names.length > 1 ? [chip('all', 'release all', () => send({do: 'release'}))] : []));
    const held = new Set(names.map((value) => itemOf(data.values[value].node)));
    items.forEach((item) => item.box.classList.toggle('held', held.has(item.key)));
  },
};
