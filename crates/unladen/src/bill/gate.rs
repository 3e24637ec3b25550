//! The principal type is [`ShareGate`]: the part of the CPU that a kind or a client may take before a bill fails.

use unladen_document::{BillDocument, Gate, Span, share_text};

/// The condition on the share of the whole machine.
const MACHINE: &str = "machine";

/// `NAME > 30%`: the CPU of a kind or of a client, as a share of the bill; of `machine`, as a share of its processors.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShareGate {
    text: String,
    name: String,
    bound: f64,
}

impl ShareGate {
    /// `None` for what is no condition on a share, but perhaps a rule's name. Fails, in words, for a wrong share.
    pub(crate) fn read(text: &str) -> Result<Option<Self>, String> {
        let Some((name, bound)) = text.rsplit_once('>') else { return Ok(None) };
        let bound = bound.trim().strip_suffix('%').and_then(|bound| bound.trim().parse::<f64>().ok());
        let name = name.trim().to_owned();
        match bound.filter(|bound| (0.0..=100.0).contains(bound) && !name.is_empty()) {
            Some(bound) => Ok(Some(Self { text: text.to_owned(), name, bound: bound / 100.0 })),
            None => Err(format!(
                "`{text}` is not a condition: expected a kind, a client or `machine`, and a share of 0 to 100 %, such as \
                 '/wiki/{{title}} > 40%' or 'machine > 80%'"
            )),
        }
    }

    /// Fails, in words, if the traffic has nothing of that name: before minutes of measuring.
    pub(crate) fn check<'a>(&self, mut names: impl Iterator<Item = &'a str>, has_times: bool) -> Result<(), String> {
        match self.name.as_str() {
            MACHINE if has_times => Ok(()),
            MACHINE => {
                Err(format!("`{}`: the traffic has no times, so that its share of a machine is unknown", self.text))
            }
            name if names.any(|known| known == name) => Ok(()),
            name => Err(format!("`{}`: no kind and no client of this traffic is called {name}: see --plan", self.text)),
        }
    }

    /// Broken if the whole interval is above the bound, or if there is nothing to judge by.
    pub(crate) fn judge(&self, bill: &BillDocument) -> Gate {
        let share = self.share(bill);
        let is_above = share.is_none_or(|share| share.low > self.bound);
        let found = share.map_or_else(|| "not in the bill".to_owned(), share_text);
        let untold = !is_above && share.is_some_and(|share| share.high > self.bound);
        Gate { condition: self.text.clone(), broken: is_above, untold, found, ..Gate::default() }
    }

    fn share(&self, bill: &BillDocument) -> Option<Span> {
        let kind = || bill.kinds.iter().find(|kind| kind.kind == self.name).map(|kind| kind.cpu_share);
        let client = || bill.clients.iter().find(|client| client.client == self.name).map(|client| client.cpu_share);
        if self.name == MACHINE { bill.machine_share } else { kind().or_else(client) }
    }
}

#[cfg(test)]
mod tests;
