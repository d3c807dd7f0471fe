// SPDX-License-Identifier: Apache-2.0
// What the program says, as events of one connection. A browser has six for a program, and each tab that
// had one of its own would take it from the others: tabs share a worker that listens for all of them. Where
// there are no such workers each tab listens for itself.
export function follow(tell) {
  const source = new EventSource('events');
  for (const type of ['frame', 'life', 'trouble', 'refused', 'end']) {
    source.addEventListener(type, ({data}) => {
      if (type === 'refused' || type === 'end') source.close();  // asking again would not help
      tell({type, data});
    });
  }
  source.addEventListener('open', () => tell({type: 'open'}));
  source.addEventListener('error', () => tell({type: 'lost'}));
  return source;
}

if (typeof SharedWorkerGlobalScope !== 'undefined') {
  const ports = new Set();
  let source = null, frame = null;  // the latest, for tabs to come
  self.addEventListener('connect', ({ports: [port]}) => {
    ports.add(port);
    port.onmessage = () => {  // a tab that closes says so
      ports.delete(port);
      if (ports.size > 0) return;
      source.close();
      source = frame = null;
    };
    if (frame) port.postMessage(frame);
    if (source && source.readyState !== EventSource.CLOSED) return;
    source = follow((message) => {
      if (message.type === 'frame') frame = message;
      for (const each of ports) each.postMessage(message);
    });
  });
}
