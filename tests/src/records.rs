//! The principal type is [`Records`]: a file that `unladen load --record` wrote.

use std::path::Path;

use unladen_load::{RecordEnd, RecordHead, RecordReader, RequestRecord};

/// All of a file.
#[derive(Debug)]
pub struct Records {
    /// What was sent.
    pub head: RecordHead,
    /// The requests, in the order in which they ended.
    pub all: Vec<RequestRecord>,
    /// What was counted beside them; none if the load was killed.
    pub end: Option<RecordEnd>,
}

impl Records {
    /// Reads a file, which has to be whole or cut off.
    pub fn read(file: &Path) -> Self {
        let mut reader = RecordReader::open(file).unwrap_or_else(|error| panic!("{error}"));
        let all = reader.by_ref().map(|record| record.unwrap_or_else(|error| panic!("{error}"))).collect();
        Self { head: reader.head().clone(), all, end: reader.end().cloned() }
    }

    /// The planned times in ns, the first one first.
    pub fn planned(&self) -> Vec<u64> {
        let mut planned: Vec<u64> = self.all.iter().map(|record| record.planned_ns).collect();
        planned.sort_unstable();
        planned
    }
}
