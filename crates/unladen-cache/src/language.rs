//! [`pick`]: the one of an application's languages that a client likes best (RFC 4647, section 3.4; RFC 9110, section 12.5.4).

use crate::text::weighted;

/// None: the client names none of them. Of those that it likes equally, the first that is offered.
///
/// `de-CH` means `de-CH`, else `de`; `de` means `de`, else the first of its kinds, `de-AT` say; `*` means any but those that are
/// refused.
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

/// How much a client likes a language: by what it names that comes closest to it.
fn weight(header: &[u8], tag: &[u8]) -> u16 {
    let mut closest = (0, 0);
    for (range, weight) in weighted(header) {
        let closeness = match range {
            b"*" => 1,
            _ if range.eq_ignore_ascii_case(tag) => usize::MAX,
            _ if begins(range, tag) => 1 + tag.len(),
            _ if begins(tag, range) => 1 + range.len(),
            _ => continue,
        };
        if closeness > closest.0 || (closeness == closest.0 && weight > closest.1) {
            closest = (closeness, weight);
        }
    }
    closest.1
}

/// Whether a tag is another with more behind it.
fn begins(longer: &[u8], start: &[u8]) -> bool {
    longer.get(start.len()) == Some(&b'-') && longer[..start.len()].eq_ignore_ascii_case(start)
}

#[cfg(test)]
mod tests;
