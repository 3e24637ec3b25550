//! [`pick`]: the one of an application's languages that a client likes best (RFC 4647, section 3.4; RFC 9110, section 12.5.4).

/// None: the client names none of them.
pub(crate) fn pick<'a>(header: &[u8], offered: &'a [String]) -> Option<&'a str> {
    todo!()
}
