// SPDX-License-Identifier: Apache-2.0
// The web worker of a page without a server. It stands behind what Emscripten has written, the function
// aclgrad(); loader.js starts it with the name of a network and the program's bytes.
'use strict';
(() => {
  let program = null, timer = null;
  const channel = new MessageChannel();  // sooner than a timer, which waits for milliseconds
  const answer = (status) => ({ok: status === 200, text: program.UTF8ToString(program._aclgrad_live_text())});

  function obey(command) {
    const text = program.stringToNewUTF8(command);
    try {
      return answer(program._aclgrad_live_obey(text));
    } finally {
      program._free(text);
    }
  }

  // Between two of them the page is heard.
  function tick() {
    timer = null;
    const wait = program._aclgrad_live_tick();
    if (wait < 1) channel.port2.postMessage(null);
    else timer = setTimeout(tick, wait);
  }
  channel.port1.onmessage = tick;
  function tickNow() {
    if (timer === null) return;  // it is on its way
    clearTimeout(timer);
    timer = null;
    channel.port2.postMessage(null);
  }

  async function begin({network, bytes, link}) {
    program = await aclgrad({wasmBinary: bytes, arguments: [network]});
    // A link that leads nowhere is no reason for no page.
    const refused = link === null ? '' : (({ok, text}) => (ok ? '' : text))(obey(link));
    postMessage({type: 'page', ...answer(program._aclgrad_live_page())});
    if (refused) postMessage({type: 'trouble', data: refused});
    setInterval(() => postMessage({type: 'life', data: '{"busy": 0}'}), 1000);
    tick();
  }

  onmessage = ({data}) => {
    if (data.type === 'begin') return begin(data);
    postMessage({type: 'answer', ...obey(data.text)});
    tickNow();
  };
})();
