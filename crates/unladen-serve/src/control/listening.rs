//! The principal type is [`ListeningTasks`]: a task for each validator that is told of changes.

use std::sync::Arc;

use tokio::task::{JoinHandle, spawn_local};
use unladen_observability::{Observability, Trouble};
use unladen_validator::{AskError, Validator};

use crate::say::say;
use crate::site::Site;

/// A task for each validator that is told of changes; it survives a reload if its validator does.
#[derive(Default)]
pub(super) struct ListeningTasks(Vec<(Arc<Validator>, JoinHandle<()>)>);

impl ListeningTasks {
    pub(super) fn follow(&mut self, sites: &[Arc<Site>], observability: &Arc<Observability>) {
        let validators =
            || sites.iter().flat_map(|site| site.validators.iter().map(move |validator| (site, validator)));
        self.0.retain(|(before, task)| {
            let stays = validators().any(|(_, validator)| Arc::ptr_eq(validator, before));
            if !stays {
                task.abort();
            }
            stays
        });
        for (site, validator) in validators() {
            if validator.settings().listen.is_some() && !self.0.iter().any(|(before, _)| Arc::ptr_eq(before, validator))
            {
                let whom = site.proxy.upstream.settings().name.clone();
                let task = spawn_local(listen(validator.clone(), whom, observability.clone()));
                self.0.push((validator.clone(), task));
            }
        }
    }
}

async fn listen(validator: Arc<Validator>, whom: String, observability: Arc<Observability>) {
    let (path, place) = (&validator.settings().path, validator.settings().source.place());
    let bound = humantime::format_duration(validator.settings().oldest().unwrap_or_default());
    let told = |what: Result<(), &AskError>| match what {
        Ok(()) => say!(
            "unladen: {whom}: {place} tells of changes of `{path}`: no page is served that was changed longer ago than {bound}"
        ),
        Err(error) => {
            let cause = format!("the validator for `{path}` is not told of changes, and asks at each request: {error}");
            let place = Some(&*place);
            observability.tell(&Trouble { whom: &whom, place, reason: "validator_not_told", cause: &cause });
        }
    };
    validator.listen(told).await;
}
