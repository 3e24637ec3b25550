//! Memory of a load agent: [`memory`].

/// Its program, a client, and the records on their way, in bytes.
const BASE: u64 = 8_000_000;
/// Bytes of a connection for short answers: the client's buffers and channel, and its tasks.
const CONNECTION: u64 = 41_000;
/// Memory that needs no note.
const USUAL: u64 = 15_000_000;

/// Bytes of an agent with this many connections for short answers, without records that wait for a slow connection
/// ([`ROOM`](super::ROOM)).
pub fn memory(connections: usize) -> u64 {
    BASE + CONNECTION * connections as u64
}

/// Note on the memory of agents for the user who starts a load; `None` for a usual number of connections.
///
/// ```
/// assert_eq!(unladen_agent::memory_note(100), None);
/// assert!(unladen_agent::memory_note(500).is_some_and(|note| note.contains("28 MB")));
/// ```
pub fn memory_note(connections: usize) -> Option<String> {
    let bytes = memory(connections);
    (bytes > USUAL).then(|| {
        format!(
            "each agent may take {} MB of memory, and more for long answers, if all of its {connections} requests are under way at \
             once (--concurrency)",
            bytes / 1_000_000
        )
    })
}
