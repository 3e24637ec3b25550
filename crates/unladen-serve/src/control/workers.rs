//! The principal type is [`WorkersTasks`]: for each site whose application tells how many requests it takes at a time, a
//! task that asks it, and tells the queue in front of it.

use std::collections::HashMap;
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
pub(super) struct WorkersTasks(Vec<(Arc<Site>, JoinHandle<()>)>);

// === impl WorkersTasks ===

impl WorkersTasks {
    /// From now on there are these sites.
    pub(super) fn follow(&mut self, sites: &[Arc<Site>], observability: &Arc<Observability>) {
        self.0.retain(|(site, task)| {
            let stays = sites.iter().any(|other| Arc::ptr_eq(site, other));
            if !stays {
                task.abort();
            }
            stays
        });
        for site in sites {
            let Some((queue, path)) = asked(site) else { continue };
            if !self.0.iter().any(|(other, _)| Arc::ptr_eq(site, other)) {
                let (queue, path) = (queue.clone(), path.to_owned());
                let task = spawn_local(ask(site.clone(), queue, path, observability.clone()));
                self.0.push((site.clone(), task));
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

async fn ask(site: Arc<Site>, queue: Arc<Queue>, path: String, observability: Arc<Observability>) {
    let mut pools: HashMap<String, PoolSize> = HashMap::new();
    loop {
        let endpoints = site.proxy.upstream.endpoints();
        let mut sizes = Vec::new();
        for endpoint in endpoints.endpoints() {
            let place = endpoint.address.to_string();
            match status(endpoint, &path).await {
                Ok(status) => sizes.push(pools.entry(place).or_default().see(&status, queue.is_waited())),
                Err(error) => {
                    let cause = format!(
                        "its status page (`fastcgi.status`) cannot be read, so it is not known how many requests it takes: {error}"
                    );
                    let (whom, reason) = (&*site.proxy.upstream.settings().name, "status_failed");
                    observability.tell(&Trouble { whom, place: Some(&place), reason, cause: &cause });
                }
            }
        }
        pools.retain(|place, _| endpoints.endpoints().iter().any(|endpoint| endpoint.address.to_string() == *place));
        // What is not answered now stands as it was.
        if sizes.len() == endpoints.endpoints().len()
            && let Some(running) = sizes.into_iter().sum::<Option<usize>>()
        {
            queue.set_running(running + AHEAD * endpoints.endpoints().len());
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
