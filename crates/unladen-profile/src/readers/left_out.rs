//! The principal type is [`LeftOut`]: parts of a file that do not fit into one profile.

use crate::profile::Unit;

/// Number of parts that count something else than what is read, by unit.
#[derive(Default)]
pub(crate) struct LeftOut(Vec<(Unit, usize)>);

impl LeftOut {
    pub(crate) fn add(&mut self, unit: Unit) {
        match self.0.iter_mut().find(|(known, _)| *known == unit) {
            Some((_, count)) => *count += 1,
            None => self.0.push((unit, 1)),
        }
    }

    pub(crate) fn note(&self, parts: &str, read: Unit) -> Option<String> {
        let others: Vec<String> = self.0.iter().map(|(unit, count)| format!("{count} of {}", unit.as_str())).collect();
        let (read, others) = (read.as_str(), others.join(", "));
        (!others.is_empty()).then(|| format!("its {parts} of {read} are read, and others are left out: {others}"))
    }
}
