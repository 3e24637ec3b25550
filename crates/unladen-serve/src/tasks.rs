//! The principal type is [`Tasks`]: a task for each of some things, such as the configured upstreams.

use std::sync::Arc;

use tokio::task::JoinHandle;

/// Things that stay over a reload keep their tasks.
#[derive(Debug)]
pub(crate) struct Tasks<T>(Vec<(Arc<T>, JoinHandle<()>)>);

impl<T> Tasks<T> {
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    /// Aborts the tasks of others, and begins those of new ones.
    pub(crate) fn follow(&mut self, all: &[Arc<T>], begin: impl Fn(Arc<T>) -> JoinHandle<()>) {
        self.0.retain(|(one, task)| {
            let stays = all.iter().any(|other| Arc::ptr_eq(one, other));
            if !stays {
                task.abort();
            }
            stays
        });
        for one in all {
            if !self.0.iter().any(|(other, _)| Arc::ptr_eq(other, one)) {
                self.0.push((one.clone(), begin(one.clone())));
            }
        }
    }
}
