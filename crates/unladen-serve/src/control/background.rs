//! Background work: follows upstreams' names, checks their endpoints, orders certificates, hears of changes, and shows
//! what is observed.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinHandle, spawn_local};
use unladen_acme::{Event, Keeper, Pace};
use unladen_observability::{Cause, Observability, RateServiceView, SiteView, Trouble, UpstreamView, admin};
use unladen_pool::{Endpoint, Resolver, Unhealthy, Upstream, is_out_of_files};
use unladen_validator::{AskError, Validator};

use super::fleet::{FleetTask, HtcpTask};
use super::malloc;
use super::workers::WorkersTasks;
use crate::limits::budget::Budget;
use crate::limits::service::distinct;
use crate::limits::short_of_files;
use crate::plan::{ListenSocket, Listener, Plan, Snapshot, State};
use crate::say::say;
use crate::site::Site;
use crate::tasks::Tasks;

/// How often listening for the admin page is retried where the system refused.
const AGAIN: Duration = Duration::from_millis(200);

/// Follows the latest snapshot. Runs on a `LocalRuntime`.
pub(crate) async fn keep(
    mut snapshot: watch::Receiver<Arc<Snapshot>>,
    observability: Arc<Observability>,
    budget: Arc<Budget>,
) {
    let resolver = Arc::new(Resolver::system());
    let mut followed = Tasks::new();
    let mut workers = WorkersTasks::default();
    let mut listening = Tasks::new();
    let mut shown = [Shown::of(Answers::Admin), Shown::of(Answers::Probes)];
    let mut is_first = true;
    let mut certificates = Certificates::new(observability.clone());
    let mut fleet = FleetTask::default();
    let mut htcp = HtcpTask::default();
    spawn_local(budget.clone().look_after(malloc::give_back));
    let (over, is_over) = oneshot::channel::<()>();
    let export = spawn_local(observability.clone().export(async {
        let _ = is_over.await;
    }));
    loop {
        let now = snapshot.borrow_and_update().clone();
        if matches!(now.plan.state, State::Draining { .. }) {
            // Upstreams that still answer are still looked after.
            observability.drain();
        } else {
            if now.plan.state == State::Leaving {
                observability.drain();
            }
            let upstreams = now.plan.upstreams();
            followed.follow(&upstreams, |upstream| follow(upstream, &resolver, &observability));
            observability
                .set_upstreams(upstreams.into_iter().map(|upstream| upstream as Arc<dyn UpstreamView>).collect());
            let sites = now.plan.places.iter().filter_map(|planned| planned.site.clone());
            let caches = sites.clone().filter_map(|site| site.cache.as_ref().map(|cache| cache.bodies.clone()));
            budget.set_bodies(caches.collect());
            let of_sites = sites.clone().collect::<Vec<_>>();
            workers.follow(&of_sites, &observability);
            let be_told = |validator| be_told(validator, &of_sites, &observability);
            listening.follow(&told_of_changes(&of_sites), be_told);
            observability.set_sites(sites.map(|site| site as Arc<dyn SiteView>).collect());
            observability.set_tier(now.plan.tier.as_ref().map(|tier| tier.counts.clone()));
            // Once its sites are there, which it has forget.
            fleet.follow(&now.plan, &observability);
            drop(now.plan.held().take());
            htcp.follow(now.config.settings.fleet.as_ref().and_then(|fleet| fleet.htcp()), &observability);
            observability.set_rate_services(rate_services(&now.plan));
            budget.set_limit(now.config.settings.client_memory);
            if !std::mem::take(&mut is_first)
                && let Err(error) = observability.reload(now.config.settings.observability())
            {
                say!("unladen: logs and metrics go where they went before: {error}");
            }
        }
        certificates.follow(&now.plan);
        // Not once another process has the address: clients there ask for that one.
        let [admin, probes] = &mut shown;
        admin.follow(now.shows.admin.as_ref(), &observability);
        probes.follow(now.shows.probes.as_ref(), &observability);
        drop(now);
        if changed(&mut snapshot, &mut shown, &observability).await.is_err() {
            htcp.end();
            fleet.end().await;
            // `Observability::close` waits for it: what is left is sent.
            drop(over);
            let _ = export.await;
            return;
        }
    }
}

fn rate_services(plan: &Plan) -> Vec<Arc<dyn RateServiceView>> {
    let own = plan.places.iter().map(|planned| &planned.proxy);
    let shared = own.filter_map(|proxy| proxy.rates.shared.as_ref());
    let services = distinct(shared.flat_map(|shared| shared.services().cloned()));
    services.into_iter().map(|service| service as Arc<dyn RateServiceView>).collect()
}

fn follow(upstream: Arc<Upstream>, resolver: &Arc<Resolver>, observability: &Arc<Observability>) -> JoinHandle<()> {
    let (resolver, observability) = (resolver.clone(), observability.clone());
    let name = upstream.settings().name.clone();
    let unwell = move |endpoint: &Endpoint, error: &Unhealthy| {
        let (place, cause) = (endpoint.address.to_string(), Cause::words_of_health(error));
        observability.tell(&Trouble { whom: &name, place: Some(&place), reason: "health_check_failed", cause: &cause });
    };
    let whom = upstream.settings().name.clone();
    let told = move |what: &str| say!("unladen: {whom}: {what}");
    spawn_local(async move { upstream.follow(resolver, unwell, told).await })
}

/// Waits for another snapshot; meanwhile retries what could not be shown.
async fn changed(
    snapshot: &mut watch::Receiver<Arc<Snapshot>>,
    shown: &mut [Shown],
    observability: &Arc<Observability>,
) -> Result<(), watch::error::RecvError> {
    while shown.iter().any(|shown| shown.wanted.is_some()) {
        if let Ok(changed) = tokio::time::timeout(AGAIN, snapshot.changed()).await {
            return changed;
        }
        shown.iter_mut().for_each(|shown| shown.try_again(observability));
    }
    snapshot.changed().await
}

#[derive(Clone, Copy)]
enum Answers {
    Admin,
    /// Public health checks only.
    Probes,
}

struct Shown {
    answers: Answers,
    task: Option<(u64, JoinHandle<()>)>,
    /// Listener that could not be opened yet, for example when clients have taken all file descriptors.
    wanted: Option<Arc<Listener>>,
}

impl Shown {
    fn of(answers: Answers) -> Self {
        Self { answers, task: None, wanted: None }
    }

    fn follow(&mut self, listener: Option<&Arc<Listener>>, observability: &Arc<Observability>) {
        self.wanted = None;
        if self.task.as_ref().map(|(id, _)| *id) == listener.map(|listener| listener.id) {
            return;
        }
        if let Some((_, task)) = self.task.take() {
            task.abort();
        }
        let Some(listener) = listener else { return };
        if let Err(error) = self.show(listener, observability) {
            say!("unladen: {} cannot be served yet: {error}; trying again", self.answers.name());
            self.wait_for(listener.clone(), &error);
        }
    }

    fn try_again(&mut self, observability: &Arc<Observability>) {
        let Some(listener) = self.wanted.take() else { return };
        match self.show(&listener, observability) {
            Ok(()) => say!("unladen: {} is served", self.answers.name()),
            Err(error) => self.wait_for(listener, &error),
        }
    }

    fn wait_for(&mut self, listener: Arc<Listener>, error: &io::Error) {
        if is_out_of_files(error) {
            // Closing idle connections makes room.
            short_of_files();
        }
        self.wanted = Some(listener);
    }

    fn show(&mut self, listener: &Listener, observability: &Arc<Observability>) -> io::Result<()> {
        let socket = listen(listener)?;
        let observability = observability.clone();
        let task = match (self.answers, socket) {
            (Answers::Admin, socket) => spawn_local(admin::serve(socket, observability)),
            (Answers::Probes, unladen_local::Listener::Tcp(listener)) => {
                spawn_local(admin::serve_probes(unladen_local::Listener::Exposed(listener), observability))
            }
            (Answers::Probes, socket) => spawn_local(admin::serve_probes(socket, observability)),
        };
        self.task = Some((listener.id, task));
        Ok(())
    }
}

impl Answers {
    fn name(self) -> &'static str {
        match self {
            Self::Admin => "the admin address",
            Self::Probes => "the address of the probes",
        }
    }
}

fn listen(listener: &Listener) -> io::Result<unladen_local::Listener> {
    match listener.sockets.first() {
        Some(ListenSocket::Tcp(socket)) => {
            Ok(unladen_local::Listener::Tcp(TcpListener::from_std(socket.try_clone()?)?))
        }
        Some(ListenSocket::Unix(socket)) => {
            Ok(unladen_local::Listener::Unix(UnixListener::from_std(socket.try_clone()?)?))
        }
        None => Err(io::ErrorKind::AddrNotAvailable.into()),
    }
}

/// Orders and renews certificates from authorities. Runs on the thread that carries no requests.
struct Certificates {
    keeper: Option<Keeper>,
    observability: Arc<Observability>,
    /// Site names by the first name of their certificates, to report troubles under.
    sites: Arc<Mutex<HashMap<String, String>>>,
}

impl Certificates {
    fn new(observability: Arc<Observability>) -> Self {
        Self { keeper: None, observability, sites: Arc::default() }
    }

    /// Keeps the certificates of this plan only; a plan to stop has none.
    fn follow(&mut self, plan: &Plan) {
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
            Keeper::new(plan.answers.clone(), Pace::default(), move |event| report(event, &observability, &sites))
        });
        keeper.follow(plan.certificates.clone());
    }
}

fn report(event: &Event<'_>, observability: &Observability, sites: &Mutex<HashMap<String, String>>) {
    let (name, reason) = match event {
        Event::Failed { name, error, .. } | Event::Stuck { name, error } => (*name, error.as_str()),
        _ => return say!("unladen: {event}"),
    };
    let site = sites.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
    let (whom, cause) = (site.as_deref().unwrap_or(name), event.to_string());
    observability.tell(&Trouble { whom, place: None, reason, cause: &cause });
}

/// The validators that are told of changes.
fn told_of_changes(sites: &[Arc<Site>]) -> Vec<Arc<Validator>> {
    let validators = sites.iter().flat_map(|site| &site.validators);
    validators.filter(|validator| validator.settings().listen.is_some()).cloned().collect()
}

fn be_told(validator: Arc<Validator>, sites: &[Arc<Site>], observability: &Arc<Observability>) -> JoinHandle<()> {
    let has = |site: &&Arc<Site>| site.validators.iter().any(|own| Arc::ptr_eq(own, &validator));
    let whom = sites.iter().find(has).map(|site| site.proxy.upstream.settings().name.clone()).unwrap_or_default();
    spawn_local(be_told_of_changes(validator, whom, observability.clone()))
}

async fn be_told_of_changes(validator: Arc<Validator>, whom: String, observability: Arc<Observability>) {
    let (path, place) = (&validator.settings().path, validator.settings().source.place());
    let bound = humantime::format_duration(validator.settings().oldest().unwrap_or_default());
    let told = |what: Result<(), &AskError>| match what {
        Ok(()) => say!(
            "unladen: {whom}: {place} notifies of changes of `{path}`: no page is served that was changed longer ago \
             than {bound}"
        ),
        Err(error) => {
            let cause =
                format!("the validator for `{path}` gets no notifications, so it asks at each request: {error}");
            let place = Some(&*place);
            observability.tell(&Trouble { whom: &whom, place, reason: "validator_not_told", cause: &cause });
        }
    };
    validator.listen(told).await;
}
