// What a reader does: move, zoom, search, fold, ask for details.
const $ = id => document.getElementById(id);
const pictures = JSON.parse($("pictures-data").textContent);
const canvas = $("canvas"), view = $("view"), details = $("details");
const FIRST_BOXES = 150, MOST_SCALE = 4, READABLE = 0.35;
let picture, markup, open, chosen, hits = [], hit = -1, parents, insides;
let x = 0, y = 0, scale = 1; // screen = world * scale + (x, y)
let drawn = null;            // the part of the world that is drawn now

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

// Draws what is in sight, with a margin of one screen, unless it is drawn already.
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

// The whole width, from the top: what can be read of a tall graph at once.
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

function rows(pairs) { return pairs.map(([name, fact]) => `<dt>${escaped(name)}</dt><dd>${fact}</dd>`).join(""); }

function jump(box, label) {
  const name = picture.boxes[box].name || picture.boxes[box].title;
  return `<button data-jump="${box}">${escaped(name)}</button> ${escaped(label)}`;
}

function showDetails() {
  const [kind, number] = (chosen || "").split(" "), index = Number(number);
  details.hidden = !chosen;
  if (!chosen) return;
  const self = kind === "box" ? picture.boxes[index] : picture.blocks[index];
  const pairs = self.time ? [["time", escaped(self.time) + " in a run"]] : [];
  if (kind === "box") {
    if (self.device) pairs.push(["device", escaped(self.device)]);
    pairs.push(...self.facts.map(([name, fact]) => [name, name.startsWith("function") && pictureOf(fact) >= 0 ?
      `<button data-function="${escaped(fact)}">${escaped(fact)}</button>` : escaped(fact)]));
    pairs.push(...picture.links.filter(link => link[1] === index).map(link => ["from", jump(link[0], link[2])]));
    pairs.push(...picture.links.filter(link => link[0] === index).map(link => ["to", jump(link[1], link[2])]));
  } else {
    if (self.repeats) pairs.push(["repeats", String(self.repeats)]);
    pairs.push(["nodes", String(self.nodes)], ["", `<button data-block="${index}">${open.has(index) ? "Fold" : "Unfold"}</button>`]);
  }
  details.innerHTML = `<button class="close" title="Close (Escape)">&#x2715;</button><h2>${escaped(self.name || self.title)}</h2>` +
    `<dl>${rows(pairs)}</dl>`;
}

function pictureOf(name) { return pictures.findIndex(other => other.title === name); }

function search(text) {
  const wanted = text.trim().toLowerCase();
  hits = [];
  hit = -1;
  if (wanted) {
    picture.boxes.forEach((box, i) => {
      const names = [box.name, box.title, ...box.chips.map(chip => chip[1])];
      if (names.some(name => name.toLowerCase().includes(wanted))) hits.push(i);
    });
  }
  if (hits.length) return step(1);
  $("hits").textContent = wanted ? "none" : "";
  rebuild();
  draw();
}

function step(by) {
  if (!hits.length) return;
  hit = (hit + by + hits.length) % hits.length;
  $("hits").textContent = `${hit + 1} of ${hits.length}`;
  reveal(hits[hit]);
}

// Outer blocks first, until the page holds enough to begin with; repeated blocks stay folded.
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

function activate(target) {
  const at = target.closest("[data-jump], [data-function], [data-box], [data-block]");
  if (!at) return choose(null);
  const { jump: to, function: called, box, block } = at.dataset;
  if (to) return reveal(Number(to));
  if (called && pictureOf(called) >= 0) return show(pictureOf(called));
  if (box) return choose("box " + box);
  toggle(Number(block));
  choose("block " + block);
}

const fingers = new Map();
let moved = 0;

canvas.addEventListener("pointerdown", event => {
  fingers.set(event.pointerId, event);
  canvas.setPointerCapture(event.pointerId);
  if (fingers.size === 1) moved = 0;
});
canvas.addEventListener("pointermove", event => {
  const last = fingers.get(event.pointerId);
  if (!last) return;
  const other = [...fingers.values()].find(finger => finger.pointerId !== event.pointerId);
  fingers.set(event.pointerId, event);
  moved += Math.abs(event.clientX - last.clientX) + Math.abs(event.clientY - last.clientY);
  const box = canvas.getBoundingClientRect(), share = other ? 0.5 : 1;
  x += (event.clientX - last.clientX) * share;
  y += (event.clientY - last.clientY) * share;
  if (other) {
    const distance = finger => Math.hypot(finger.clientX - other.clientX, finger.clientY - other.clientY);
    const by = distance(last) > 0 ? distance(event) / distance(last) : 1;
    zoom(by, (event.clientX + other.clientX) / 2 - box.left, (event.clientY + other.clientY) / 2 - box.top);
  }
  draw();
});
for (const name of ["pointerup", "pointercancel"]) {
  canvas.addEventListener(name, event => {
    if (!fingers.delete(event.pointerId) || fingers.size || name === "pointercancel" || moved > 6) return;
    activate(document.elementFromPoint(event.clientX, event.clientY) || canvas);
  });
}
canvas.addEventListener("wheel", event => {
  event.preventDefault();
  const box = canvas.getBoundingClientRect(), lines = event.deltaMode ? 20 : 1;
  zoom(Math.exp(-event.deltaY * lines * 0.0015), event.clientX - box.left, event.clientY - box.top);
}, { passive: false });

details.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (button) button.classList.contains("close") ? choose(null) : activate(button);
});

function neighbour(by) {
  const keys = [...markup.centres.keys()], at = keys.indexOf(chosen);
  if (!keys.length) return;
  const next = keys[at < 0 ? 0 : (at + by + keys.length) % keys.length];
  goTo(next);
}

const KEYS = {
  "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), "0": fit,
  ArrowLeft: () => { x += 60; draw(); }, ArrowRight: () => { x -= 60; draw(); },
  ArrowUp: () => { y += 60; draw(); }, ArrowDown: () => { y -= 60; draw(); },
  j: () => neighbour(1), k: () => neighbour(-1), Escape: () => choose(null),
  Enter: () => { if (chosen && chosen.startsWith("block")) { toggle(Number(chosen.slice(6))); choose(chosen); } },
};
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === $("search")) {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") canvas.focus();
    else return;
  } else if (event.key === "/") {
    $("search").focus();
  } else if (KEYS[event.key] && !event.target.closest("button, select")) {
    KEYS[event.key]();
  } else {
    return;
  }
  event.preventDefault();
});

let waiting;
$("search").addEventListener("input", event => {
  clearTimeout(waiting);
  waiting = setTimeout(() => search(event.target.value), 150);
});
for (const [id, act] of Object.entries({ previous: () => step(-1), next: () => step(1), smaller: () => zoom(0.8),
  larger: () => zoom(1.25), fit, fold: () => foldAll(false), unfold: () => foldAll(true) })) {
  $(id).addEventListener("click", act);
}
pictures.forEach((other, i) => $("pictures").add(new Option(`${other.title} (${other.blocks[0].nodes})`, i)));
$("pictures").hidden = pictures.length < 2;
$("pictures").addEventListener("change", event => show(Number(event.target.value)));
new ResizeObserver(() => { drawn = null; draw(); }).observe(canvas);
show(0);
