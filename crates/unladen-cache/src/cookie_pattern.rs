//! The principal type is [`CookiePattern`].

/// A name, or with `*` at its end how names begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CookiePattern(pub String);

impl CookiePattern {
    /// Whether a name is meant. Names differ by case.
    pub fn matches(&self, name: &[u8]) -> bool {
        match self.0.as_bytes() {
            [start @ .., b'*'] => name.starts_with(start),
            whole => name == whole,
        }
    }
}
