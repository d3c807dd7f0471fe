// SPDX-License-Identifier: Apache-2.0
// usage: static_test.cjs BROWSER FOLDER NETWORK NATIVE
// A page of ./dev wasm, opened as a file: what ./dev live serves, without a server. NATIVE is the address of the
// same network served by `live`, whose bits it is compared with.
'use strict';
const assert = require('node:assert/strict');
const path = require('node:path');
const {pathToFileURL} = require('node:url');
const puppeteer = require('puppeteer-core');
const lessons = require('./lessons_test.cjs');
const [executablePath, folder, network, native] = process.argv.slice(2);

const messages = [];
let browser = null;

async function open(hash = '', address = String(pathToFileURL(path.resolve(folder, `${network}.html`)))) {
  const page = await browser.newPage();
  page.setDefaultTimeout(120000);
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  await page.setViewport({width: 1360, height: 900});
  const begun = performance.now();
  await page.goto(address + hash, {waitUntil: 'domcontentloaded'});
  await page.waitForSelector('body[data-live="yes"]');
  page.firstPicture = performance.now() - begun;
  return page;
}

const press = async (page, keys) => { for (const key of keys.split(' ')) await page.keyboard.press(key); };
const atStep = (page, step) => page.waitForFunction((to) => waiting === 0 && newest === now && now.step === to, {polling: 50}, step);
// All numbers of a step, with all digits of those that the page has whole.
const bits = (page) => page.evaluate(() => JSON.stringify([now.loss, now.losses, now.gradients, now.rate,
  Object.entries(data.values).filter(([, value]) => data.nodes[value.node].pass !== 'update').map(([id, value]) => [id, value.tensor?.all, value.tensor?.cells])]));

const tests = {
  async 'it steps, goes back, and has the formulas'(page) {
    const first = await bits(page);
    await press(page, 'ArrowUp');
    await atStep(page, 1);
    assert.notEqual(await bits(page), first);
    await press(page, 'ArrowDown');
    await atStep(page, 0);
    assert.equal(await bits(page), first);
    await press(page, 'g');
    assert.equal(await page.evaluate('data.nodes[data.order[position - 1]].pass'), 'backward');
    assert.ok(await page.evaluate(() => data.nodes.some((node) => formula(node, 0)?.[1])));
    await press(page, 'End');
  },
  async 'an edited weight changes the loss, and its gradient agrees with differences'(page) {
    const weight = await page.evaluate('now.gradients.at(-2).value'), loss = await page.evaluate('now.loss');
    await page.evaluate((value) => send({do: 'set', value, index: 1, to: 0.75}), weight);
    await page.waitForFunction((old) => now.loss !== old, {polling: 50}, loss);
    const begun = performance.now();
    const {check} = await page.evaluate((value) => send({do: 'check', value, index: 1}), weight);
    console.log(`  a check took ${(performance.now() - begun).toFixed(0)} ms`);
    assert.equal(check.verdict, 'agrees', JSON.stringify(check));
    const refused = await page.evaluate(() => send({do: 'set', value: 1e6, index: 0, to: 1}));
    assert.equal(refused, null);
    assert.notEqual(await page.$eval('#say.bad', (line) => line.textContent), '');
    await page.evaluate(() => send({do: 'reset'}));
  },
  async 'at step 100 it has the bits of the served page'(page) {
    const served = await open('', native);
    for (const one of [page, served]) {
      await one.bringToFront();
      await one.evaluate(() => send({do: 'restore', step: 100}));
      await one.waitForFunction(() => waiting === 0 && newest === now && !now.playing && now.step === 100, {polling: 50});
    }
    assert.equal(await bits(page), await bits(served));
    await page.bringToFront();
    const speed = async (one) => {
      await one.bringToFront();
      await one.evaluate(() => send({do: 'play'}));
      await new Promise((resolve) => setTimeout(resolve, 2500));
      const steps = await one.evaluate('newest.steps_per_second');
      await one.evaluate(() => send({do: 'pause'}));
      return steps;
    };
    const [here, there] = [await speed(page), await speed(served)];
    console.log(`  ${here.toFixed(0)} steps a second here, ${there.toFixed(0)} served: ${(here / there).toFixed(2)}`);
    await served.evaluate(() => send({do: 'restore'}));
    await served.close();
    await page.bringToFront();
    await page.evaluate(() => send({do: 'restore'}));
  },
};

(async () => {
  const options = ['--disable-gpu', '--hide-scrollbars', ...(process.getuid() === 0 ? ['--no-sandbox'] : [])];
  browser = await puppeteer.launch({executablePath, args: options});
  let failures = 0, page = null;
  for (const [name, test] of [tests, lessons.ofTheNetwork({open, network})].flatMap(Object.entries)) {
    try {
      if (page === null) {
        page = await open();
        console.log(`  first picture after ${page.firstPicture.toFixed(0)} ms`);
      }
      await page.bringToFront();
      page = await test(page) ?? page;
      assert.deepEqual(messages, []);
      console.log('passed:', name);
    } catch (error) {
      console.log('FAILED:', name, error);
      ++failures;
      messages.length = 0;
      await page?.screenshot({path: `static_${network}_failed_${failures}.png`}).catch(() => {});
    }
  }
  await browser.close();
  process.exit(failures === 0 ? 0 : 1);
})();
