//! The principal type is [`Recorder`]: the files that are written while a load runs.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::IntervalLogWriterBuilder;
use unladen_load::{LoadEnd, RecordEnd, RecordHead, RecordWriter, RequestRecord};
use unladen_report::nanos;

use crate::exit::Failure;
use crate::load::account::AgentPart;
use crate::load::options::Files;
use crate::load::result::{lost, unrecorded};
use crate::load::slices::Slices;
use crate::output::{self, OutputError};

pub(crate) struct Recorder {
    files: Files,
    records: Option<RecordWriter>,
    log: Option<HdrLog>,
}

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
        first_errors: end.first_errors.iter().map(|(kind, text)| (kind.into_str().to_owned(), text.clone())).collect(),
    }
}

/// In ns.
const INTERVAL: u64 = 1_000_000_000;

/// Intervals open at once (32 s), since requests may end later than others that were planned after them.
const OPEN: usize = 32;

/// The log states largest latencies in ms, while histogram values are ns.
const MAX_DIVISOR: f64 = 1e6;

/// The log: per second, the latencies of the requests planned in it, in ns.
pub(crate) struct HdrLog {
    file: PathBuf,
    out: BufWriter<File>,
    serializer: V2DeflateSerializer,
    /// The first open interval, counted from the start.
    first: u64,
    open: VecDeque<Histogram<u64>>,
}

impl HdrLog {
    pub(crate) fn create(file: &Path) -> Result<Self, Failure> {
        let created = output::stream(file)?;
        let mut log = Self {
            file: file.to_owned(),
            out: BufWriter::new(created),
            serializer: V2DeflateSerializer::new(),
            first: 0,
            open: VecDeque::new(),
        };
        let begun = IntervalLogWriterBuilder::new()
            .add_comment("[Histogram log format version 1.3]")
            .add_comment("[latencies from the planned time, ns; seconds since the load began]")
            .with_max_value_divisor(MAX_DIVISOR)
            .begin_log_with(&mut log.out, &mut log.serializer)
            .map(drop);
        let legend = "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"";
        let begun = begun.and_then(|()| writeln!(log.out, "{legend}"));
        begun.map_err(|source| log.failed(source))?;
        Ok(log)
    }

    /// Adds a request that has a latency.
    pub(crate) fn record(&mut self, record: &RequestRecord) -> Result<(), Failure> {
        if record.error.is_some() && !record.is_cut_short() {
            return Ok(());
        }
        // A request that ends after its interval was written, which takes a latency of half a minute, counts in the
        // first open one: the log's sum must not lack it.
        let interval = (record.planned_ns / INTERVAL).max(self.first);
        while interval >= self.first.saturating_add(OPEN as u64) {
            if self.open.is_empty() {
                // Not second by second: a damaged file of records may hold a time in the year 2554.
                self.first = interval;
            } else {
                self.close()?;
            }
        }
        let place = (interval - self.first) as usize;
        while self.open.len() <= place {
            self.open.push_back(histogram());
        }
        self.open[place].saturating_record(record.latency_ns);
        Ok(())
    }

    pub(crate) fn end(mut self) -> Result<(), Failure> {
        while !self.open.is_empty() {
            self.close()?;
        }
        self.out.flush().map_err(|source| self.failed(source))
    }

    /// Writes the first open interval; an empty one takes no line.
    fn close(&mut self) -> Result<(), Failure> {
        let interval = self.first;
        self.first += 1;
        let Some(histogram) = self.open.pop_front().filter(|histogram| !histogram.is_empty()) else { return Ok(()) };
        let (start, length) = (Duration::from_nanos(interval * INTERVAL), Duration::from_nanos(INTERVAL));
        let mut line = Vec::new();
        let written = IntervalLogWriterBuilder::new()
            .with_max_value_divisor(MAX_DIVISOR)
            .begin_log_with(&mut line, &mut self.serializer)
            .and_then(|mut log| {
                let written = log.write_histogram(&histogram, start, length, None);
                written.map_err(|_| io::Error::other("a histogram cannot be serialized"))
            });
        written.map_err(|source| self.failed(source))?;
        // The writer heads each log with its divisor; this one has a head already.
        let line = line.split_inclusive(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"#"));
        for line in line {
            self.out.write_all(line).map_err(|source| self.failed(source))?;
        }
        Ok(())
    }

    fn failed(&self, source: io::Error) -> Failure {
        OutputError::new(&self.file, source).into()
    }
}

/// The table of percentiles, latencies in ms.
pub(crate) fn percentiles(file: &Path, all: &Slices) -> Result<(), Failure> {
    let mut histogram = histogram();
    for (latency, count) in all.distribution() {
        histogram.saturating_record_n(latency, count);
    }
    Ok(output::whole_file(file, |out| table(&histogram, out))?)
}

/// As HdrHistogram's `outputPercentileDistribution`: five lines each time that the rest halves.
fn table(histogram: &Histogram<u64>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:>12} {:>14} {:>10} {:>14}\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)")?;
    let mut cumulative = 0;
    for step in histogram.iter_quantiles(5) {
        cumulative += step.count_since_last_iteration();
        let (value, q) = (step.value_iterated_to() as f64 / 1e6, step.quantile_iterated_to());
        write!(out, "{value:>12.3} {q:>2.12} {cumulative:>10}")?;
        if q < 1.0 { writeln!(out, " {:>14.2}", 1.0 / (1.0 - q))? } else { writeln!(out)? }
    }
    let ms = |ns: f64| ns / 1e6;
    writeln!(out, "#[Mean    = {:>12.3}, StdDeviation   = {:>12.3}]", ms(histogram.mean()), ms(histogram.stdev()))?;
    writeln!(out, "#[Max     = {:>12.3}, Total count    = {:>12}]", ms(histogram.max() as f64), histogram.len())?;
    writeln!(out, "#[Buckets = {:>12}, SubBuckets     = {:>12}]", histogram.buckets(), 2048)
}

fn histogram() -> Histogram<u64> {
    // 1 µs to an hour, three digits; the library refuses only bounds that are out of order.
    let Ok(histogram) = Histogram::new_with_bounds(1_000, 3_600_000_000_000, 3) else { unreachable!() };
    histogram
}
