// SPDX-License-Identifier: Apache-2.0
// usage: imports_test.cjs SCRIPT...
// The scripts of one page: each imports what it calls or reads of another, which exports it, and nothing else.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

// Without comments and texts; what a template computes stays.
const codeOf = (text) => text.replace(/\/\/.*/g, '').replace(/'(\\.|[^'\\\n])*'/g, '\'\'');
const scripts = new Map(process.argv.slice(2).map((file) => {
  const text = fs.readFileSync(file, 'utf8'), imports = new Map();
  const rest = text.replace(/\nimport \{([^}]*)\} from '([^']*)';/g, (_, names, from) => {
    for (const name of names.split(',')) imports.set(name.trim(), path.resolve(path.dirname(file), from));
    return '';
  });
  const exported = new Set([...rest.matchAll(/\nexport (?:async )?(?:function|class|const|let) (\w+)/g)].map(([, name]) => name));
  return [path.resolve(file), {file, imports, exported, code: codeOf(rest)}];
}));

const faults = [];
for (const {file, imports, code} of scripts.values()) {
  const uses = (name) => new RegExp(`(?<![\\w$.]|\\.\\.)(?:\\.\\.\\.)?\\b${name}\\b`).test(code);
  for (const [name, from] of imports) {
    if (!scripts.get(from)?.exported.has(name)) faults.push(`${file}: ${name} is not exported there`);
    if (!uses(name)) faults.push(`${file}: ${name} is imported and not used`);
  }
  // What is called, and neither a method nor a function of its own.
  for (const other of scripts.values()) {
    for (const name of other.file === file ? [] : other.exported) {
      const called = new RegExp(`(?<![\\w$.'"]|async |function )\\b${name}\\((?![^()]*\\) \\{)`).test(code);
      const own = new RegExp(`(const|let|function|class) ([[{][^\\]}=]*)?\\b${name}\\b|\\b${name} =>|[({,] ?${name} ?[,)}=][^;(]*=>`).test(code);
      if (called && !own && !imports.has(name)) faults.push(`${file}: ${name}() of ${other.file} is not imported`);
    }
  }
}
if (faults.length) {
  console.log(faults.join('\n'));
  process.exit(1);
}
