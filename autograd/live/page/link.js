// SPDX-License-Identifier: Apache-2.0
// What the run is like stands in the address: what was chosen, the step, what was changed on the way and what
// is set by hand. Who opens such a link sees the same bits, trained again; a page whose run ends with it goes
// on where it was.
import {address} from '../../../framework/page/shared.js';
import {exchange} from './exchange.js';
import {live, newest, say, send} from './live.js';

// Empty parts are left out.
const textOf = (frame) => JSON.stringify(Object.fromEntries(Object.entries(frame.link)
  .filter(([, part]) => typeof part === 'number' || Object.keys(part).length > 0)));

export const link = {
  written: address.get('run'),
  timer: null,

  // Nothing is written before something has happened. Browsers limit how often an address may change.
  note(frame) {
    if (frame.number === live.frame.number) return;
    if (frame.graph !== live.graph) return link.write(frame);
    link.timer ??= setTimeout(() => link.write(newest), frame.playing ? 1000 : 100);
  },
  write(frame) {
    clearTimeout(link.timer);
    link.timer = null;
    const text = textOf(frame);
    if (text === link.written) return;
    link.written = text;
    address.set('run', text);
  },

  async follow() {
    const text = address.get('run');
    if (text === null || text === textOf(newest)) return;
    link.written = text;
    let to = null;
    try {
      to = JSON.parse(text);
    } catch {}
    if (to === null || typeof to !== 'object') return say('The link is broken: its part “run” cannot be read. Nothing was changed.', true);
    await send({...to, do: 'restore'});
  },

  // A run that outlives its page is where it was, or further, when the page is loaded anew; one that does not
  // has been led there before this page was made.
  begin() {
    const [how] = performance.getEntriesByType('navigation');
    if (exchange.outlives && how?.type === 'navigate') link.follow();
    addEventListener('hashchange', () => { if (address.get('run') !== link.written) link.follow(); });
  },
};
