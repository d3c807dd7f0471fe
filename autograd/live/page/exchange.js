// SPDX-License-Identifier: Apache-2.0
// What goes between the page and the run that it shows, whatever carries it. An exchange has
//
//   listen(hear)   calls hear({type, data}) for what the run says: a 'frame', a sign of 'life', 'trouble',
//                  'refused' or the 'end', with JSON as data; and 'open' or 'lost' of the line itself
//   ask(command)   resolves to {ok, text} as the answer to a command; throws where nobody is there
//   probe()        throws where nobody is there
//   outlives       whether the run goes on when the page is loaded anew
//
// A program serves the page over HTTP; a page without one (a file, or on any web server) has the run in a
// worker, which page/worker.js starts before this page is.
import {follow} from './stream.js';

const overHttp = {
  outlives: true,
  listen(hear) {
    if (typeof SharedWorker === 'undefined') return follow(hear);
    const {port} = new SharedWorker('stream.js');
    port.onmessage = ({data: message}) => hear(message);
    addEventListener('pagehide', () => port.postMessage('closes'));
  },
  async ask(command) {
    const answer = await fetch('command', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(command)});
    return {ok: answer.ok, text: await answer.text() || (answer.ok ? '' : `refused (${answer.status})`)};
  },
  probe: () => fetch('stream.js', {method: 'GET', cache: 'no-store'}),
};

// A worker answers in the order in which it is asked.
function overMessages(worker) {
  const asked = [];
  let ended = false;
  const gone = () => {
    ended = true;
    asked.splice(0).forEach(({reject}) => reject(new Error('the worker has ended')));
  };
  return {
    outlives: false,
    listen(hear) {
      worker.onmessage = ({data: message}) => (message.type === 'answer' ? asked.shift()?.resolve(message) : hear(message));
      worker.onerror = () => {
        gone();
        hear({type: 'end'});
      };
    },
    ask: (command) => new Promise((resolve, reject) => {
      if (ended) return reject(new Error('the worker has ended'));
      asked.push({resolve, reject});
      worker.postMessage({type: 'command', text: JSON.stringify(command)});
    }),
    probe: async () => { if (ended) throw new Error('the worker has ended'); },
  };
}

export const exchange = window.liveWorker ? overMessages(window.liveWorker) : overHttp;
