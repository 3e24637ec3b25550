//! The principal type is [`WorkersTasks`]: tasks that ask PHP-FPM pools for their size, and tell the queues in front of
//! them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinHandle, spawn_local};
use unladen_fastcgi::fpm::Status;
use unladen_observability::{Observability, Trouble};
use unladen_pool::{Endpoint, ask_fastcgi};
use unladen_serve_config::Application;

use crate::limits::queue::Queue;
use crate::site::Site;

const EVERY: Duration = Duration::from_secs(5);
const EVERY_WHILE_WAITED: Duration = Duration::from_secs(1);
/// Requests that may wait at each pool's own socket: a worker that is done takes one at once, and is not idle while its
/// answer travels.
const AHEAD: usize = 1;
/// The status request waits for a process as any other does.
const WITHIN: Duration = Duration::from_secs(10);

#[derive(Default)]
pub(super) struct WorkersTasks(Vec<Asking>);

struct Asking {
    site: Arc<Site>,
    task: JoinHandle<()>,
    pools: Pools,
}

/// By address. Passed on with the queue when a reload remakes the site.
type Pools = Rc<RefCell<HashMap<String, PoolSize>>>;

impl WorkersTasks {
    /// Asks for these sites from now on.
    pub(super) fn follow(&mut self, sites: &[Arc<Site>], observability: &Arc<Observability>) {
        let (stay, gone) = std::mem::take(&mut self.0)
            .into_iter()
            .partition::<Vec<_>, _>(|asking| sites.iter().any(|other| Arc::ptr_eq(&asking.site, other)));
        gone.iter().for_each(|asking| asking.task.abort());
        self.0 = stay;
        for site in sites {
            let Some((queue, path)) = asked(site) else { continue };
            if !self.0.iter().any(|asking| Arc::ptr_eq(&asking.site, site)) {
                let is_before = |asking: &&Asking| {
                    asking.site.proxy.queue.as_ref().is_some_and(|before| Arc::ptr_eq(before, queue))
                };
                let pools: Pools = gone.iter().find(is_before).map(|asking| asking.pools.clone()).unwrap_or_default();
                let (queue, path) = (queue.clone(), path.to_owned());
                let task = spawn_local(ask(site.clone(), queue, path, pools.clone(), observability.clone()));
                self.0.push(Asking { site: site.clone(), task, pools });
            }
        }
    }
}

/// The queue of a site that leaves `running` open, and the status path to ask.
fn asked(site: &Site) -> Option<(&Arc<Queue>, &str)> {
    let Application::Php(script) = &site.settings.application else { return None };
    let is_asked = site.settings.queue.as_ref().is_some_and(|queue| queue.running.is_none());
    let queue = site.proxy.queue.as_ref().filter(|_| is_asked)?;
    Some((queue, script.status_path.as_deref()?))
}

async fn ask(site: Arc<Site>, queue: Arc<Queue>, path: String, pools: Pools, observability: Arc<Observability>) {
    loop {
        let endpoints = site.proxy.upstream.endpoints();
        let mut sizes = Vec::new();
        for endpoint in endpoints.endpoints() {
            let place = endpoint.address.to_string();
            match status(endpoint, &path).await {
                Ok(status) => sizes.push(pools.borrow_mut().entry(place).or_default().see(&status)),
                Err(error) => {
                    let cause = format!(
                        "its status page (`fastcgi.status`) cannot be read, so its number of workers is not known: \
                         {error}"
                    );
                    let (whom, reason) = (&*site.proxy.upstream.settings().name, "status_failed");
                    observability.tell(&Trouble { whom, place: Some(&place), reason, cause: &cause });
                }
            }
        }
        let is_there = |place: &String| endpoints.endpoints().iter().any(|one| one.address.to_string() == *place);
        pools.borrow_mut().retain(|place, _| is_there(place));
        // If one does not answer, the number stays as it was.
        if sizes.len() == endpoints.endpoints().len() {
            let running = sizes.into_iter().sum::<Option<usize>>();
            queue.set_running(running.map(|running| running + AHEAD * endpoints.endpoints().len()));
        }
        tokio::time::sleep(if queue.is_waited() { EVERY_WHILE_WAITED } else { EVERY }).await;
    }
}

async fn status(endpoint: &Endpoint, path: &str) -> Result<Status, String> {
    let (status, page) = ask_fastcgi(endpoint, path, "json", WITHIN).await.map_err(|error| error.to_string())?;
    if status != 200 {
        return Err(format!("it answered {status}; is this path the pool's `pm.status_path`?"));
    }
    Status::parse(&page).map_err(|error| error.to_string())
}

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
