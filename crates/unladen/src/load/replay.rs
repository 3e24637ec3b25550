//! [`replay`]: the result of a recorded load.

use std::path::Path;
use std::time::Duration;

use unladen_document::LoadDocument;
use unladen_load::{Mix, RecordReader, Step};

use crate::exit::Failure;
use crate::load::account::Account;
use crate::load::hdr::{HdrLog, percentiles};
use crate::load::options::Files;
use crate::load::result::{Ran, result, set_unfit};

/// Reads a file of records and makes the load's result; writes HdrHistogram's files if asked for. Fails if the file
/// cannot be read or is damaged, or a file cannot be written.
pub(crate) fn replay(file: &Path, buckets: &[Duration], files: &Files) -> Result<LoadDocument, Failure> {
    let mut records = RecordReader::open(file)?;
    let head = records.head().clone();
    // A first reading finds the most frequent requests.
    let counts = if head.requests.len() > 1 { counts(file)? } else { vec![1.0] };
    let steps: Vec<Step> = head
        .steps
        .iter()
        .map(|(from, to, ns)| Step { from: *from, to: *to, time: Duration::from_nanos(*ns) })
        .collect();
    let requests = counts.len().max(head.requests.len().min(MOST_REQUESTS));
    let mix = Mix::weighted(counts.into_iter().enumerate());
    let mut account = Account::new(buckets, &mix, requests, &steps);
    let mut log = files.hdr_log.as_deref().map(HdrLog::create).transpose()?;
    for record in records.by_ref() {
        let record = record?;
        account.record(&record);
        if let Some(log) = &mut log {
            log.record(&record)?;
        }
    }
    log.map_or(Ok(()), HdrLog::end)?;
    if let Some(file) = &files.hdr_percentiles {
        percentiles(file, &account.all)?;
    }
    Ok(set_unfit(result(Ran {
        head: &head,
        mix: &mix,
        account: &account,
        end: records.end(),
        machine: None,
        agents: &[],
        capacity: None,
    })))
}

fn counts(file: &Path) -> Result<Vec<f64>, Failure> {
    let mut counts: Vec<f64> = Vec::new();
    for record in RecordReader::open(file)? {
        let index = record?.request as usize;
        if index < MOST_REQUESTS {
            counts.resize(counts.len().max(index + 1), 0.0);
            counts[index] += 1.0;
        }
    }
    Ok(counts)
}

/// A list of URLs is shorter; a damaged index must not take memory.
const MOST_REQUESTS: usize = 1_000_000;
