//! The principal type is [`FleetTask`]: reads the fleet's purges, and applies them to the sites.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinHandle, spawn_local};
use unladen_fleet::{BusSettings, BusUrl, Fleet, Forget, News, What};
use unladen_observability::Observability;
use unladen_serve_config::FleetSettings;

use crate::control::error::ServeError;
use crate::plan::Plan;
use crate::say::say;

/// How long unsent purges have to be sent when a fleet is left.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A node of this fleet, with a name that no other process has, not even the one that hands over to it.
pub(super) fn open(settings: &FleetSettings) -> Result<Arc<Fleet>, ServeError> {
    let bus = bus_settings(settings);
    let FleetSettings { lease, when_cut_off, wait, wait_for, .. } = settings.clone();
    let settings = unladen_fleet::FleetSettings { bus, lease, when_cut_off, wait, wait_for };
    Fleet::new(settings).map_err(ServeError::Fleet)
}

/// The bus, and a node name that no other process has.
pub(super) fn bus_settings(settings: &FleetSettings) -> BusSettings {
    let FleetSettings { purges, ca, name, node, keep, .. } = settings.clone();
    let node = BusSettings::unique_node(&node.unwrap_or_else(host_name));
    BusSettings { url: purges, ca, fleet: name, node, keep }
}

/// The kernel's host name, up to the first dot.
fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.split('.').next().unwrap_or_default();
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(64).collect();
    if name.is_empty() { "node".to_owned() } else { name }
}

#[derive(Debug, Default)]
pub(super) struct FleetTask {
    now: Option<(Arc<Fleet>, JoinHandle<()>)>,
    leaving: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Sites {
    observability: Arc<Observability>,
    bus: BusUrl,
}

impl FleetTask {
    pub(super) fn follow(&mut self, plan: &Plan, observability: &Arc<Observability>) {
        let is_same = match (&self.now, &plan.fleet) {
            (Some((now, _)), Some(fleet)) => Arc::ptr_eq(now, fleet),
            (None, None) => true,
            _ => false,
        };
        if is_same {
            return;
        }
        if let Some((fleet, task)) = self.now.take() {
            self.leaving.retain(|leaving| !leaving.is_finished());
            self.leaving.push(spawn_local(leave(fleet, task, plan.fleet.clone())));
        }
        observability.set_fleet(plan.fleet.clone());
        self.now = plan.fleet.clone().map(|fleet| {
            let bus = fleet.settings().bus.url.clone();
            let sites = Arc::new(Sites { observability: observability.clone(), bus });
            (fleet.clone(), spawn_local(fleet.run(sites)))
        });
    }

    pub(super) async fn end(&mut self) {
        if let Some((fleet, task)) = self.now.take() {
            leave(fleet, task, None).await;
        }
        for leaving in self.leaving.drain(..) {
            let _ = leaving.await;
        }
    }
}

/// Leaves a fleet once everything is sent; what is not sent in time is sent by `next`.
async fn leave(fleet: Arc<Fleet>, task: JoinHandle<()>, next: Option<Arc<Fleet>>) {
    fleet.sent(LAST_WORDS).await;
    // It would join the list again.
    task.abort();
    let _ = task.await;
    tell_lost(&fleet, fleet.hand_on(next.as_ref()));
    fleet.leave().await;
}

pub(super) fn tell_lost(fleet: &Fleet, lost: u64) {
    if lost > 0 {
        let bus = &fleet.settings().bus.url;
        say!(
            "unladen: {lost} purges are lost, as {bus} did not take them in time: other nodes serve these pages until their lifetime is over; purge them again (`unladen purge --all` means all)"
        );
    }
}

/// Suffix for a message that is printed at most once in a while.
fn often(times: u64) -> String {
    if times > 1 { format!("; {times} times since this was said last") } else { String::new() }
}

impl Forget for Sites {
    fn forget(&self, site: Option<&str>, what: &What, is_soft: bool) -> u64 {
        let forget = unladen_observability::Forget { what: what.into(), is_soft };
        self.observability.forget(site, &forget).unwrap_or(0)
    }

    fn doubt(&self) {
        self.forget(None, &What::All, true);
    }

    fn tell(&self, news: &News) {
        let bus = &self.bus;
        let rest = "every stored page is revalidated before it is served";
        match news {
            News::CutOff { why: Some(why) } => say!(
                "unladen: cut off from the fleet: {bus}: {why}; see whether it runs and can be reached from here; purges are read once it can be"
            ),
            News::CutOff { why: None } => {
                say!("unladen: cut off from the fleet: purges come faster than they are read and forgotten here");
            }
            News::Connected { after: None } => say!("unladen: this is a node of the fleet at {bus}"),
            News::Connected { after: Some(after) } => {
                let after = humantime::format_duration(Duration::from_millis(after.as_millis() as u64));
                say!("unladen: connected to the fleet again after {after}; all purges of meanwhile are forgotten");
            }
            News::Lost { why, times } => {
                let often = often(*times);
                say!("unladen: purges of the fleet may be missing ({bus}: {why}{often}): {rest}");
            }
            News::Unreadable { why, times } => {
                let often = often(*times);
                say!("unladen: {bus} has a record that is no purge this version can read ({why}{often}): {rest}");
            }
            News::Overflow => say!(
                "unladen: more purges waited for {bus} than may: all nodes are told to revalidate every stored page"
            ),
            News::Untold => say!("unladen: {bus}: {}", News::UNTOLD),
            _ => {}
        }
    }
}
