//! The principal type is [`Words`]: a sentence, parts of which stand out.

use askama::Template;

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Plain(String),
    Strong(String),
    /// A name from elsewhere: a group, a rule, a path.
    Name(String),
    /// Where it leads, and its text.
    Link(String, String),
    /// Said beside the matter.
    Faint(String),
    /// With its class: `good`, `bad`, `even`.
    Mark(&'static str, String),
}

/// A sentence or a cell.
#[derive(Debug, Clone, Default, PartialEq, Template)]
#[template(path = "words.html")]
pub(super) struct Words {
    parts: Vec<Part>,
}

impl Words {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn plain(self, text: impl Into<String>) -> Self {
        self.with(Part::Plain(text.into()))
    }

    pub(super) fn strong(self, text: impl Into<String>) -> Self {
        self.with(Part::Strong(text.into()))
    }

    pub(super) fn name(self, text: impl Into<String>) -> Self {
        self.with(Part::Name(text.into()))
    }

    pub(super) fn faint(self, text: impl Into<String>) -> Self {
        self.with(Part::Faint(text.into()))
    }

    pub(super) fn mark(self, class: &'static str, text: impl Into<String>) -> Self {
        self.with(Part::Mark(class, text.into()))
    }

    /// A link within the page or the site; another address becomes a mere name.
    pub(super) fn link(self, to: impl Into<String>, text: impl Into<String>) -> Self {
        let to = to.into();
        // `//host` and `/\host` are other hosts to a browser.
        let is_here = to.starts_with('#') || (to.starts_with('/') && !to[1..].starts_with(['/', '\\']));
        self.with(if is_here { Part::Link(to, text.into()) } else { Part::Name(text.into()) })
    }

    /// This, and then that.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.parts.extend(other.parts);
        self
    }

    /// Without any marks.
    pub(super) fn text(&self) -> String {
        let text = |part: &Part| match part {
            Part::Plain(text) | Part::Strong(text) | Part::Name(text) => text.clone(),
            Part::Link(_, text) | Part::Faint(text) | Part::Mark(_, text) => text.clone(),
        };
        self.parts.iter().map(text).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether a name is not to be broken in two; a longer one would not fit a phone.
    fn is_short(&self, name: &str) -> bool {
        const MOST: usize = 24;
        name.chars().nth(MOST).is_none()
    }

    fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }
}

impl From<String> for Words {
    fn from(text: String) -> Self {
        Self::new().plain(text)
    }
}

impl From<&str> for Words {
    fn from(text: &str) -> Self {
        Self::new().plain(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_never_leads_elsewhere() {
        let link = |to: &str| Words::new().link(to, "there").to_string();
        assert_eq!(link("#weights"), "<a href=\"#weights\">there</a>");
        assert_eq!(link("/run/12?a=\"&b"), "<a href=\"/run/12?a=&quot;&amp;b\">there</a>");
        for to in ["javascript:alert(1)", "//evil.example/", "/\\evil.example", "http://evil.example", ""] {
            assert_eq!(link(to), "<code class=\"s\">there</code>", "{to}");
        }
    }
}
