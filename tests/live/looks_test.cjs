// SPDX-License-Identifier: Apache-2.0
// How the page of a live network looks and is reached: for page_test.cjs.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');

// Boxes and cards that a lesson tells its reader to look for.
function namesIn(lesson) {
  const text = fs.readFileSync(lesson, 'utf8').replace(/\s+/g, ' ');
  return [...text.matchAll(/(?:[Bb]ox(?:es)?|[Cc]lick|[Cc]ards?|[Oo]utline) \*([^*=]+)\*/g)].map(([, name]) => name);
}

// A formula's numbers as a function of how much each is off: what is shown has four digits.
function computed(text) {
  const plain = text.replace(/ = [-\d.e]+\)/g, ')')  // what a sum within is, said beside it
    .replaceAll('−', '-').replaceAll('·', '*').replaceAll('²', '**2')
    .replace(/-?\d[\d.]*(e[-+]?\d+)?|-inf/g, (number, _, at, all) => (all.slice(at - 2, at) === '**' ? number : `near(${number.replace('inf', 'Infinity')})`))
    .replace(/e\^/g, 'Math.E**').replace(/√|log|max|tanh/g, (name) => ({'√': 'Math.sqrt', log: 'Math.log', max: 'Math.max', tanh: 'Math.tanh'})[name])
    .replace(/Math.sqrtnear/g, 'Math.sqrt near').replace(/(\d|\)) near/g, '$1*near').replace(/near\(-/g, '-near(');
  const known = plain.replace(/near|Math\.(E|sqrt|log|max|tanh)|Infinity|[-+*/().,\d\se]/g, '');
  if (known !== '') return null;
  return new Function('near', `return ${plain.replace(/(^|[(+*/-] ?)-near\(/g, '$1(-1)*near(')};`);
}

exports.ofTheNetwork = ({open, choose, press, network}) => ({
  async 'presented it can be read from the last row'() {
    const page = await open('#present=1', {width: 1920, height: 1080});
    await page.bringToFront();
    const seen = () => page.evaluate(() => ({
      boxes: [...document.querySelectorAll('.node')].map((box) => ({pass: box.classList.item(1), texts: ['.what', '.value', '.slope'].map((part) => {
        const one = box.querySelector(part);
        return one && {text: one.textContent, size: parseFloat(getComputedStyle(one).fontSize) * scale, cut: one.scrollWidth > one.clientWidth + 1};
      })})),
      cards: [...document.querySelectorAll('.card h2 > span')].map((title) => ({text: title.textContent, cut: title.scrollHeight > title.clientHeight + 2})),
      text: document.body.innerText, wide: document.documentElement.scrollWidth > innerWidth,
      fills: Math.max(natural.width * scale / pane.clientWidth, natural.height * scale / pane.clientHeight),
    }));
    const {boxes, cards, text, wide, fills} = await seen();
    assert.ok(boxes.length > 5 && boxes.every(({pass}) => pass === 'forward'));
    for (const {texts: [title, value, slope]} of boxes) {
      assert.ok(title.size >= 19 && value.size >= 17 && slope.size >= 17, `${title.text}: ${title.size} and ${value.size} pixels`);
      assert.ok(!title.cut && !value.cut && !slope.cut, `${title.text} is cut`);
    }
    assert.ok(boxes.some(({texts: [, value, slope]}) => value.text && /^∂ -?[\d[]/.test(slope.text)), 'no value has its gradient');
    for (const card of cards) assert.ok(!card.cut, card.text);
    assert.ok(!/aclnn/.test(text) && !wide);
    assert.ok(fills > 0.95, `the graph takes ${fills} of its pane`);
    await press(page, 'l');
    assert.equal(await page.evaluate(() => [...document.querySelectorAll('.slope')].some((one) => one.textContent)), false, 'a gradient before backward');
    // Backward lights the box that a gradient comes to, and it is in the window.
    await press(page, 'g');
    const arrived = await page.evaluate(() => [...document.querySelectorAll('.node.lit, .node.returning')].map((box) => {
      const [one, seen] = [box.getBoundingClientRect(), pane.getBoundingClientRect()];
      return one.bottom > seen.top && one.top < seen.bottom;
    }));
    assert.ok(arrived.length > 0 && arrived.some(Boolean));
    await page.screenshot({path: `${network}_presented.png`});
    await press(page, 'p');
    assert.ok(await page.evaluate(() => document.querySelectorAll('.node.update').length > 0 && document.querySelector('.slope') === null));
    assert.equal(await page.evaluate(() => address.get('present')), '0');
    await page.close();
  },

  async 'pictures say the number that is pointed at, and can be large'(page) {
    const kinds = await page.evaluate(() => now.pictures.map(({kind}) => kind));
    for (const kind of ['bars', 'grid', 'lines']) {
      if (!kinds.includes(kind)) continue;
      const card = await page.$(`.card.of-${kind}`), canvas = await card.$('canvas'), box = await canvas.boundingBox();
      const shown = await page.evaluate((which) => now.pictures.find((one) => one.kind === which), kind);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      const said = await card.$eval('figcaption', (line) => line.textContent);
      if (kind === 'bars') assert.match(said, /^.+: [\d.e-]+$/);
      if (kind === 'grid') {
        const [, value, row, column] = /^(\S+) in row (\d+), .; column (\d+), .$/u.exec(said);
        assert.ok(Math.abs(shown.values[row][column] - value) <= 1e-3 * Math.abs(value), said);
      }
      if (kind === 'lines') for (const label of shown.labels) assert.match(said, new RegExp(`${label} [\\d.e-]+`));
      await (await card.$('.enlarge')).click();
      const large = await canvas.boundingBox();
      assert.ok(large.width > 0.9 * page.viewport().width || large.height > 0.7 * page.viewport().height, JSON.stringify(large));
      await page.screenshot({path: `${network}_large_${kind}.png`});
      await press(page, 'Escape');
      assert.equal(await page.$('.card.large'), null);
    }
  },

  async 'axe finds nothing, light, dark, presented, narrow'() {
    for (const [hash, width, height] of [['', 1360, 900], ['#present=1&theme=dark', 1920, 1080], ['#theme=dark', 380, 800]]) {
      const page = await open(hash, {width, height});
      await page.bringToFront();
      await page.addScriptTag({path: require.resolve('axe-core/axe.min.js')});
      const found = await page.evaluate(async () => (await axe.run(document, {resultTypes: ['violations']})).violations
        .map(({id, nodes}) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(' ')}`));
      assert.deepEqual(found, [], `${hash} ${width}`);
      await page.close();
    }
  },

  async 'the numbers of a formula give its result'(page) {
    await press(page, 'ArrowUp ArrowUp End');
    await page.waitForFunction(() => waiting === 0 && newest === now && now.step >= 2);
    const lines = await page.evaluate(() => data.nodes.flatMap((node) => [0, 1, 5, 17].map((at) => [node.op, formula(node, at)[1]])).filter(([, line]) => line));
    const checked = new Map(), steps = await page.evaluate(() => data.nodes.some(({op}) => op === 'apply_adam_w'));
    for (const [op, line] of lines) {
      const found = /^(?:\[[\d, ]*\]|[^=]*?) = (.*) = (\S+)$/.exec(line), compute = found && !/[…Σ]/.test(line) ? computed(found[1]) : null;
      if (!compute) continue;
      const value = compute((number) => number), result = Number(found[2]);
      let spread = 0;
      for (let i = 0; i < 40; ++i) spread = Math.max(spread, Math.abs(compute((number) => number * (1 + 1e-3 * (Math.random() - 0.5))) - value) || 0);
      assert.ok(Math.abs(value - result) <= 3 * spread + 1e-3 * Math.abs(result), `${op}: ${line}, but that is ${value}`);
      checked.set(op, (checked.get(op) ?? 0) + 1);
    }
    console.log(`  ${lines.length} lines have numbers; computed again: ${[...checked].map(([op, count]) => `${op} ${count}`).join(', ')}`);
    assert.ok([...checked.values()].reduce((all, count) => all + count, 0) > 10 && steps === checked.has('apply_adam_w'));
    await page.click('#restart');
    await page.waitForFunction(() => waiting === 0 && newest === now && now.step === 0);
  },

  async 'what the lessons name is on the page'(page) {
    const folder = path.join(__dirname, '../../docs/lessons');
    const lessons = fs.readdirSync(folder).map((file) => path.join(folder, file))
      .filter((file) => /\.\/dev live ([a-z]+)/.exec(fs.readFileSync(file, 'utf8'))?.[1] === network);  // the network that it begins with
    if (!lessons.length) return;
    const options = await page.$$eval('#choices select:first-child, #choices label:first-child select', ([list]) => [...list.options].map((one) => one.value));
    const there = new Set();
    for (const option of options) {
      if (await page.$eval('#choices select', (list) => list.value) !== option) {
        await choose(page, option);
      }
      for (const name of await page.evaluate(() => {
        const titles = () => [...items.map(titleOf), ...fold.groups.keys(), ...[...document.querySelectorAll('.card h2 > span')].map((one) => one.textContent)];
        const closed = titles();
        byId('unfold').click();
        return [...closed, ...titles()];
      })) there.add(name);
    }
    for (const lesson of lessons) {
      const names = namesIn(lesson);
      for (const name of names) assert.ok(there.has(name), `${path.basename(lesson)} names ${name}, which is not on the page`);
    }
  },
});

exports.ofThePage = ({press}) => ({
  async 'a box opens by the space bar, and the controls can be passed'(page) {
    await page.reload({waitUntil: 'domcontentloaded'});
    await page.waitForSelector('body[data-live="yes"]');
    await press(page, 'Tab Enter');
    assert.ok(await page.evaluate(() => document.activeElement.matches('.node')));
    const state = () => page.evaluate(() => `${items.length} boxes, ${pinned} kept`), before = await state();
    await press(page, 'Space');
    assert.notEqual(await state(), before);
    assert.equal(await page.evaluate(() => now.playing || newest.playing), false);
    await page.reload({waitUntil: 'domcontentloaded'});
    await page.waitForSelector('body[data-live="yes"]');
    await press(page, 'Tab Tab Enter');
    assert.ok(await page.evaluate(() => document.activeElement.matches('#details td')));
    await press(page, 'Enter');
    await page.waitForSelector('#editor:not([hidden])');
    const [low, at, high] = await page.$eval('.scrub', (bar) => ['min', 'now', 'max'].map((end) => Number(bar.getAttribute('aria-value' + end))));
    assert.ok(low <= at && at <= high, `${low} ${at} ${high}`);
    await press(page, 'Escape Escape');
  },

  async 'curves keep their looks in any order, and no two are alike'(page) {
    assert.ok(await page.evaluate(() => new Set(Array.from({length: 24}, (_, i) => JSON.stringify(styleOf(i)))).size === 24));
    assert.ok(await page.evaluate(() => new Set(Array.from({length: 4}, (_, i) => styleOf(i).dash)).size === 4), 'colours alone tell the first four apart');
    assert.ok(await page.evaluate(() => {
      const names = ['sigmoid', 'relu', 'selu'], of = (labels) => JSON.stringify(names.map((name) => stylesOf(labels)[labels.indexOf(name)]));
      return of(names) === of(['selu', 'sigmoid', 'relu']) && of(names) === of(['relu', 'selu', 'sigmoid']);
    }));
  },

  async 'on paper colours stay, the graph is whole, and nothing to press is left'(page) {
    await page.emulateMediaType('print');
    await page.setViewport({width: 1047, height: 740});
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.ok(await page.evaluate(() => graph.getBoundingClientRect().width <= pane.clientWidth + 1 && pane.scrollHeight <= pane.clientHeight + 1));
    assert.equal(await page.$eval('.key i', (mark) => getComputedStyle(mark).printColorAdjust), 'exact');
    assert.equal(await page.$$eval('button:not(.bar, [data-close])', (all) => all.filter((one) => one.offsetParent).length), 0);
    assert.ok(await page.$$eval('.bar', (bars) => bars.length === 0 || bars.every((bar) => bar.offsetWidth > 0)));
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await page.emulateMediaType(null);
    await page.setViewport({width: 1360, height: 900});
  },

  async 'who wants no motion gets none, and names of any length stay in the page'(page) {
    await page.emulateMediaFeatures([{name: 'prefers-reduced-motion', value: 'reduce'}]);
    assert.ok(await page.evaluate(() => [...document.querySelectorAll('*')].every((one) => {
      const {transitionDuration, animationName, transitionProperty} = getComputedStyle(one);
      return animationName === 'none' && (transitionProperty === 'none' || /^(0s(, )?)+$/.test(transitionDuration));
    })));
    await page.emulateMediaFeatures([]);
    for (const width of [1360, 380]) {
      await page.setViewport({width, height: 900});
      assert.ok(await page.evaluate(() => {
        const long = 'encoder_layer_with_a_very_long_name_'.repeat(8), places = ['#title', '#details h2', '#details .head b', '.card h2 > span', '#say'];
        const before = places.map((place) => document.querySelector(place)?.textContent);
        for (const place of places) if (document.querySelector(place)) document.querySelector(place).textContent = long;
        const fits = document.documentElement.scrollWidth <= innerWidth && byId('details').scrollWidth <= byId('details').clientWidth;
        places.forEach((place, i) => { if (before[i] !== undefined) document.querySelector(place).textContent = before[i]; });
        return fits;
      }), `too wide at ${width}`);
    }
    await page.setViewport({width: 1360, height: 900});
  },
});
