//! [`get_values`] and [`read_values`]: variables of an application (FastCGI 1.0, section 4.1).

use crate::fault::Fault;
use crate::params::Params;
use crate::record::{GET_VALUES, GET_VALUES_RESULT, HEADER, Header, write_record};

/// Asks for the variables of the specification: concurrent connections and requests, and whether requests share a
/// connection. PHP-FPM returns its number of processes only if `pm.max_children` is in its environment
/// (`FCGI_MAX_CONNS` is 1 otherwise): its [status](crate::fpm) tells more.
pub fn get_values(out: &mut Vec<u8>) {
    let names = ["FCGI_MAX_CONNS", "FCGI_MAX_REQS", "FCGI_MPXS_CONNS"];
    let asked = Params(names.iter().map(|name| (name.as_bytes().to_vec(), Vec::new())).collect());
    write_record(out, GET_VALUES, 0, &asked.encode());
}

/// Parses the answer; `None` if it is incomplete.
///
/// # Errors
/// If it is invalid.
pub fn read_values(bytes: &[u8]) -> Result<Option<Params>, Fault> {
    let Some(header) = Header::read(bytes)? else { return Ok(None) };
    if header.kind != GET_VALUES_RESULT || header.request != 0 {
        return Err(Fault::Kind(header.kind));
    }
    let Some(content) = bytes.get(HEADER..HEADER + usize::from(header.length)) else { return Ok(None) };
    Params::decode(content).map(Some).ok_or(Fault::Values)
}

#[cfg(test)]
mod tests;
