//! The principal type is [`PoolSize`]: how many requests a pool of PHP-FPM works on at a time, by what its status page
//! says.

use unladen_fastcgi::fpm::Status;

/// How many requests a pool of PHP-FPM works on at a time.
///
/// Of a static pool, that is how many processes it has. Others have as many as they need, up to `pm.max_children`, of
/// which the page says only how often it was reached: never, and nobody knows how many there may be; once more than at
/// the last look, and it is as many as there are; no more than at the last look although requests wait, and there may be
/// more by now, so one more is tried. One too many does no harm: it waits at the pool's socket.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PoolSize {
    accepted: u64,
    reached: u64,
    size: Option<usize>,
}

// === impl PoolSize ===

impl PoolSize {
    /// What the page says now, and whether requests wait in front of the pool. None: it is not known.
    pub(super) fn see(&mut self, status: &Status, is_waited: bool) -> Option<usize> {
        if status.accepted < self.accepted {
            // It has been started anew, perhaps with other settings.
            *self = Self::default();
        }
        let workers = status.workers() as usize;
        self.size = match self.size {
            _ if status.manager == "static" => Some(workers),
            _ if status.max_children_reached > self.reached => Some(workers),
            Some(size) => Some(workers.max(size + usize::from(is_waited))),
            None => None,
        };
        (self.accepted, self.reached) = (status.accepted, status.max_children_reached);
        self.size
    }
}

#[cfg(test)]
mod tests;
