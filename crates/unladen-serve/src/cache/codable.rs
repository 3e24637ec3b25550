//! Which uncoded bodies may be compressed.

use unladen_cache::Coding;
use unladen_http1::Fields;

/// Shortest body to compress: below it less than a packet is gained.
pub(crate) const SHORTEST: usize = 1024;

pub(crate) fn may_be_coded(fields: &Fields) -> bool {
    fields.find(b"content-encoding").is_none()
        && fields.find(b"content-type").is_some_and(Coding::is_worth_it)
        && !is_not_to_be_transformed(fields)
}

/// Whether `no-transform` is set (RFC 9111, section 5.2.2.6).
pub(crate) fn is_not_to_be_transformed(fields: &Fields) -> bool {
    let controls = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(b"cache-control"));
    controls
        .flat_map(|field| field.value.split(|byte| *byte == b','))
        .any(|directive| directive.trim_ascii().eq_ignore_ascii_case(b"no-transform"))
}
