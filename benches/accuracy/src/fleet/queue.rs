//! The principal type is [`Queue`].

/// Whoever serves one after the other on each of its cores, in the order in which they come.
#[derive(Debug, Clone)]
pub struct Queue {
    /// When each core will be free, in seconds.
    free: Vec<f64>,
    busy: f64,
}

impl Queue {
    /// With so many cores, at least one.
    pub fn of(cores: usize) -> Self {
        Self { free: vec![0.0; cores.max(1)], busy: 0.0 }
    }

    /// When what comes now, no earlier than what came before, and takes so long is done.
    pub fn serve(&mut self, now: f64, cost: f64) -> f64 {
        self.busy += cost;
        let mut first = 0;
        for core in 1..self.free.len() {
            if self.free[core] < self.free[first] {
                first = core;
            }
        }
        let done = self.free[first].max(now) + cost;
        self.free[first] = done;
        done
    }

    /// Seconds of all cores that were spent, or are promised.
    pub fn busy(&self) -> f64 {
        self.busy
    }
}
