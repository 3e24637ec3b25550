//! The principal type is [`Whose`]: which table has a value.

/// Which table has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    Whole,
    Outbound(String),
    Site(String),
}

impl Whose {
    /// The name of a `[[outbound]]`.
    pub fn outbound(&self) -> Option<&str> {
        if let Self::Outbound(name) = self { Some(name) } else { None }
    }

    /// The name of a `[[site]]`.
    pub fn site(&self) -> Option<&str> {
        if let Self::Site(name) = self { Some(name) } else { None }
    }

    /// The heading of its tables.
    pub(super) fn role(&self) -> Option<&'static str> {
        match self {
            Self::Whole => None,
            Self::Outbound(_) => Some("outbound"),
            Self::Site(_) => Some("site"),
        }
    }
}
