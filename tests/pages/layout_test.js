// SPDX-License-Identifier: Apache-2.0
// Layouts of random graphs. Runs behind framework/page/layout.js, in one script.
const faults = [];
const expect = (holds, ...what) => { if (!holds) faults.push(what.join(' ')); };

// Chains, skips and fan-out in all lanes; backward boxes also read forward ones, and so on.
function randomBoxes(seed, count) {
  let bits = seed;
  const below = (limit) => {
    bits = (Math.imul(bits, 1664525) + 1013904223) >>> 0;
    return Math.floor((bits / 2 ** 32) * limit);
  };
  const boxes = [];
  for (let v = 0; v < count; ++v) {
    const lane = Math.floor(v * LANES.length / count);
    const source = v === 0 || below(4) === 0;
    const inputs = new Set();
    for (let i = source ? 0 : 1 + below(3); i > 0; --i) {
      // Mostly recent ones, as in real graphs.
      inputs.add(below(3) === 0 ? below(v) : v - 1 - below(Math.min(v, 4)));
    }
    const beside = lane === BACKWARD && !source ? [below(Math.ceil(count / LANES.length))] : [];
    boxes.push({lane, source, width: 150 + below(100), inputs: [...inputs], beside});
  }
  return boxes;
}

for (let seed = 1; seed < 16; ++seed) {
  const boxes = randomBoxes(seed, 6 + 9 * seed);
  const {corners, routes, lanes, width, height} = layOut(boxes);
  const where = (v) => ({left: corners[v][0], right: corners[v][0] + boxes[v].width, top: corners[v][1],
    bottom: corners[v][1] + BOX_HEIGHT});
  boxes.forEach((box, v) => {
    const own = where(v);
    expect(own.left > -0.01 && own.top >= 0 && own.right < width + 0.01 && own.bottom <= height, seed, v, 'is outside');
    const lane = lanes[box.lane];
    expect(own.left > lane.left - 0.01 && own.right < lane.left + lane.width + 0.01, seed, v, 'is outside its lane');
    for (let u = 0; u < v; ++u) {
      const other = where(u);
      expect(own.left >= other.right || own.right <= other.left || own.top >= other.bottom || own.bottom <= other.top,
        seed, u, 'overlaps', v);
    }
    for (const u of box.inputs.filter((input) => boxes[input].lane === box.lane)) {
      // Within a lane all lines run one way: down, in the backward lane up.
      const below = own.top - where(u).top;
      expect((box.lane === BACKWARD ? -below : below) > BOX_HEIGHT, seed, u, 'to', v, 'runs the wrong way');
    }
  });
  expect(routes.length === boxes.reduce((sum, box) => sum + box.inputs.length, 0), seed, 'every use has its line');
  const angled = routes.filter((route) => route.rightAngled);
  const between = (a, b, low, high) => Math.max(a, b) > low + 0.01 && Math.min(a, b) < high - 0.01;
  const legs = angled.map((route) => route.points.slice(1).map((end, i) => [route.points[i], end]));
  angled.forEach((route, r) => legs[r].forEach(([p, q]) => {
    expect(p[0] === q[0] || p[1] === q[1], seed, 'a line is not parallel to an edge');
    boxes.forEach((box, v) => {
      const {left, right, top, bottom} = where(v);
      expect(!(between(p[0], q[0], left, right) && between(p[1], q[1], top, bottom)),
        seed, route.from, 'to', route.to, 'runs through', v);
    });
  }));
  // Lines from different sources never run on top of each other, in gutters.
  angled.forEach((a, r) => angled.slice(r + 1).forEach((b, s) => {
    if (a.from === b.from) return;
    for (const [a1, a2] of legs[r].slice(1, -1)) {
      for (const [b1, b2] of legs[r + 1 + s].slice(1, -1)) {
        if (a1[1] !== a2[1] || b1[1] !== b2[1] || a1[1] !== b1[1]) continue;
        expect(Math.max(a1[0], a2[0]) < Math.min(b1[0], b2[0]) || Math.max(b1[0], b2[0]) < Math.min(a1[0], a2[0]),
          seed, a.from, a.to, 'lies on', b.from, b.to);
      }
    }
  }));
}

// x -> a -> b -> loss, then the gradients of b and of a, which read a's and x's results.
const box = (lane, inputs, beside = []) => ({lane, inputs, beside, width: 150, source: inputs.length === 0});
const chain = layOut([box(0, []), box(0, [0]), box(0, [1]), box(0, [2]), box(1, []), box(1, [4, 2], [2]),
  box(1, [5, 1], [1]), box(2, [6])]);
expect(chain.corners[5][1] === chain.corners[2][1], 'the gradient of b stands beside it');
expect(chain.corners[6][1] === chain.corners[1][1], 'the gradient of a stands beside it');
expect(chain.corners[7][1] === chain.corners[6][1], 'the update stands beside its gradient');
expect(chain.corners[3][0] < chain.corners[5][0] && chain.corners[5][0] < chain.corners[7][0], 'lanes');
expect(layOut([]).width === 0 && layOut([]).height === 0, 'nothing');
// Boxes that wait for each other are drawn all the same.
const cycle = layOut([box(0, []), box(0, [0, 2]), box(0, [1])]);
expect(cycle.routes.length === 3 && cycle.routes.every((route) => pathOf(route).startsWith('M')), 'a cycle');

const text = faults.length === 0 ? 'layouts hold' : faults.slice(0, 20).join('\n');
console.log(text);
if (faults.length) process.exit(1);
