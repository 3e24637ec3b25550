//! The principal type is [`Sketch`]: how often a hash was seen, never too few, in constant memory.
//!
//! A count-min sketch with conservative updates (Cormode and Muthukrishnan 2005; Estan and Varghese 2002): with W pairs of
//! cells, N hashes seen are overcounted by some N / W. It decides which of millions of targets are worth a text.

/// Cells of 4 bytes: 16 MB, and an error of some 5 in ten millions.
const CELLS: usize = 1 << 22;

/// Both cells of a hash lie in one line of the processor's cache.
const LINE: usize = 16;

pub(crate) struct Sketch {
    cells: Vec<u32>,
}

impl Default for Sketch {
    fn default() -> Self {
        Self { cells: vec![0; CELLS] }
    }
}

impl Sketch {
    /// Counts a hash, and tells how often it was seen with this one.
    pub(crate) fn add(&mut self, hash: u64) -> u64 {
        let (first, second) = self.pair(hash);
        let count = (*first).min(*second).saturating_add(1);
        (*first, *second) = ((*first).max(count), (*second).max(count));
        u64::from(count)
    }

    /// Makes up for what was counted elsewhere.
    pub(crate) fn raise(&mut self, hash: u64, count: u64) {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let (first, second) = self.pair(hash);
        (*first, *second) = ((*first).max(count), (*second).max(count));
    }

    fn pair(&mut self, hash: u64) -> (&mut u32, &mut u32) {
        let line = hash as usize % (CELLS / LINE) * LINE;
        let (left, right) = self.cells[line..line + LINE].split_at_mut(LINE / 2);
        (&mut left[(hash >> 40) as usize % (LINE / 2)], &mut right[(hash >> 50) as usize % (LINE / 2)])
    }
}
