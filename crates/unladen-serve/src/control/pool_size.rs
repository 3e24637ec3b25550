//! The principal type is [`PoolSize`]: the number of PHP-FPM workers, inferred from the pool's status page.

use unladen_fastcgi::fpm::Status;

/// How many requests a pool of PHP-FPM works on at a time.
///
/// For a static pool, that is its number of processes. Others grow to `pm.max_children`, of which the page says only
/// how often it was reached since the pool was started, counted once for as long as it lasts:
///
/// - more often than at the last look: there are no more than now;
/// - some time before the first look: the number then is unknown. But if all are busy, and as many as ever were, it is
///   so now;
/// - more processes than known: there are more. A pool that can grow does, because one request more than the known size
///   is sent there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PoolSize {
    accepted: u64,
    /// `None` until the first look.
    reached: Option<u64>,
    size: Option<usize>,
}

impl PoolSize {
    pub(super) fn see(&mut self, status: &Status) -> Option<usize> {
        if status.accepted < self.accepted {
            // It was restarted, perhaps with other settings.
            *self = Self::default();
        }
        let workers = status.workers() as usize;
        let is_reached_again = self.reached.is_some_and(|before| status.max_children_reached > before);
        self.size = match self.size {
            _ if status.manager == "static" => Some(workers),
            Some(size) => Some(workers.max(size)),
            None => (is_reached_again || is_at_its_most(status)).then_some(workers),
        };
        (self.accepted, self.reached) = (status.accepted, Some(status.max_children_reached));
        self.size
    }
}

/// Whether all possible processes are busy: as many as ever were, in a pool that once reached its limit. The one that
/// makes the page is busy too, and proves nothing if it is alone.
fn is_at_its_most(status: &Status) -> bool {
    status.max_children_reached > 0 && status.idle == 0 && status.active > 1 && status.active >= status.most_active
}

#[cfg(test)]
mod tests;
