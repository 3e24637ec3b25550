// === What /stats says, as differences ===

// Seconds that are kept, here and by the server.
const HISTORY = 900;

// Buckets that are shown as one: up to these nanoseconds, and what is slower.
const SHOWN = [1e6, 5e6, 1e7, 2.5e7, 5e7, 1e8, 1e9];

const OUTCOMES = ["1xx", "2xx", "3xx", "4xx", "5xx", "local_reply", "broken", "client_gone"];
// Nearest first.
const CONNECTIONS = ["same_thread", "other_thread", "resumed", "new"];

// What a site's cache does. For the first of them, the application rendered nothing.
const RESULTS = ["hit", "validated", "stale", "revalidated", "collapsed", "miss", "pass", "file", "local_reply"];
const SAVED = 5;
const MISS = RESULTS.indexOf("miss");
// From here on, the site answered by itself.
const FILE = RESULTS.indexOf("file");

// What happened within one second or so, of one upstream or of several.
class Sample {
  constructor(buckets) {
    this.buckets = new Array(buckets).fill(0);
    this.outcomes = new Array(OUTCOMES.length).fill(0);
    this.connections = new Array(CONNECTIONS.length).fill(0);
    this.retries = 0;
    this.made = 0;
    this.results = new Array(RESULTS.length).fill(0);
    // By the result and why: { result, reason, requests, bytes }.
    this.reason = new Map();
    // What was fetched from the application for all: whole answers, and all there was of it; what was asked for one client.
    this.whole = [0, 0];
    this.fetched = [0, 0];
    this.asked = new Array(buckets).fill(0);
  }

  get fromMemory() { return sum(this.results.slice(0, SAVED)); }
  // Of those the cache had a part in or could have had: without files and answers of our own.
  get askedFor() { return sum(this.results.slice(0, FILE)); }
  bytesOf(isMeant) { return sum([...this.reason.values()].filter((row) => isMeant(RESULTS.indexOf(row.result))).map((row) => row.bytes)); }
  get bytesFromMemory() { return this.bytesOf((result) => result < SAVED); }
  get bytesFromApplication() { return this.bytesOf((result) => result >= MISS && result < FILE); }
  // An estimate, in ns: had each been fetched, less what was fetched. Without anything fetched, nothing is known.
  get saved() {
    const [whole, time] = this.whole;
    return whole ? Math.max(0, time / whole * (this.fromMemory + this.results[MISS]) - this.fetched[1]) : NaN;
  }

  get requests() { return sum(this.buckets); }
  get kept() { return this.connections[0] + this.connections[1]; }
  // What is not the fault of the request: 5xx of the upstream, own answers, those that broke off.
  get failed() { return this.outcomes[4] + this.outcomes[5] + this.outcomes[6]; }

  add(other) {
    for (const key of ["buckets", "outcomes", "connections", "results", "whole", "fetched", "asked"]) {
      other[key].forEach((n, i) => { this[key][i] += n; });
    }
    for (const [key, row] of other.reason) {
      const own = this.reason.get(key) || { ...row, requests: 0, bytes: 0 };
      this.reason.set(key, { ...own, requests: own.requests + row.requests, bytes: own.bytes + row.bytes });
    }
    this.retries += other.retries;
    this.made += other.made;
    return this;
  }

  static between(before, after) {
    const sample = new Sample(after.latency.total.buckets.length);
    // An upstream that was not there before has begun at nothing.
    const less = (path) => {
      const at = (from) => path.reduce((value, key) => (value == null ? 0 : value[key]), from) || 0;
      return Math.max(0, at(after) - at(before));
    };
    sample.buckets.forEach((_, i) => { sample.buckets[i] = less(["latency", "total", "buckets", i]); });
    OUTCOMES.forEach((name, i) => { sample.outcomes[i] = less(["by_outcome", name]); });
    CONNECTIONS.forEach((name, i) => { sample.connections[i] = less(["by_connection", name]); });
    sample.retries = less(["retries"]);
    sample.made = less(["pool", "counts", "connects"]);
    if (after.site) sample.addSite(before && before.site, after.site, less);
    return sample;
  }

  // What /history has of an upstream.
  static of(counts, { outcomes, connections }) {
    const sample = new Sample(counts.latency.length);
    sample.buckets = counts.latency;
    OUTCOMES.forEach((name, i) => { sample.outcomes[i] = counts.outcomes[outcomes.indexOf(name)] ?? 0; });
    CONNECTIONS.forEach((name, i) => { sample.connections[i] = counts.connections[connections.indexOf(name)] ?? 0; });
    sample.retries = counts.retries;
    sample.made = counts.connects;
    if (counts.site) {
      for (const row of counts.site.results) {
        sample.reason.set(`${row.result} ${row.reason}`, row);
        const at = RESULTS.indexOf(row.result);
        if (at >= 0) sample.results[at] += row.requests;
      }
      for (const key of ["asked", "whole", "fetched"]) sample[key] = counts.site[key];
    }
    return sample;
  }

  addSite(before, after, less) {
    const old = new Map((before ? before.results : []).map((row) => [`${row.result} ${row.reason}`, row]));
    for (const row of after.results) {
      const key = `${row.result} ${row.reason}`;
      const { requests, bytes } = old.get(key) || { requests: 0, bytes: 0 };
      const more = { ...row, requests: Math.max(0, row.requests - requests), bytes: Math.max(0, row.bytes - bytes) };
      if (!more.requests) continue;
      this.reason.set(key, more);
      const at = RESULTS.indexOf(row.result);
      if (at >= 0) this.results[at] += more.requests;
    }
    for (const kind of ["fetches", "passes"]) {
      for (const [brought, histogram] of Object.entries(after.application[kind])) {
        const path = ["site", "application", kind, brought];
        const counts = histogram.buckets.map((_, i) => less([...path, "buckets", i]));
        const more = [sum(counts), less([...path, "sum_ns"])];
        counts.forEach((n, i) => { this.asked[i] += n; });
        if (kind === "fetches") more.forEach((n, i) => { this.fetched[i] += n; });
        if (kind === "fetches" && brought === "whole") more.forEach((n, i) => { this.whole[i] += n; });
      }
    }
  }
}

// All that was seen: since the page was opened, and what the server kept of before.
class History {
  constructor() { this.clear(); }

  clear() {
    this.moments = [];
    this.last = null;
  }

  // Takes a document of /stats; whether it is the first of its process.
  take(stats) {
    const before = this.last;
    const begins = !before || before.started !== stats.started || before.pid !== stats.pid;
    if (begins) this.clear();
    this.last = stats;
    if (begins) return true;
    const seconds = (stats.uptime_ns - before.uptime_ns) / 1e9;
    if (!(seconds > 0)) return false;
    const of = new Map();
    for (const upstream of stats.upstreams) {
      of.set(upstream.name, Sample.between(before.upstreams.find((old) => old.name === upstream.name), upstream));
    }
    const uptime = stats.uptime_ns / 1e9;
    this.moments.push({ at: Date.now(), uptime, seconds, of });
    while (uptime - this.moments[0].uptime > HISTORY) this.moments.shift();
    return false;
  }

  // Takes a document of /history: what was before the first document of /stats that this page has.
  recall(past) {
    const { last } = this;
    if (!last || past.started !== last.started || past.pid !== last.pid) return;
    const first = this.moments.length ? this.moments[0].uptime - this.moments[0].seconds : last.uptime_ns / 1e9;
    const before = past.moments.map((moment) => ({
      at: moment.time_ms, uptime: moment.uptime_ns / 1e9, seconds: moment.length_ns / 1e9,
      of: new Map(Object.entries(moment.upstreams).map(([name, counts]) => [name, Sample.of(counts, past)])),
    }));
    this.moments.unshift(...before.filter((moment) => moment.uptime <= first + 1e-3));
  }

  // The sum of one moment, of one upstream or (no name) of all.
  sample(moment, name) {
    const all = new Sample(this.last.bounds_ns.length + 1);
    if (name) return moment.of.get(name) || all;
    for (const sample of moment.of.values()) all.add(sample);
    return all;
  }

  // The last so many seconds: the sum, and how long they really were.
  over(seconds, name) {
    const sum = this.last ? new Sample(this.last.bounds_ns.length + 1) : null;
    let spent = 0;
    for (let i = this.moments.length - 1; i >= 0 && spent < seconds; i--) {
      sum.add(this.sample(this.moments[i], name));
      spent += this.moments[i].seconds;
    }
    return { sum, seconds: spent };
  }
}

// Between which bounds the time lies within which this share of the requests ended, in ns: those of its bucket. Where
// it lies between them nobody knows; a guess was wrong by a factor of two.
function quantile(buckets, bounds, share) {
  const wanted = sum(buckets) * share;
  if (!wanted) return [NaN, NaN];
  let below = 0;
  for (let i = 0; i < buckets.length; i++) {
    if (below + buckets[i] >= wanted) return [i ? bounds[i - 1] : 0, i < bounds.length ? bounds[i] : Infinity];
    below += buckets[i];
  }
  return [bounds[bounds.length - 1], Infinity];
}

function sum(numbers) { return numbers.reduce((all, n) => all + n, 0); }

// === How numbers are written ===

function duration(ns) {
  if (Number.isNaN(ns)) return "–";
  if (ns < 1e6) return `${digits(ns / 1e3)} µs`;
  if (ns < 1e9) return `${digits(ns / 1e6)} ms`;
  return `${digits(ns / 1e9)} s`;
}

// What lies between two bounds: "25–50 ms", "≤ 100 µs", "> 10 s".
function between([low, high]) {
  if (Number.isNaN(low)) return "–";
  if (high === Infinity) return `> ${duration(low)}`;
  if (!low) return `≤ ${duration(high)}`;
  const [from, to] = [duration(low), duration(high)];
  const [number, unit] = from.split(" ");
  return `${to.endsWith(` ${unit}`) ? number : from}–${to}`;
}

function digits(x) { return x.toLocaleString("en", { maximumFractionDigits: x < 9.95 ? 1 : 0 }); }

function count(n) {
  return n < 1e5 ? digits(n) : n.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });
}

function bytes(n) {
  const [power, unit] = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]].find(([power]) => n >= power) || [1, "B"];
  return `${digits(n / power)} ${unit}`;
}

function share(part, whole) {
  if (!whole) return "–";
  const percent = 100 * part / whole;
  // 100 % is all of them, and 0 % none.
  if (part < whole && percent > 99.9) return "> 99.9 %";
  if (part > 0 && percent < 0.1) return "< 0.1 %";
  return `${percent.toLocaleString("en", { maximumFractionDigits: percent === 100 ? 0 : 1 })} %`;
}

function span(seconds) {
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const first = parts.findIndex(([length]) => seconds >= length);
  if (first < 0) return "0 s";
  const [[long, unit], next] = [parts[first], parts[first + 1]];
  const rest = next ? Math.floor((seconds % long) / next[0]) : 0;
  return `${Math.floor(seconds / long)} ${unit}${rest ? ` ${rest} ${next[1]}` : ""}`;
}
