// SPDX-License-Identifier: Apache-2.0
'use strict';
// What went wrong stands in the page itself, so that a test sees it.
addEventListener('error', (event) => { document.body.dataset.error = event.message; });

export const byId = (id) => document.getElementById(id);

// The part of the address after '#', as in "#position=3&theme=dark".
export const address = {
  get(key) { return new URLSearchParams(location.hash.slice(1)).get(key); },
  set(key, value) {
    const all = new URLSearchParams(location.hash.slice(1));
    all.set(key, value);
    history.replaceState(null, '', '#' + all);
  },
};

// A list in the address.
export function listed(key) {
  try {
    const list = JSON.parse(address.get(key) ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

export const theme = {
  button: byId('theme'),
  system: matchMedia('(prefers-color-scheme: dark)'),
  now() { return address.get('theme') || (theme.system.matches ? 'dark' : 'light'); },
  show() {
    document.documentElement.dataset.theme = theme.now();
    if (theme.button) theme.button.textContent = theme.now() === 'dark' ? 'Light' : 'Dark';
  },
};
theme.show();
theme.system.addEventListener('change', theme.show);
if (theme.button) {
  theme.button.addEventListener('click', () => {
    address.set('theme', theme.now() === 'dark' ? 'light' : 'dark');
    theme.show();
  });
}

// An element with attributes and children; strings become text, never markup.
export function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== ''));
  return element;
}

// make() for a part of a drawing; the browser knows the address that names the kind.
const drawings = document.createElement('template');
drawings.innerHTML = '<svg></svg>';
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(drawings.content.firstChild.namespaceURI, tag);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
