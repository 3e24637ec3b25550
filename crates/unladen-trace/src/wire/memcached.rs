//! The principal function is [`command`]: commands to memcached.
//!
//! Source: memcached's doc/protocol.txt (text and meta commands) and "BinaryProtocolRevamped".

/// Commands of the text protocol that name a key, or stand alone.
const COMMANDS: &[&str] = &[
    "add",
    "append",
    "cas",
    "decr",
    "delete",
    "flush_all",
    "gat",
    "gats",
    "get",
    "gets",
    "incr",
    "ma",
    "md",
    "me",
    "mg",
    "mn",
    "ms",
    "prepend",
    "replace",
    "set",
    "stats",
    "touch",
    "verbosity",
    "version",
];
const ALONE: &[&str] = &["flush_all", "mn", "stats", "version"];
/// Longest line of a command: 250 bytes a key, several of them.
const MAX_LINE: usize = 2048;
/// First byte of a request of the binary protocol.
const BINARY: u8 = 0x80;

/// The name of the command at the beginning: `get`; `binary` for the binary protocol.
pub fn command(first: &[u8]) -> Option<&'static str> {
    if first.first() == Some(&BINARY) && first.len() >= 24 {
        // Operation, data type and reserved bytes.
        return (first.get(1)? <= &0x46 && first.get(5) == Some(&0)).then_some("binary");
    }
    let line = first.get(..MAX_LINE).unwrap_or(first);
    let end = memchr::memchr(b'\n', line)?;
    let line = line.get(..end)?;
    let line = line.strip_suffix(b"\r")?;
    let mut words = line.split(|byte| *byte == b' ');
    let name = words.next()?;
    let known = COMMANDS.iter().find(|known| known.as_bytes() == name)?;
    let argument = words.next().is_some_and(|word| !word.is_empty());
    (argument || ALONE.contains(known)).then_some(known)
}
