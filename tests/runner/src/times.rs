//! The principal type is [`Times`]: what the kernel says that the processors have done.

/// Ticks of all processors since the machine began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Times {
    idle: u64,
    stolen: u64,
    all: u64,
}

// === impl Times ===

impl Times {
    /// Those of now; none, where the kernel does not tell.
    pub(crate) fn read() -> Option<Self> {
        Self::parse(&std::fs::read_to_string("/proc/stat").ok()?)
    }

    /// The first line of `/proc/stat` (proc(5)): user, nice, system, idle, iowait, irq, softirq, steal; guests are
    /// among users. Who waits for a disk is not helped by others who do.
    fn parse(text: &str) -> Option<Self> {
        let fields = text.lines().next()?.strip_prefix("cpu ")?.split_ascii_whitespace();
        let ticks: Vec<u64> = fields.take(8).map(|field| field.parse().ok()).collect::<Option<_>>()?;
        Some(Self { idle: *ticks.get(3)?, stolen: ticks.get(7).copied().unwrap_or(0), all: ticks.iter().sum() })
    }

    /// The share of idle time since then.
    pub(crate) fn idle_since(self, then: Self) -> f64 {
        self.share(self.idle.saturating_sub(then.idle), then)
    }

    /// The share that the hypervisor took for others since then.
    pub(crate) fn stolen_since(self, then: Self) -> f64 {
        self.share(self.stolen.saturating_sub(then.stolen), then)
    }

    fn share(self, ticks: u64, then: Self) -> f64 {
        let all = self.all.saturating_sub(then.all);
        if all == 0 { 0.0 } else { ticks as f64 / all as f64 }
    }
}

#[cfg(test)]
impl Times {
    /// Of a machine that was idle, or busy, for so many ticks since.
    pub(crate) const fn of(idle: u64, all: u64) -> Self {
        Self { idle, stolen: 0, all }
    }
}

#[cfg(test)]
mod tests;
