//! The principal type is [`Series`]: how often something happened in each phase.

/// Counts by phase; trailing zeros take no room.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Series(Vec<u64>);

impl Series {
    /// Adds to a phase's count.
    pub fn add(&mut self, phase: usize, count: u64) {
        if count == 0 {
            return;
        }
        if self.0.len() <= phase {
            self.0.resize(phase + 1, 0);
        }
        // A file of evidence may contain any number.
        self.0[phase] = self.0[phase].saturating_add(count);
    }

    /// The count of one phase.
    pub fn in_phase(&self, phase: usize) -> u64 {
        self.0.get(phase).copied().unwrap_or(0)
    }

    /// The sum over all phases.
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

    /// Multiplies all counts.
    #[must_use]
    pub fn times(&self, factor: u64) -> Self {
        Self(self.0.iter().map(|count| count.saturating_mul(factor)).collect())
    }

    /// Whether all counts are 0.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|count| *count == 0)
    }

    /// The difference, phase by phase, at least 0.
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
