//! The principal type is [`CookiePattern`].

/// A cookie's name, or with `*` at its end a prefix of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CookiePattern(pub String);

impl CookiePattern {
    /// Whether the pattern matches a name, case-sensitively.
    pub fn matches(&self, name: &[u8]) -> bool {
        match self.0.as_bytes() {
            [start @ .., b'*'] => name.starts_with(start),
            whole => name == whole,
        }
    }
}
