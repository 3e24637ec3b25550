//! The keys of `[tier]`.

use super::key::{DURATION, FILE, Key, NUMBER, TEXT, key};

pub(super) const KEYS: &[Key] = &[
    key(
        "tier",
        "peers",
        "URL, list of URLs, or table",
        "the nodes, this one too, as URLs of addresses where each serves its sites; with `{ url, endpoints }` they are [discovered](discovery.md). The same on all nodes",
        "",
    ),
    key(
        "tier",
        "secret_file",
        FILE,
        "a file with the secret by which nodes know each other: 32 to 256 letters, digits and marks, the same on all nodes",
        "",
    ),
    key(
        "tier",
        "node",
        "address",
        "which of the peers this node is, as `address:port`",
        "the peer whose address is one of this machine's, and whose port is one that a site listens at",
    ),
    key(
        "tier",
        "deadline",
        DURATION,
        "how long a peer may take to show that it is at work; then the application is asked from here",
        "some round trips, and a pause of a busy machine: a peer that waits for the application says so meanwhile",
    ),
    key(
        "tier",
        "hot",
        NUMBER,
        "how often within some minutes this node has to ask its peers for a page until it keeps a copy; 1: it keeps each",
        "a page that is asked for once or twice is kept by its owner alone",
    ),
    key(
        "tier",
        "ca",
        FILE,
        "the certificate authorities (PEM) that peers with `https://` are verified with",
        "the system's certificate authorities",
    ),
    key(
        "tier",
        "server_name",
        TEXT,
        "the name in the certificates of the peers, where it is not the host of their URL",
        "the host of the peer's URL",
    ),
];
