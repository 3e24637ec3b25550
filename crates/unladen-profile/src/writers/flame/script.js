// Zoom, search and the keyboard. Without it the picture is complete as it is.
(() => {
  'use strict';
  const SVG = 'http://www.w3.org/2000/svg';
  const XHTML = 'http://www.w3.org/1999/xhtml';
  const svg = document.currentScript ? document.currentScript.closest('svg') : document.documentElement;
  const one = (name) => svg.querySelector('.' + name);
  const { frames, boxes, rest } = JSON.parse(one('data').textContent);
  const [chart, labels, head] = [one('chart'), one('labels'), one('head')];
  const rects = [...chart.children];
  const count = rects.length;
  const stride = rest.compared ? 7 : 4;
  const at = (i, column) => boxes[i * stride + column];
  const frameOf = (i) => frames[at(i, 0)];
  const depth = (i) => at(i, 1);

  // The tree: each box comes before those on top of it.
  const below = new Int32Array(count).fill(-1);
  const end = new Int32Array(count);
  const open = [];
  for (let i = 0; i < count; i++) {
    while (open.length > depth(i)) end[open.pop()] = i;
    if (i > 0) below[i] = open[open.length - 1];
    open.push(i);
    rects[i].index = i;
  }
  while (open.length) end[open.pop()] = count;

  // By whose weights boxes are as wide as they are: 0 the candidate's (or the only ones), 1 the baseline's.
  const starts = [0, 1].map((side) => {
    const start = new Float64Array(count);
    const next = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      if (i > 0) {
        start[i] = next[below[i]];
        next[below[i]] += at(i, 2 + 2 * side);
      }
      next[i] = start[i];
    }
    return start;
  });
  let side = 0;
  const total = (i, of = side) => at(i, 2 + 2 * of);
  const own = (i, of = side) => at(i, 3 + 2 * of);

  // Writing weights, as the file's writer does.
  const digits = (value) => {
    const size = Math.abs(value);
    const decimals = size === 0 || size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
    const text = size.toFixed(decimals);
    return (value < 0 && /[1-9]/.test(text) ? '\u2212' : '') + text;
  };
  const SCALES = {
    time: [[1e9, ' s'], [1e6, ' ms'], [1e3, ' \u00b5s'], [1, ' ns']],
    bytes: [[1e9, ' GB'], [1e6, ' MB'], [1e3, ' kB'], [1, ' B']],
    samples: [[1, ' samples']],
    events: [[1, ' events']],
    part: [[1, ' %']],
  };
  const amount = (weight) => {
    const value = weight * rest.factor;
    const steps = SCALES[rest.scale];
    const [step, unit] = steps.find(([step]) => Math.abs(value) >= step) || steps[steps.length - 1];
    return digits(value / step) + unit;
  };
  const signed = (weight) => (weight > 0 ? '+' : '') + amount(weight);
  const percent = (part) => digits((Number.isFinite(part) ? part : 0) * 100) + ' %';

  // Names, as long as there is room: their end where they are made of parts.
  const columnsOf = (c) => (c >= '\u1100' && c !== '\ufffd' && !(c >= '\u2000' && c <= '\u23ff') ? 2 : 1);
  const wide = (text) => [...text].reduce((sum, c) => sum + columnsOf(c), 0);
  const fit = (name, columns) => {
    if (columns < 3) return '';
    if (wide(name) <= columns) return name;
    let last = name;
    for (const { index, 0: separator } of name.matchAll(/\\|::|\//g)) {
      last = name.slice(index + separator.length);
      if (last && wide(last) < columns) return '\u2026' + last;
    }
    let cut = '';
    let room = columns - 1;
    for (const c of last || name) {
      room -= columnsOf(c);
      if (room < 0) break;
      cut += c;
    }
    return cut + '\u2026';
  };

  const make = (space, name, attributes, ...inner) => {
    const element = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...inner);
    return element;
  };

  // What is shown.
  let zoomed = 0;
  let focused = 0;
  let width = 0;
  let query = '';
  let found = null;
  const texts = new Array(count);
  labels.replaceChildren();
  const measured = make(SVG, 'text', { visibility: 'hidden' }, 'M'.repeat(100));
  labels.append(measured);
  const column = measured.getComputedTextLength() / 100 || rest.column;
  measured.remove();
  const ring = make(SVG, 'rect', { class: 'ring', display: 'none' });
  labels.after(ring);

  const place = (i) => {
    const whole = width - 2 * rest.margin;
    if (i <= zoomed && zoomed < end[i]) return [rest.margin, whole];
    if (i < zoomed || i >= end[zoomed]) return [0, 0];
    const scale = whole / total(zoomed) || 0;
    return [rest.margin + (starts[side][i] - starts[side][zoomed]) * scale, total(i) * scale];
  };
  const y = (i) => rest.head + rest.level * (rest.levels - depth(i) - 1);

  const label = (i, x, wide) => {
    const mark = rest.compared ? ['\u25bc ', '', '\u25b2 '][at(i, 6) + 1] : '';
    const columns = Math.floor((wide - 2 * rest.padding) / column) - mark.length;
    const text = columns < 3 ? '' : fit(frameOf(i)[0], columns);
    if (!text) {
      if (texts[i]) texts[i].remove();
      texts[i] = undefined;
      return;
    }
    if (!texts[i]) labels.append(texts[i] = make(SVG, 'text', { y: y(i) + 12.5 }));
    texts[i].setAttribute('x', x + rest.padding);
    if (texts[i].textContent !== mark + text) texts[i].textContent = mark + text;
  };

  const layOut = () => {
    while (zoomed > 0 && !total(zoomed)) zoomed = below[zoomed];
    for (let i = 0; i < count; i++) {
      const [x, wide] = place(i);
      const rect = rects[i];
      if (wide < 0.05) {
        rect.setAttribute('display', 'none');
      } else {
        rect.removeAttribute('display');
        rect.setAttribute('x', x.toFixed(2));
        rect.setAttribute('width', Math.max(wide > 3 ? wide - 0.6 : wide, 0.05).toFixed(2));
      }
      rect.classList.toggle('below', i < zoomed && wide > 0);
      label(i, x, wide);
    }
    reset.hidden = zoomed === 0;
    showRing();
    tellFound();
  };

  const showRing = () => {
    const [x, wide] = place(focused);
    const isShown = document.activeElement === rects[focused] && wide > 0;
    ring.setAttribute('display', isShown ? 'inline' : 'none');
    if (!isShown) return;
    const box = { x: x - 1, y: y(focused) - 1, width: Math.max(wide, 2) + 1.4, height: rest.level + 1 };
    for (const [key, value] of Object.entries(box)) ring.setAttribute(key, value);
  };

  // What is known of a box.
  const WORDS = ['shrunk', rest.untold, 'grown'];
  const moved = (i) => {
    const change = at(i, 2) - at(i, 4);
    const here = `${amount(at(i, 4))} \u2192 ${amount(at(i, 2))}${rest.per} (${signed(change)}): ${WORDS[at(i, 6) + 1]}`;
    const [, , , all, low, high] = frameOf(i);
    if (all === undefined) return here;
    const interval = low === null ? 'no interval' : `${signed(low)} to ${signed(high)}`;
    return `${here} \u00b7 the function everywhere: ${signed(all)} (${interval})`;
  };
  const told = (i) => {
    if (rest.compared) return moved(i);
    const parts = [
      `${amount(total(i))}${rest.per}, ${percent(total(i) / total(0))}`,
      `self ${amount(own(i))}, ${percent(own(i) / total(0))}`,
    ];
    if (zoomed > 0 && i >= zoomed && i < end[zoomed]) parts.push(`${percent(total(i) / total(zoomed))} of what is shown`);
    if (frameOf(i)[2]) parts.push(frameOf(i)[2]);
    return parts.join(' \u00b7 ');
  };
  const room = () => Math.floor((width - 2 * rest.margin) / column);
  const details = (i) => {
    const [name, where] = frameOf(i);
    const line = where && !name.includes(where) ? `${name}  ${where}` : name;
    one('name').textContent = wide(line) <= room() ? line : fit(name, room());
    const text = told(i);
    one('details').textContent = wide(text) <= room() ? text : [...text].slice(0, room() - 1).join('') + '\u2026';
  };

  // Links can be shared: what is shown stands in the address.
  let ownHash = '';
  const remember = (isStep) => {
    const parts = [];
    if (zoomed) parts.push('zoom=' + zoomed);
    if (side) parts.push('widths=baseline');
    if (query) parts.push('search=' + encodeURIComponent(query));
    const hash = parts.length ? '#' + parts.join('&') : '#';
    if (hash === (location.hash || '#')) return;
    ownHash = hash;
    try {
      if (isStep) location.hash = hash;
      else location.replace(hash);
    } catch (error) { /* where a page holds the picture, its address is not ours */ }
  };
  const recall = () => {
    if ((location.hash || '#') === ownHash) return;
    ownHash = location.hash || '#';
    const asked = new Map(location.hash.slice(1).split('&').map((part) => part.split('=')));
    let text = asked.get('search') || '';
    try {
      text = decodeURIComponent(text);
    } catch (error) { /* no such coding: as it stands */ }
    side = rest.compared && asked.get('widths') === 'baseline' ? 1 : 0;
    const wanted = Number(asked.get('zoom'));
    zoomed = Number.isInteger(wanted) && wanted > 0 && wanted < count ? wanted : 0;
    input.value = text;
    look(text);
    showSide();
    layOut();
    details(zoomed);
  };

  const zoom = (i) => {
    zoomed = i;
    layOut();
    details(zoomed);
    remember(true);
  };

  // Search: the matched boxes, and their part; what lies on a matched one is in it already.
  const look = (text) => {
    query = text;
    let pattern = null;
    input.setAttribute('aria-invalid', 'false');
    try {
      pattern = text ? new RegExp(text, 'iu') : null;
    } catch (error) {
      input.setAttribute('aria-invalid', 'true');
    }
    const matches = frames.map(([name, where]) => pattern !== null && (pattern.test(name) || pattern.test(where)));
    found = pattern ? Array.from({ length: count }, (_, i) => i > 0 && matches[at(i, 0)]) : null;
    svg.classList.toggle('has-search', found !== null);
    chart.classList.toggle('searching', found !== null);
    for (let i = 0; i < count; i++) rects[i].classList.toggle('found', found !== null && found[i]);
    tellFound();
  };
  const tellFound = () => {
    if (!found) {
      matched.textContent = query ? 'not a regular expression' : '';
      return;
    }
    const sum = (from, to) => {
      let weight = 0;
      for (let i = from; i < to; i = found[i] ? end[i] : i + 1) if (found[i]) weight += total(i);
      return weight;
    };
    const least = rest.leftOut ? '\u2265 ' : '';
    const all = `matched: ${least}${percent(sum(0, count) / total(0))}`;
    const shown = zoomed ? `, of what is shown ${least}${percent(sum(zoomed, end[zoomed]) / total(zoomed))}` : '';
    matched.textContent = all + shown;
  };

  const subtitle = one('subtitle').textContent;
  const showSide = () => {
    one('subtitle').textContent = subtitle.replace('widths of the candidate', 'widths of the ' + ['candidate', 'baseline'][side]);
    for (const [index, button] of pair.entries()) button.setAttribute('aria-pressed', String(index === side));
  };
  const choose = (index) => {
    side = index;
    showSide();
    layOut();
    remember(true);
  };

  // The tools, which only a script can serve.
  const button = (text, title, act) => {
    const made = make(XHTML, 'button', { type: 'button', title }, text);
    made.addEventListener('click', act);
    return made;
  };
  const reset = button('reset zoom', 'Escape', () => {
    zoom(0);
    focus(0);
  });
  const input = make(XHTML, 'input', {
    type: 'search', placeholder: 'search: /', 'aria-label': 'search, a regular expression', spellcheck: 'false',
  });
  const matched = make(XHTML, 'div', { class: 'matched', role: 'status' });
  const tools = make(XHTML, 'div', { class: 'tools', role: 'toolbar', 'aria-label': 'view' });
  const pair = rest.compared
    ? [button('candidate', 'widths of the candidate: w', () => choose(0)), button('baseline', 'widths of the baseline: w', () => choose(1))]
    : [];
  if (pair.length) tools.append(make(XHTML, 'span', { class: 'pair', role: 'group', 'aria-label': 'widths of' }, ...pair));
  tools.append(reset, input);
  const holder = make(SVG, 'foreignObject', { y: 8, height: 72, class: 'holder' }, tools, matched);
  head.append(holder);
  input.addEventListener('input', () => {
    look(input.value);
    remember(false);
  });

  const seek = () => {
    input.focus();
    input.select();
  };

  // The focus goes from box to box; the tabulator reaches the one it was on.
  const focus = (i) => {
    const rect = rects[focused];
    for (const name of ['tabindex', 'role', 'aria-label']) rect.removeAttribute(name);
    focused = i;
    reachable();
    rects[i].focus({ preventScroll: true });
    const top = y(i);
    const [from, to] = [window.scrollY + rest.head, window.scrollY + window.innerHeight];
    if (top < from) window.scrollBy(0, top - from - rest.level);
    else if (top + rest.level > to) window.scrollBy(0, top + 2 * rest.level - to);
  };
  const reachable = () => {
    rects[focused].setAttribute('tabindex', '0');
    rects[focused].setAttribute('role', 'button');
    rects[focused].setAttribute('aria-label', `${frameOf(focused)[0]}, ${told(focused)}`);
  };
  const isShown = (i) => place(i)[1] >= 0.05;
  const onTop = (i) => {
    let widest = -1;
    for (let k = i + 1; k < end[i]; k = end[k]) if (isShown(k) && (widest < 0 || total(k) > total(widest))) widest = k;
    // Below the zoomed box there is one way up.
    return i < zoomed && zoomed < end[i] && widest < 0 ? zoomed : widest;
  };
  const beside = (i, step) => {
    const row = [];
    for (let k = 0; k < count; k++) if (depth(k) === depth(i) && isShown(k)) row.push(k);
    const next = row[row.indexOf(i) + step];
    return next === undefined ? -1 : next;
  };
  const MOVES = {
    ArrowUp: onTop,
    ArrowDown: (i) => below[i],
    ArrowLeft: (i) => beside(i, -1),
    ArrowRight: (i) => beside(i, 1),
    Home: () => 0,
  };

  const boxOf = (event) => (event.target.index === undefined ? -1 : event.target.index);
  chart.addEventListener('click', (event) => {
    const i = boxOf(event);
    if (i < 0) return;
    focus(i);
    zoom(i);
  });
  chart.addEventListener('mouseover', (event) => boxOf(event) >= 0 && details(boxOf(event)));
  chart.addEventListener('mouseleave', () => details(document.activeElement === rects[focused] ? focused : zoomed));
  chart.addEventListener('focusin', () => {
    details(focused);
    showRing();
  });
  chart.addEventListener('focusout', () => ring.setAttribute('display', 'none'));
  document.addEventListener('keydown', (event) => {
    const isInput = event.target === input;
    const { key } = event;
    if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === 'f' && !isInput) {
      seek();
    } else if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    } else if (key === 'Escape') {
      if (isInput) {
        input.value = '';
        look('');
        remember(false);
        focus(focused);
      } else {
        zoom(0);
      }
    } else if (isInput) {
      if (key !== 'Enter') return;
      focus(Math.max(found ? found.indexOf(true, 1) : 0, 0));
    } else if (key === '/') {
      seek();
    } else if (key === 'w' && pair.length) {
      choose(1 - side);
    } else if (event.target.index !== undefined && (key === 'Enter' || key === ' ')) {
      zoom(focused);
    } else if (event.target.closest('.tools') || !MOVES[key]) {
      return;
    } else {
      const next = MOVES[key](focused);
      if (next >= 0) focus(next);
    }
    event.preventDefault();
  });

  // As wide as the window; the head stays in sight.
  const stand = () => {
    const isWhole = svg === document.documentElement;
    width = Math.max(isWhole ? document.documentElement.clientWidth || window.innerWidth : svg.clientWidth, 320);
    const height = Number(svg.getAttribute('viewBox').split(' ')[3]);
    svg.setAttribute('width', isWhole ? width : svg.getAttribute('width'));
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const title = one('title');
    const reach = Math.min(width - 2 * rest.margin, pair.length ? 440 : 290);
    holder.setAttribute('x', width - rest.margin - reach);
    holder.setAttribute('width', reach);
    one('rule').setAttribute('d', `M0 ${rest.head - 8.5}H${width}`);
    title.textContent = fit(names.title, Math.floor((width - 3 * rest.margin - reach) / 10.2));
    layOut();
    details(zoomed);
  };
  const names = { title: one('title').textContent };
  const follow = () => head.setAttribute('transform', `translate(0 ${Math.max(window.scrollY, 0)})`);

  showSide();
  stand();
  recall();
  reachable();
  window.addEventListener('resize', stand);
  window.addEventListener('hashchange', recall);
  if (svg === document.documentElement) {
    window.addEventListener('scroll', follow, { passive: true });
    window.scrollTo(0, document.documentElement.scrollHeight);
    follow();
  }
})();
