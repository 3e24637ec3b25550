//! `--fail-on` conditions with their outcomes. The principal function is [`gates`].

use unladen_document::Gate;

use super::block::{Block, Blocks};
use super::table::{Cell, Table};
use super::words::Words;
use crate::figures::count;

/// `None` without conditions.
pub(super) fn verdict(gates: &[Gate]) -> Option<Block> {
    if gates.is_empty() {
        return None;
    }
    let broken: Vec<&Gate> = gates.iter().filter(|gate| gate.broken).collect();
    let untold = gates.iter().filter(|gate| gate.untold && !gate.broken).count() as u64;
    let conditions = count(gates.len() as u64, "condition");
    let (class, mut words) = match broken.first() {
        None => ("good", Words::new().strong("Pass").plain(format!(": none of {conditions} is broken."))),
        Some(first) => {
            let are = if broken.len() == 1 { "is" } else { "are" };
            let words = Words::new().strong("Fail").plain(format!(": {} of {conditions} {are} broken: ", broken.len()));
            ("bad", words.name(first.condition.clone()).plain(format!(" ({}).", first.found)))
        }
    };
    if untold > 0 {
        words = words.plain(format!(" {untold} of them unclear; measure longer."));
    }
    Some(Block::Notice(class, words))
}

/// Broken conditions first.
pub(super) fn gates(gates: &[Gate]) -> Vec<Block> {
    let rank = |gate: &&Gate| (!gate.broken, !gate.untold);
    let mut sorted: Vec<&Gate> = gates.iter().collect();
    sorted.sort_by_key(rank);
    let mut table = Table::new("Conditions that were to hold", &["condition fails if", "verdict", "of", "found"]);
    for gate in sorted {
        let word = match (gate.broken, gate.untold) {
            (true, _) => Words::new().mark("bad", "✗ fail"),
            (_, true) => Words::new().mark("even", "? unclear"),
            _ => Words::new().mark("good", "✓ pass"),
        };
        let of = if gate.arm.is_empty() { &gate.url } else { &gate.arm };
        let of = if of.is_empty() { Words::new() } else { Words::new().name(of.clone()) };
        table.row([
            Words::new().name(gate.condition.clone()).into(),
            word.into(),
            of.into(),
            Cell::new(gate.found.as_str()),
        ]);
    }
    let mut blocks = Vec::new();
    blocks.table(table);
    blocks
}
