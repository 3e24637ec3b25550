//! The principal type is [`Recorder`]: the files that are written while a load runs.

use std::path::Path;

use unladen_load::{LoadEnd, RecordEnd, RecordError, RecordHead, RecordWriter, RequestRecord};

use crate::exit::Failure;
use crate::load::agent_part::AgentPart;
use crate::load::hdr::{HdrLog, percentiles};
use crate::load::options::Files;
use crate::load::result::{lost, unrecorded};
use crate::load::slices::Slices;
use crate::output;

pub(crate) struct Recorder {
    files: Files,
    records: Option<RecordWriter>,
    log: Option<HdrLog>,
}

// === impl Recorder ===

impl Recorder {
    pub(crate) fn create(files: &Files, head: &RecordHead) -> Result<Self, Failure> {
        let writer = |file| Ok::<_, Failure>(RecordWriter::new(file, output::stream(file)?, head)?);
        let records = files.record.as_deref().map(writer).transpose()?;
        let log = files.hdr_log.as_deref().map(HdrLog::create).transpose()?;
        Ok(Self { files: files.clone(), records, log })
    }

    pub(crate) fn record(&mut self, record: &RequestRecord) -> Result<(), Failure> {
        if let Some(records) = &mut self.records {
            records.write(record)?;
        }
        if let Some(log) = &mut self.log {
            log.record(record)?;
        }
        Ok(())
    }

    pub(crate) fn store(&mut self) -> Result<(), Failure> {
        Ok(self.records.as_mut().map_or(Ok(()), RecordWriter::store)?)
    }

    pub(crate) fn end(self, end: &RecordEnd, all: &Slices) -> Result<(), Failure> {
        if let Some(records) = self.records {
            records.end(end)?;
        }
        if let Some(log) = self.log {
            log.end()?;
        }
        self.files.hdr_percentiles.as_deref().map_or(Ok(()), |file: &Path| percentiles(file, all))
    }
}

pub(crate) fn record_end(end: &LoadEnd, agents: &[AgentPart], interrupted: bool) -> RecordEnd {
    let nanos = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    RecordEnd {
        ended: if interrupted { "interrupted" } else { "complete" }.to_owned(),
        unsent: end.unsent,
        abandoned: end.abandoned,
        missing: agents.iter().filter_map(|agent| agent.missing).sum(),
        lost: agents
            .iter()
            .flat_map(|agent| [lost(agent), unrecorded(agent)])
            .flatten()
            .map(|of| of.to_string())
            .collect(),
        bytes_sent: end.bytes_sent,
        bytes_received: end.bytes_received,
        connections: end.connections_opened,
        cpu_ns: nanos(end.cpu),
        paced_ns: nanos(end.paced),
        worked_ns: nanos(end.worked),
        first_errors: end.first_errors.iter().map(|(kind, text)| (kind.as_str().to_owned(), text.clone())).collect(),
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        Self::Record(error)
    }
}
