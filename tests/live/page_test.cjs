// SPDX-License-Identifier: Apache-2.0
// usage: page_test.cjs BROWSER ADDRESS NETWORK [PROCESS]
// Drives the page of a live network, which PROCESS serves, or which has the network in a worker: see page_test.sh.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const lessons = require('./lessons_test.cjs');
const looks = require('./looks_test.cjs');
const runner = require('./runner.cjs');
const [executablePath, address, network, served] = process.argv.slice(2);

const messages = [];
let browser = null;

async function open(hash = '', view = {width: 1360, height: 900}, before = null) {
  const page = await browser.newPage();
  if (before) await page.evaluateOnNewDocument(before);
  page.setDefaultTimeout(60000);
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  await page.setViewport(view);
  await page.goto(address + hash, {waitUntil: 'domcontentloaded'});
  // A link to another network loads the page anew, which ends a wait for a selector.
  await page.waitForFunction(() => document.body?.dataset.live === 'yes');
  return page;
}

// Chooses what makes another network, which loads the page anew. No wait for a navigation: a change of the
// address alone, which notes what the run is like a moment after each step, would be one.
async function choose(page, option) {
  await page.evaluate((value) => {
    window.isLeft = true;
    setTimeout(() => {
      const list = document.querySelector('#choices select');
      list.value = value;
      list.dispatchEvent(new Event('change', {bubbles: true}));
    });
  }, option);
  await page.waitForFunction(() => document.body?.dataset.live === 'yes' && !window.isLeft);
  assert.equal(await page.$eval('#choices select', (one) => one.value), option);
}

// What the page knows: its place, and the numbers of forward and backward as text. What the optimizer keeps
// for the time of a step is no part of a state.
const facts = (page) => page.evaluate(() => ({step: now.step, operator: position, loss: byId('loss').textContent,
  numbers: JSON.stringify(Object.values(data.values).filter((value) => data.nodes[value.node].pass !== 'update')
    .map((value) => value.tensor?.cells))}));
const until = (page, ...condition) => page.waitForFunction(...condition);
const atStep = (page, count, operator = null) => until(page, (wanted, place) => now.step === wanted && newest === now &&
  waiting === 0 && (place ?? position) === position, {}, count, operator);

async function press(page, keys) {
  for (const key of keys.split(' ')) await page.keyboard.press(key);
}

// Opens the editor of the element at an index of a value, as a click on its cell does, and types.
async function edit(page, id, cell, text) {
  await page.evaluate((value) => reveal(data.values[value].node), id);
  const place = await page.evaluateHandle((value, i) => {
    const grid = grids().find((one) => tensorIds.get(one.tensor) === value);
    const found = grid.getElementsByTagName('td')[i];
    found.scrollIntoView({block: 'center'});
    return found;
  }, id, cell);
  await place.click();
  await page.waitForSelector('#editor:not([hidden])');
  await page.keyboard.type(text);
}

// What is another matter with another network.
const ofTheNetwork = {
  async 'operators, backward rules and training steps by keys'(page) {
    const first = await facts(page);
    assert.equal(first.step, 0);
    assert.equal(first.operator, await page.evaluate('last'));
    await press(page, 'g');
    assert.equal(await page.evaluate('data.nodes[data.order[position - 1]].pass'), 'backward');
    // From the parameters back to the loss: gradients arrive, with formulas that have numbers.
    let lit = 0, numbers = 0;
    for (let at = await page.evaluate('position'); at > await page.evaluate('lossAt'); --at) {
      lit += await page.evaluate(() => Number(document.querySelector('.node.lit') !== null));
      numbers += await page.evaluate(() => Number(/ = -?[\d.]/.test(document.querySelector('#formula .numbers')?.textContent ?? '')));
      await press(page, 'ArrowLeft');
      if (lit > 3 && numbers > 1) break;
    }
    assert.ok(lit > 3 || network === 'xor' && lit > 2, `${lit} operators lit boxes`);
    if (network === 'xor') assert.ok(numbers > 1, `${numbers} formulas had numbers`);
    await press(page, 'l');
    assert.equal(await page.evaluate('data.order[position - 1] === data.values[live.loss].node'), true);
    await press(page, 'End ArrowRight');  // on from the last operator: the next training step
    await atStep(page, 1, 0);
    await press(page, 'ArrowLeft');       // back from before the first
    await atStep(page, 0, first.operator);
    assert.deepEqual(await facts(page), first);
    await press(page, 'ArrowUp');
    await atStep(page, 1);
    const second = await facts(page);
    assert.notEqual(second.numbers, first.numbers);
    await press(page, 'ArrowUp');
    await atStep(page, 2);
    await press(page, 'ArrowDown');
    await atStep(page, 1);
    assert.deepEqual(await facts(page), second);
    await press(page, 'ArrowDown');
    await atStep(page, 0);
    assert.deepEqual(await facts(page), first);
    await press(page, '?');
    assert.equal(await page.evaluate('byId("help").open'), true);
    await press(page, 'Escape');
  },

  async 'an edited weight changes the loss, and its gradient agrees with differences'(page) {
    const before = await facts(page);
    const weight = await page.evaluate('now.gradients.at(-2).value');
    await edit(page, weight, 1, '0.75');
    await until(page, (id) => grids().some(({tensor, firstChild}) => tensorIds.get(tensor) === id && firstChild.querySelectorAll('td')[1].title.endsWith(' 0.75')), {}, weight);
    assert.notEqual((await facts(page)).loss, before.loss);
    await page.evaluate(() => editor.check.click());
    const verdict = await page.waitForSelector('.verdict');
    assert.match(await verdict.evaluate((element) => element.textContent), /^✓ agrees in float64/);
    assert.ok((await page.$$('.triangle tr')).length > 3);
    await press(page, 'Escape Escape');
    // Training from there and back again leads to the edited state.
    const edited = await facts(page);
    await press(page, 'ArrowUp');
    await atStep(page, 1);
    await press(page, 'ArrowDown');
    await atStep(page, 0);
    assert.equal((await facts(page)).loss, edited.loss);
  },

  async 'the learning rate, what is drawn or typed, and what is refused'(page) {
    await page.click('#rate', {count: 3});
    await page.keyboard.type('0.0125\n');
    await until(page, () => now.rate === 0.0125);
    const before = await page.evaluate('JSON.stringify(now.pictures)');
    if (network === 'digits') {
      const pad = await (await page.$('.of-pad canvas')).boundingBox();
      await page.mouse.move(pad.x + pad.width / 2, pad.y + 10);
      await page.mouse.down();
      await page.mouse.move(pad.x + pad.width / 2, pad.y + pad.height - 10, {steps: 6});
      await page.mouse.up();
    } else if (network === 'transformer') {
      await page.type('.of-text textarea', 's');
    }
    if (['digits', 'transformer'].includes(network)) await until(page, (old) => JSON.stringify(now.pictures) !== old, {}, before);
    const failed = messages.length;
    assert.equal(await page.evaluate(() => send({do: 'set', value: 1e6, index: 0, to: 1})), null);
    assert.notEqual(await page.$eval('#say.bad', (line) => line.textContent), '');
    messages.splice(failed);  // the browser notes the answer 400
  },

  async 'a choice makes another network, and the page loads itself anew'(page) {
    const options = await page.$$eval('#choices select:first-child option, #choices label:first-child option', (all) => all.map((one) => one.value));
    await choose(page, options[1]);
  },

  async 'it can be seen, light and dark, narrow and wide'() {
    for (const [theme, width, height] of [['dark', 380, 800], ['light', 1360, 900], ['dark', 2560, 1440]]) {
      const page = await open(`#theme=${theme}`, {width, height, isMobile: width < 500, hasTouch: width < 500});
      await page.bringToFront();
      const path = `${network}_${theme}_${width}.png`;
      await page.screenshot({path});
      assert.ok(fs.statSync(path).size > 30000, `${path} shows nothing`);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${path} is too wide`);
      await page.close();
    }
  },
};

// What the page does with any: tried on one that has cards of several kinds and tall tensors.
const ofThePage = {
  async 'a result stands as it is set until it is released'(page) {
    const before = await facts(page);
    const id = await page.evaluate(() => data.nodes.findLast((node) => node.pass === 'forward' && /^(addmm|matmul)$/.test(node.op) &&
      data.values[node.outputs[0]].gradient !== undefined).outputs[0]);
    await edit(page, id, 0, '3.5');
    await until(page, () => / = 3.5/.test(byId('edited').textContent));
    assert.notEqual((await facts(page)).loss, before.loss);
    await press(page, 'Escape');
    await page.click('#edited .chip');
    await until(page, () => byId('edited').hidden);
    assert.equal((await facts(page)).loss, before.loss);
  },

  async 'what is no number changes nothing and says so, and so does what stood there'(page) {
    const state = () => page.evaluate(() => JSON.stringify([now.step, now.rate, now.loss, now.edited]));
    const retype = async (field, text) => {
      await page.click(field, {count: 3});
      await page.keyboard.press('Backspace');
      await page.keyboard.type(text + '\n');
      await until(page, () => waiting === 0 && newest === now);
    };
    await press(page, 'ArrowUp ArrowUp');
    await atStep(page, 2);
    const before = await state();
    for (const [field, texts] of [['#at', ['', 'abc', '-1', '1.5', '3', '1e0']], ['#rate', ['', 'abc', '-1', 'nan', '1e999', '1 000']]]) {
      const shown = await page.$eval(field, (one) => one.value);
      for (const text of texts) {
        await page.evaluate(() => say(''));
        await retype(field, text);
        assert.match(await page.$eval('#say.bad', (line) => line.textContent), /Nothing was changed/, `${field} ${text}`);
        assert.equal(await page.$eval(field, (one) => one.value), shown);
        assert.equal(await state(), before, `${field} ${text}`);
      }
      await retype(field, shown);
      assert.equal(await state(), before);
    }
    const weight = await page.evaluate('now.gradients.at(-2).value');
    const loss = await page.evaluate('now.loss');
    for (const text of ['', 'abc', '0.5x', '1,2,3']) {
      await page.evaluate(() => say(''));
      await edit(page, weight, 1, text || '7');
      if (!text) await press(page, 'Backspace');
      await press(page, 'Enter');
      await until(page, (old) => waiting === 0 && newest === now && now.loss === old, {}, loss);
      assert.match(await page.$eval('#say.bad', (line) => line.textContent), /is no number/, text);
      await press(page, 'Escape');
    }
    const shown = await page.evaluate((id) => data.values[id].tensor.cells.flat()[1], weight);
    await edit(page, weight, 1, shown);
    await press(page, 'Enter Escape');
    await until(page, () => waiting === 0 && newest === now);
    assert.equal(await state(), before);
    await page.click('#restart');
    await atStep(page, 0);
  },

  async 'restart gives the first weights and rate again, and undo what was there'(page) {
    const first = await facts(page), rate = await page.evaluate('now.rate');
    const weight = await page.evaluate('now.gradients.at(-2).value');
    await edit(page, weight, 1, '1e30');
    await until(page, (loss) => now.loss !== loss && waiting === 0 && newest === now, {}, first.loss);
    await press(page, 'Enter Escape');
    const edited = await facts(page);
    await page.click('#restart');
    await until(page, () => now.undo === 'restart' && waiting === 0 && newest === now);
    assert.deepEqual(await facts(page), first);
    assert.equal(await page.evaluate('now.rate'), rate);
    await page.click('#undo');
    await until(page, (loss) => now.loss === loss && waiting === 0 && newest === now, {}, edited.loss);
    await page.click('#undo');
    await until(page, (loss) => now.loss === loss && waiting === 0 && newest === now, {}, first.loss);
    assert.deepEqual(await facts(page), first);
  },

  async 'every click counts, and rows beyond the sixteenth can be seen'(page) {
    await page.evaluate(() => { for (let i = 0; i < 60; ++i) byId('update').click(); });
    await until(page, () => waiting === 0 && newest === now && now.step >= 60);
    assert.equal(await page.evaluate('now.step'), 60);
    await page.evaluate(() => { for (let i = 0; i < 57; ++i) byId('earlier').click(); });
    await until(page, () => waiting === 0 && newest === now && now.step <= 3);
    assert.equal(await page.evaluate('now.step'), 3);
    const tall = await page.evaluate(() => Number(Object.keys(data.values).find((id) => data.values[id].tensor?.rows > 16 && data.nodes[data.values[id].node].pass === 'forward')));
    if (tall) {
      await page.evaluate((id) => reveal(data.values[id].node), tall);
      await page.evaluate((id) => [...grids().find((one) => tensorIds.get(one.tensor) === id).querySelectorAll('.mover button')]
        .find((one) => one.title === 'rows behind').click(), tall);
      await until(page, (id) => grids().filter((one) => tensorIds.get(one.tensor) === id)
        .every((one) => lookOf(one.tensor).row > 0 && /^-?[\d.]/.test(one.querySelector('td').title.split('] ')[1])), {}, tall);
    }
    await page.click('#restart');
    await atStep(page, 0);
  },

  async 'it plays and pauses, and goes back to the beginning'(page) {
    await page.click('#to-loss');  // which does not keep the keys
    await press(page, 'Space');
    await until(page, () => now.playing && now.step > 20);
    await press(page, 'Space');
    await until(page, () => !now.playing && newest === now);
    const {step} = await facts(page);
    assert.ok(await page.evaluate(() => now.losses.length > 2));
    await page.click('#restart');
    await atStep(page, 0);
    assert.ok(step > 20);
  },
};

// A page without a program behind it has a run of its own.
const ofTabs = {
  // A browser has six connections for a program.
  async 'ten tabs are told and heard'(page) {
    const tabs = [];
    for (let i = 0; i < 9; ++i) tabs.push(await open());
    await tabs.at(-1).evaluate(() => send({do: 'step'}));
    for (const tab of [page, ...tabs]) await tab.waitForFunction(() => newest.step === 1, {polling: 100});
    for (const tab of tabs) await tab.close();
    await page.bringToFront();
    await page.click('#restart');
    await atStep(page, 0);
  },

  async 'two tabs are in step, one that is closed or loaded anew is not missed'(page) {
    const other = await open();
    await press(other, 'ArrowUp');
    await atStep(other, 1);
    await page.bringToFront();  // what is not seen draws nothing
    await atStep(page, 1);
    const [here, there] = [await facts(page), await facts(other)];
    assert.equal(here.loss, there.loss);
    assert.equal(here.numbers, there.numbers);
    await other.close();
    await page.reload({waitUntil: 'domcontentloaded'});
    await page.waitForSelector('body[data-live="yes"]');
    assert.deepEqual(await facts(page), here);
  },
};

const atTheEnd = {
  async 'it says when the program hangs, and when it has ended'(page) {
    process.kill(Number(served), 'SIGSTOP');
    await until(page, () => /has not been heard of/.test(byId('say').textContent));
    process.kill(Number(served), 'SIGCONT');
    await until(page, () => byId('say').textContent === '');
    await press(page, 'Space');
    await until(page, () => now.playing);
    process.kill(Number(served));
    const failed = messages.length;
    await page.waitForSelector('body.ended');
    assert.match(await page.$eval('#say', (line) => line.textContent), /has ended/);
    assert.equal(await page.$eval('#train span', (button) => button.textContent), 'Train');
    assert.equal(await page.$eval('#speed', (line) => line.textContent), '');
    messages.splice(failed);  // of connections that are refused
  },
};

(async () => {
  const tools = {open, choose, press, network, messages, served};
  const tests = [ofTheNetwork, looks.ofTheNetwork(tools), lessons.ofTheNetwork(tools)];
  if (served) tests.push(lessons.ofMessages(tools));
  if (network === 'digits') {
    tests.push(ofThePage, looks.ofThePage(tools));
    if (served) tests.push(ofTabs, atTheEnd);
  }
  browser = await runner.launch(executablePath);
  let page = null;
  const start = async (test) => {
    page ??= await open();
    await page.bringToFront();
    page = await test(page) ?? page;
  };
  await runner.run(browser, tests, messages, start, async (failures) => page?.screenshot({path: `${network}_failed_${failures}.png`}));
})();
