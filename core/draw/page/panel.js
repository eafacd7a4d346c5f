// The details of the selected box or block, and the search.
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
      const chips = box.facts.filter(([what]) => /^(variable|constant|assigns)/.test(what)).map(fact => fact[1]);
      const names = [box.name, box.title, ...chips];
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
