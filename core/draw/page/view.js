// The state of the view: the shown function, the visible part of it, and the open blocks.
const $ = id => document.getElementById(id);
const pictures = JSON.parse($("pictures-data").textContent);
const canvas = $("canvas"), view = $("view"), details = $("details");
const FIRST_BOXES = 150, MOST_SCALE = 4, READABLE = 0.35;
let picture, markup, open, chosen, hits = [], hit = -1, parents, insides;
let x = 0, y = 0, scale = 1; // screen = world * scale + (x, y)
let drawn = null;            // the currently drawn part of the world

function around(index) { // the blocks around a box, innermost first
  const out = [];
  for (let block = parents[index]; block > 0; block = picture.blocks[block].parent) out.push(block);
  return out;
}

function rebuild() {
  const hitSet = new Set(hits), hitBlocks = new Set(hits.flatMap(around));
  markup = new Markup(picture, open, (kind, index) =>
    ((kind === "box" ? hitSet.has(index) : !open.has(index) && hitBlocks.has(index)) ? " hit" : "") +
    (chosen === kind + " " + index ? " chosen" : ""));
  drawn = null;
}

// Draws the visible part with a margin of one screen, unless it is already drawn.
function draw() {
  const width = canvas.clientWidth, height = canvas.clientHeight;
  view.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
  const sight = { left: -x / scale, top: -y / scale, right: (width - x) / scale, bottom: (height - y) / scale };
  const near = scale >= READABLE;
  if (drawn && drawn.near === near && drawn.left <= sight.left && drawn.right >= sight.right && drawn.top <= sight.top &&
      drawn.bottom >= sight.bottom) return;
  const w = sight.right - sight.left, h = sight.bottom - sight.top;
  drawn = { near, left: sight.left - w, right: sight.right + w, top: sight.top - h, bottom: sight.bottom + h };
  view.innerHTML = markup.shapes.filter(shape => shape.right >= drawn.left && shape.left <= drawn.right &&
    shape.bottom >= drawn.top && shape.top <= drawn.bottom).map(shape => near ? shape.near : shape.far).join("");
}

function zoom(by, cx = canvas.clientWidth / 2, cy = canvas.clientHeight / 2) {
  const next = Math.min(Math.max(scale * by, Math.min(leastScale(), 1)), MOST_SCALE);
  x = cx - (cx - x) * next / scale;
  y = cy - (cy - y) * next / scale;
  scale = next;
  draw();
}

function leastScale() { return 0.8 * Math.min(canvas.clientWidth / markup.width, canvas.clientHeight / markup.height); }

function fit() {
  scale = Math.min(canvas.clientWidth / markup.width, canvas.clientHeight / markup.height, 1.5);
  x = (canvas.clientWidth - markup.width * scale) / 2;
  y = (canvas.clientHeight - markup.height * scale) / 2;
  draw();
}

// Shows the whole width from the top, which keeps a tall graph readable.
function home() {
  scale = Math.min(Math.max(canvas.clientWidth / markup.width, 0.6), 1.2);
  x = (canvas.clientWidth - markup.width * scale) / 2;
  const first = markup.centres.values().next().value;
  if (x < 0 && first) x = canvas.clientWidth / 2 - first[0] * scale;
  y = Math.max(0, (canvas.clientHeight - markup.height * scale) / 2);
  draw();
}

function centre(key) {
  rebuild();
  const [cx, cy] = markup.centres.get(key);
  scale = Math.max(scale, 0.8);
  x = canvas.clientWidth / 2 - cx * scale;
  y = canvas.clientHeight / 2 - cy * scale;
  draw();
}

function toggle(block) {
  const key = "block " + block, before = markup.centres.get(key);
  if (!open.delete(block)) open.add(block);
  rebuild();
  const after = markup.centres.get(key);
  if (!before || !after) return; // within a folded block
  x += (before[0] - after[0]) * scale;
  y += (before[1] - after[1]) * scale;
}

function goTo(key) {
  chosen = key;
  showDetails();
  centre(key);
}

function reveal(box) {
  for (const block of around(box)) open.add(block);
  goTo("box " + box);
}

function choose(key) {
  chosen = key;
  showDetails();
  rebuild();
  draw();
}

// Opens outer blocks first, until enough is shown at the start. Repeated blocks stay folded.
function firstOpen() {
  const out = new Set();
  let boxes = insides[0].length, queue = insides[0];
  while (queue.length) {
    const inner = [];
    for (const block of queue) {
      const { cells, repeats } = picture.blocks[block];
      if (repeats || boxes + cells.length > FIRST_BOXES) continue;
      boxes += cells.length;
      out.add(block);
      inner.push(...insides[block]);
    }
    queue = inner;
  }
  return out;
}

function show(index) {
  picture = pictures[index];
  parents = [];
  insides = picture.blocks.map(() => []);
  picture.blocks.forEach((block, number) => {
    for (const cell of cellsOf(block)) {
      if (cell.kind === CELL.box) parents[cell.index] = number;
      if (cell.kind === CELL.block) insides[number].push(cell.index);
    }
  });
  open = firstOpen();
  chosen = null;
  hits = [];
  $("search").value = $("hits").textContent = "";
  $("pictures").value = index;
  $("legend").innerHTML = picture.devices.map((device, i) =>
    `<span><i style="background:${COLOURS[i % COLOURS.length]}"></i>${escaped(device)}</span>`).join("") +
    (picture.devices.length > 1 ? "<span><i class=\"transfer\"></i>between devices</span>" : "") +
    (picture.time ? `<span>in all ${escaped(picture.time)}</span>` : "");
  showDetails();
  rebuild();
  home();
}

function foldAll(unfold) {
  open = new Set(unfold ? picture.blocks.keys() : []);
  open.delete(0);
  rebuild();
  home();
}
