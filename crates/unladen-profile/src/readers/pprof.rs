//! The principal type is [`Pprof`]: files of pprof.
//!
//! The format is `profile.proto` of <https://github.com/google/pprof>. It is decoded by hand, since few fields matter
//! and faults should name their byte.

use std::io::Read;

use crate::input::{Input, MAX_UNPACKED};
use crate::profile::Profile;
use crate::read_error::ReadError;
use crate::reader::ProfileReader;

mod message;
mod samples;
mod tables;
mod wrong;

use message::{Fields, Value};
use samples::Samples;
use tables::{FORMAT, Tables};
use wrong::Wrong;

/// Reads files of pprof, of at most 1 GiB (unpacked, if gzip has packed them).
///
/// From several kinds of samples it takes CPU or clock time if there is any, otherwise the one that the file prefers.
pub(crate) struct Pprof;

impl ProfileReader for Pprof {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn about(&self) -> &'static str {
        "Go's pprof, and what others write for it: protocol buffers, mostly with gzip"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        looks_like(head)
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        let mut bytes = Vec::new();
        let done = (&mut *input).take(MAX_UNPACKED + 1).read_to_end(&mut bytes);
        done.map_err(|error| ReadError::at_byte(FORMAT, input.offset(), error.to_string()))?;
        if bytes.len() as u64 > MAX_UNPACKED {
            let what = format!("it has more than {} MiB, which is more than is read", MAX_UNPACKED >> 20);
            return Err(ReadError::at_byte(FORMAT, 0, what));
        }
        profile(&bytes).map_err(|wrong| ReadError::at_byte(FORMAT, wrong.at as u64, wrong.what))
    }
}

fn profile(bytes: &[u8]) -> Result<Profile, Wrong> {
    let tables = Tables::read(bytes)?;
    let mut samples = Samples::new(&tables)?;
    for field in Fields::of(bytes, 0) {
        let field = field?;
        if let (tables::SAMPLE, Value::Bytes(sample)) = (field.number, field.value) {
            samples.add(sample, field.at)?;
        }
    }
    Ok(samples.finish())
}

/// Whether it begins with only fields of profiles, including a sample type: there is no other mark.
fn looks_like(head: &[u8]) -> bool {
    let is_sample_type = |bytes: &[u8]| {
        let mut fields = Fields::of(bytes, 0);
        !bytes.is_empty()
            && fields
                .all(|field| field.is_ok_and(|field| matches!((field.number, field.value), (1 | 2, Value::Number(_)))))
    };
    let mut has_type = false;
    // The last field may be truncated.
    for field in Fields::of(head, 0).take_while(Result::is_ok).flatten() {
        let fits = match (field.number, field.value) {
            (tables::SAMPLE_TYPE, Value::Bytes(bytes)) => {
                has_type = true;
                is_sample_type(bytes)
            }
            (2..=6 | 11, value) => matches!(value, Value::Bytes(_)),
            (7..=10 | 12 | 14 | 15, value) => matches!(value, Value::Number(_)),
            (13, value) => !matches!(value, Value::Fixed),
            _ => false,
        };
        if !fits {
            return false;
        }
    }
    has_type
}

#[cfg(test)]
mod tests;
