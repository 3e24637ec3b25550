//! The principal type is [`Account`]: what became of all requests.

use std::fmt;

/// What became of all requests.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Requests that were sent, each once.
    pub sent: u64,
    /// Those whose answer came whole, and was the right one.
    pub answered: u64,
    /// Of those, pages that are kept, …
    pub pages: u64,
    /// … and those of them that came from memory.
    pub hits: u64,
    /// Files.
    pub files: u64,
    /// Forms.
    pub forms: u64,
    /// Handshakes of TLS.
    pub handshakes: u64,
    /// Connections.
    pub connections: u64,
    /// Requests that were sent again, as a kept connection had ended before: any client does so (RFC 9112, section
    /// 9.3.1), and a form is never among them.
    pub again: u64,
    /// What was lost: no answer, a part of one, or a wrong one.
    pub lost: Vec<String>,
}

// === impl Account ===

impl Account {
    /// With another's.
    pub fn add(&mut self, other: Self) {
        self.sent += other.sent;
        self.answered += other.answered;
        self.pages += other.pages;
        self.hits += other.hits;
        self.files += other.files;
        self.forms += other.forms;
        self.handshakes += other.handshakes;
        self.connections += other.connections;
        self.again += other.again;
        self.lost.extend(other.lost);
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sent, answered, pages, hits, files, forms, handshakes, connections, again, lost } = self;
        writeln!(f, "requests sent      {sent}")?;
        writeln!(f, "  answered         {answered}")?;
        writeln!(f, "  lost             {}", lost.len())?;
        writeln!(f, "pages that are kept {pages}, from memory {hits}; files {files}, forms {forms}")?;
        writeln!(f, "connections        {connections}, of TLS {handshakes}")?;
        write!(f, "asked again        {again}, as a kept connection had ended between two requests")
    }
}

/// A share, in per cent.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
