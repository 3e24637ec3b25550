// === The page ===

const $ = (id) => document.getElementById(id);
const history = new History();
const view = { range: 60, upstream: "", paused: false, theme: "system" };

// Over so many seconds is told what is now: fewer would jump about.
const NOW = 10;

function tell(words) { $("told").textContent = words; }

// From the bottom up.
const RAMP = [...SHOWN.map((ns) => `≤ ${duration(ns)}`), "> 1 s"];
const latency = new Chart($("latency"), "Requests per second by latency", RAMP.map((name, i) => ({ name, color: `--l${i}` })));
// What should be rare lies below, where it can be compared.
const ends = new Chart($("ends"), "Requests per second by how they ended", [
  { name: "broken off", color: "--ink", hatch: "/" },
  { name: "5xx", color: "--bad", hatch: "/" },
  { name: "answered by unladen", color: "--own", hatch: "\\" },
  { name: "client left", color: "--gone" },
  { name: "4xx", color: "--warn" },
  { name: "1xx–3xx", color: "--good" },
]);
const connections = new Chart($("connections"), "Requests per second by where their connection came from", [
  { name: "new", color: "--made", hatch: "/" },
  { name: "new, TLS resumed", color: "--again", hatch: "\\" },
  { name: "kept, another thread", color: "--sky" },
  { name: "kept, same thread", color: "--good" },
]);
// What was answered from memory lies below.
const results = new Chart($("results"), "Requests per second by what the cache did", [
  { name: "hit", color: "--good" },
  { name: "validated", color: "--sky" },
  { name: "stale", color: "--warn", hatch: "\\" },
  { name: "revalidated", color: "--again", hatch: "\\" },
  { name: "collapsed", color: "--again" },
  { name: "miss", color: "--made", hatch: "/" },
  { name: "pass", color: "--gone" },
  { name: "file", color: "--sky", hatch: "/" },
  { name: "local_reply", color: "--own", hatch: "/" },
]);
const charts = [latency, ends, connections, results];

function shownBuckets(buckets, bounds) {
  const shown = new Array(RAMP.length).fill(0);
  buckets.forEach((n, i) => {
    const at = i < bounds.length ? SHOWN.findIndex((ns) => bounds[i] <= ns) : -1;
    shown[at < 0 ? SHOWN.length : at] += n;
  });
  return shown;
}

function draw() {
  const { last, moments } = history;
  if (!last) return;
  drawState(last);
  drawTiles(last);
  drawTable(last);
  drawCauses(last);
  drawSites(last);
  const newest = moments.length ? moments[moments.length - 1].uptime : 0;
  const within = moments.filter((moment) => newest - moment.uptime <= view.range);
  const columns = (values) => within.map((moment) => {
    const sample = history.sample(moment, view.upstream);
    const { uptime, seconds, at } = moment;
    return { key: uptime, ago: newest - uptime, at, seconds, values: values(sample).map((n) => n / seconds) };
  });
  latency.show(columns((sample) => shownBuckets(sample.buckets, last.bounds_ns)), view.range);
  ends.show(columns(({ outcomes: [a, b, c, d, e, local, broken, gone] }) => [broken, e, local, gone, d, a + b + c]), view.range);
  connections.show(columns((sample) => [...sample.connections].reverse()), view.range);
  results.show(columns((sample) => sample.results), view.range);
}

function drawState(stats) {
  $("chip").textContent = stats.draining ? "draining" : view.paused ? "paused" : "serving";
  $("chip").className = `chip ${stats.draining ? "warn" : view.paused ? "" : "good"}`;
  const megabytes = stats.process.resident_bytes / 1e6;
  const { held_bytes: held, limit_bytes: limit, ended } = stats.client_memory;
  const gone = ended.stalled + ended.slow;
  const clients = `${digits(held / 1e6)} of ${digits(limit / 1e6)} MB for clients${gone ? `, ${gone} slow readers closed` : ""}`;
  const { fleet } = stats;
  const others = !fleet ? "" : fleet.connected
    ? ` · fleet of ${fleet.members}, purges all read`
    : ` · cut off from the fleet (${fleet.error ?? `${count(fleet.lag)} purges to read`})`;
  const away = stats.rate_services.filter(({ open, error }) => open || error);
  const limits = away.map(({ service, error }) => ` · limits of ${service} apply only to this process (${error ?? "it failed"})`).join("");
  $("about").textContent =
    `for ${span(stats.uptime_ns / 1e9)} · ${stats.version} · process ${stats.pid} · ${digits(megabytes)} MB · ${clients}${others}${limits}`;
}

function tile(id, value, unit, more) {
  $(`t-${id}`).textContent = value;
  if (unit && value !== "–") add($(`t-${id}`), "span").textContent = ` ${unit}`;
  $(`t-${id}-more`).textContent = more;
}

const chosenOf = (stats) => stats.upstreams.filter((upstream) => !view.upstream || upstream.name === view.upstream);

function drawTiles(stats) {
  const { sum: now, seconds } = history.over(NOW, view.upstream);
  const chosen = chosenOf(stats);
  const total = (of) => sum(chosen.map(of));
  const requests = now.requests;
  const rate = (n) => (seconds ? count(n / seconds) : "–");
  const p = (share) => between(quantile(now.buckets, stats.bounds_ns, share));
  tile("rate", rate(requests), "/s", `${count(total((u) => u.in_flight))} in flight, ${count(total((u) => u.requests))} in total`);
  tile("p50", p(0.5), "", "half of the requests took no longer");
  tile("p95", p(0.95), "", `p90 ${p(0.9)}`);
  tile("p99", p(0.99), "", `p99.9 ${p(0.999)}`);
  tile("bad", share(now.failed, requests), "", `${rate(now.failed)}/s; sent again: ${rate(now.retries)}/s`);
  const sent = sum(now.connections);
  const kept = total((u) => u.handshakes_avoided);
  // What a site asks for several at once is no request of a client, and has its connection all the same.
  const all = total((u) => sum(CONNECTIONS.map((name) => u.by_connection[name])));
  tile("reuse", share(now.kept, sent), "", `${share(kept, all)} since the start`);
  tile("shakes", rate(now.kept), "/s", `${rate(now.made)}/s connections made; ${count(kept)} avoided in total`);
}

// === In front of an application ===

// What was taken over from the process before, and what is wrong with the snapshots.
function survived(sites) {
  const snapshots = sites.map((site) => site.snapshot).filter(Boolean);
  const loaded = sum(snapshots.map((snapshot) => snapshot.loaded));
  const wrong = snapshots.map((snapshot) => snapshot.failure ?? snapshot.refused).find(Boolean);
  return (loaded ? `; ${count(loaded)} from before the start` : "") + (wrong ? `; snapshot: ${wrong}` : "");
}

function drawSites(stats) {
  const sites = chosenOf(stats).filter((upstream) => upstream.site).map((upstream) => upstream.site);
  $("sites").hidden = !sites.length;
  if (!sites.length) return;
  // Over the time shown: a page that is asked for once a minute is worth seeing too.
  const { sum: now, seconds } = history.over(view.range, view.upstream);
  const total = (of) => sum(sites.map(of));
  const ever = (isMeant) => total((site) => sum(site.results.filter(isMeant).map((row) => row.requests)));
  const isSaved = (row) => RESULTS.indexOf(row.result) < SAVED;
  const p = (share) => between(quantile(now.asked, stats.bounds_ns, share));
  const a = (n) => (seconds ? n / seconds : 0);
  tile("memory", share(now.fromMemory, now.askedFor), "",
    `${share(ever(isSaved), ever((row) => RESULTS.indexOf(row.result) < FILE))} since the start`);
  const [own, others] = [now.bytesFromMemory, now.bytesFromApplication];
  tile("bytes", share(own, own + others), "", `${bytes(a(own))}/s, and ${bytes(a(others))}/s passed on`);
  const saved = now.saved;
  tile("saved", Number.isNaN(saved) || !seconds ? "–" : duration(a(saved)), "per second",
    `${span(total((site) => site.application.saved_estimate_ns) / 1e9)} in total; elapsed time, not CPU`);
  tile("asked", p(0.5), "", `p95 ${p(0.95)}, p99 ${p(0.99)}; ${count(a(sum(now.asked)))}/s asked`);
  const stores = sites.map((site) => site.store).filter(Boolean);
  const stored = (key) => sum(stores.map((store) => store[key]));
  tile("store", stores.length ? bytes(stored("bytes")) : "–", `of ${bytes(stored("limit_bytes"))}`,
    stores.length ? `${count(stored("resources"))} URLs; evicted ${count(stored("evicted"))}, purged ${count(stored("purged"))}; `
      + `in flight ${count(stored("fetches_in_flight"))}${survived(sites)}` : "nothing is stored");
  const waiting = (key) => sum(sites.map((site) => site.buffer?.[key] ?? 0));
  tile("buffer", bytes(waiting("memory_bytes")), `and ${bytes(waiting("disk_bytes"))} in files`,
    `bodies that wait for slow clients; ${count(waiting("files"))} went to files, ${count(waiting("failures"))} failed; connections `
      + `refused ${count(total((site) => site.connections?.refused ?? 0))}, closed for room ${count(total((site) => site.connections?.closed_for_room ?? 0))}`);
  const queues = sites.map((site) => site.queue).filter(Boolean);
  const queued = (key) => sum(queues.map((queue) => queue[key] ?? 0));
  const refused = (why) => count(sum(queues.map((queue) => queue.refused[why])));
  const waits = queues.map((queue) => queue.wait.buckets).reduce((all, one) => all.map((n, i) => n + one[i]), new Array(16).fill(0));
  tile("queue", queues.length ? count(queued("waiting")) : "–", `of ${count(queued("length"))} wait`,
    queues.length ? `${count(queued("running"))} at the application, of ${queued("places") ? count(queued("places")) : "unknown"}; `
      + `waited p99 ${between(quantile(waits, stats.bounds_ns, 0.99))}; refused ${refused("queue_full")} full, `
      + `${refused("queue_timeout")} too late, ${refused("overloaded")} by overload${queues.some((queue) => queue.overload) ? " (now overloaded)" : ""}; `
      + `${count(queued("left"))} left` : "no queue");
  const certificates = sites.flatMap((site) => site.certificates);
  const soonest = certificates.filter((one) => one.not_after).sort((one, other) => one.not_after - other.not_after)[0];
  const missing = certificates.filter((one) => !one.not_after);
  const unordered = certificates.find((one) => one.orders?.failures);
  const left = soonest ? soonest.not_after - Date.parse(stats.time) / 1000 : 0;
  tile("certificates", soonest ? (left > 0 ? span(left) : "expired") : "–", soonest ? soonest.name : "",
    certificates.length ? `${count(certificates.length)} in total${missing.length ? `, none yet for ${missing.map((one) => one.name).join(", ")}` : ""}`
      + `${unordered ? `; ${unordered.name}: ${unordered.orders.error}` : ""}` : "none");
  const validators = sites.flatMap((site) => site.validators);
  const failed = sum(validators.map((validator) => validator.failed));
  const error = validators.map((validator) => validator.last_error).find(Boolean);
  tile("validators", validators.length ? count(sum(validators.map((validator) => validator.asked))) : "–", "asked",
    validators.length ? `collapsed ${count(sum(validators.map((validator) => validator.collapsed)))}, failed ${count(failed)}`
      + `${failed && error ? ` (${error})` : ""}` : "none");
  drawReasons([...now.reason.values()]);
  drawMisses(sites.flatMap((site) => site.misses));
}

function cells(line, texts, names) {
  texts.forEach((text, i) => { add(line, i ? "td" : "th", names[i] || "").textContent = text; });
  line.firstChild.scope = "row";
  return line;
}

// On a narrow screen each row is a block, and each cell says what it is: by its column's heading.
function label(body) {
  const names = [...body.parentElement.querySelectorAll("thead th")].map((heading) => heading.textContent);
  for (const { children } of body.rows) {
    if (children.length === names.length) [...children].forEach((cell, i) => { cell.dataset.label = names[i]; });
  }
}

function drawReasons(reasons) {
  const all = sum(reasons.map((row) => row.requests));
  const [at, n] = [(row) => RESULTS.indexOf(row.result), ["", "", "n", "n", "n"]];
  reasons.sort((one, other) => at(one) - at(other) || other.requests - one.requests);
  $("reasons").replaceChildren(...reasons.map((row) => {
    const texts = [row.result, row.reason, count(row.requests), share(row.requests, all), bytes(row.bytes)];
    return cells(document.createElement("tr"), texts, n);
  }));
  label($("reasons"));
}

function drawMisses(misses) {
  misses.sort((one, other) => other.requests - one.requests);
  // What peers chose is text here, whatever it is.
  $("misses").replaceChildren(...misses.slice(0, 50).map((miss) => {
    const url = `${miss.authority}${miss.target}${miss.cut ? " …" : ""}`;
    const requests = miss.unsure ? `${count(miss.requests - miss.unsure)} to ${count(miss.requests)}` : count(miss.requests);
    const texts = [url, requests, duration(miss.mean_ns), `${miss.result}${miss.reason ? `: ${miss.reason}` : ""}`];
    return cells(document.createElement("tr"), texts, ["url", "n", "n"]);
  }));
  label($("misses"));
}

// === Failures ===

// So many of the latest: each kind has a line.
const CAUSES = 20;

function drawCauses(stats) {
  const causes = chosenOf(stats).flatMap(({ name, troubles }) => troubles.map((trouble) => ({ name, ...trouble })));
  causes.sort((one, other) => one.ago_ns - other.ago_ns);
  $("causes-card").hidden = !causes.length;
  // What peers said is text here, whatever it is.
  const now = Date.parse(stats.time);
  $("causes").replaceChildren(...causes.slice(0, CAUSES).map((trouble) => {
    const { name, endpoint, reason, cause, request_id: request, count: times, ago_ns: ago } = trouble;
    const when = `${new Date(now - ago / 1e6).toLocaleTimeString()}, ${span(ago / 1e9)} ago`;
    return cells(document.createElement("tr"), [when, name, endpoint ?? "", reason, cause, request ?? "", count(times)],
      ["", "", "wrap", "wrap", "url", "wrap", "n"]);
  }));
  label($("causes"));
}

// === Upstreams ===

const BREAKERS = { closed: ["is-good", "● closed"], half_open: ["is-warn", "◐ half open"], open: ["is-bad", "○ open"] };
const rows = new Map();

function drawTable(stats) {
  const present = stats.upstreams.filter((upstream) => upstream.pool);
  for (const [name, row] of rows) {
    if (!present.some((upstream) => upstream.name === name)) {
      row.line.remove();
      row.more.remove();
      rows.delete(name);
    }
  }
  for (const upstream of present) {
    if (!rows.has(upstream.name)) rows.set(upstream.name, newRow(upstream.name));
    fillRow(rows.get(upstream.name), upstream, stats);
  }
  label($("upstreams"));
  const names = ["", ...present.map((upstream) => upstream.name)];
  const options = [...$("which").options].map((option) => option.value);
  if (names.join("\n") !== options.join("\n")) {
    $("which").replaceChildren(...names.map((name) => new Option(name || "all", name)));
    if (!names.includes(view.upstream)) view.upstream = "";
  }
  $("which").value = view.upstream;
}

function newRow(name) {
  const line = add($("upstreams"), "tr");
  const head = add(line, "th");
  head.scope = "row";
  const button = add(head, "button");
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", () => choose(view.upstream === name ? "" : name));
  const url = add(head, "div", "small");
  const cells = ["breaker", "rate", "p50", "p95", "p99", "bad", "reuse", "flight", "pending", "connections", "endpoints"];
  const row = { line, button, url };
  for (const cell of cells) row[cell] = add(line, "td", /^(breaker|connections|endpoints)$/.test(cell) ? "" : "n");
  row.meter = add(row.connections, "div", "meter");
  row.meter.append(document.createElement("i"), document.createElement("i"));
  row.meterText = add(row.connections, "div", "small");
  row.lookup = add(row.endpoints, "div", "is-bad lookup");
  row.summary = add(row.endpoints, "button");
  row.summary.type = "button";
  row.more = add($("upstreams"), "tr");
  const cell = add(row.more, "td");
  cell.colSpan = 12;
  row.list = add(cell, "ul", "endpoints");
  const open = (is) => {
    row.more.hidden = !is;
    row.isOpen = is;
    row.summary.setAttribute("aria-expanded", String(is));
  };
  open(false);
  row.summary.addEventListener("click", () => {
    open(!row.isOpen);
    draw();
  });
  return row;
}

function fillRow(row, upstream, stats) {
  const { pool } = upstream;
  const { sum: now, seconds } = history.over(NOW, upstream.name);
  const isChosen = view.upstream === upstream.name;
  row.line.className = `${isChosen ? "chosen" : ""} ${row.isOpen ? "has-more" : ""}`;
  row.more.className = isChosen ? "chosen" : "";
  row.button.setAttribute("aria-pressed", String(isChosen));
  row.url.textContent = upstream.url;
  const [tone, word] = BREAKERS[pool.breaker] || ["small", "none"];
  row.breaker.className = tone;
  row.breaker.textContent = word;
  row.rate.textContent = seconds ? count(now.requests / seconds) : "–";
  row.p50.textContent = between(quantile(now.buckets, stats.bounds_ns, 0.5));
  row.p95.textContent = between(quantile(now.buckets, stats.bounds_ns, 0.95));
  row.p99.textContent = between(quantile(now.buckets, stats.bounds_ns, 0.99));
  row.bad.textContent = share(now.failed, now.requests);
  row.bad.className = now.failed > 0.05 * now.requests ? "n is-bad" : "n";
  row.reuse.textContent = share(now.kept, sum(now.connections));
  row.flight.textContent = `${count(pool.in_flight)} of ${count(pool.limits.requests)}`;
  row.pending.textContent = `${count(pool.pending)} of ${count(pool.limits.pending)}`;
  const active = Math.max(0, pool.connections - pool.idle);
  const [first, second] = row.meter.children;
  first.style.width = `${100 * active / pool.limits.connections}%`;
  second.style.width = `${100 * pool.idle / pool.limits.connections}%`;
  row.meterText.textContent = `${active} active, ${pool.idle} idle of ${count(pool.limits.connections)}`;
  const isOut = (endpoint) => endpoint.draining || !endpoint.healthy || endpoint.ejected;
  const out = pool.endpoints.filter(isOut).length;
  const { length } = pool.endpoints;
  row.summary.textContent = `${row.isOpen ? "▾" : "▸"} ${length ? `${length - out} of ${length} in use` : "no address"}`;
  row.summary.className = out || !length ? "is-bad" : "";
  row.list.replaceChildren(...pool.endpoints.map((endpoint) => {
    const item = document.createElement("li");
    const state = endpoint.draining ? "⤓ draining" : !endpoint.healthy ? "✕ unhealthy" : endpoint.ejected ? "⏏ ejected" : "✓ healthy";
    add(item, "span", isOut(endpoint) ? "is-bad" : "is-good").textContent = state;
    item.append(` ${endpoint.address} `);
    const place = pool.endpoints_from
      ? `, weight ${endpoint.weight}, priority ${endpoint.priority}${endpoint.zone ? `, zone ${endpoint.zone}` : ""}` : "";
    add(item, "span", "small").textContent = `${endpoint.in_flight} in flight, ${endpoint.kept} kept${place}`;
    return item;
  }));
  const whose = pool.endpoints_from ? `endpoints of ${pool.endpoints_from}` : "its name";
  const age = pool.endpoints_stale_ns == null ? "" : ` (the last good answer is ${duration(pool.endpoints_stale_ns)} old)`;
  row.lookup.textContent = pool.lookup_error ? `⚠ ${whose}: ${pool.lookup_error}${age}` : "";
}

// === What can be chosen ===

function choose(upstream) {
  view.upstream = upstream;
  draw();
}

function setRange(seconds) {
  view.range = seconds;
  for (const button of document.querySelectorAll("[data-range]")) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.range) === seconds));
  }
  draw();
}

function setPaused(paused) {
  view.paused = paused;
  $("pause").setAttribute("aria-pressed", String(paused));
  $("pause").textContent = paused ? "Resume" : "Pause";
  draw();
}

function setTheme(theme) {
  view.theme = theme;
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  $("theme").textContent = `Theme: ${theme}`;
  // Where pages may keep nothing, it is not kept.
  try { localStorage.setItem("theme", theme); } catch { /* so be it */ }
  draw();
}

const THEMES = ["system", "light", "dark"];
const nextTheme = () => setTheme(THEMES[(THEMES.indexOf(view.theme) + 1) % THEMES.length]);

function setShares(on) {
  $("share").setAttribute("aria-pressed", String(on));
  for (const chart of charts) {
    chart.asShares = on;
    chart.draw();
  }
}

function step(by) {
  const names = [...$("which").options].map((option) => option.value);
  choose(names[(names.indexOf(view.upstream) + by + names.length) % names.length]);
  tell(`Upstream: ${view.upstream || "all"}`);
}

for (const button of document.querySelectorAll("[data-range]")) {
  button.addEventListener("click", () => setRange(Number(button.dataset.range)));
}
$("which").addEventListener("change", () => choose($("which").value));
$("pause").addEventListener("click", () => setPaused(!view.paused));
$("theme").addEventListener("click", nextTheme);
$("share").addEventListener("click", () => setShares(!latency.asShares));
$("help").addEventListener("click", () => $("keys").showModal());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

const KEYS = {
  1: () => setRange(60), 2: () => setRange(300), 3: () => setRange(900),
  p: () => setPaused(!view.paused), s: () => setShares(!latency.asShares), t: nextTheme,
  "[": () => step(-1), "]": () => step(1), "?": () => $("keys").showModal(),
};
addEventListener("keydown", (event) => {
  const isTyped = event.target.closest?.("select, input, dialog");
  if (isTyped || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEYS, event.key)) return;
  KEYS[event.key]();
  event.preventDefault();
});

// === Asking ===

let failures = 0;

async function ask() {
  try {
    const response = await fetch("/stats", { cache: "no-store", signal: AbortSignal.timeout(5000) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const stats = await response.json();
    if (stats.schema !== "unladen.serve-stats/1") throw new Error(`${stats.schema} is not known to this page: reload it`);
    if (!view.paused && history.take(stats)) await recall();
    failures = 0;
    $("trouble").hidden = true;
    if (!view.paused) draw();
    // Another node may be slow: this one is not kept waiting for it.
    askPeers(stats);
  } catch (error) {
    failures += 1;
    $("trouble").hidden = false;
    $("trouble").textContent = `No answer (${error.message}); asked ${failures} ${failures === 1 ? "time" : "times"}. Trying again.`;
    $("chip").textContent = "no answer";
    $("chip").className = "chip bad";
  }
}

// What was before the page was opened. Without it, the page begins at nothing.
async function recall() {
  try {
    const response = await fetch("/history", { cache: "no-store", signal: AbortSignal.timeout(5000) });
    const past = response.ok ? await response.json() : {};
    if (past.schema === "unladen.serve-history/1") history.recall(past);
  } catch { /* so be it */ }
}

async function run() {
  for (;;) {
    const next = performance.now() + 1000;
    await ask();
    await new Promise((done) => setTimeout(done, Math.max(100, next - performance.now())));
  }
}

let kept = null;
try { kept = localStorage.getItem("theme"); } catch { /* so be it */ }
setTheme(THEMES.includes(kept) ? kept : "system");
run();
