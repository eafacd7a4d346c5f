"use strict";
// Positions of everything for a given set of open blocks. The rows and their order are in the data.
// core/draw/layout/align.cc and core/draw/layout/frame.cc do the same for SVG.
const ROW_GAP = 40, COLUMN_GAP = 18, TITLE = 22, TITLE_ROOM = 40, PADDING = 12;
const SWEEPS = 9, LONG_WEIGHT = 8, LONELY_WEIGHT = 0.01;
const CELL = { box: 0, block: 1, entry: 2, exit: 3, tag: 4 };

function cellsOf(block) {
  return block.cells.map(([kind, index, row, left, right, height]) => ({ kind, index, row, left, right, height }));
}

function portX(frame, cells, port) {
  if (!cells.length) return frame.width >> 1;
  return frame.x[cells[Math.min(Math.max(port, 0), cells.length - 1)]];
}

// Moves the vertices of a row as close to their neighbours as their extents and order allow:
// weighted least squares by pooling of adjacent violators.
function alignRow(row, neighbours, extents, x) {
  const pools = [], offsets = [];
  let offset = 0;
  row.forEach((v, i) => {
    if (i) offset += extents[row[i - 1]].right + COLUMN_GAP + extents[v].left;
    offsets.push(offset);
    let sum = 0, weight = 0;
    for (const n of neighbours[v]) {
      sum += (x[n.vertex] + n.shift) * n.weight;
      weight += n.weight;
    }
    const wanted = weight ? sum / weight : x[v];
    weight = weight || LONELY_WEIGHT;
    let pool = { sum: (wanted - offset) * weight, weight, count: 1 };
    while (pools.length && pools[pools.length - 1].sum / pools[pools.length - 1].weight > pool.sum / pool.weight) {
      const before = pools.pop();
      pool = { sum: before.sum + pool.sum, weight: before.weight + pool.weight, count: before.count + pool.count };
    }
    pools.push(pool);
  });
  let i = 0;
  for (const pool of pools) {
    for (let k = 0; k < pool.count; ++k, ++i) x[row[i]] = pool.sum / pool.weight + offsets[i];
  }
}

// Returns the x of each vertex. `shifts`: per segment, the distance by which its upper end lies to
// the right of its lower end if the anchors have the same x.
function alignRows(block, extents, shifts) {
  const up = extents.map(() => []), down = extents.map(() => []), x = new Array(extents.length).fill(0);
  block.segments.forEach(([above, below], i) => {
    const weight = above >= block.cells.length && below >= block.cells.length ? LONG_WEIGHT : 1;
    down[above].push({ vertex: below, shift: -shifts[i], weight });
    up[below].push({ vertex: above, shift: shifts[i], weight });
  });
  for (const row of block.rows) {
    let at = 0;
    for (const v of row) {
      x[v] = at += extents[v].left;
      at += extents[v].right + COLUMN_GAP;
    }
  }
  for (let sweep = 0; sweep < SWEEPS; ++sweep) {
    if (sweep % 2) for (let i = block.rows.length - 1; i >= 0; --i) alignRow(block.rows[i], down, extents, x);
    else for (const row of block.rows) alignRow(row, up, extents, x);
  }
  return x.map(Math.round);
}

// Returns the frames of block `number` and of all open blocks within it, as a map by block.
function layOut(picture, open, number = 0, frames = new Map()) {
  const block = picture.blocks[number], cells = cellsOf(block);
  const inner = cells.map(cell =>
    cell.kind === CELL.block && open.has(cell.index) ? layOut(picture, open, cell.index, frames).get(cell.index) : null);
  const extents = Array.from({ length: block.vertices }, () => ({ left: 2, right: 2 })), heights = block.rows.map(() => 0);
  cells.forEach((cell, i) => {
    extents[i] = inner[i] ? { left: inner[i].width >> 1, right: inner[i].width - (inner[i].width >> 1) } : cell;
    heights[cell.row] = Math.max(heights[cell.row], (inner[i] || cell).height);
  });
  const shift = (cell, port, side) => inner[cell] ? portX(inner[cell], inner[cell].block[side], port) - (inner[cell].width >> 1) : 0;
  const x = alignRows(block, extents, block.segments.map(([above, below, number]) => {
    const [from, to, fromPort, toPort] = block.wires[number];
    return (above === from ? shift(from, fromPort, "exits") : 0) - (below === to ? shift(to, toPort, "entries") : 0);
  }));
  const left = x.reduce((least, at, i) => Math.min(least, at - extents[i].left), Infinity);
  const right = x.reduce((most, at, i) => Math.max(most, at + extents[i].right), -Infinity);
  const frame = { block, cells, heights, tops: [], x: x.map(at => at + PADDING - left) };
  frame.width = Math.max(x.length ? right - left + 2 * PADDING : 0, block.width + TITLE_ROOM);
  let y = (number ? TITLE : PADDING) - (block.entries.length ? ROW_GAP / 2 : 0);
  for (const height of heights) {
    frame.tops.push(y);
    y += height + ROW_GAP;
  }
  frame.height = y - ROW_GAP + (block.exits.length ? 0 : PADDING);
  return frames.set(number, frame);
}
