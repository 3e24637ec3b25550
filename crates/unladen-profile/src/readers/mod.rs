//! Readable formats, one file each.

pub(crate) mod collapsed;
pub(crate) mod excimer;
pub(crate) mod firefox;
mod json;
mod left_out;
pub(crate) mod nytprof;
pub(crate) mod perf_script;
pub(crate) mod pprof;
pub(crate) mod speedscope;
mod sum;
pub(crate) mod unladen;

/// Unpacks gzip; other bytes stay as they are.
#[cfg(test)]
pub(crate) fn unpacked(packed: &[u8]) -> Vec<u8> {
    let (mut packed, mut bytes) = (packed, Vec::new());
    std::io::Read::read_to_end(&mut crate::input::Input::new(&mut packed), &mut bytes).unwrap();
    bytes
}
