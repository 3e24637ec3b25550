//! The principal type is [`PoolSize`]: how many requests a pool of PHP-FPM works on at a time, by what its status page
//! says.

use unladen_fastcgi::fpm::Status;

/// How many requests a pool of PHP-FPM works on at a time.
///
/// Of a static pool, that is how many processes it has. Others have as many as they need, up to `pm.max_children`, of
/// which the page says only how often it was reached since the pool was started, and once for as long as it lasts:
///
/// - more often than at the last look: there are no more than now;
/// - at some time before the first look: nobody knows how many there were. But if all are busy, and as many as ever
///   were, it is so now;
/// - more processes than were known: there are more. A pool that can have more makes them, because one request more
///   than it is known for is sent there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PoolSize {
    accepted: u64,
    /// None: it was not looked at yet.
    reached: Option<u64>,
    size: Option<usize>,
}

impl PoolSize {
    /// What the page says now. None: it is not known.
    pub(super) fn see(&mut self, status: &Status) -> Option<usize> {
        if status.accepted < self.accepted {
            // It has been started anew, perhaps with other settings.
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

/// Whether all processes are busy that there can be: as many as ever were, of a pool that could have no more once. The
/// one that makes the page is busy too, and tells nothing if it is alone.
fn is_at_its_most(status: &Status) -> bool {
    status.max_children_reached > 0 && status.idle == 0 && status.active > 1 && status.active >= status.most_active
}

#[cfg(test)]
mod tests;
