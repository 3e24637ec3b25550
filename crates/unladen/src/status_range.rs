//! The principal type is [`StatusRange`]: the statuses that a metric counts, `304` or `2xx`.

use std::fmt;

/// A status, or a class of them (RFC 9110, section 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatusRange {
    /// `304`
    One(u16),
    /// `2xx`, by its first digit.
    Class(u16),
}

// === impl StatusRange ===

impl StatusRange {
    /// `None` if it is neither a status nor a class.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let is_number = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(class) = text.strip_suffix("xx") {
            return class.parse().ok().filter(|class| class_of(*class) && text.len() == 3).map(Self::Class);
        }
        text.parse().ok().filter(|status| is_number && class_of(status / 100)).map(Self::One)
    }

    pub(crate) fn holds(self, status: u16) -> bool {
        match self {
            Self::One(one) => status == one,
            Self::Class(class) => status / 100 == class,
        }
    }

    /// Whether these are error statuses: 400 and above.
    pub(crate) fn is_of_errors(self) -> bool {
        match self {
            Self::One(status) => status >= 400,
            Self::Class(class) => class >= 4,
        }
    }
}

fn class_of(digit: u16) -> bool {
    (1..=5).contains(&digit)
}

impl fmt::Display for StatusRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(status) => write!(f, "{status}"),
            Self::Class(class) => write!(f, "{class}xx"),
        }
    }
}

#[cfg(test)]
mod tests;
