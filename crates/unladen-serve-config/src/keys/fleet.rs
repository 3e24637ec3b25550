//! The keys of `[fleet]`.

use super::key::{DURATION, FILE, Key, NUMBER, TEXT, key};

pub(super) const KEYS: &[Key] = &[
    key(
        "fleet",
        "purges",
        "URL",
        "the engine that carries purges to all nodes: [fleet.md](fleet.md#engines) lists them. A password in it is never shown",
        "",
    ),
    key(
        "fleet",
        "ca",
        FILE,
        "the certificate authorities (PEM) that the engine's certificate is verified with; for URLs with TLS: `valkeys://`, \
         `rediss://`, `tls://`, `postgres://…?sslmode=verify-full`",
        "the system's certificate authorities",
    ),
    key(
        "fleet",
        "name",
        TEXT,
        "which fleet of those on the engine this is: the same on all nodes",
        "one fleet is the rule; several on one engine need a name each",
    ),
    key(
        "fleet",
        "node",
        TEXT,
        "what this node is called, in answers and metrics; each process adds a random part",
        "the machine's host name",
    ),
    key(
        "fleet",
        "lease",
        DURATION,
        "a node that was not heard for so long is out of the fleet, and stops relying on its stored pages before that: the same on all nodes",
        "longer than a pause of a busy machine, and as long as a purge may have to wait for a node that died",
    ),
    key(
        "fleet",
        "when_cut_off",
        "`\"revalidate\"` or `\"serve\"`",
        "what is done with stored pages that no validator vouches for while the engine is not reached: `revalidate` asks the application about each before it is served; `serve` serves pages that may have been purged elsewhere",
        "a page that was purged is not served",
    ),
    key(
        "fleet",
        "wait",
        "`\"all\"`, `\"quorum\"` or `\"none\"`",
        "which nodes a purge waits for before it is answered: all, more than half, or none; a purge can say another one",
        "whoever purges counts on the page being gone",
    ),
    key(
        "fleet",
        "wait_for",
        DURATION,
        "how long it waits; then the answer has status 202 and names the nodes that have not confirmed",
        "nodes confirm within milliseconds; a client should not wait for one that died",
    ),
    key(
        "fleet",
        "keep",
        NUMBER,
        "how many of the last purges the engine keeps; a node that missed more revalidates everything that it has stored",
        "some 20 MB, and minutes at hundreds of purges a second",
    ),
    key(
        "fleet",
        "htcp",
        "address and port",
        "where purges of HTCP (RFC 2756: CLR, as MediaWiki sends them) come in by UDP. [They can be lost](fleet.md#htcp): only for pages that have a lifetime",
        "it is not listened at",
    ),
    key(
        "fleet",
        "htcp_from",
        "list of addresses and networks",
        "who may send them; required unless `htcp` is a loopback address. Addresses of UDP can be forged: keep others away by a firewall, too",
        "this machine alone",
    ),
    key(
        "fleet",
        "htcp_groups",
        "list of multicast addresses",
        "groups that are joined for them; `htcp` is then `0.0.0.0:4827` or `[::]:4827`",
        "none is joined",
    ),
];
