//! The end of the text: [`warnings`], and [`about`] the run.

use unladen_document::{About, Answer, Machine};
use unladen_quantity::percent;

use super::inert::{code, fence, prose};
use super::sheet::Sheet;
use crate::command_line::command_line;

/// Digits that identify a commit.
const HASH: usize = 12;

pub(super) fn warnings(warnings: &[String], sheet: &mut Sheet) {
    if !warnings.is_empty() {
        sheet.part("**To be kept in mind**");
        sheet.list(warnings.iter().map(|warning| prose(warning)));
    }
}

/// Says that a result covers a part of the run; nothing for a whole one.
pub(super) fn ended(ended: &str, sheet: &mut Sheet) {
    match ended {
        "" | "complete" => {}
        "interrupted" => sheet.part("**Interrupted**: these are the figures until then."),
        _ => sheet.part("**The run failed**: these are the figures until then."),
    }
}

pub(super) fn about(about: &About, sheet: &mut Sheet) {
    let mut parts = Vec::new();
    parts.extend(about.version.as_ref().map(|version| format!("Unladen {}", prose(version))));
    parts.extend(about.time.as_ref().map(|time| prose(time)));
    parts.extend(about.host.as_ref().map(|host| format!("on {}", code(host))));
    if let Some(environment) = &about.environment {
        parts.extend(environment.cpu.as_ref().map(|cpu| prose(cpu)));
        parts.extend(environment.processors.map(|count| crate::figures::count(count, "processor")));
        parts.extend(environment.virtualisation.as_ref().map(|kind| prose(kind)));
        parts.extend(environment.kernel.as_ref().map(|kernel| format!("Linux {}", prose(kernel))));
        parts.extend(environment.software.iter().map(|one| prose(&format!("{} {}", one.name, one.version))));
    }
    if let Some(commit) = about.revision.as_ref().and_then(|revision| revision.commit.as_ref()) {
        let short: String = commit.chars().take(HASH).collect();
        let is_dirty = about.revision.as_ref().is_some_and(|revision| revision.dirty == Some(true));
        parts.push(format!("commit {}{}", code(&short), if is_dirty { " with changes to its files" } else { "" }));
    }
    parts.extend(about.labels.iter().map(|(name, value)| code(&format!("{name}={value}"))));
    parts.extend(about.seed.map(|seed| format!("seed {seed}")));
    parts.extend(about.machine.as_ref().and_then(machine));
    if !parts.is_empty() {
        sheet.part(&format!("*How it was measured:* {}.", parts.join("; ")));
    }
    if !about.command.is_empty() {
        sheet.part(&fence(&[command_line(&about.command)]));
    }
}

/// What others took from the machine, if anything.
fn machine(machine: &Machine) -> Option<String> {
    let stolen = machine.stolen_share.filter(|share| *share >= 0.001);
    let text = format!("{} % of the processor time was taken by the hypervisor", percent(stolen?));
    Some(match machine.spoiled_blocks {
        Some(blocks) if blocks > 0 => {
            format!("{text}, {} for it", crate::figures::count(blocks, "block") + " left out")
        }
        _ => text,
    })
}

/// The answers, and why they may not be the intended ones.
pub(super) fn answers(answers: &[(&str, &Answer)], sheet: &mut Sheet) {
    if let [(_, only)] = answers {
        sheet.part(&format!("Answered: {}", prose(&only.told())));
    }
    let of = |(arm, answer): &(&str, &Answer)| {
        let name = if arm.is_empty() { answer.request.clone() } else { (*arm).to_owned() };
        answer.doubts.iter().map(move |doubt| format!("**{}**: {}", prose(&name), prose(doubt))).collect::<Vec<_>>()
    };
    sheet.list(answers.iter().flat_map(of));
}
