//! The principal type is [`UpstreamTasks`]: a task for each configured upstream.

use std::sync::Arc;

use tokio::task::JoinHandle;
use unladen_pool::Upstream;

/// Upstreams with unchanged settings, and their tasks, survive a reload.
#[derive(Debug, Default)]
pub(crate) struct UpstreamTasks(Vec<(Arc<Upstream>, JoinHandle<()>)>);

impl UpstreamTasks {
    /// Aborts the tasks of other upstreams, and begins those of new ones.
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
