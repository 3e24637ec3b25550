//! The principal type is [`Bins`]: counts of latencies, each kept to 0.05 % of its value.
//!
//! Numbered bins in rows that exist once something falls into them: a load adds some hundred thousand latencies a
//! second, and keeps a set of bins for each of its slices of time, requests and steps.

/// Latencies are kept to one part in 2^10 of their power of two: within 0.05 % of the value.
const FRACTION_BITS: u32 = 10;

/// Bins in a row: 256 bytes of counts.
const ROW: usize = 64;

/// How many latencies fell into each bin.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bins {
    rows: Vec<Option<Box<[u32; ROW]>>>,
}

// === impl Bins ===

impl Bins {
    /// Counts a latency.
    pub(crate) fn add(&mut self, latency: u64) {
        let number = number_of(latency);
        let count = &mut self.row(number / ROW)[number % ROW];
        *count = count.saturating_add(1);
    }

    /// Counts what another has counted.
    pub(crate) fn absorb(&mut self, other: &Self) {
        for (index, row) in other.rows.iter().enumerate() {
            let Some(row) = row else { continue };
            let own = self.row(index);
            own.iter_mut().zip(row.iter()).for_each(|(own, other)| *own = own.saturating_add(*other));
        }
    }

    /// The middles of the bins that are not empty, with their counts, the shortest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u32)> {
        let rows = self.rows.iter().enumerate().filter_map(|(index, row)| Some((index, row.as_deref()?)));
        rows.flat_map(|(index, row)| {
            let counts = row.iter().enumerate().filter(|(_, count)| **count > 0);
            counts.map(move |(place, count)| (middle_of(index * ROW + place), *count))
        })
    }

    /// Whether nothing was counted.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn row(&mut self, index: usize) -> &mut [u32; ROW] {
        if self.rows.len() <= index {
            self.rows.resize_with(index + 1, || None);
        }
        self.rows[index].get_or_insert_with(|| Box::new([0; ROW]))
    }
}

/// Bins are as wide as the last bit that counts: the first 2^11 are 1 ns wide, the next 2^10 are 2 ns, and so on.
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bins_are_narrow(latency in any::<u64>(), bits in 0_u32..64) {
            let latency = latency >> bits;
            let middle = middle_of(number_of(latency));
            prop_assert!(middle.abs_diff(latency) as f64 <= latency as f64 / 2_000.0, "{latency} {middle}");
            prop_assert_eq!(number_of(middle), number_of(latency));
        }

        #[test]
        fn they_are_in_order_and_none_is_lost(
            some in prop::collection::vec(any::<u64>(), 0..50),
            others in prop::collection::vec(0_u64..1 << 24, 0..50),
        ) {
            let (mut bins, mut more) = (Bins::default(), Bins::default());
            some.iter().for_each(|latency| bins.add(*latency));
            others.iter().for_each(|latency| more.add(*latency));
            prop_assert_eq!(bins.is_empty(), some.is_empty());
            bins.absorb(&more);
            let all: Vec<_> = bins.iter().collect();
            prop_assert!(all.is_sorted_by(|a, b| a.0 < b.0));
            prop_assert_eq!(all.iter().map(|(_, count)| *count as usize).sum::<usize>(), some.len() + others.len());
        }
    }
}
