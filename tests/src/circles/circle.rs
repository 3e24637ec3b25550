//! The principal type is [`Circle`]: a way through files that ends where it began.

use std::fmt;

/// One file uses a name that another one defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The file that uses it.
    pub from: String,
    /// The names, at least one.
    pub names: Vec<String>,
    /// The file that defines them.
    pub to: String,
}

/// A way through files, each of which uses something of the next; the last one something of the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circle(pub Vec<Use>);

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} uses {} of {}", self.from, self.names.join(", "), self.to)
    }
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uses: Vec<String> = self.0.iter().map(Use::to_string).collect();
        f.write_str(&uses.join("; "))
    }
}
