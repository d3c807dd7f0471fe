// SPDX-License-Identifier: Apache-2.0
// A graph folded by module: what is drawn are items, each a node or all nodes of a closed module in one
// pass. `fold.open` has the modules that are open.
import {address, byId} from './shared.js';
import {BOX_HEIGHT, LANES} from './layout.js';

export const data = JSON.parse(byId('data').textContent);

// A live page on a projector: large, and of the graph forward alone, each box with its gradient.
export let presenting = byId('live') !== null && address.get('present') === '1';
export const setPresenting = (on) => { presenting = on; };
document.documentElement.classList.toggle('presenting', presenting);

export const fold = {
  open: new Set(),
  groups: new Map(),  // by path, of each module with several nodes
  of: [],             // for each node the paths of its groups, from the outside in
  sizes: new Map(),   // how many nodes a module has in a pass, by the key of that item
};
{
  const sizes = new Map();
  const around = data.nodes.map((node) => {
    const parts = node.module ? node.module.split('.') : [];
    const paths = parts.map((_, i) => parts.slice(0, i + 1).join('.'));
    for (const path of paths) sizes.set(path, (sizes.get(path) || 0) + 1);
    return paths;
  });
  // Of modules with the same nodes the innermost counts.
  fold.of = around.map((paths) => paths.filter((path, i) =>
    sizes.get(path) > 1 && sizes.get(path) !== sizes.get(paths[i + 1])));
  fold.of.forEach((paths, id) => paths.forEach((path, depth) => {
    const holds = fold.groups.get(path)?.holds || depth + 1 < paths.length;  // other modules
    fold.groups.set(path, {path, depth, holds});
    const key = `${path} ${data.nodes[id].pass}`;
    fold.sizes.set(key, (fold.sizes.get(key) || 0) + 1);
  }));
}

// The key of the item that a node is drawn as: its number, or that of a closed module with other nodes.
export function itemOf(id) {
  const key = `${fold.of[id].find((path) => !fold.open.has(path))} ${data.nodes[id].pass}`;
  return fold.sizes.get(key) > 1 ? key : id;
}

// The text of a path or name within a module.
const within = (name, path) => (path && name.startsWith(path + '.') ? name.slice(path.length + 1) : name);

// Of a module within another; a bare number says too little.
export const moduleName = (path, outer) => (/^\d/.test(within(path, outer)) ? path.split('.').slice(-2).join('.') : within(path, outer));

// Items in an order in which those that are read come first, and what layOut() asks of them. One that is not
// drawn has the index -1.
export function foldedItems() {
  const byKey = new Map();
  data.nodes.forEach((node, id) => {
    const key = itemOf(id);
    if (!byKey.has(key)) {
      const path = typeof key === 'string' ? key.slice(0, key.lastIndexOf(' ')) : null;
      const closed = fold.of[id].findIndex((group) => !fold.open.has(group));
      const outer = closed < 0 ? fold.of[id] : fold.of[id].slice(0, closed);
      byKey.set(key, {key, path, ids: [], pass: node.pass, groups: outer});
    }
    byKey.get(key).ids.push(id);
  });
  const all = [...byKey.values()];
  for (const item of all) {
    const read = item.ids.flatMap((id) => data.nodes[id].inputs.map((value) => data.values[value]))
      .filter((value) => value).map((value) => byKey.get(itemOf(value.node)));
    item.reads = [...new Set(read)].filter((other) => other !== item);
    item.waits = item.reads.length;
    item.readers = [];
  }
  for (const item of all) item.reads.forEach((other) => other.readers.push(item));
  // A module that was called again may wait for itself: then the first of those that wait goes on.
  const sorted = [], left = new Set(all);
  while (left.size) {
    let next = null;
    for (const item of left) {
      if (next === null || item.waits < next.waits) next = item;
      if (next.waits === 0) break;
    }
    left.delete(next);
    sorted.push(next);
    next.readers.forEach((reader) => --reader.waits);
  }
  const drawn = presenting ? sorted.filter(({pass}) => pass === 'forward') : sorted;
  for (const item of sorted) item.index = -1;
  drawn.forEach((item, i) => { item.index = i; });
  for (const item of sorted) {
    item.lane = LANES.indexOf(item.pass);
    item.inputs = item.reads.map((other) => other.index).filter((index) => index >= 0);
    const beside = item.ids.map((id) => data.nodes[id].of).filter((id) => id !== undefined)
      .map((id) => byKey.get(itemOf(id))).filter((other) => other.pass === 'forward');
    item.beside = [...new Set(beside)].map((other) => other.index).filter((index) => index >= 0);
    item.source = item.ids.every((id) => data.nodes[id].kind === 'source');
  }
  return sorted;
}

// The places of the outlines of open modules, in those lanes where nothing else stands within them.
export function outlinesOf(items, layout) {
  const outlines = [];
  for (const {path, depth} of fold.groups.values()) {
    for (const pass of LANES) {
      const inLane = items.filter((item) => item.pass === pass);
      const own = inLane.filter((item) => item.groups.includes(path));
      if (!own.length) continue;
      const boxOf = (item) => {
        const [x, y] = layout.corners[item.index];
        return {left: x, right: x + item.width, top: y, bottom: y + BOX_HEIGHT};
      };
      const boxes = own.map(boxOf);
      const [left, top] = ['left', 'top'].map((side) => Math.min(...boxes.map((box) => box[side])));
      const [right, bottom] = ['right', 'bottom'].map((side) => Math.max(...boxes.map((box) => box[side])));
      const hit = inLane.some((item) => {
        const box = boxOf(item);
        return !own.includes(item) && box.left < right && box.right > left && box.top < bottom && box.bottom > top;
      });
      const room = 3 * Math.max(1, 4 - depth);  // around; outer outlines are wider
      if (!hit) outlines.push({path, pass, depth, left: left - room, top: top - room, right: right + room, bottom: bottom + room});
    }
  }
  return outlines;
}
