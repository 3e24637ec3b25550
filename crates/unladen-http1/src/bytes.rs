//! Classes of bytes, and lists of them.

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

/// Whether it is a token (RFC 9110, section 5.6.2).
pub(crate) fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| TOKEN[usize::from(*byte)])
}

/// Whether a token may contain it.
pub(crate) fn is_token_byte(byte: u8) -> bool {
    TOKEN[usize::from(byte)]
}

/// Whether a host's name may contain it. Narrower than RFC 3986's registered names: no percent signs and
/// sub-delimiters, which no DNS name has, and which programs behind interpret differently.
pub(crate) fn is_host_byte(byte: u8) -> bool {
    HOST[usize::from(byte)]
}

/// Printable ASCII without space and `#`. Wider than RFC 3986, which excludes `|`, `"`, `{` …: browsers send them.
pub(crate) fn is_target(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| TARGET[usize::from(*byte)])
}

/// Whether a reason phrase or a field's value may contain it: no control characters except the tab.
pub(crate) fn is_text_byte(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

/// Removes surrounding spaces and tabs.
pub fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

/// The non-empty members of a comma-separated list without quotes (RFC 9110, section 5.6.1).
pub fn members(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b',').map(trim).filter(|member| !member.is_empty())
}
