//! `CDN-Cache-Control` (RFC 9213): a dictionary of structured fields (RFC 9651).

use std::time::Duration;

use sfv::{BareItem, Dictionary, ListEntry, Parser};
use unladen_http1::Fields;

use super::ResponseControl;
use crate::text::{LONGEST, lines};

impl ResponseControl {
    /// `None` if the field is missing, empty or invalid, and so ignored (RFC 9213, section 2.1).
    pub(super) fn targeted(fields: &Fields) -> Option<Self> {
        let mut all = lines(fields, b"cdn-cache-control");
        let mut joined = all.next()?.to_vec();
        for line in all {
            joined.extend_from_slice(b", ");
            joined.extend_from_slice(line);
        }
        let dictionary: Dictionary = Parser::new(&joined).parse().ok()?;
        if dictionary.is_empty() {
            return None;
        }
        let mut control = Self { targeted: true, ..Self::default() };
        for (name, entry) in &dictionary {
            control.take_entry(name.as_str().as_bytes(), entry);
        }
        Some(control)
    }

    fn take_entry(&mut self, name: &[u8], entry: &ListEntry) {
        match name {
            b"max-age" => self.max_age = Some(time(entry)),
            b"s-maxage" => self.s_maxage = Some(time(entry)),
            b"stale-while-revalidate" => self.stale_while_revalidate = Some(time(entry)),
            b"stale-if-error" => self.stale_if_error = Some(time(entry)),
            b"no-cache" => self.no_cache |= is_said(entry) && !self.is_qualified(names(entry)),
            b"private" => self.private |= is_said(entry) && !self.is_qualified(names(entry)),
            _ => {
                if let Some(said) = self.flag(|flag| flag == name) {
                    *said = is_said(entry);
                }
            }
        }
    }
}

fn item(entry: &ListEntry) -> Option<&BareItem> {
    match entry {
        ListEntry::Item(item) => Some(&item.bare_item),
        ListEntry::InnerList(_) => None,
    }
}

/// Zero if it is no number of seconds: a doubtful response is stale.
fn time(entry: &ListEntry) -> Duration {
    let Some(BareItem::Integer(seconds)) = item(entry) else { return Duration::ZERO };
    Duration::from_secs(u64::try_from(i64::from(*seconds)).unwrap_or(0)).min(LONGEST)
}

/// True for all but `=?0`: a directive with an unexpected value still counts.
fn is_said(entry: &ListEntry) -> bool {
    !matches!(item(entry), Some(BareItem::Boolean(false)))
}

fn names(entry: &ListEntry) -> Option<Option<&[u8]>> {
    match item(entry)? {
        BareItem::String(names) => Some(Some(names.as_str().as_bytes())),
        BareItem::Token(name) => Some(Some(name.as_str().as_bytes())),
        _ => None,
    }
}
