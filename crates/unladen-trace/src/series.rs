//! The principal type is [`Series`]: how often something happened in each phase.

/// Counts by phase. What has never happened in a phase and those after it takes no room.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Series(Vec<u64>);

impl Series {
    /// Counts so many more in a phase.
    pub fn add(&mut self, phase: usize, count: u64) {
        if count == 0 {
            return;
        }
        if self.0.len() <= phase {
            self.0.resize(phase + 1, 0);
        }
        // A file of evidence may hold any number.
        self.0[phase] = self.0[phase].saturating_add(count);
    }

    /// The count of one phase.
    pub fn in_phase(&self, phase: usize) -> u64 {
        self.0.get(phase).copied().unwrap_or(0)
    }

    /// All phases together.
    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The sum of several, phase by phase.
    pub fn sum<'a>(series: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        for one in series {
            sum.absorb(one);
        }
        sum
    }

    /// Adds another, phase by phase.
    pub fn absorb(&mut self, other: &Self) {
        for (phase, count) in other.0.iter().enumerate() {
            self.add(phase, *count);
        }
    }

    /// So many times as much.
    #[must_use]
    pub fn times(&self, factor: u64) -> Self {
        Self(self.0.iter().map(|count| count.saturating_mul(factor)).collect())
    }

    /// Whether it never happened.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|count| *count == 0)
    }

    /// What remains, phase by phase; never less than nothing.
    #[must_use]
    pub fn less(&self, other: &Self) -> Self {
        Self(self.0.iter().enumerate().map(|(phase, count)| count.saturating_sub(other.in_phase(phase))).collect())
    }
}

impl FromIterator<u64> for Series {
    fn from_iter<T: IntoIterator<Item = u64>>(counts: T) -> Self {
        Self(counts.into_iter().collect())
    }
}
