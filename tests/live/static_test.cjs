// SPDX-License-Identifier: Apache-2.0
// usage: static_test.cjs BROWSER FOLDER NETWORK NATIVE
// A page of ./dev wasm, opened as a file, beside NATIVE, the address of the same network served by `live`: the same
// bits, and how long it takes. What the page does by itself is page_test.cjs's.
'use strict';
const assert = require('node:assert/strict');
const path = require('node:path');
const {pathToFileURL} = require('node:url');
const runner = require('./runner.cjs');
const [executablePath, folder, network, native] = process.argv.slice(2);

const messages = [];
let browser = null;

async function open(address) {
  const page = await browser.newPage();
  page.setDefaultTimeout(120000);
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  await page.setViewport({width: 1360, height: 900});
  const begun = performance.now();
  await page.goto(address, {waitUntil: 'domcontentloaded'});
  await page.waitForFunction(() => document.body?.dataset.live === 'yes', {polling: 'raf'});
  page.firstPicture = performance.now() - begun;
  return page;
}

async function goTo(page, step) {
  await page.bringToFront();
  await page.evaluate((to) => send({do: 'restore', step: to}), step);
  await page.waitForFunction((to) => waiting === 0 && newest === now && !now.playing && now.step === to, {polling: 50}, step);
}

// All that the page was sent about a step, but for its number: elements and the pictures' floats, and the norm of each
// tensor, loss and gradient as a double.
const bits = (page) => page.evaluate(() => ({loss: byId('loss').textContent, losses: now.losses, gradients: now.gradients, rate: now.rate, pictures: now.pictures,
  tensors: Object.fromEntries(data.nodes.flatMap((node) => node.outputs.map((id) => [`${id} ${node.op} ${node.name ?? ''}`, data.values[id].tensor])))}));

async function speed(page) {
  await page.bringToFront();
  await page.evaluate(() => send({do: 'play'}));
  const gaps = await page.evaluate(() => new Promise((resolve) => {
    let [last, longest] = [performance.now(), 0];
    const end = last + 3000;
    requestAnimationFrame(function look(at) {
      [last, longest] = [at, Math.max(longest, at - last)];
      at < end ? requestAnimationFrame(look) : resolve(longest);
    });
  }));
  const steps = await page.evaluate('newest.steps_per_second');
  await page.evaluate(() => send({do: 'pause'}));
  return {steps, gaps};
}

const tests = {
  async 'at step 100 it has the bits of the served page'(page, served) {
    for (const step of [0, 1, 100]) {
      for (const one of [page, served]) await goTo(one, step);
      const [here, there] = [await bits(page), await bits(served)];
      assert.ok(Object.keys(there.tensors).length > 20 && there.losses.length >= Math.min(step, 2));
      for (const [name, tensor] of Object.entries(there.tensors)) assert.deepEqual(here.tensors[name], tensor, `step ${step}: ${name}`);
      assert.deepEqual(here, there, `step ${step}`);
    }
  },
  async 'a check says the same'(page, served) {
    const said = [];
    for (const one of [page, served]) {
      await one.bringToFront();
      const begun = performance.now();
      const {check} = await one.evaluate(() => send({do: 'check', value: now.gradients.at(-2).value, index: 1}));
      said.push([check.verdict, `${(performance.now() - begun).toFixed(0)} ms`]);
    }
    console.log(`  a check takes ${said[0][1]} here, ${said[1][1]} served`);
    assert.equal(said[0][0], 'agrees');
    assert.equal(said[0][0], said[1][0]);
  },
  async 'it trains while the page is drawn'(page, served) {
    const [here, there] = [await speed(page), await speed(served)];
    console.log(`  ${here.steps.toFixed(0)} steps a second here, ${there.steps.toFixed(0)} served: ${(here.steps / there.steps).toFixed(2)}`);
    console.log(`  the longest time between two pictures: ${here.gaps.toFixed(0)} ms here, ${there.gaps.toFixed(0)} ms served`);
    assert.ok(here.steps > 0 && here.gaps < 1000);
  },
};

(async () => {
  browser = await runner.launch(executablePath);
  const page = await open(String(pathToFileURL(path.resolve(folder, `${network}.html`)))), served = await open(native);
  console.log(`  the first picture after ${page.firstPicture.toFixed(0)} ms, served ${served.firstPicture.toFixed(0)} ms`);
  await runner.run(browser, [tests], messages, (test) => test(page, served),
    (failures) => page.screenshot({path: `static_${network}_failed_${failures}.png`}));
})();
