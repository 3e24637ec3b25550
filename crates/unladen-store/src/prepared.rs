//! The principal type is [`Prepared`]: a run checked and compressed before it occupies a database. Documents and evidence
//! are one frame of zstd each, with its checksum.

use std::io;

use serde::de::IgnoredAny;

use crate::limits::{DOCUMENT_BYTES, EVIDENCE_BYTES, LABELS, TARGET_BYTES, TEXT_BYTES, check};
use crate::run::NewRun;
use crate::store_error::StoreError;

pub(crate) struct Prepared<'a> {
    pub(crate) run: &'a NewRun,
    pub(crate) document: Vec<u8>,
    pub(crate) evidence: Option<Vec<u8>>,
}

impl<'a> Prepared<'a> {
    pub(crate) fn new(run: &'a NewRun) -> Result<Self, StoreError> {
        let texts = [
            ("the verb", Some(&run.verb), TEXT_BYTES),
            ("the target", Some(&run.target), TARGET_BYTES),
            ("the host's name", Some(&run.host), TEXT_BYTES),
            ("the version", Some(&run.version), TEXT_BYTES),
            ("the way it ended", Some(&run.ended), TEXT_BYTES),
            ("the commit", run.commit.as_ref(), TEXT_BYTES),
        ];
        for (what, text, most) in texts {
            let Some(text) = text else { continue };
            fits(what, text.len(), most)?;
            // PostgreSQL does not allow NUL in texts.
            if text.contains('\0') {
                return Err(StoreError::Unfit { what, why: "it has a NUL character".to_owned() });
            }
        }
        // Ranges of commits by their beginning rely on it.
        if run.commit.as_ref().is_some_and(|commit| !commit.bytes().all(|byte| byte.is_ascii_alphanumeric())) {
            return Err(StoreError::Unfit {
                what: "the commit",
                why: "it does not consist of letters and digits".to_owned(),
            });
        }
        if run.labels.len() > LABELS {
            return Err(StoreError::ManyLabels { count: run.labels.len(), most: LABELS });
        }
        for (key, value) in &run.labels {
            check(key, value)?;
        }
        fits("the document", run.document.len(), DOCUMENT_BYTES)?;
        is_object(&run.document)?;
        let pressed = |what, raw: &[u8]| {
            compress(raw).map_err(|error| StoreError::Unfit { what, why: format!("it cannot be compressed: {error}") })
        };
        let evidence = match &run.evidence {
            Some(evidence) => {
                fits("the evidence", evidence.len(), EVIDENCE_BYTES)?;
                Some(pressed("the evidence", evidence)?)
            }
            None => None,
        };
        Ok(Self { run, document: pressed("the document", run.document.as_bytes())?, evidence })
    }

    pub(crate) fn all(runs: &'a [NewRun]) -> Result<Vec<Self>, StoreError> {
        runs.iter().map(Self::new).collect()
    }

    pub(crate) fn document_bytes(&self) -> i64 {
        column(self.run.document.len())
    }

    pub(crate) fn evidence_bytes(&self) -> Option<i64> {
        self.run.evidence.as_ref().map(|evidence| column(evidence.len()))
    }

    pub(crate) fn stored_bytes(&self) -> i64 {
        column(self.document.len() + self.evidence.as_ref().map_or(0, Vec::len))
    }
}

fn fits(what: &'static str, bytes: usize, most: usize) -> Result<(), StoreError> {
    if bytes > most { Err(StoreError::TooLarge { what, bytes, most }) } else { Ok(()) }
}

/// Half a document would otherwise be found out only when it is shown.
fn is_object(document: &str) -> Result<(), StoreError> {
    let unfit = |why| StoreError::Unfit { what: "the document", why };
    if !document.trim_ascii_start().starts_with('{') {
        return Err(unfit("it is not a JSON object".to_owned()));
    }
    serde_json::from_str::<IgnoredAny>(document).map(drop).map_err(|error| unfit(format!("it is not JSON: {error}")))
}

fn column(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// zstd's default: JSON shrinks to a tenth, at some 200 MB/s.
const LEVEL: i32 = 3;

pub(crate) fn compress(raw: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    compressor.compress(raw)
}

/// Returns exactly `bytes` bytes, and never more than `most`.
///
/// # Errors
/// A fault of the frame, for [`StoreError::Damaged`](crate::StoreError::Damaged).
pub(crate) fn decompress(frame: &[u8], bytes: u64, most: usize) -> Result<Vec<u8>, String> {
    let bytes = usize::try_from(bytes)
        .ok()
        .filter(|bytes| *bytes <= most)
        .ok_or_else(|| format!("it has {bytes} bytes by its column, but at most {most} can have been kept"))?;
    let raw = zstd::bulk::decompress(frame, bytes).map_err(|error| error.to_string())?;
    if raw.len() == bytes { Ok(raw) } else { Err(format!("it has {} bytes instead of {bytes}", raw.len())) }
}

#[cfg(test)]
mod tests;
