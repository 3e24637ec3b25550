//! How, where and on what a run was made. The principal function is [`method`].

use unladen_document::{About, Machine};
use unladen_quantity::{Kind, grouped, percent, plain};

use crate::figures;
use crate::page::table::{Cell, Table};
use crate::page::words::{Words, joined};
use crate::page::{Block, Blocks};
use crate::visible::command_line;

/// Share from which stolen time is reported before all figures, as it lengthens latencies and widens weights.
const STOLEN_FROM: f64 = 0.02;

pub(super) type Fact = (String, Words);

/// Empty if there is nothing to say.
pub(super) fn fact(name: &str, words: impl Into<Words>) -> Fact {
    (name.to_owned(), words.into())
}

/// Those that are known.
pub(super) fn known<W: Into<Words>>(facts: impl IntoIterator<Item = (&'static str, Option<W>)>) -> Vec<Fact> {
    facts.into_iter().filter_map(|(name, words)| Some(fact(name, words?))).collect()
}

/// Below the title: time, place and revision.
pub(super) fn byline(about: &About) -> Words {
    let mut parts: Vec<Words> = Vec::new();
    if let Some(time) = &about.time {
        parts.push(Words::new().plain(time_text(time)));
    }
    if let Some(host) = &about.host {
        parts.push(Words::new().plain("on ").name(host.clone()));
    }
    if let Some(revision) = &about.revision
        && let Some(commit) = &revision.commit
    {
        let changed = if revision.dirty == Some(true) { ", with changes" } else { "" };
        let branch = revision.branch.as_ref().map_or(String::new(), |branch| format!(" ({branch})"));
        parts.push(Words::new().plain("revision ").name(short_commit(commit)).plain(format!("{branch}{changed}")));
    }
    parts.extend(about.labels.iter().map(|(name, value)| Words::new().name(format!("{name}={value}"))));
    joined(parts, " · ")
}

/// `2026-11-23 04:59 UTC` for `2026-11-23T04:59:13Z`; other text unchanged.
pub(crate) fn time_text(time: &str) -> String {
    match (time.get(..10), time.get(10..11), time.get(11..16)) {
        (Some(day), Some("T"), Some(clock)) if time.ends_with('Z') => format!("{day} {clock} UTC"),
        _ => time.to_owned(),
    }
}

/// Twelve digits identify a commit.
pub(crate) fn short_commit(commit: &str) -> String {
    commit.chars().take(12).collect()
}

/// `facts` are those of the command.
pub(super) fn method(about: &About, mut facts: Vec<Fact>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(seed) = about.seed {
        facts.push(fact("Seed", seed.to_string()));
    }
    if let Some(machine) = &about.machine {
        facts.extend(disturbance(machine));
    }
    if !facts.is_empty() {
        blocks.push(Block::Heading("The measurement".into()));
        blocks.push(Block::Facts(facts));
    }
    if !about.command.is_empty() {
        blocks.push(Block::Heading("The command".into()));
        blocks.push(Block::Code(command_line(&about.command)));
    }
    let place = place(about);
    if !place.is_empty() {
        blocks.push(Block::Heading("The machine and the software".into()));
        blocks.push(Block::Facts(place));
    }
    if let Some(machine) = &about.machine {
        blocks.table(reference(machine));
    }
    blocks
}

/// What disturbed the run on the machine, if anything.
pub(super) fn notice(about: &About) -> Option<Block> {
    let machine = about.machine.as_ref()?;
    let stolen = machine.stolen_share.filter(|stolen| *stolen >= STOLEN_FROM);
    let spoiled = machine.spoiled_blocks.filter(|blocks| *blocks > 0);
    let mut words = Words::new();
    if let Some(stolen) = stolen {
        words = words
            .strong(format!("The machine was disturbed: {} % of its processor time was stolen", percent(stolen)))
            .plain(" by the hypervisor for others. ");
    }
    if let Some(spoiled) = spoiled {
        let of = machine.blocks.map_or(String::new(), |blocks| format!(" of {}", grouped(blocks as f64, 0)));
        let were = if spoiled == 1 { "was" } else { "were" };
        let blocks = if spoiled == 1 && of.is_empty() { "block" } else { "blocks" };
        let why = match stolen {
            Some(_) => "for that",
            None => "because the hypervisor took processor time from them",
        };
        words = words.plain(format!(
            "{}{of} {blocks} {were} left out {why}, before their figures were examined.",
            grouped(spoiled as f64, 0)
        ));
    }
    (!words.is_empty()).then_some(Block::Notice("warn", words))
}

fn disturbance(machine: &Machine) -> Vec<Fact> {
    let percent_of = |share: f64, what: &str| format!("{} % of {what}", percent(share));
    let throttled = |ns: u64| if ns == 0 { "never".to_owned() } else { plain(Kind::Time, ns as f64) };
    let clock = |[low, high]: [u64; 2]| format!("{:.2} to {:.2} GHz", low as f64 / 1e9, high as f64 / 1e9);
    let spoiled = machine.spoiled_blocks.zip(machine.blocks);
    let kept = machine.spoiled_kept_blocks.filter(|kept| *kept > 0);
    known([
        ("Stolen time", machine.stolen_share.map(|stolen| percent_of(stolen, "the processors"))),
        ("Spoiled blocks", spoiled.map(|(spoiled, blocks)| format!("{spoiled} of {blocks}, left out"))),
        ("Spoiled and kept", kept.map(|kept| format!("{kept} blocks; a warning says why"))),
        ("Throttled by a quota", machine.throttled_ns.map(throttled)),
        ("Clock seen", machine.frequency_hz.map(clock)),
        ("Waiting for CPU", machine.pressure_cpu_share.map(|pressure| percent_of(pressure, "the time"))),
        ("Reference work", machine.reference_cost_share.map(|cost| format!("took {}", percent_of(cost, "the run")))),
    ])
}

fn place(about: &About) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut add = |name: &str, text: Option<String>| {
        facts.extend(text.filter(|text| !text.is_empty()).map(|text| fact(name, text)));
    };
    add("Host", about.host.clone());
    if let Some(environment) = &about.environment {
        add("CPU", environment.cpu.clone());
        add("Processors", environment.processors.map(|number| number.to_string()));
        add("Virtualisation", environment.virtualisation.clone());
        add("Memory", environment.memory_bytes.map(|bytes| plain(Kind::Bytes, bytes as f64)));
        add("Kernel", environment.kernel.clone());
        add("Load before", environment.load_1m.map(|load| format!("{load:.2} in one minute")));
        for software in environment.software.iter().take(40) {
            add(&software.name, Some(software.version.clone()));
        }
    }
    if let Some(revision) = &about.revision {
        add("Folder", revision.folder.clone());
        let dirty = if revision.dirty == Some(true) { ", with changes that are not committed" } else { "" };
        add("Commit", revision.commit.as_ref().map(|commit| format!("`{commit}`{dirty}")));
        add("Branch", revision.branch.clone());
    }
    add("Time", about.time.as_deref().map(time_text));
    add("Unladen", about.version.clone());
    facts
}

fn reference(machine: &Machine) -> Table {
    let caption = "Reference work: fixed pieces of work, for comparing with runs on other machines";
    let mut table = Table::new(caption, &["piece", "#CPU time of one"]);
    for reference in &machine.reference {
        let cost = figures::with_margin(Kind::Time, reference.ns, reference.low, reference.high);
        table.row([Cell::new(reference.name.as_str()), Cell::new(cost)]);
    }
    table
}

#[cfg(test)]
mod tests;
