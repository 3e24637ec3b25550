//! The principal type is [`UpstreamTasks`]: for each upstream that is configured, a task that looks after it.

use std::sync::Arc;

use tokio::task::JoinHandle;
use unladen_pool::Upstream;

/// For each upstream that is configured, a task that looks after it. Those of the same settings stay over a reload, and
/// so do their tasks.
#[derive(Debug, Default)]
pub(crate) struct UpstreamTasks(Vec<(Arc<Upstream>, JoinHandle<()>)>);

impl UpstreamTasks {
    /// From now on there are these: tasks of others are aborted, those of new ones begun.
    pub(crate) fn follow(&mut self, upstreams: &[Arc<Upstream>], begin: impl Fn(Arc<Upstream>) -> JoinHandle<()>) {
        self.0.retain(|(upstream, task)| {
            let stays = upstreams.iter().any(|other| Arc::ptr_eq(upstream, other));
            if !stays {
                task.abort();
            }
            stays
        });
        for upstream in upstreams {
            if !self.0.iter().any(|(other, _)| Arc::ptr_eq(upstream, other)) {
                self.0.push((upstream.clone(), begin(upstream.clone())));
            }
        }
    }
}
