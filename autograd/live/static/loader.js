// SPDX-License-Identifier: Apache-2.0
// Starts a page without a server: the program, in a worker, makes the same page as a server would serve, and this
// document becomes it. All comes from this file, as a page that was opened as a file may read no other; pack.cjs
// puts in `program`, the bytes of the WebAssembly, compressed, and `worker`, the text of the worker.
'use strict';
async function startLive(network, program, worker) {
  const say = (text) => { document.body.textContent = text; };
  try {
    const text = atob(program), packed = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) packed[i] = text.charCodeAt(i);
    const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
    const run = new URLSearchParams(location.hash.slice(1)).get('run');
    let link = null;
    try {
      if (run) link = JSON.stringify({...JSON.parse(run), do: 'restore', brief: true});
    } catch {}  // the page says that it is broken
    const started = new Worker(URL.createObjectURL(new Blob([worker], {type: 'text/javascript'})));
    started.onerror = ({message}) => say(`This page could not start: ${message}`);
    started.onmessage = ({data}) => {
      if (data.type !== 'page') return;
      window.liveWorker = started;
      document.open();
      document.write(data.text);
      document.close();
    };
    started.postMessage({type: 'begin', network, bytes, link}, [bytes]);
  } catch (error) {
    say(`This page needs a browser of 2023 or later, with WebAssembly and its vectors: ${error.message}`);
  }
}
