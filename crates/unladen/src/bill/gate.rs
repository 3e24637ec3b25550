//! The principal type is [`BillGate`]: what fails a bill.

use unladen_document::{BillDocument, Gate, Span, share_text};

/// Name of all rules.
const ANY: &str = "any";
/// The condition on the share of the whole machine.
const MACHINE: &str = "machine";

/// A condition of `--fail-on`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum BillGate {
    /// A rule, or `any`: it found something on the dearest kinds.
    Rule(String),
    /// `NAME > 30%`: the CPU of a kind or of a client, as a share of the bill; of `machine`, as a share of its processors.
    Share { text: String, name: String, bound: f64 },
}

impl BillGate {
    /// Reads a condition; fails, in words, if it is neither a rule nor a share.
    pub(crate) fn read(text: &str, is_rule: impl Fn(&str) -> bool) -> Result<Self, String> {
        if let Some((name, bound)) = text.rsplit_once('>') {
            let bound = bound.trim().strip_suffix('%').and_then(|bound| bound.trim().parse::<f64>().ok());
            return match bound.filter(|bound| (0.0..=100.0).contains(bound)) {
                Some(bound) if !name.trim().is_empty() => {
                    Ok(Self::Share { text: text.to_owned(), name: name.trim().to_owned(), bound: bound / 100.0 })
                }
                _ => Err(format!(
                    "`{text}` is not a condition: expected a kind, a client or `machine`, and a share of 0 to 100 %, \
                     such as '/wiki/{{title}} > 40%' or 'machine > 80%'"
                )),
            };
        }
        match text == ANY || is_rule(text) {
            true => Ok(Self::Rule(text.to_owned())),
            false => Err(format!("there is no rule {text}: `unladen rules` lists them; a share is 'NAME > 40%'")),
        }
    }
}

/// Judges a bill by each condition. A gate is broken if the whole interval is above the bound, or if there is nothing to
/// judge by.
pub(crate) fn judge(gates: &[BillGate], bill: &BillDocument) -> Vec<Gate> {
    gates.iter().map(|gate| of_gate(gate, bill)).collect()
}

fn of_gate(gate: &BillGate, bill: &BillDocument) -> Gate {
    match gate {
        BillGate::Rule(rule) => {
            let found = bill.findings.iter().filter(|finding| rule == ANY || finding.rule == *rule);
            let found: Vec<String> = found.map(|finding| format!("{}: {}", finding.rule, finding.summary)).collect();
            let is_unseen = bill.kinds.iter().all(|kind| kind.carries.is_none());
            let said = match is_unseen {
                true => "could not be checked: no kind was examined".to_owned(),
                false if found.is_empty() => "nothing found".to_owned(),
                false => found.join("\n"),
            };
            let broken = is_unseen || !found.is_empty();
            Gate { condition: rule.clone(), broken, found: said, ..Gate::default() }
        }
        BillGate::Share { text, name, bound } => {
            let share = share_of(name, bill);
            let is_above = share.is_none_or(|share| share.low > *bound);
            let found = share.map_or_else(|| "not in the bill".to_owned(), share_text);
            let untold = !is_above && share.is_some_and(|share| share.high > *bound);
            Gate { condition: text.clone(), broken: is_above, untold, found, ..Gate::default() }
        }
    }
}

fn share_of(name: &str, bill: &BillDocument) -> Option<Span> {
    let kind = || bill.kinds.iter().find(|kind| kind.kind == name).map(|kind| kind.cpu_share);
    let client = || bill.clients.iter().find(|client| client.client == name).map(|client| client.cpu_share);
    if name == MACHINE { bill.machine_share } else { kind().or_else(client) }
}

#[cfg(test)]
mod tests;
