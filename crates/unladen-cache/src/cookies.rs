//! Cookies that tell users apart, and those that do not (RFC 6265).

use unladen_http1::Fields;

use crate::Policy;
use crate::text::{lines, split_once, trim};

impl Policy {
    /// Whether a request has cookies that tell users apart: not ignored and, if `vary_cookies` are configured, in that
    /// list.
    pub fn has_cookies(&self, fields: &Fields) -> bool {
        pairs(fields).any(|pair| self.is_telling(name(pair)))
    }

    /// The value of `Cookie` reduced to cookies that tell users apart; `None` if none is left. For a request whose
    /// response may be stored: what is not in the key must not reach the application, or the first client chooses what
    /// others get.
    pub fn cookies_left(&self, fields: &Fields) -> Option<Vec<u8>> {
        let mut left = Vec::new();
        for pair in pairs(fields).filter(|pair| self.is_telling(name(pair))) {
            if !left.is_empty() {
                left.extend_from_slice(b"; ");
            }
            left.extend_from_slice(pair);
        }
        (!left.is_empty()).then_some(left)
    }

    /// Appends the cookies that tell users apart, by name; two of one name in their order, since one of them wins.
    /// Returns whether there are any.
    pub(crate) fn write_cookies(&self, fields: &Fields, out: &mut Vec<u8>) -> bool {
        let mut telling: Vec<&[u8]> = pairs(fields).filter(|pair| self.is_telling(name(pair))).collect();
        telling.sort_by_key(|pair| name(pair));
        for pair in &telling {
            out.extend_from_slice(pair);
            out.push(b';');
        }
        !telling.is_empty()
    }

    fn is_ignored(&self, name: &[u8]) -> bool {
        self.ignore_cookies.iter().any(|pattern| pattern.matches(name))
    }

    fn is_telling(&self, name: &[u8]) -> bool {
        !self.is_ignored(name)
            && (self.vary_cookies.is_empty() || self.vary_cookies.iter().any(|pattern| pattern.matches(name)))
    }
}

/// `name=value` of each cookie, from all lines.
fn pairs(fields: &Fields) -> impl Iterator<Item = &[u8]> {
    lines(fields, b"cookie").flat_map(|line| line.split(|byte| *byte == b';')).map(trim).filter(|pair| !pair.is_empty())
}

fn name(pair: &[u8]) -> &[u8] {
    trim(split_once(pair, b'=').0)
}

#[cfg(test)]
mod tests;
