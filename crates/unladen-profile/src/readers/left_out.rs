//! The principal type is [`LeftOut`]: parts of a file that have no place in one profile.

use crate::profile::Unit;

/// How many parts count something else than what is read, by what they count.
#[derive(Default)]
pub(crate) struct LeftOut(Vec<(Unit, usize)>);

impl LeftOut {
    /// A part that counts this.
    pub(crate) fn add(&mut self, unit: Unit) {
        match self.0.iter_mut().find(|(known, _)| *known == unit) {
            Some((_, count)) => *count += 1,
            None => self.0.push((unit, 1)),
        }
    }

    /// What is said of them, if there are any.
    pub(crate) fn note(&self, parts: &str, read: Unit) -> Option<String> {
        let others: Vec<String> = self.0.iter().map(|(unit, count)| format!("{count} of {}", unit.as_str())).collect();
        let (read, others) = (read.as_str(), others.join(", "));
        (!others.is_empty()).then(|| format!("its {parts} of {read} are read, and others are left out: {others}"))
    }
}
