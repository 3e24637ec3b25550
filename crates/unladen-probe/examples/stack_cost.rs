//! What sampling stacks costs: the same work with the clock and without, in turns. Needs root.
//!
//! `cargo run --release -p unladen-probe --features ebpf --example stack_cost [FREQUENCY]`
#![expect(clippy::print_stdout, reason = "a program for people")]

use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use unladen_probe::StackSampler;

/// Pairs of one round with the clock and one without.
const PAIRS: usize = 150;

/// A round takes some 20 ms, undisturbed.
const SPINS: u64 = 40_000_000;
const READS: usize = 4000;

/// Time of this thread on processors: interrupts are in it, other processes are not.
fn on_processor() -> nix::Result<Duration> {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let frequency = std::env::args().nth(1).map_or(Ok(997), |given| given.parse())?;
    let mut sampler = StackSampler::open(frequency)?;
    let mut zero = File::open("/dev/zero")?;
    let mut buffer = vec![0; 1 << 18];
    for (name, is_kernel) in [("in the program", false), ("in the kernel", true)] {
        let mut rounds: [Vec<Duration>; 2] = Default::default();
        let mut samples = 0;
        for pair in 0..PAIRS {
            // Which comes first changes: what grows meanwhile is in both alike.
            for on in [pair % 2 == 0, pair % 2 == 1] {
                if on {
                    sampler.resume()?;
                } else {
                    sampler.pause();
                }
                sampler.take()?;
                let begun = on_processor()?;
                if is_kernel {
                    for _ in 0..READS {
                        zero.read_exact(&mut buffer)?;
                    }
                } else {
                    (0..SPINS).for_each(|spin| {
                        black_box(spin);
                    });
                }
                rounds[usize::from(on)].push(on_processor()?.saturating_sub(begun));
                samples += sampler.take()?.samples.len();
            }
        }
        for rounds in &mut rounds {
            rounds.sort_unstable();
        }
        // Whatever else runs lengthens a round, by its share of the caches.
        let [without, with] = rounds.map(|rounds| rounds[PAIRS / 5].as_secs_f64());
        let share = with / without - 1.0;
        println!(
            "{name}: {:.3} ms without, {:.3} ms with: {:+.2} %, {:.1} µs a tick; {samples} samples",
            without * 1e3,
            with * 1e3,
            share * 1e2,
            (with - without) * 1e6 / (frequency as f64 * without)
        );
    }
    Ok(())
}
