//! The principal type is [`Stderr`]: an application's standard error for one request.

/// Most bytes that are kept: a few messages. PHP's have some hundred bytes each, with a stack trace a few thousand.
const MOST: usize = 2048;

/// The beginning of an application's standard error for one request. Empty, it takes no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stderr {
    bytes: Vec<u8>,
    left_out: u64,
}

impl Stderr {
    pub(crate) fn push(&mut self, content: &[u8]) {
        let taken = content.len().min(MOST - self.bytes.len());
        self.bytes.extend_from_slice(&content[..taken]);
        self.left_out += (content.len() - taken) as u64;
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.left_out = 0;
    }

    /// The beginning, as received.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether it contains these words.
    pub fn says(&self, words: &[u8]) -> bool {
        memchr::memmem::find(&self.bytes, words).is_some()
    }

    /// One line without control characters for a terminal.
    pub fn line(&self) -> String {
        let text = String::from_utf8_lossy(self.bytes.trim_ascii());
        let mut line = String::with_capacity(text.len());
        for c in text.chars() {
            let c = if c.is_control() || c == '\u{2028}' || c == '\u{2029}' { ' ' } else { c };
            if c != ' ' || !line.ends_with(' ') {
                line.push(c);
            }
        }
        line.truncate(line.trim_end().len());
        if self.left_out > 0 {
            line.push_str(&format!(" … ({} bytes more)", self.left_out));
        }
        line
    }
}

#[cfg(test)]
mod tests;
