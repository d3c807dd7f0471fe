// SPDX-License-Identifier: Apache-2.0
// usage: pack.cjs PROGRAM.js PROGRAM.wasm FOLDER NETWORK=TITLE...
// Writes FOLDER/live.js, which has the program, and a page for each network, which starts it with that network.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');

const [glue, wasm, folder, ...networks] = process.argv.slice(2);
const read = (name) => fs.readFileSync(path.join(__dirname, name), 'utf8');
const program = zlib.gzipSync(fs.readFileSync(wasm), {level: 9}).toString('base64');
const worker = fs.readFileSync(glue, 'utf8') + read('worker.js');
fs.mkdirSync(folder, {recursive: true});
fs.writeFileSync(path.join(folder, 'live.js'), `${read('loader.js')}startLive(document.body.dataset.network, '${program}', ${JSON.stringify(worker)});\n`);
for (const one of networks) {
  const [, name, title] = /^([^=]*)=(.*)$/.exec(one);
  fs.writeFileSync(path.join(folder, `${name}.html`), `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body data-network="${name}"><p>${title}: starting …</p><script src="live.js"></script></body></html>
`);
}
