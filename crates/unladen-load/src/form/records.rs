//! The principal type is [`RecordBatch`]: records on their way from the sending host.

use serde::{Deserialize, Serialize};

use crate::record::RequestRecord;

const MOST: u32 = 65_536;

/// Records in some twenty bytes each, as in a record file: every number is exact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordBatch {
    count: u32,
    before: u64,
    bytes: Vec<u8>,
}

/// Error for a batch whose content does not match its count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a batch of {count} records of requests is damaged")]
pub struct DamagedBatch {
    count: u32,
}

impl RecordBatch {
    /// Appends a record.
    pub fn push(&mut self, record: &RequestRecord) {
        record.write(self.before, &mut self.bytes);
        self.before = record.planned_ns;
        self.count += 1;
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Its records.
    ///
    /// # Errors
    /// When the bytes are not exactly that number of records.
    pub fn records(&self) -> Result<Vec<RequestRecord>, DamagedBatch> {
        let damaged = DamagedBatch { count: self.count };
        if self.count > MOST {
            return Err(damaged);
        }
        let (mut bytes, mut before) = (self.bytes.as_slice(), 0);
        // A record takes at least five bytes: a false count must not allocate memory.
        let mut records = Vec::with_capacity(self.len().min(bytes.len() / 5 + 1));
        for _ in 0..self.count {
            let record = RequestRecord::read(before, &mut bytes).ok_or(damaged)?;
            before = record.planned_ns;
            records.push(record);
        }
        if bytes.is_empty() { Ok(records) } else { Err(damaged) }
    }
}
