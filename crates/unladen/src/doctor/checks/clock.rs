//! The principal type is [`Clock`]: what reading the time costs.

use std::time::Instant;

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::doctor::shell::as_root;

pub(crate) struct Clock;

const FOLDER: &str = "sys/devices/system/clocksource/clocksource0";
/// Clock sources that the vDSO reads without a system call.
const QUICK: [&str; 4] = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"];
const READINGS: u32 = 2_000;

impl Check for Clock {
    fn name(&self) -> &'static str {
        "clock"
    }

    fn verbs(&self) -> &'static [Verb] {
        Verb::MEASURING
    }

    fn look(&self, asked: &Asked) -> Vec<Row> {
        let begun = Instant::now();
        let last = (0..READINGS).fold(begun, |_, _| Instant::now());
        let cost_ns = last.duration_since(begun).as_nanos() / u128::from(READINGS);
        let line = |name: &str| asked.line(&format!("{FOLDER}/{name}")).unwrap_or_default();
        vec![row(&line("current_clocksource"), &line("available_clocksource"), cost_ns)]
    }
}

fn row(current: &str, available: &str, cost_ns: u128) -> Row {
    let costs = format!("reading the time takes {cost_ns} ns");
    if current.is_empty() {
        return Row::ok(Verb::MEASURING, format!("{costs}; the kernel does not tell by which clock"));
    }
    if QUICK.contains(&current) {
        return Row::ok(Verb::MEASURING, format!("{current}: {costs}"));
    }
    let row = Row::limited(Verb::MEASURING, format!("{current}: {costs}"))
        .so("each reading is a system call, in the application too");
    match QUICK.iter().find(|quick| available.split_whitespace().any(|one| one == **quick)) {
        Some(quick) => row.fix(format!("echo {quick} | {}", as_root(&format!("tee /{FOLDER}/current_clocksource")))),
        None => row.advice("the kernel trusts no quicker clock here (dmesg says why)"),
    }
}

#[cfg(test)]
mod tests;
