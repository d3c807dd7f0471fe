// SPDX-License-Identifier: Apache-2.0
// A browser, and how tests are run in it: for page_test.cjs and static_test.cjs.
'use strict';
const assert = require('node:assert/strict');
const puppeteer = require('puppeteer-core');

exports.launch = (executablePath) => puppeteer.launch({executablePath,
  args: ['--disable-gpu', '--hide-scrollbars', ...(process.getuid() === 0 ? ['--no-sandbox'] : [])]});

// Runs tests by name, none of which may leave messages of the browser, and ends the process with whether all passed.
// Of one that fails, picture() keeps what is on the screen.
exports.run = async (browser, tests, messages, start, picture) => {
  let failures = 0;
  for (const [name, test] of tests.flatMap(Object.entries)) {
    try {
      await start(test);
      assert.deepEqual(messages, []);
      console.log('passed:', name);
    } catch (error) {
      console.log('FAILED:', name, error);
      ++failures;
      messages.length = 0;
      await picture(failures).catch(() => {});
    }
  }
  await browser.close();
  process.exit(failures === 0 ? 0 : 1);
};
