//! The principal type is [`Bins`]: counts of latencies, each kept to 0.05 % of its value.
//!
//! Bins are numbered, in rows that are allocated on first use: a load adds some hundred thousand latencies a
//! second, and keeps a set of bins for each of its slices of time, requests and steps.
//!
//! ```
//! use unladen_load::Bins;
//!
//! let (mut here, mut there) = (Bins::default(), Bins::default());
//! here.add(1_000_000);
//! there.add_many(2_000_000, 3);
//! here.absorb(&there);
//! assert_eq!(here.total(), 4);
//! ```

use serde::{Deserialize, Serialize};

use crate::record::{put, take};

/// Latencies are kept to one part in 2^10 of their power of two: within 0.05 % of the value.
const FRACTION_BITS: u32 = 10;

/// Bins in a row: 256 bytes of counts.
const ROW: usize = 64;

const ALL: usize = ((64 - FRACTION_BITS as usize) + 1) << FRACTION_BITS;

/// Histogram of latencies with fixed bins.
///
/// Bins counted in any order on any hosts and merged by [`absorb`](Self::absorb) equal those of a single count, since
/// the widths are the same everywhere.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(into = "BinsForm", try_from = "BinsForm")]
pub struct Bins {
    rows: Vec<Option<Box<[u32; ROW]>>>,
}

/// Serialised bins: for each bin that is not empty, the number of empty ones before it, and its count, as seven bits a
/// byte, like in a record file.
#[derive(Clone, Serialize, Deserialize)]
struct BinsForm {
    bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the bins of a distribution are damaged")]
struct DamagedBins;

// === impl Bins ===

impl Bins {
    /// Counts a latency.
    pub fn add(&mut self, latency: u64) {
        self.add_many(latency, 1);
    }

    /// Counts a latency `count` times.
    pub fn add_many(&mut self, latency: u64, count: u32) {
        self.add_to(number_of(latency), count);
    }

    fn add_to(&mut self, number: usize, more: u32) {
        let count = &mut self.row(number / ROW)[number % ROW];
        *count = count.saturating_add(more);
    }

    /// Number of latencies counted.
    pub fn total(&self) -> u64 {
        self.iter().map(|(_, count)| u64::from(count)).sum()
    }

    /// Adds the counts of `other`.
    pub fn absorb(&mut self, other: &Self) {
        for (index, row) in other.rows.iter().enumerate() {
            let Some(row) = row else { continue };
            let own = self.row(index);
            own.iter_mut().zip(row.iter()).for_each(|(own, other)| *own = own.saturating_add(*other));
        }
    }

    /// Middles of the bins that are not empty, with their counts, the shortest first.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u32)> {
        self.counts().map(|(number, count)| (middle_of(number), count))
    }

    /// Indices of the bins that are not empty, with their counts.
    fn counts(&self) -> impl Iterator<Item = (usize, u32)> {
        let rows = self.rows.iter().enumerate().filter_map(|(index, row)| Some((index, row.as_deref()?)));
        rows.flat_map(|(index, row)| {
            let counts = row.iter().enumerate().filter(|(_, count)| **count > 0);
            counts.map(move |(place, count)| (index * ROW + place, *count))
        })
    }

    /// Memory in bytes. Grows with the range of the latencies, not with their number: some 70 kB from 0.1 ms to 10 s,
    /// 250 kB at most.
    pub fn memory(&self) -> usize {
        let rows = self.rows.iter().flatten().count();
        rows * size_of::<[u32; ROW]>() + self.rows.capacity() * size_of::<Option<Box<[u32; ROW]>>>()
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn row(&mut self, index: usize) -> &mut [u32; ROW] {
        if self.rows.len() <= index {
            self.rows.resize_with(index + 1, || None);
        }
        self.rows[index].get_or_insert_with(|| Box::new([0; ROW]))
    }
}

/// An empty row equals a missing one.
impl PartialEq for Bins {
    fn eq(&self, other: &Self) -> bool {
        self.counts().eq(other.counts())
    }
}

impl Eq for Bins {}

impl From<Bins> for BinsForm {
    fn from(bins: Bins) -> Self {
        let (mut bytes, mut next) = (Vec::new(), 0);
        for (number, count) in bins.counts() {
            put((number - next) as u64, &mut bytes);
            put(u64::from(count), &mut bytes);
            next = number + 1;
        }
        Self { bytes }
    }
}

impl TryFrom<BinsForm> for Bins {
    type Error = DamagedBins;

    fn try_from(form: BinsForm) -> Result<Self, DamagedBins> {
        let (mut bins, mut bytes, mut next) = (Self::default(), form.bytes.as_slice(), 0);
        while !bytes.is_empty() {
            let gap = take(&mut bytes).and_then(|gap| usize::try_from(gap).ok()).ok_or(DamagedBins)?;
            let count = take(&mut bytes).and_then(|count| u32::try_from(count).ok()).ok_or(DamagedBins)?;
            let number = gap.checked_add(next).filter(|number| *number < ALL && count > 0).ok_or(DamagedBins)?;
            bins.add_to(number, count);
            next = number + 1;
        }
        Ok(bins)
    }
}

/// Width by magnitude: the first 2^11 bins are 1 ns wide, the next 2^10 are 2 ns, and so on.
fn number_of(latency: u64) -> usize {
    let shift = (64 - latency.leading_zeros()).saturating_sub(FRACTION_BITS + 1);
    ((u64::from(shift) << FRACTION_BITS) + (latency >> shift)) as usize
}

fn middle_of(number: usize) -> u64 {
    let number = number as u64;
    let shift = (number >> FRACTION_BITS).saturating_sub(1);
    let first = (number - (shift << FRACTION_BITS)) << shift;
    first + (1 << shift >> 1)
}

#[cfg(test)]
mod tests;
