//! The principal type is [`Certificates`]: orders and renews certificates from authorities.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use unladen_acme::{Event, Keeper, Pace};
use unladen_observability::{Observability, Trouble};

use crate::plan::Plan;
use crate::say::say;

/// Runs on the thread that carries no requests.
pub(super) struct Certificates {
    keeper: Option<Keeper>,
    observability: Arc<Observability>,
    /// Site names by the first name of their certificates, to report troubles under.
    sites: Arc<Mutex<HashMap<String, String>>>,
}

impl Certificates {
    pub(super) fn new(observability: Arc<Observability>) -> Self {
        Self { keeper: None, observability, sites: Arc::default() }
    }

    /// Keeps the certificates of this plan only; a plan to stop has none.
    pub(super) fn follow(&mut self, plan: &Plan) {
        if self.keeper.is_none() && plan.certificates.is_empty() {
            return;
        }
        let sites = plan.places.iter().filter_map(|planned| planned.site.as_ref());
        let named = sites.filter_map(|site| {
            let name = site.held.as_ref()?.names().first()?.clone();
            Some((name, site.proxy.upstream.settings().name.clone()))
        });
        *self.sites.lock().unwrap_or_else(PoisonError::into_inner) = named.collect();
        let keeper = self.keeper.get_or_insert_with(|| {
            let (observability, sites) = (self.observability.clone(), self.sites.clone());
            Keeper::new(plan.answers.clone(), Pace::default(), move |event| tell(event, &observability, &sites))
        });
        keeper.follow(plan.certificates.clone());
    }
}

fn tell(event: &Event<'_>, observability: &Observability, sites: &Mutex<HashMap<String, String>>) {
    let (name, reason) = match event {
        Event::Failed { name, error, .. } | Event::Stuck { name, error } => (*name, error.as_str()),
        _ => return say!("unladen: {event}"),
    };
    let site = sites.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
    let (whom, cause) = (site.as_deref().unwrap_or(name), event.to_string());
    observability.tell(&Trouble { whom, place: None, reason, cause: &cause });
}
