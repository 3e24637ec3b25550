//! What tracing adds to the time of each call.

use libbpf_rs::{MapCore, MapFlags};
use nix::libc;

use super::TraceError;
use super::counts::{Key, WatchedEntry, lookup};
use super::kernel::Kernel;
use super::record::NOBODY;

/// Calls in a row; their mean is one sample.
const ROW: u32 = 100;

/// Samples whose median is taken, since an interrupt spoils one.
const ROWS: usize = 20;

/// The traced time of a call that does next to nothing (getppid, some 10 ns): the share of tracing in any call's time.
/// This process is followed meanwhile, and its events are discarded.
pub(super) fn calibrate(kernel: &Kernel) -> Result<u64, TraceError> {
    let failed = |error| TraceError::failed("calibrating", error);
    let (watched, counts) = (kernel.map("watched")?, kernel.map("counts")?);
    let pid = std::process::id();
    let entry = WatchedEntry { group: NOBODY, own: true, cpu_ns: 0, children: NOBODY };
    let number = u16::try_from(libc::SYS_getppid).unwrap_or_default();
    let key = Key { pid, group: NOBODY, number, errno: 0 };

    watched.update(&pid.to_ne_bytes(), &entry.raw(), MapFlags::ANY).map_err(failed)?;
    let sampled = (0..ROWS)
        .map(|_| {
            let before = lookup(&counts, key)?;
            for _ in 0..ROW {
                std::hint::black_box(nix::unistd::getppid());
            }
            let after = lookup(&counts, key)?;
            // Zero if, for instance, the kernel has other ids for this process than it has itself.
            let times = after.0.saturating_sub(before.0);
            if times == 0 {
                return Err(TraceError::failed("calibrating", "the kernel's part sees no call of this very process"));
            }
            Ok(after.1.saturating_sub(before.1) / times)
        })
        .collect::<Result<Vec<u64>, TraceError>>();
    watched.delete(&pid.to_ne_bytes()).map_err(failed)?;
    let mut sampled = sampled?;
    sampled.sort_unstable();
    Ok(sampled[ROWS / 2])
}
