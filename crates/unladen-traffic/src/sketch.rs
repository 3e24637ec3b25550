//! The principal type is [`Sketch`]: how often a hash was seen, never too few, in constant memory.
//!
//! A count-min sketch with conservative updates (Cormode and Muthukrishnan 2005; Estan and Varghese 2002): with W cells
//! a row, N hashes seen are overcounted by some N / W. It decides which of millions of targets are worth a text.

const ROWS: usize = 2;

/// Cells of a row: 16 MB in all, and an error of some 5 in ten millions.
const WIDTH: usize = 1 << 21;

pub(crate) struct Sketch {
    cells: Vec<u32>,
}

impl Default for Sketch {
    fn default() -> Self {
        Self { cells: vec![0; ROWS * WIDTH] }
    }
}

impl Sketch {
    /// Counts a hash, and tells how often it was seen with this one.
    pub(crate) fn add(&mut self, hash: u64) -> u64 {
        let first = hash as usize % WIDTH;
        let second = WIDTH + (hash >> 32) as usize % WIDTH;
        let count = self.cells[first].min(self.cells[second]).saturating_add(1);
        for cell in [first, second] {
            self.cells[cell] = self.cells[cell].max(count);
        }
        u64::from(count)
    }
}
