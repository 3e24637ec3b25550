// === A chart of layers over time ===

// Draws what layers hold at each moment, one on the other. A pointer or the arrow keys choose a moment, which is told in a box
// and (for those who do not see it) in words.
class Chart {
  constructor(place, title, layers) {
    this.place = place;
    this.title = title;
    this.layers = layers.map((layer) => ({ shown: true, ...layer }));
    this.columns = [];
    this.chosen = null;
    this.asShares = false;
    this.canvas = add(place, "canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.tip = add(place, "div", "tip");
    this.tip.hidden = true;
    this.legend = add(place, "ul", "legend");
    for (const layer of this.layers) this.addToLegend(layer);
    this.canvas.addEventListener("pointermove", (event) => this.choose(this.indexAt(event.offsetX), false));
    this.canvas.addEventListener("pointerleave", () => this.choose(null, false));
    this.canvas.addEventListener("blur", () => this.choose(null, false));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  addToLegend(layer) {
    const button = add(add(this.legend, "li"), "button");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    layer.mark = add(button, "i");
    add(button, "span").textContent = layer.name;
    button.addEventListener("click", () => {
      layer.shown = !layer.shown;
      button.setAttribute("aria-pressed", String(layer.shown));
      this.draw();
    });
  }

  key(event) {
    const last = this.columns.length - 1;
    const from = this.chosen ?? last + 1;
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last }[event.key];
    if (event.key === "Escape") this.choose(null, false);
    else if (to !== undefined && last >= 0) this.choose(Math.max(0, Math.min(last, to)), true);
    else return;
    event.preventDefault();
  }

  // Columns: { ago, values }, the last is now; the range is in seconds.
  show(columns, range) {
    const moved = this.chosen !== null && this.columns[this.chosen];
    this.columns = columns;
    this.range = range;
    // What is looked at moves with the time.
    if (moved) {
      const index = columns.findIndex((column) => column.key === moved.key);
      this.chosen = index < 0 ? null : index;
    }
    this.draw();
  }

  choose(index, aloud) {
    this.chosen = this.columns[index] ? index : null;
    this.draw();
    if (aloud && this.chosen !== null) tell(this.words(this.columns[this.chosen]));
  }

  indexAt(x) {
    const { left, width } = this.frame();
    const ago = this.range * (1 - (x - left) / width);
    let best = null;
    this.columns.forEach((column, i) => {
      if (best === null || Math.abs(column.ago - ago) < Math.abs(this.columns[best].ago - ago)) best = i;
    });
    return best;
  }

  // Of one column, what is shown, from the bottom up.
  parts(column) {
    const all = this.layers.map((layer, i) => (layer.shown ? column.values[i] : 0));
    const whole = sum(all);
    return this.asShares ? all.map((value) => (whole ? 100 * value / whole : 0)) : all;
  }

  words(column) {
    const parts = this.parts(column);
    const said = this.layers.map((layer, i) => (parts[i] > 0 ? `${layer.name}: ${this.number(parts[i])}` : "")).filter(Boolean);
    return `${Math.round(column.ago)} s ago: ${said.join(", ") || "nothing"}`;
  }

  number(value) { return this.asShares ? `${digits(value)} %` : `${count(value)}/s`; }

  frame() {
    const left = 52;
    return { left, top: 8, width: this.canvas.clientWidth - left - 6, height: this.canvas.clientHeight - 8 - 22 };
  }

  draw() {
    const { canvas } = this;
    const scale = window.devicePixelRatio || 1;
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight];
    if (!wide || !this.range) return;
    canvas.width = Math.round(wide * scale);
    canvas.height = Math.round(high * scale);
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const frame = this.frame();
    const columns = this.columns.map((column) => this.parts(column));
    const most = this.asShares ? 100 : Math.max(1e-9, ...columns.map(sum));
    const [top, step] = ceiling(most, this.asShares);
    this.drawGrid(pen, frame, top, step, color);
    const y = (value) => frame.top + frame.height * (1 - value / top);
    const x = (ago) => frame.left + frame.width * (1 - ago / this.range);
    pen.save();
    pen.beginPath();
    pen.rect(frame.left, 0, frame.width, high);
    pen.clip();
    this.columns.forEach((column, i) => {
      // On whole pixels, or columns side by side would show seams.
      const [from, to] = [column.ago + column.seconds, column.ago].map((ago) => Math.round(x(ago) * scale) / scale);
      const gap = to - from > 5 ? 1 : 0;
      let below = 0;
      this.layers.forEach((layer, l) => {
        if (!columns[i][l]) return;
        pen.fillStyle = color(layer.color);
        const [low, up] = [y(below), y(below += columns[i][l])];
        pen.fillRect(from, up, Math.max(to - from - gap, 1 / scale), low - up);
        if (layer.hatch) hatch(pen, layer.hatch, from, up, to - from - gap, low - up, color("--card"));
      });
      if (i === this.chosen) {
        pen.strokeStyle = color("--ink");
        pen.lineWidth = 1.5;
        pen.strokeRect(from - 1, y(below) - 1, to - from - gap + 2, frame.top + frame.height - y(below) + 2);
      }
    });
    pen.restore();
    for (const layer of this.layers) {
      layer.mark.style.background = swatch(layer, color);
    }
    this.drawTip(color, x);
    const now = this.columns[this.columns.length - 1];
    canvas.setAttribute("aria-label", `${this.title}. ${now ? this.words(now) : "Nothing yet"}. Arrow keys choose a second.`);
  }

  drawGrid(pen, frame, top, step, color) {
    pen.fillStyle = color("--soft");
    pen.strokeStyle = color("--grid");
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (let value = 0; value <= top * 1.0001; value += step) {
      const y = Math.round(frame.top + frame.height * (1 - value / top)) + 0.5;
      pen.beginPath();
      pen.moveTo(frame.left, y);
      pen.lineTo(frame.left + frame.width, y);
      pen.stroke();
      pen.fillText(this.asShares ? `${Math.round(value)} %` : count(value), frame.left - 8, y);
    }
    pen.textBaseline = "alphabetic";
    const every = { 60: 15, 300: 60, 900: 180 }[this.range];
    for (let ago = 0; ago <= this.range; ago += every) {
      pen.textAlign = ago === 0 ? "right" : ago === this.range ? "left" : "center";
      const text = ago === 0 ? "now" : this.range > 60 ? `−${ago / 60} min` : `−${ago} s`;
      pen.fillText(text, frame.left + frame.width * (1 - ago / this.range), frame.top + frame.height + 17);
    }
  }

  drawTip(color, x) {
    const column = this.columns[this.chosen];
    this.tip.hidden = !column;
    if (!column) return;
    const parts = this.parts(column);
    this.tip.textContent = "";
    const whole = this.asShares ? "" : `: ${this.number(sum(parts))}`;
    add(this.tip, "b").textContent = `${new Date(column.at).toLocaleTimeString()}${whole}`;
    // As they lie, the uppermost first.
    for (let i = this.layers.length - 1; i >= 0; i--) {
      if (!parts[i]) continue;
      const row = add(this.tip, "div");
      add(row, "i").style.background = swatch(this.layers[i], color);
      add(row, "span").textContent = this.layers[i].name;
      add(row, "span").textContent = this.number(parts[i]);
    }
    const at = x(column.ago);
    const width = this.tip.offsetWidth;
    this.tip.style.left = `${at + 14 + width > this.canvas.clientWidth ? at - width - 14 : at + 14}px`;
  }
}

// A round number that is not below, and the distance of the lines up to it.
function ceiling(most, asShares) {
  if (asShares) return [100, 25];
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [0.25, 0.5, 1, 2, 2.5].map((n) => n * power).find((n) => most / n <= 5) || 2.5 * power;
  return [Math.ceil(most / step - 1e-9) * step, step];
}

// Lines over a layer that rise ("/") or fall ("\\"), so that it is told from its neighbours by more than its colour.
function hatch(pen, lines, x, y, width, height, color) {
  const falls = lines === "\\" ? -1 : 1;
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width, height);
  pen.clip();
  pen.strokeStyle = color;
  pen.lineWidth = 1.25;
  pen.beginPath();
  // Of one pattern over the whole chart, so that columns side by side fit.
  const crossings = [x + falls * y, x + width + falls * y, x + falls * (y + height), x + width + falls * (y + height)];
  for (let d = Math.floor(Math.min(...crossings) / 6) * 6; d < Math.max(...crossings); d += 6) {
    pen.moveTo(d - falls * y, y);
    pen.lineTo(d - falls * (y + height), y + height);
  }
  pen.stroke();
  pen.restore();
}

function swatch(layer, color) {
  const angle = layer.hatch === "\\" ? 45 : 135;
  return layer.hatch
    ? `repeating-linear-gradient(${angle}deg, ${color(layer.color)} 0 3px, ${color("--card")} 3px 4.5px)` : color(layer.color);
}

function add(to, kind, name) {
  const element = document.createElement(kind);
  if (name) element.className = name;
  to.append(element);
  return element;
}
