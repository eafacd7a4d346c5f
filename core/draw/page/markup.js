// The frames as SVG elements: a flat list of shapes with their bounds, so that the view draws only
// the visible ones.
const COLOURS = ["#2f7ed8", "#d8742f", "#3aa655", "#8e44ad", "#c0392b", "#16a085", "#7f8c8d", "#b8860b"];
const KINDS = ["node", "input", "output"], TINTS = ["", " elementwise", " view", " weighted"];
const LINE = 15, PAD = 6, CHIP_GAP = 14;

function escaped(text) {
  return String(text).replace(/[&<>"\u0000-\u001f\u007f]/g,
    c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] || " ");
}

function words(x, y, css, text) {
  return text ? `<text x="${x}" y="${y}" class="${css}">${escaped(text)}</text>` : "";
}

function body(x, y, width, height, more = "") {
  return `<rect class="body" x="${x}" y="${y}" width="${width}" height="${height}" rx="4"${more}/>`;
}

function heat(picture, microseconds) {
  if (microseconds < 0 || !picture.longest) return "";
  const share = Math.min(microseconds / picture.longest, 1);
  const mix = (cold, hot) => Math.round(cold + share * (hot - cold));
  return ` style="fill:rgb(${mix(255, 240)},${mix(250, 110)},${mix(240, 80)})"`;
}

function chips(look, x, y, assigned) {
  const shown = look.chips.filter(([kind]) => (kind === 2) === assigned), pitch = LINE + 2;
  const side = x + (assigned ? look.width : -look.width) / 2;
  return shown.map(([kind, text, width, name], i) => {
    const middle = y - shown.length * pitch / 2 + i * pitch + pitch / 2;
    const left = assigned ? side + CHIP_GAP : side - CHIP_GAP - width;
    const at = Math.min(Math.max(middle, y - look.height / 2 + 3), y + look.height / 2 - 3);
    const way = assigned ? `M${side} ${at}L${left} ${middle}` : `M${side - CHIP_GAP} ${middle}L${side} ${at}`;
    const data = kind === 3 ? `data-function="${escaped(name)}"` : "";
    return `<g ${data}><title>${escaped(name)}</title><rect class="chip${kind}" x="${left}" y="${middle - LINE / 2}" ` +
      `width="${width}" height="${LINE}" rx="4"/>${words(left + PAD, middle + 4, "chip", text)}</g><path class="arrow" d="${way}"/>`;
  }).join("");
}

// `far` is shown where text would be too small to read.
function card(look, x, y, css, data, title, style = "", strip = "") {
  const left = x - look.width / 2, top = y - look.height / 2;
  const far = body(left, top, look.width, look.height, style);
  const near = look.lines.map((line, i) => words(left + PAD, top + 14 + i * LINE, i ? "dim" : "title", line)).join("") +
    words(left + look.width - PAD, top + 14, "end", look.time) + chips(look, x, y, false) + chips(look, x, y, true);
  const wrapped = inside => `<g class="${css}${style ? " hot" : ""}" ${data}><title>${escaped(title)}</title>${inside}${strip}</g>`;
  const reach = 260;
  return { left: left - reach, top: top - 60, right: left + look.width + reach, bottom: top + look.height + 60,
    near: wrapped(far + near), far: wrapped(far) };
}

class Markup {
  constructor(picture, open, marks) {
    this.picture = picture;
    this.frames = layOut(picture, open);
    this.marks = marks; // css of boxes and blocks: search hits and the selection
    this.shapes = [];
    this.centres = new Map(); // "box 7", "block 3": [x, y]
    this.inside(0, 0, 0);
    const root = this.frames.get(0);
    this.width = root.width;
    this.height = root.height;
  }

  inside(number, x, y) {
    const frame = this.frames.get(number);
    frame.block.wires.forEach(wire => this.wire(frame, wire, x, y));
    frame.block.wires.forEach(wire => this.label(frame, wire, x, y));
    frame.cells.forEach((cell, i) => {
      const anchor = x + frame.x[i], middle = y + this.middle(frame, cell);
      if (cell.kind === CELL.box) this.box(cell.index, anchor, middle);
      if (cell.kind === CELL.block) this.block(cell.index, anchor, middle);
      if (cell.kind === CELL.tag) this.tag(cell, anchor, middle);
    });
  }

  middle(frame, cell) { return frame.tops[cell.row] + frame.heights[cell.row] / 2; }

  box(index, x, y) {
    const box = this.picture.boxes[index], device = this.picture.devices.indexOf(box.device);
    const strip = device < 0 ? "" : `<rect x="${x - box.width / 2}" y="${y - box.height / 2}" width="4" height="${box.height}" ` +
      `fill="${COLOURS[device % COLOURS.length]}"/>`;
    this.centres.set("box " + index, [x, y]);
    this.shapes.push(card(box, x, y, KINDS[box.kind] + (box.kind ? "" : TINTS[box.tint]) + this.marks("box", index), `data-box="${index}"`, box.name,
      heat(this.picture, box.microseconds), strip));
  }

  block(index, x, y) {
    const block = this.picture.blocks[index], frame = this.frames.get(index), data = `data-block="${index}"`;
    const times = block.repeats ? ` \u00d7 ${block.repeats}` : "", marks = this.marks("block", index);
    this.centres.set("block " + index, [x, frame ? y - frame.height / 2 + 10 : y]);
    if (!frame) {
      const shape = card(block, x, y, "block" + marks, data, "unfold " + block.title);
      if (block.repeats) {
        const behind = body(x - block.width / 2 + 4, y - block.height / 2 + 4, block.width, block.height);
        shape.near = shape.near.replace("<rect", behind + "<rect");
      }
      this.shapes.push(shape);
      return;
    }
    const left = x - (frame.width >> 1), top = y - frame.height / 2;
    const far = `<g class="frame${marks}" ${data}><title>fold ${escaped(block.title)}</title>` + body(left, top, frame.width, frame.height);
    const near = words(left + PAD, top + 15, "title", "\u25be " + block.lines[0] + times) +
      words(left + frame.width - PAD, top + 15, "dim end", block.time);
    this.shapes.push({ left, top, right: left + frame.width, bottom: top + frame.height, near: far + near + "</g>", far: far + "</g>" });
    this.inside(index, left, top);
  }

  tag(cell, x, y) {
    const box = this.picture.boxes[cell.index], width = cell.left + cell.right;
    this.shapes.push({ left: x - cell.left, top: y - LINE / 2, right: x + cell.right, bottom: y + LINE / 2, far: "",
      near: `<g class="tag" data-jump="${cell.index}"><title>go to ${escaped(box.name)}</title>` +
        body(x - cell.left, y - LINE / 2, width, LINE) + words(x, y + 4, "middle", tagText(box, width)) + "</g>" });
  }

  // Returns the point where a wire leaves (`below`) or enters a cell.
  end(frame, index, port, below) {
    const cell = frame.cells[index], x = frame.x[index], middle = this.middle(frame, cell);
    const at = height => [x, middle + (below ? height : -height) / 2];
    if (cell.kind === CELL.entry) return [x, 0];
    if (cell.kind === CELL.exit) return [x, frame.height];
    if (cell.kind === CELL.tag) return at(LINE);
    if (cell.kind === CELL.box) return at(this.picture.boxes[cell.index].height);
    const inner = this.frames.get(cell.index);
    if (!inner) return at(this.picture.blocks[cell.index].height);
    const top = middle - inner.height / 2;
    return [x - (inner.width >> 1) + portX(inner, below ? inner.block.exits : inner.block.entries, port), below ? top + inner.height : top];
  }

  wire(frame, [from, to, fromPort, toPort, kind, , , vertices], x, y) {
    const begin = this.end(frame, from, fromPort, true), end = this.end(frame, to, toPort, false);
    const source = frame.cells[from], target = frame.cells[to], bends = vertices.map(v => frame.x[v]);
    let at = begin[0], path = `M${x + begin[0]} ${y + begin[1]}`;
    [...bends, end[0]].forEach((next, i) => {
      const top = y + frame.tops[source.row + 1 + i], half = top - ROW_GAP / 2;
      path += `V${top - ROW_GAP}C${x + at} ${half} ${x + next} ${half} ${x + next} ${top}`;
      at = next;
    });
    if (end[1] !== frame.tops[target.row]) path += "V" + (y + end[1]);
    const line = css => `<path class="kind${kind}${css}" d="${path}"/>`, all = [begin[0], end[0], ...bends];
    // A wire that continues inside a block has its arrow there.
    const goesOn = target.kind === CELL.exit || target.kind === CELL.block && this.frames.has(target.index);
    this.shapes.push({ left: x + Math.min(...all) - 4, right: x + Math.max(...all) + 4, top: y + begin[1], bottom: y + end[1],
      far: line(""), near: line(goesOn ? "" : " arrow") });
  }

  // Draws the type of a value. An open block shows it inside.
  label(frame, [from, to, fromPort, toPort, , text, atEnd], x, y) {
    const source = frame.cells[from];
    if (!text || source.kind === CELL.block && this.frames.has(source.index)) return;
    const [left, line] = atEnd ? this.end(frame, to, toPort, false) : this.end(frame, from, fromPort, true);
    this.shapes.push({ left: x + left, right: x + left + 200, top: y + line - 20, bottom: y + line + 20, far: "",
      near: words(x + left + 5, y + line + (atEnd ? -8 : 12), "dim label", text) });
  }
}

function tagText(box, width) {
  const most = Math.floor((width - 2 * PAD) / 5.6), name = "\u2191 " + (box.name || box.title);
  return name.length <= most ? name : "\u2191 \u2026" + name.slice(name.length - most + 3);
}
