// SPDX-License-Identifier: Apache-2.0
// How the page is looked at: presented on a projector, a card made large, and the ways past the controls for
// who has no pointer. What is presented stands in the address.
import {address, byId, make} from '../../../framework/page/shared.js';
import {presenting, setPresenting} from '../../../framework/page/fold.js';
import {go, graph, position} from '../../../framework/page/graph.js';
import {draw, presentedScale, widthScale, zoom} from '../../../framework/page/view.js';
import {showFrame} from './live.js';
import {focusCell} from './panel.js';
import {ink, Picture} from './pictures.js';

export const present = {
  set(on) {
    setPresenting(on);
    address.set('present', on ? '1' : '0');
    present.show();
    draw();
    zoom(on ? presentedScale() : Math.max(0.6, widthScale()));
    go(position);
    showFrame();
  },
  show() {
    document.documentElement.classList.toggle('presenting', presenting);
    byId('present').setAttribute('aria-pressed', presenting);
    ink.read();
    Picture.all.forEach((picture) => picture.draw());
  },
  build() {
    byId('present').setAttribute('aria-pressed', presenting);
    byId('skip-graph').addEventListener('click', () => (graph.querySelector('.node.now') ?? graph.querySelector('.node'))?.focus());
    byId('skip-panel').addEventListener('click', () => {
      const cell = byId('details').querySelector('.cells td');
      if (cell) focusCell(cell); else byId('details').focus();
    });
    document.addEventListener('keydown', ({key}) => { if (key === 'Escape') present.enlarge(null); });
  },

  // One card fills the window, or none does.
  enlarge(card) {
    for (const one of document.querySelectorAll('.card')) {
      const large = one === card && !one.classList.contains('large');
      one.classList.toggle('large', large);
      one.querySelector('.enlarge').setAttribute('aria-pressed', large);
    }
  },
  button(card) {
    const button = make('button', {type: 'button', class: 'switch enlarge', 'aria-pressed': 'false', 'aria-label': 'large',
      title: 'large; again, or Esc: as before'}, '⤢');
    button.addEventListener('click', () => present.enlarge(card));
    return button;
  },
};
