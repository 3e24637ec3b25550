//! The principal type is [`WorkersTasks`]: for each site whose application tells how many requests it takes at a time, a
//! task that asks it, and tells the queue in front of it.

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

use super::pool_size::PoolSize;
use crate::limits::queue::Queue;
use crate::site::Site;

/// How often it is asked …
const EVERY: Duration = Duration::from_secs(5);
/// … and while requests wait.
const EVERY_WHILE_WAITED: Duration = Duration::from_secs(1);
/// Of each pool, so many requests wait at its own socket: a worker that is done takes one at once, and is not idle while
/// its answer travels and the next request is sent.
const AHEAD: usize = 1;
/// Its answer waits for a process as any request does.
const WITHIN: Duration = Duration::from_secs(10);

/// A task for each site whose application can be asked. A site that stays over a reload keeps its own.
#[derive(Default)]
pub(super) struct WorkersTasks(Vec<Asking>);

/// A site whose application is asked.
struct Asking {
    site: Arc<Site>,
    task: JoinHandle<()>,
    pools: Pools,
}

/// What is known of the pools, by their addresses. It goes with the queue to the site that a reload makes of this one.
type Pools = Rc<RefCell<HashMap<String, PoolSize>>>;

impl WorkersTasks {
    /// From now on there are these sites.
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

/// The queue of a site that does not say itself how many requests its application takes, and the path that does.
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
                        "its status page (`fastcgi.status`) cannot be read, so it is not known how many requests it takes: {error}"
                    );
                    let (whom, reason) = (&*site.proxy.upstream.settings().name, "status_failed");
                    observability.tell(&Trouble { whom, place: Some(&place), reason, cause: &cause });
                }
            }
        }
        let is_there = |place: &String| endpoints.endpoints().iter().any(|one| one.address.to_string() == *place);
        pools.borrow_mut().retain(|place, _| is_there(place));
        // What is not answered now stands as it was.
        if sizes.len() == endpoints.endpoints().len() {
            let running = sizes.into_iter().sum::<Option<usize>>();
            queue.set_running(running.map(|running| running + AHEAD * endpoints.endpoints().len()));
        }
        tokio::time::sleep(if queue.is_waited() { EVERY_WHILE_WAITED } else { EVERY }).await;
    }
}

/// What its status page says.
async fn status(endpoint: &Endpoint, path: &str) -> Result<Status, String> {
    let (status, page) = ask_fastcgi(endpoint, path, "json", WITHIN).await.map_err(|error| error.to_string())?;
    if status != 200 {
        return Err(format!("it answered {status}; is `pm.status_path` of the pool this path?"));
    }
    Status::parse(&page).map_err(|error| error.to_string())
}
