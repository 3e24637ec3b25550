//! The principal type is [`Whose`]: whose a value of the configuration is.

/// Whose a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    Whole,
    /// Of the `[[outbound]]` of this name.
    Outbound(String),
    /// Of the `[[site]]` of this name.
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

    /// What its tables are headed with.
    pub(super) fn role(&self) -> Option<&'static str> {
        match self {
            Self::Whole => None,
            Self::Outbound(_) => Some("outbound"),
            Self::Site(_) => Some("site"),
        }
    }
}
