// SPDX-License-Identifier: Apache-2.0
// Where the boxes of a graph stand, in layers, and how the lines between them run.
//
// There is a lane for each pass, side by side. Forward runs downwards, backward upwards, so that a
// gradient operator stands at the height of what it differentiates; update runs downwards again. No
// two boxes overlap. Lines to another lane run at right angles, through the gutters between the rows
// and the channels between the lanes, so they cross no box.
export const LANES = ['forward', 'backward', 'update'];
const [FORWARD, BACKWARD] = [0, 1];
export const BOX_HEIGHT = 68;     // as in graph.css
const PASS_WIDTH = 14;     // room for a line that passes by
const BOX_GAP = 20;        // between neighbours in a row
const TRACK_GAP = 7;
const GUTTER = 34;         // between two rows without right-angled lines
const CHANNEL = 36;        // between two lanes without any
const PORT_SPREAD = 0.6;   // the part of a box's width over which lines arrive
const SWEEPS = 12;

// A box: its lane, its width, `inputs`: the boxes that it reads, each once; `beside`: boxes forward
// that it should not stand above; `source`: it has no inputs by nature and stands close to who reads
// it. Inputs stand before their readers in the list, but for those that close a cycle.
// A row for each, the uppermost 0.
function rowsOf(boxes) {
  const rows = boxes.map(() => 0);
  const readers = boxes.map(() => []);
  boxes.forEach((box, v) => box.inputs.forEach((u) => { if (u < v) readers[u].push(v); }));
  const inLane = (v, lane) => boxes[v].lane === lane;
  // Every box below its inputs in the lane and not above those in others; then sources go down to
  // just above their readers.
  const descend = (lane) => {
    boxes.forEach((box, v) => {
      if (box.lane !== lane) return;
      for (const u of box.inputs) {
        if (u < v && inLane(u, lane)) rows[v] = Math.max(rows[v], rows[u] + 1);
        if (boxes[u].lane < lane) rows[v] = Math.max(rows[v], rows[u]);
      }
    });
    for (let v = boxes.length; v-- > 0;) {
      const own = readers[v].filter((w) => inLane(w, lane)).map((w) => rows[w] - 1);
      if (inLane(v, lane) && boxes[v].source && own.length) rows[v] = Math.max(rows[v], Math.min(...own));
    }
  };
  descend(FORWARD);
  // Backward: below all that reads its result, and not above what it differentiates. Both together
  // never contradict, since nothing forward waits for anything backward.
  for (let v = boxes.length; v-- > 0;) {
    if (!inLane(v, BACKWARD)) continue;
    rows[v] = Math.max(0, ...boxes[v].beside.map((u) => rows[u]),
      ...readers[v].filter((w) => inLane(w, BACKWARD)).map((w) => rows[w] + 1));
  }
  // A gradient that nothing backward reads stands just above what it is made of.
  boxes.forEach((box, v) => {
    if (box.lane !== BACKWARD || readers[v].some((w) => inLane(w, BACKWARD))) return;
    const made = box.inputs.filter((u) => u < v && inLane(u, BACKWARD)).map((u) => rows[u] - 1);
    if (made.length) rows[v] = Math.min(...made);
  });
  descend(LANES.length - 1);
  return rows;
}

// Orders the items of each row, boxes and the places where lines within a lane pass by, so that few
// lines cross, and moves them close to their neighbours. The boxes are the first items.
function placed(boxes) {
  const rows = rowsOf(boxes);
  const items = boxes.map((box, v) => ({lane: box.lane, row: rows[v], width: box.width, around: []}));
  const chains = [];  // lines within a lane: the items from the source to its reader
  boxes.forEach((box, v) => box.inputs.forEach((u) => {
    if (boxes[u].lane !== box.lane || rows[u] === rows[v] || u > v) return;
    const chain = [u];
    const down = rows[v] > rows[u] ? 1 : -1;
    for (let row = rows[u] + down; row !== rows[v]; row += down) {
      chain.push(items.length);
      items.push({lane: box.lane, row, width: PASS_WIDTH, around: []});
    }
    chain.push(v);
    chains.push(chain);
    for (let i = 1; i < chain.length; ++i) {
      items[chain[i - 1]].around.push(items[chain[i]]);
      items[chain[i]].around.push(items[chain[i - 1]]);
    }
  }));
  const rowCount = Math.max(0, ...rows) + 1;
  const lines = LANES.map(() => Array.from({length: rowCount}, () => []));
  items.forEach((item) => lines[item.lane][item.row].push(item));

  // Side by side, the middle of the row at 0.
  const spread = (line) => {
    let at = 0;
    for (const item of line) {
      item.centre = at + item.width / 2;
      at += item.width + BOX_GAP;
    }
    for (const item of line) item.centre -= (at - BOX_GAP) / 2;
  };
  // The mean of its neighbours' places; its own without neighbours.
  const wanted = (item) => item.around.length === 0 ? item.centre
    : item.around.reduce((sum, other) => sum + other.centre, 0) / item.around.length;
  const sort = (line) => {
    const keyed = line.map((item) => [wanted(item), item]).sort((a, b) => a[0] - b[0]);
    keyed.forEach(([, item], k) => { line[k] = item; });
    spread(line);
  };
  // As close to the wanted places as the order and the widths allow, by least squares: with the
  // widths taken off, that is isotonic regression, solved by pooling adjacent violators.
  const move = (line) => {
    const offsets = [], pools = [];
    const mean = (pool) => pool.sum / pool.count;
    line.forEach((item, k) => {
      offsets.push(k === 0 ? 0 : offsets[k - 1] + (line[k - 1].width + item.width) / 2 + BOX_GAP);
      pools.push({sum: wanted(item) - offsets[k], count: 1});
      while (pools.length > 1 && mean(pools.at(-2)) > mean(pools.at(-1))) {
        const {sum, count} = pools.pop();
        pools.at(-1).sum += sum;
        pools.at(-1).count += count;
      }
    });
    let k = 0;
    for (const pool of pools) {
      for (let i = 0; i < pool.count; ++i, ++k) line[k].centre = mean(pool) + offsets[k];
    }
  };
  const widths = lines.map((lane) => {
    lane.forEach(spread);
    for (const work of [sort, move]) {
      for (let sweep = 0; sweep < SWEEPS; ++sweep) {
        (sweep % 2 === 0 ? lane : [...lane].reverse()).forEach(work);
      }
    }
    const all = lane.flat();
    if (!all.length) return 0;
    const low = Math.min(...all.map((item) => item.centre - item.width / 2));
    const high = Math.max(...all.map((item) => item.centre + item.width / 2));
    for (const item of all) item.centre -= low;
    return high - low;
  });
  return {rows, rowCount, items, chains, widths};
}

// Parallel tracks for lines that share a gutter or a channel: lines from one source may run on top of
// each other, others that overlap run side by side.
class Tracks {
  spans = new Map();
  count = 0;
  add(source, a, b) {
    const span = this.spans.get(source) || {low: Infinity, high: -Infinity};
    this.spans.set(source, span);
    span.low = Math.min(span.low, a, b);
    span.high = Math.max(span.high, a, b);
  }
  assign() {
    const ends = [];  // of the last span on each track
    for (const span of [...this.spans.values()].sort((a, b) => a.low - b.low)) {
      const free = ends.findIndex((end) => end < span.low);
      span.track = free < 0 ? ends.length : free;
      ends[span.track] = span.high;
    }
    this.count = ends.length;
  }
  at(source) { return TRACK_GAP * this.spans.get(source).track; }
}

// Corners of the boxes, routes of the lines, extents of the lanes. A route has points: right-angled
// ones the corners; others pairs, a curve from each even point to the odd one after it, and a straight
// line from there to the next even one.
export function layOut(boxes) {
  const {rows, rowCount, items, chains, widths} = placed(boxes);
  const gutters = Array.from({length: rowCount + 1}, () => new Tracks());  // gutter r is above row r
  const channels = LANES.map(() => new Tracks());                         // channel l is right of lane l
  const upwards = (v) => boxes[v].lane === BACKWARD;
  const crossings = [];
  boxes.forEach((box, v) => box.inputs.forEach((u) => {
    if (boxes[u].lane === box.lane && rows[u] !== rows[v] && u < v) return;
    // The channel at the reader's side that faces the source.
    const channel = box.lane - (boxes[u].lane < box.lane ? 1 : 0);
    const out = rows[u] + (upwards(u) ? 0 : 1);
    const into = rows[v] + (upwards(v) ? 1 : 0);
    if (out !== into) channels[channel].add(u, out, into);
    crossings.push({u, v, channel, out, into});
  }));
  channels.forEach((channel) => channel.assign());

  let left = 0;
  const lanes = widths.map((width, lane) => {
    const at = left;
    left += width + (width > 0 ? CHANNEL : 0) + TRACK_GAP * channels[lane].count;
    return {left: at, width};
  });
  const centre = items.map((item) => lanes[item.lane].left + item.centre);
  const channelX = ({channel, u}) =>
    lanes[channel].left + lanes[channel].width + CHANNEL / 2 + channels[channel].at(u);
  // Lines to other lanes leave beside the one to the own lane.
  const exitX = ({u, v}) => centre[u] + (boxes[v].lane > boxes[u].lane ? 1 : -1) * boxes[u].width / 4;
  // Arriving lines are spread in the order in which their sources stand.
  const arrivals = boxes.map((box) => [...box.inputs].sort((a, b) => centre[a] - centre[b]));
  const entryX = (v, u) => centre[v] + PORT_SPREAD * boxes[v].width *
    ((arrivals[v].indexOf(u) + 1) / (arrivals[v].length + 1) - 0.5);

  // How far the lines in a gutter reach decides how many tracks it has.
  for (const crossing of crossings) {
    const {u, v, out, into} = crossing;
    if (out === into) {
      gutters[out].add(u, exitX(crossing), entryX(v, u));
    } else {
      gutters[out].add(u, exitX(crossing), channelX(crossing));
      gutters[into].add(u, channelX(crossing), entryX(v, u));
    }
  }
  let y = 0;
  const gutterTops = [], tops = [];
  gutters.forEach((gutter, r) => {
    gutter.assign();
    const outside = r === 0 || r === rowCount;
    gutterTops.push(y + (r === 0 ? 0 : GUTTER / 2));
    y += TRACK_GAP * gutter.count + (outside ? GUTTER / 2 : GUTTER);
    if (r === rowCount) return;
    tops.push(y);
    y += BOX_HEIGHT;
  });
  const gutterY = (r, u) => gutterTops[r] + gutters[r].at(u);
  const exitY = (v) => tops[rows[v]] + (upwards(v) ? 0 : BOX_HEIGHT);
  const entryY = (v) => tops[rows[v]] + (upwards(v) ? BOX_HEIGHT : 0);

  const routes = chains.map((chain) => {
    const [u, v] = [chain[0], chain.at(-1)];
    const points = [[centre[u], exitY(u)]];
    for (const item of chain.slice(1, -1)) {
      const top = tops[items[item].row];
      const ends = [[centre[item], top], [centre[item], top + BOX_HEIGHT]];
      points.push(...(upwards(v) ? ends.reverse() : ends));
    }
    points.push([entryX(v, u), entryY(v)]);
    return {from: u, to: v, points, rightAngled: false};
  });
  for (const crossing of crossings) {
    const {u, v, out, into} = crossing;
    const [start, end] = [exitX(crossing), entryX(v, u)];
    const points = [[start, exitY(u)], [start, gutterY(out, u)]];
    if (out !== into) {
      const x = channelX(crossing);
      points.push([x, gutterY(out, u)], [x, gutterY(into, u)]);
    }
    points.push([end, gutterY(into, u)], [end, entryY(v)]);
    routes.push({from: u, to: v, points, rightAngled: true});
  }
  const corners = boxes.map((box, v) => [centre[v] - box.width / 2, tops[rows[v]]]);
  const width = Math.max(0, ...lanes.map((lane) => (lane.width > 0 ? lane.left + lane.width : 0)),
    ...routes.flatMap((route) => route.points.map(([x]) => x)));
  return {width, height: boxes.length ? y : 0, corners, routes, lanes};
}

// The path of a route for an SVG drawing.
export function pathOf({points, rightAngled}) {
  const at = ([x, y]) => `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
  let path = 'M' + at(points[0]);
  for (let i = 1; i < points.length; ++i) {
    const [before, here, after] = [points[i - 1], points[i], points[i + 1]];
    if (rightAngled) {
      if (!after) return path + 'L' + at(here);
      // Cuts the corner by at most half of the shorter side.
      const towards = (other) => {
        const [dx, dy] = [other[0] - here[0], other[1] - here[1]];
        const length = Math.max(Math.abs(dx) + Math.abs(dy), 1e-9);
        const part = Math.min(6, length / 2) / length;
        return [here[0] + dx * part, here[1] + dy * part];
      };
      path += `L${at(towards(before))}Q${at(here)} ${at(towards(after))}`;
    } else if (i % 2 === 0) {
      path += 'L' + at(here);
    } else {
      const middle = (before[1] + here[1]) / 2;
      path += `C${at([before[0], middle])} ${at([here[0], middle])} ${at(here)}`;
    }
  }
  return path;
}
