//! Which bytes may stand where.

const fn table(marks: &[u8], letters_and_digits: bool) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < marks.len() {
        table[marks[at] as usize] = true;
        at += 1;
    }
    let mut byte = 0;
    while byte < 256 {
        if letters_and_digits && (byte as u8).is_ascii_alphanumeric() {
            table[byte] = true;
        }
        byte += 1;
    }
    table
}

const fn target() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0x21;
    while byte < 0x7f {
        table[byte] = byte != b'#' as usize;
        byte += 1;
    }
    table
}

static TOKEN: [bool; 256] = table(b"!#$%&'*+-.^_`|~", true);
static HOST: [bool; 256] = table(b"-._~", true);
static TARGET: [bool; 256] = target();

/// A token (RFC 9110, section 5.6.2).
pub(crate) fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| TOKEN[usize::from(*byte)])
}

/// Whether a token can begin, or go on, with it.
pub(crate) fn is_token_byte(byte: u8) -> bool {
    TOKEN[usize::from(byte)]
}

/// Whether it may stand in a host's name. Narrower than the registered names of RFC 3986: neither percent signs nor
/// sub-delimiters, which no name in the DNS has, and which programs behind tell apart in their own ways.
pub(crate) fn is_host_byte(byte: u8) -> bool {
    HOST[usize::from(byte)]
}

/// Printable ASCII without the space and without `#`. Wider than RFC 3986, which has no `|`, `"`, `{` …: browsers send
/// them.
pub(crate) fn is_target(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| TARGET[usize::from(*byte)])
}

/// What a reason phrase, or the value of a field, is made of: no control characters but the tab.
pub(crate) fn is_text_byte(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}
