//! Tests of what a reload has a fleet's node give up.

use std::path::Path;
use std::time::Duration;

use unladen_fleet::{BusSettings, BusUrl, FleetSettings, Forget, MemoryEngine, News, Wait, What, WhenCutOff};
use unladen_serve_config::{Config, Machine};

use super::*;

/// What was forgotten is counted by nobody.
#[derive(Debug)]
struct Nothing;

impl Forget for Nothing {
    fn forget(&self, _: Option<&str>, _: &What, _: bool) -> u64 {
        0
    }

    fn doubt(&self) {}

    fn tell(&self, _: &News) {}
}

fn site(more: &str, before: Option<&Site>) -> Arc<Site> {
    let site = "[[site]]\nname = 'shop'\nlisten = '127.0.0.1:8080'\nupstream = 'http://127.0.0.1:8000'\n";
    let config = Config::parse(&format!("{site}{more}"), Path::new("unladen.toml"), Path::new("/"), &Machine);
    let settings = config.unwrap_or_else(|error| panic!("{error}")).settings.site.remove(0);
    let upstream = Upstream::new(settings.proxy.upstream.clone(), 1).unwrap();
    let proxy = Arc::new(Proxy::new(settings.proxy.clone(), upstream, None));
    Arc::new(Site::new(settings, proxy, 1, before).unwrap())
}

fn plan(site: &Arc<Site>, fleet: &Arc<Fleet>) -> Plan {
    Plan {
        places: vec![Planned { proxy: site.proxy.clone(), site: Some(site.clone()) }],
        entrances: Vec::new(),
        trace_sample: None,
        certificates: Vec::new(),
        answers: Arc::default(),
        fleet: Some(fleet.clone()),
        tier: None,
        forgotten: fleet.position(),
        hold: Mutex::default(),
        state: State::Running,
    }
}

async fn until(what: impl Fn() -> bool) {
    while !what() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Each reload had each stored page asked about until the engine had answered; and a site with a memory of its own
/// was served from it before the fleet's purges reached it.
#[test]
fn a_reload_ends_the_lease_only_where_something_is_stored_anew_and_then_until_that_is_known() {
    let url = BusUrl::parse("valkey://engine").unwrap();
    let bus = BusSettings { url, ca: None, fleet: "test".into(), node: "a".into(), keep: 1000 };
    let time = Duration::from_secs(60);
    let when_cut_off = WhenCutOff::Revalidate;
    let settings = FleetSettings { bus, lease: time, when_cut_off, wait: Wait::Nobody, wait_for: time };
    let engine = MemoryEngine::default();
    let fleet = Fleet::over(engine.bus("a").0, settings);
    let is_connected = || fleet.state().is_connected;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let task = tokio::spawn(fleet.clone().run(Arc::new(Nothing)));
        until(is_connected).await;
        let first = site("", None);
        let before = plan(&first, &fleet);
        // The same site, and one that differs in what its memory does not depend on.
        for kept in [first.clone(), site("queue.running = 7", Some(&first))] {
            let next = plan(&kept, &fleet);
            next.hold_fleet(&before);
            assert!(is_connected() && next.held().is_none());
        }
        // Another memory, and the same one in which pages are found by other rules.
        for new in ["cache.memory = '3MB'", "cache.ignore_query = ['utm_source']"] {
            let next = plan(&site(new, Some(&first)), &fleet);
            next.hold_fleet(&before);
            assert!(!is_connected(), "{new}");
            // Before this one was known, there is another, which changes nothing more.
            let last = plan(&next.places[0].site.clone().unwrap(), &fleet);
            last.hold_fleet(&next);
            assert!(next.held().is_none() && last.held().is_some());
            let was = fleet.position();
            assert!(fleet.purge(None, What::All, false, None).await.is_confirmed);
            tokio::time::sleep(Duration::from_millis(20)).await;
            assert_eq!(fleet.position(), was, "nothing is forgotten that a site would not hear of");
            drop(last.held().take());
            until(|| is_connected() && fleet.position() != was).await;
        }
        task.abort();
    });
}
