//! The principal type is [`Ledger`]: cumulative counts by group and [`Counter`], which has name, unit and meaning.

/// Index of a group in the instrument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(pub(crate) u32);

/// Index of a counter in the instrument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CounterId(pub(crate) u16);

impl GroupId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl CounterId {
    /// The id as an index.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Counts, written by probes; they only grow.
#[derive(Debug, Default)]
pub struct Ledger {
    counters: Vec<Counter>,
    /// `rows[group][counter]`
    rows: Vec<Vec<u64>>,
}

impl Ledger {
    pub(crate) fn register(&mut self, counter: Counter) -> CounterId {
        let id = CounterId(u16::try_from(self.counters.len()).unwrap_or(u16::MAX));
        self.counters.push(counter);
        id
    }

    pub(crate) fn counters(&self) -> &[Counter] {
        &self.counters
    }

    /// Adds to a count.
    pub fn add(&mut self, group: GroupId, counter: CounterId, amount: u64) {
        if amount == 0 {
            return;
        }
        let row = group.index();
        if row >= self.rows.len() {
            self.rows.resize_with(row + 1, Vec::new);
        }
        let row = &mut self.rows[row];
        if counter.index() >= row.len() {
            row.resize(self.counters.len().max(counter.index() + 1), 0);
        }
        row[counter.index()] += amount;
    }

    pub(crate) fn snapshot(&self, at_ns: u64) -> Reading {
        Reading { at_ns, rows: self.rows.clone() }
    }
}

/// All counts at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    at_ns: u64,
    rows: Vec<Vec<u64>>,
}

impl Reading {
    /// Time in ns since the instrument was opened.
    pub fn at_ns(&self) -> u64 {
        self.at_ns
    }

    /// Growth since an earlier reading of the same instrument.
    pub fn since<'a>(&'a self, earlier: &'a Self) -> impl Iterator<Item = (GroupId, CounterId, u64)> + 'a {
        self.rows.iter().enumerate().flat_map(move |(group, row)| {
            row.iter().enumerate().filter_map(move |(counter, &now)| {
                let before = earlier.rows.get(group).and_then(|row| row.get(counter)).copied().unwrap_or(0);
                let grown = now.saturating_sub(before);
                (grown > 0).then_some((GroupId(group as u32), CounterId(counter as u16), grown))
            })
        })
    }
}

/// The unit of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::Display)]
#[strum(const_into_str)]
pub enum Unit {
    #[strum(serialize = "ns")]
    Nanoseconds,
    #[strum(serialize = "B")]
    Bytes,
    #[strum(serialize = "1")]
    Count,
}

/// Something a probe counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    /// Stable name in results.
    pub name: &'static str,
    pub unit: Unit,
    /// Name in tables.
    pub title: &'static str,
    pub meaning: &'static str,
    /// Whether the kernel samples it rather than counting.
    pub approximate: bool,
}

impl Counter {
    /// A counter that the kernel keeps exactly.
    pub const fn exact(name: &'static str, unit: Unit, title: &'static str, meaning: &'static str) -> Self {
        Self { name, unit, title, meaning, approximate: false }
    }

    /// A counter that the kernel samples.
    pub const fn sampled(name: &'static str, unit: Unit, title: &'static str, meaning: &'static str) -> Self {
        Self { name, unit, title, meaning, approximate: true }
    }
}

#[cfg(test)]
mod tests;
