//! The processors: how many there are, what others take of them, and what reading their clock costs.

use std::time::{Duration, Instant};

use unladen_machine::{Environment, MachineClock, MachineTimes};

use crate::doctor::check::{Asked, Check};
use crate::doctor::row::{Row, Verb, as_root};
use crate::machine::conditions;

/// The kernel counts in hundredths of a second.
const LOOKS: Duration = Duration::from_millis(500);

/// CPU time the hypervisor and quotas take now, and the processors' clock.
pub(super) const STEAL: Check = Check::new("steal", Verb::MEASURING, steal);

fn steal(_: &Asked) -> Vec<Row> {
    let mut clock = MachineClock::open();
    let before = clock.read();
    std::thread::sleep(LOOKS);
    vec![of_times(&clock.read().since(&before))]
}

fn of_times(times: &MachineTimes) -> Row {
    let of_quota = times.throttled_share() * 100.0;
    let taken = format!("the hypervisor takes {:.1} % of the processors' time now", times.stolen_share() * 100.0);
    let taken = if of_quota > 0.0 {
        format!("{taken}, and a CPU quota holds unladen back for {of_quota:.1} % of the time")
    } else {
        taken
    };
    // The rule by which blocks of a run are left out.
    if conditions(times).is_spoiled() {
        return Row::limited(Verb::MEASURING, taken)
            .so("blocks of a run in which that happens are left out")
            .advice("measure longer, at another time, or on a machine without neighbours");
    }
    let frequency = times
        .frequency_hz
        .map(|(low, high)| format!("; the processors run at {:.2} to {:.2} GHz", low as f64 / 1e9, high as f64 / 1e9));
    Row::ok(Verb::MEASURING, format!("{taken}{}", frequency.unwrap_or_default()))
}

const FOLDER: &str = "sys/devices/system/clocksource/clocksource0";
/// Clock sources that the vDSO reads without a system call.
const QUICK: [&str; 4] = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"];
const READINGS: u32 = 2_000;

/// What reading the time costs.
pub(super) const CLOCK: Check = Check::new("clock", Verb::MEASURING, clock);

fn clock(asked: &Asked) -> Vec<Row> {
    let begun = Instant::now();
    let last = (0..READINGS).fold(begun, |_, _| Instant::now());
    let cost_ns = last.duration_since(begun).as_nanos() / u128::from(READINGS);
    let line = |name: &str| asked.line(&format!("{FOLDER}/{name}")).unwrap_or_default();
    vec![of_clock(&line("current_clocksource"), &line("available_clocksource"), cost_ns)]
}

fn of_clock(current: &str, available: &str, cost_ns: u128) -> Row {
    let costs = format!("reading the time takes {cost_ns} ns");
    if current.is_empty() {
        return Row::ok(Verb::MEASURING, format!("{costs}; the kernel does not say which clock it uses"));
    }
    if QUICK.contains(&current) {
        return Row::ok(Verb::MEASURING, format!("{current}: {costs}"));
    }
    let row = Row::limited(Verb::MEASURING, format!("{current}: {costs}"))
        .so("each reading is a system call, also in the application");
    match QUICK.iter().find(|quick| available.split_whitespace().any(|one| one == **quick)) {
        Some(quick) => row.fix(format!("echo {quick} | {}", as_root(&format!("tee /{FOLDER}/current_clocksource")))),
        None => row.advice("the kernel trusts no faster clock here (dmesg says why)"),
    }
}

/// How many may be used.
pub(super) const PROCESSORS: Check = Check::new("processors", Verb::MEASURING, processors);

fn processors(_: &Asked) -> Vec<Row> {
    let environment = Environment::of_this_machine();
    vec![of_number(environment.processors, environment.processor_quota, environment.cpu.as_deref())]
}

fn of_number(processors: usize, quota: Option<f64>, model: Option<&str>) -> Row {
    let count = if processors == 1 { "one processor".to_owned() } else { format!("{processors} processors") };
    let quota = quota.map(|quota| format!(", a quota of {quota:.1}")).unwrap_or_default();
    let what = format!("{count}{quota} ({})", model.unwrap_or("of an unknown model"));
    if processors == 1 {
        return Row::limited(Verb::MEASURING, what)
            .so("the same processor sends and answers the requests, so latencies include the client's work")
            .advice("send the load from another host: --from 'ssh HOST'");
    }
    Row::ok(Verb::MEASURING, what)
}

#[cfg(test)]
mod tests;
