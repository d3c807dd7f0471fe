// SPDX-License-Identifier: Apache-2.0
// Links, lessons and the two ways of the exchange on the page of a live network: for page_test.cjs.
'use strict';
const assert = require('node:assert/strict');

// Carries out an instruction by its button and waits until the page says that what it claims is on the screen.
async function carryOut(page, lesson, i) {
  const button = await page.evaluateHandle((at) => guide.instructions[at].item.querySelector(':scope > .line button'), i);
  if (button.asElement()) await button.evaluate((one) => { guide.busy = true; setTimeout(() => one.click()); });  // it may load the page anew
  try {
    await page.waitForFunction((at) => document.body?.dataset.live === 'yes' && !guide.busy &&
      guide.rest().length === 0 && guide.instructions[at]?.item.classList.contains('seen'), {polling: 50, timeout: 120000}, i);
  } catch {
    const what = await page.evaluate((at) => JSON.stringify([guide.instructions[at].acts, guide.instructions[at].sights, now.step, now.loss, byId('say').textContent]), i);
    assert.fail(`lesson ${lesson}, instruction ${i}: ${what}`);
  }
}

exports.ofTheNetwork = ({open, choose, network, messages, served}) => ({
  async 'a link leads to the same numbers, and a page loaded anew goes on where it was'(page) {
    const {choices} = await page.evaluate('live'), weight = await page.evaluate('now.gradients.at(-2)');
    await page.evaluate(async ({value}) => {
      await send({do: 'set', value, index: 1, to: 0.75});
      for (let i = 0; i < 3; ++i) await send({do: 'step'});
      await send({do: 'rate', to: 0.0125});
      await send({do: 'step'});
      const result = data.nodes.findLast((node) => node.pass === 'forward' && /^(addmm|matmul)$/.test(node.op)).outputs[0];
      await send({do: 'set', value: result, index: 0, to: 1.5});
    }, weight);
    const facts = (where) => where.evaluate(() => JSON.stringify([now.step, now.loss, now.rate, now.edited, live.choices.map((one) => one.now),
      Object.values(data.values).filter((value) => data.nodes[value.node].pass !== 'update').map((value) => value.tensor?.cells)]));
    await page.waitForFunction(() => waiting === 0 && newest === now && now.step === 4 && JSON.parse(address.get('run') ?? '{}').edits?.length === 1);
    const [there, hash] = [await facts(page), await page.evaluate('location.hash')];
    await page.reload({waitUntil: 'domcontentloaded'});
    await page.waitForSelector('body[data-live="yes"]');
    await page.waitForFunction(() => waiting === 0 && newest === now && !now.playing && now.step === 4);
    assert.equal(await facts(page), there);
    // Somewhere else, and then where the link leads.
    const [first] = choices, other = first.options.find((option) => option !== first.now);
    await choose(page, other);
    await page.close();
    const linked = await open(hash);
    await linked.bringToFront();
    await linked.waitForFunction((step) => document.body?.dataset.live === 'yes' && waiting === 0 && newest === now && !now.playing && now.step === step && now.edited.length === 1,
      {polling: 50}, 4);
    assert.equal(await facts(linked), there);
    await linked.evaluate(() => send({do: 'restore'}));
    await linked.close();
    return open();
  },

  async 'what lessons claim is on the screen when their buttons are pressed'(page) {
    const lessons = await page.evaluate('live.lessons.length');
    for (let lesson = 0; lesson < lessons; ++lesson) {
      await page.select('#lessons', String(lesson));
      const count = await page.evaluate('guide.instructions.length');
      assert.ok(count > 6, `lesson ${lesson} has ${count} instructions with buttons`);
      // Thousands of steps of the others belong to a longer run of the tests.
      const carried = network === 'xor' || process.env.ACLGRAD_LONG ? count : 1;
      for (let i = 0; i < carried; ++i) await carryOut(page, lesson, i);
      if (lesson === 0) {
        await page.setViewport({width: 1500, height: 900});
        await page.screenshot({path: `${network}_lesson.png`});
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
      }
      await page.click('#guide .close');
      assert.ok(await page.evaluate('guide.place.hidden'));
    }
    // One instruction asks for a check that is refused, and the browser notes the answer.
    const refused = messages.findIndex((text) => text.includes('status of 400'));
    assert.equal(refused >= 0, Boolean(served) && network === 'xor');
    if (refused >= 0) messages.splice(refused, 1);
    await page.evaluate(() => send({do: 'restore'}));
  },
});

// Of a served page alone.
exports.ofMessages = ({open, messages}) => ({
  // The frame of another network may come before the answer that it is there, which the old page then never gets.
  async 'a lesson goes on in the page of another network, however late the answer comes'() {
    const page = await open('', undefined, () => {
      const ask = window.fetch;
      window.fetch = (...request) => new Promise((resolve, reject) => {
        addEventListener('beforeunload', () => reject(new TypeError('the page is left')));
        ask(...request).then((answer) => setTimeout(() => resolve(answer), 1000), reject);
      });
    });
    await page.bringToFront();
    const other = await page.evaluate(() => live.choices[0].options.find((option) => option !== live.choices[0].now));
    await page.evaluate((option) => setTimeout(() => guide.carryOut([`choose "${live.choices[0].name}" "${option}"`, 'step 2'])), other);
    await page.waitForFunction((option) => document.body?.dataset.live === 'yes' && live.choices[0].now === option &&
      waiting === 0 && newest === now && now.step === 2, {polling: 50}, other);
    await page.evaluate(() => send({do: 'restore'}));
    await page.close();
  },

  // What a worker would get and say, by somebody who passes it on.
  async 'over messages the page does the same as over HTTP'() {
    const page = await open('', undefined, () => {
      const worker = {
        async postMessage({text}) {
          const answer = await fetch('command', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: text});
          worker.onmessage({data: {type: 'answer', ok: answer.ok, text: await answer.text()}});
        },
      };
      window.liveWorker = worker;
      const source = new EventSource('events');
      for (const type of ['frame', 'life']) source.addEventListener(type, ({data}) => worker.onmessage?.({data: {type, data}}));
    });
    await page.bringToFront();
    const loss = await page.evaluate('now.loss');
    await page.evaluate(() => send({do: 'step'}));
    await page.waitForFunction(() => newest === now && now.step === 1, {polling: 50});
    await page.evaluate(() => send({do: 'back'}));
    await page.waitForFunction((before) => newest === now && now.step === 0 && now.loss === before, {polling: 50}, loss);
    assert.equal(await page.evaluate(async () => (await send({do: 'check', value: now.gradients.at(-2).value, index: 0})).check.verdict), 'agrees');
    const failed = messages.length;
    assert.equal(await page.evaluate(() => send({do: 'set', value: 1e6, index: 0, to: 1})), null);
    assert.notEqual(await page.$eval('#say.bad', (line) => line.textContent), '');
    // The browser notes the answer 400, when it comes to it.
    for (let waits = 0; messages.length === failed && waits < 100; ++waits) await new Promise((done) => setTimeout(done, 50));
    messages.splice(failed);
    await page.evaluate(() => liveWorker.onerror());
    await page.waitForSelector('body.ended');
    await page.close();
  },
});
