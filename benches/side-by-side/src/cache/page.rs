//! The principal type is [`Page`]: one of the application's, named by its length and a number.

use std::fmt;

/// One of the application's pages: `/LENGTH/NUMBER`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Page {
    /// Bytes of its body.
    pub(super) length: u64,
    pub(super) number: u64,
}

// === impl Page ===

impl Page {
    /// As `--list` of the callers has it.
    pub(super) fn line(self) -> String {
        format!("{} {self}\n", self.length)
    }

    pub(super) fn etag(self) -> String {
        format!("\"{}-{}\"", self.length, self.number)
    }

    /// Of a request's target.
    pub(super) fn of(target: &str) -> Option<Self> {
        let (length, number) = target.strip_prefix('/')?.split_once('/')?;
        Some(Self { length: length.parse().ok()?, number: number.parse().ok()? })
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/{}", self.length, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_found_by_its_path() {
        let page = Page { length: 476, number: 12 };
        assert_eq!(Page::of(&page.to_string()), Some(page));
        assert_eq!(page.line(), "476 /476/12\n");
        assert_eq!(Page::of("/476"), None);
        assert_eq!(Page::of("/a/1"), None);
    }
}
