// === Other nodes ===

// They are asked while this page is open, and no more often than this.
const PEERS_EVERY = 5000;
let peersAsked = -Infinity;

async function askPeers(stats) {
  const isThere = stats.peers > 0 || stats.fleet !== null;
  // Until they have said something, there is nothing to see.
  if (!isThere) $("peers-card").hidden = true;
  if (!isThere || view.paused || performance.now() - peersAsked < PEERS_EVERY) return;
  peersAsked = performance.now();
  try {
    const response = await fetch("/peers", { cache: "no-store", signal: AbortSignal.timeout(5000) });
    const told = response.ok ? await response.json() : {};
    if (told.schema === "unladen.serve-peers/1") drawPeers(told);
  } catch { /* It is asked again. */ }
}

function drawPeers({ fleet, peers }) {
  const or = (value, write) => value === null || value === undefined ? "–" : write(value);
  $("peers-card").hidden = false;
  $("nodes-part").hidden = !fleet;
  if (fleet) {
    const more = fleet.nodes > fleet.list.length ? `; the ${fleet.list.length} that are furthest behind` : "";
    $("nodes-told").textContent = fleet.looked_ago_ns === null ? "The list has not been read yet."
      : `${count(fleet.nodes)} nodes in the fleet, read ${span(fleet.looked_ago_ns / 1e9)} ago${more}.`;
    // Names and addresses are text here, whatever they are.
    $("nodes").replaceChildren(...fleet.list.map(({ node, own, behind }) => cells(document.createElement("tr"), [
      own ? `${node} (this one)` : node, "● in the fleet", or(behind, (n) => n ? `${count(n)} purges` : "none"),
    ], ["wrap", "is-good", "n"])));
    label($("nodes"));
  }
  $("others-part").hidden = !peers.length;
  $("others").replaceChildren(...peers.map((peer) => {
    const [state, color] = peer.error ? [`○ ${peer.error}`, "is-bad"]
      : peer.connected === false ? ["○ cut off from the fleet", "is-bad"]
        : peer.draining ? ["◐ draining", "is-warn"] : ["● serving", "is-good"];
    return cells(document.createElement("tr"), [
      peer.address, state, or(peer.requests_per_second, digits), or(peer.failed_per_second, digits),
      or(peer.from_memory, (part) => share(part, 1)), or(peer.p99_over_ns, (over) => between([over, peer.p99_ns ?? Infinity])), or(peer.lag, count), peer.version ?? "",
    ], ["wrap", `${color} wrap`, "n", "n", "n", "n", "n", ""]);
  }));
  label($("others"));
}

