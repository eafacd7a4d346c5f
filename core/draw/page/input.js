// Pointer, wheel, touch and keyboard.
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
