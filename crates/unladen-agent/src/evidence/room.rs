//! The principal function is [`has_room`]: whether evidence takes a reasonable amount of memory.

/// Maximum lists and structures: a page that touches ten thousand files makes a fifth of them. An empty structure is
/// two bytes of JSON and four hundred in memory.
const MAX_STRUCTURES: usize = 250_000;
const MAX_VALUES: usize = 4_000_000;

/// Whether it is small enough to be parsed. Invalid JSON is left to the parser: up to the error, the count is right.
pub(super) fn has_room(json: &[u8]) -> bool {
    let (mut structures, mut values) = (0, 0);
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' | b'[' => structures += 1,
            b',' => values += 1,
            _ => {}
        }
    }
    structures <= MAX_STRUCTURES && structures + values <= MAX_VALUES
}

#[cfg(test)]
mod tests;
