// SPDX-License-Identifier: Apache-2.0
// Lessons as a column beside the graph. A lesson is Markdown; a comment at the end of an instruction says what
// its button does and what is to be seen then:
//
//   1. Choose the activation **none**. The loss is 0.427731. <!-- do choose activation none, see loss 0.427731 -->
//
// Several actions, and several things to see, are separated by semicolons; guide_words.js has the words.
import {address, byId, make} from '../../../framework/page/shared.js';
import {carryOut, isSeen} from './guide_words.js';
import {live, say, setText} from './live.js';
import {markdown} from './markdown.js';

// What is left to do, and what has been seen, outlive the page, which a choice loads anew.
const memory = {
  get() { try { return JSON.parse(sessionStorage.getItem('guide')) ?? {}; } catch { return {}; } },
  set(what) { try { sessionStorage.setItem('guide', JSON.stringify({...memory.get(), ...what})); } catch {} },
};

function partsOf(comment) {
  const [, acts = '', sights = ''] = /^\s*(?:do ([^]*?))?(?:,?\s*see ([^]*))?\s*$/.exec(comment) ?? [];
  const split = (text) => text.split(';').map((one) => one.replace(/\s+/g, ' ').trim()).filter(Boolean);
  return {acts: split(acts), sights: split(sights)};
}

export const guide = {
  place: byId('guide'),
  instructions: [],  // {item, acts, sights, line} of the lesson on show
  lesson: null,
  busy: false,

  build() {
    byId('lessons').hidden = live.lessons.length === 0;
    live.lessons.forEach((text, i) => byId('lessons').append(make('option', {value: i}, /^# (.*)/.exec(text)[1])));
    byId('lessons').addEventListener('change', () => guide.open(byId('lessons').value));
    guide.open(address.get('lesson') ?? '');
    guide.goOn(guide.rest());
  },

  open(lesson) {
    const text = lesson === '' ? undefined : live.lessons[lesson];
    guide.lesson = text ? lesson : null;
    byId('lessons').value = text ? lesson : '';
    if (text || address.get('lesson')) address.set('lesson', text ? lesson : '');
    if (memory.get().lesson !== guide.lesson) memory.set({lesson: guide.lesson, seen: [], rest: []});
    guide.place.hidden = !text;
    document.body.classList.toggle('guided', Boolean(text));
    guide.instructions = [];
    guide.place.replaceChildren();
    if (!text) return;
    const close = make('button', {type: 'button', class: 'close', 'aria-label': 'close the lesson'}, '×');
    close.addEventListener('click', () => guide.open(''));
    // What comes after the question is for readers of the source.
    guide.place.append(close, ...markdown(text.replace(/\n## Read on[^]*$/, '\n'), guide.instruct));
    guide.instructions.forEach((one, i) => { one.seen = (memory.get().seen ?? []).includes(i); });
    guide.look();
  },

  instruct(item, comment) {
    const {acts, sights} = partsOf(comment);
    if (acts.length + sights.length === 0) return;
    const button = make('button', {type: 'button', class: 'switch'}, 'Do it'), line = make('span', {class: 'sight', 'aria-live': 'polite'});
    button.addEventListener('click', () => guide.carryOut(acts));
    item.append(make('div', {class: 'line'}, acts.length ? button : '', line));
    guide.instructions.push({item, acts, sights, line, seen: false});
  },

  // Where an action loads the page anew, the new one goes on with the rest.
  async carryOut(acts) {
    guide.busy = true;
    memory.set({rest: acts});
    for (const [i, act] of acts.entries()) {
      memory.set({rest: acts.slice(i + 1)});
      try {
        await carryOut(act);
      } catch (error) {
        memory.set({rest: []});
        say(error.message, true);
        break;
      }
    }
    guide.busy = false;
    guide.look();
  },
  rest: () => memory.get().rest ?? [],
  goOn(rest) { if (rest.length) guide.carryOut(rest); },

  // Which of the things that the lesson claims are on the screen.
  look() {
    for (const [i, one] of guide.instructions.entries()) {
      if (one.sights.length === 0) continue;
      const seen = one.sights.every(isSeen);
      if (seen && !one.seen) memory.set({seen: [...memory.get().seen ?? [], i]});
      one.seen ||= seen;
      one.item.classList.toggle('seen', seen);
      setText(one.line, seen ? '✓ on the screen' : one.seen ? '✓ seen' : '');
    }
  },
};

// A walk through operators, the panel and the editor show other things without a frame.
for (const event of ['shown', 'walked', 'moved']) document.addEventListener(event, () => requestAnimationFrame(guide.look));
