// SPDX-License-Identifier: Apache-2.0
// The Markdown of a lesson as elements: headings, paragraphs, lists, tables, code, and a part that is folded
// away. Links are shown by their words, as a page leads nowhere else.
import {make} from '../../../framework/page/shared.js';

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\([^)]*\)/g;

function inline(text) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const [all, code, strong, emphasis, link] = found;
    parts.push(text.slice(at, found.index), code ? make('code', {}, code) : strong ? make('b', {}, strong)
      : emphasis ? make('em', {}, emphasis) : make('span', {}, link));
    at = found.index + all.length;
  }
  return [...parts, text.slice(at)];
}

function table(lines) {
  const cells = (line) => line.trim().replace(/^\||\|$/g, '').split('|').map((cell) => cell.trim());
  const [head, , ...rows] = lines.map(cells);
  return make('table', {}, make('tr', {}, head.map((cell) => make('th', {}, inline(cell)))),
    rows.map((row) => make('tr', {}, row.map((cell) => make('td', {}, inline(cell))))));
}

const kindOf = (line) => (/^#+ /.test(line) ? 'heading' : /^```/.test(line) ? 'code' : /^\|/.test(line) ? 'table' : /^\d+\. /.test(line) ? 'numbered'
  : /^\* /.test(line) ? 'list' : /^<details>/.test(line) ? 'folded' : /^<!--/.test(line) ? 'comment' : line.trim() === '' ? 'empty' : 'text');

// Takes the lines of one block from the front; those of an item are indented.
function takeBlock(lines, kind) {
  const taken = [lines.shift()];
  const ends = {code: (line) => /^```/.test(line), folded: (line) => /^<\/details>/.test(line), comment: (line) => /-->/.test(line)}[kind];
  if (ends) {
    if (kind === 'comment' && ends(taken[0])) return taken;
    while (lines.length && !ends(lines[0])) taken.push(lines.shift());
    if (lines.length) taken.push(lines.shift());
  } else if (kind === 'table') {
    while (lines.length && /^\|/.test(lines[0])) taken.push(lines.shift());
  } else if (kind === 'numbered' || kind === 'list') {
    while (lines.length && (/^ +/.test(lines[0]) || (lines[0] === '' && /^ +\S/.test(lines[1] ?? '')))) taken.push(lines.shift());
  } else if (kind === 'text') {
    while (lines.length && kindOf(lines[0]) === 'text') taken.push(lines.shift());
  }
  return taken;
}

// Calls instruct(item, comment) for each numbered item, with what stands in a comment within it.
export function markdown(text, instruct) {
  const lines = text.split('\n'), made = [];
  while (lines.length) {
    const kind = kindOf(lines[0]), block = takeBlock(lines, kind);
    if (kind === 'heading') made.push(make(`h${Math.min(4, /^#+/.exec(block[0])[0].length + 1)}`, {}, inline(block[0].replace(/^#+ /, ''))));
    else if (kind === 'code') made.push(make('pre', {}, block.slice(1, -1).join('\n')));
    else if (kind === 'table') made.push(table(block));
    else if (kind === 'text') made.push(make('p', {}, inline(block.join(' '))));
    else if (kind === 'folded') {
      const [, summary, first] = /^<details><summary>(.*)<\/summary>(.*)/.exec(block[0]);
      made.push(make('details', {}, make('summary', {}, summary), markdown([first, ...block.slice(1, -1)].join('\n'), instruct)));
    } else if (kind === 'numbered' || kind === 'list') {
      const comment = /<!--([^]*?)-->/.exec(block.join('\n'));
      const inner = block.join('\n').replace(/<!--[^]*?-->/, '').replace(/^(\d+\.|\*) /, '').replace(/\n {2,4}/g, '\n').trim();
      const item = make('li', {}, markdown(inner, instruct));
      const ordered = kind === 'numbered', list = made.at(-1);
      if (list?.matches?.(ordered ? 'ol' : 'ul')) list.append(item);
      else made.push(make(ordered ? 'ol' : 'ul', {}, item));
      if (ordered) instruct(item, comment?.[1] ?? '');
    }
  }
  return made;
}
