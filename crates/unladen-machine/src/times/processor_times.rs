//! The principal type is [`ProcessorTimes`]: what all processors together did since the machine was started.

use crate::kernel_text::decimal;

/// /proc/stat counts in USER_HZ, which is 100 on every architecture that Unladen builds for.
const TICK_NS: u64 = 10_000_000;

/// Most processors of a kernel (NR_CPUS): more lines are no kernel's.
const MOST_PROCESSORS: usize = 8_192;

/// The sums over all processors in /proc/stat (proc_stat(5)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessorTimes {
    /// For processes, the kernel and interrupts.
    pub busy_ns: u64,
    pub idle_ns: u64,
    /// The hypervisor ran something else although a virtual processor had work (*steal*); an idle one loses none.
    pub stolen_ns: u64,
    pub processors: usize,
}

impl ProcessorTimes {
    /// Parses /proc/stat; `None` if it has no line for all processors.
    ///
    /// ```
    /// use unladen_machine::ProcessorTimes;
    ///
    /// let stat = b"cpu  100 0 50 800 0 0 10 40 0 0\ncpu0 100 0 50 800 0 0 10 40 0 0\nintr 7\n";
    /// let times = ProcessorTimes::parse(stat).unwrap();
    /// assert_eq!((times.busy_ns, times.stolen_ns, times.processors), (1_600_000_000, 400_000_000, 1));
    /// ```
    pub fn parse(stat: &[u8]) -> Option<Self> {
        let mut lines = stat.split(|&byte| byte == b'\n');
        let all = lines.next()?.strip_prefix(b"cpu ")?;
        let mut fields = all.split(|&byte| byte == b' ').filter(|field| !field.is_empty()).map(decimal);
        // Kernels before 2.6.11 have no steal; guest times, which follow it, are already in user times.
        let mut next = || fields.next().flatten().unwrap_or(0).saturating_mul(TICK_NS);
        let [user, nice, system, idle, iowait, irq, softirq, stolen] = std::array::from_fn(|_| next());
        let is_processor =
            |line: &&[u8]| line.strip_prefix(b"cpu").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_digit));
        let processors = lines.take_while(is_processor).take(MOST_PROCESSORS).count();
        let sum = |of: &[u64]| of.iter().copied().fold(0, u64::saturating_add);
        Some(Self {
            busy_ns: sum(&[user, nice, system, irq, softirq]),
            idle_ns: sum(&[idle, iowait]),
            stolen_ns: stolen,
            processors: processors.max(1),
        })
    }
}

#[cfg(test)]
mod tests;
