//! Conversations that were recorded: bytes of real clients and servers, as a tracer sees them.

/// One call.
pub(super) struct Turn {
    pub(super) sent: bool,
    /// Bytes altogether.
    pub(super) total: usize,
    /// What a tracer keeps of them.
    pub(super) bytes: Vec<u8>,
}

/// Lines `> 5 5800000004`: way, bytes altogether, the kept ones.
pub(super) fn turns(recording: &str) -> Vec<Turn> {
    let lines = recording.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut words = line.split(' ');
            let (way, total, hex) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
            let bytes = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
            Turn { sent: way == ">", total: total.parse().unwrap(), bytes }
        })
        .collect()
}
