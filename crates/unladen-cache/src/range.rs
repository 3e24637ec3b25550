//! [`ranges`]: which parts of a body are asked for (RFC 9110, section 14).

/// Which parts of a body are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ranges {
    /// The whole: no range, one that is none, or too many.
    Whole,
    /// From a byte up to and without another.
    Some(Vec<std::ops::Range<u64>>),
    /// 416
    Unsatisfiable,
}

/// Of `Range`, for a body of this length. Ranges that overlap are joined, and of more than a few none is served.
pub fn ranges(header: &[u8], length: u64) -> Ranges {
    todo!()
}
