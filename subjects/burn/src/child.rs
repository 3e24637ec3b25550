//! `burn-child NS`: burns until this process has used NS nanoseconds of CPU in all, its start included, and ends.

use std::process::ExitCode;

use nix::time::{ClockId, clock_gettime};

/// It gives up beyond this: a typing error shall not take a core for an hour.
const MOST_NS: i64 = 10_000_000_000;

fn main() -> ExitCode {
    let Some(Ok(until)) = std::env::args().nth(1).map(|ns| ns.parse::<i64>()) else { return ExitCode::from(2) };
    let until = until.min(MOST_NS);
    loop {
        match clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID) {
            Ok(used) if used.tv_sec() * 1_000_000_000 + used.tv_nsec() < until => std::hint::spin_loop(),
            Ok(_) => return ExitCode::SUCCESS,
            Err(_) => return ExitCode::FAILURE,
        }
    }
}
