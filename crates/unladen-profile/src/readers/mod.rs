//! The formats that are read, one file each.

pub(crate) mod collapsed;
pub(crate) mod excimer;
pub(crate) mod firefox;
mod gzip;
mod json;
pub(crate) mod nytprof;
pub(crate) mod perf_script;
pub(crate) mod pprof;
pub(crate) mod speedscope;
mod sum;
pub(crate) mod unladen;

/// What gzip has packed.
#[cfg(test)]
pub(crate) fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed), &mut bytes).unwrap();
    bytes
}
