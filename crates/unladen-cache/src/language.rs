//! [`pick`]: the client's preferred language of those of an application (RFC 4647, section 3.4; RFC 9110, section
//! 12.5.4).

use crate::text::weighted;

/// `None` if the client names none of them. Of equal ones, the first that is offered.
///
/// `de-CH` means `de-CH`, else `de`; `de` means `de`, else the first variant, such as `de-AT`; `*` means any that is
/// not refused.
pub(crate) fn pick<'a>(header: &[u8], offered: &'a [String]) -> Option<&'a str> {
    let mut best: Option<(u16, &'a str)> = None;
    for tag in offered {
        let weight = weight(header, tag.as_bytes());
        if weight > best.map_or(0, |(weight, _)| weight) {
            best = Some((weight, tag));
        }
    }
    best.map(|(_, tag)| tag)
}

/// A language's weight: the highest of the ranges that match it, unless it is itself refused; the weight of `*` only if
/// no other matches.
fn weight(header: &[u8], tag: &[u8]) -> u16 {
    let mut named = None;
    let mut any = 0;
    for (range, weight) in weighted(header) {
        let is_exact = range.eq_ignore_ascii_case(tag);
        if is_exact && weight == 0 {
            return 0;
        }
        if range == b"*" {
            any = weight;
        } else if is_exact || begins(range, tag) || begins(tag, range) {
            named = named.max(Some(weight));
        }
    }
    named.unwrap_or(any)
}

/// Whether a tag extends another.
fn begins(longer: &[u8], start: &[u8]) -> bool {
    longer.get(start.len()) == Some(&b'-') && longer[..start.len()].eq_ignore_ascii_case(start)
}

#[cfg(test)]
mod tests;
