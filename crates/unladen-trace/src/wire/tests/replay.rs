//! Conversations that were recorded: bytes of real clients and servers, as a tracer sees them.

/// One call.
pub(in crate::wire) struct Turn {
    pub(in crate::wire) sent: bool,
    /// Bytes altogether.
    pub(in crate::wire) total: usize,
    /// What a tracer keeps of them.
    pub(in crate::wire) bytes: Vec<u8>,
}

/// Lines `> 5 5800000004`: way, bytes altogether, the kept ones.
pub(in crate::wire) fn turns(recording: &str) -> Vec<Turn> {
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
