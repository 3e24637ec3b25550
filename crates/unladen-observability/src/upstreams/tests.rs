use std::sync::Mutex;

use super::*;
use crate::observability::tests::upstream_settings;

/// An upstream that does as it is told.
pub(crate) struct Told {
    pub(crate) settings: UpstreamSettings,
    pub(crate) state: Mutex<UpstreamState>,
}

impl UpstreamView for Told {
    fn settings(&self) -> &UpstreamSettings {
        &self.settings
    }

    fn state(&self) -> UpstreamState {
        self.state.lock().unwrap().clone()
    }
}

/// With two endpoints, of which one is taken out.
pub(crate) fn told(name: &str) -> Arc<Told> {
    let origin = |address: &str| unladen_pool::Origin {
        at: EndpointAddress::Tcp(address.to_owned(), 9243),
        tls: false,
        weight: 1,
        authority: address.to_owned(),
        discovery: None,
    };
    let settings = UpstreamSettings::new(name, vec![origin("10.0.0.1"), origin("10.0.0.2")]);
    let mut state = unladen_pool::Upstream::new(settings, 1).unwrap().state();
    state.breaker = Some("half_open");
    (state.in_flight, state.pending, state.connections, state.idle) = (4, 1, 7, 5);
    state.endpoints[1].ejected = true;
    state.counts.connects = 11;
    state.counts.handshakes_resumed = 4;
    Arc::new(Told { settings: upstream_settings(name), state: Mutex::new(state) })
}

fn connects(upstreams: &Upstreams) -> Vec<(String, u64)> {
    // First the light look, after which the other says the same.
    let light = upstreams.connects();
    let looked = upstreams.look().into_iter().map(|configured| (configured.state.name, configured.counts["connects"]));
    let looked: Vec<_> = looked.collect();
    assert_eq!(light, looked.iter().cloned().collect());
    looked
}

fn set_connects(told: &Told, n: u64) {
    told.state.lock().unwrap().counts.connects = n;
}

#[test]
fn what_a_replaced_one_counted_is_its_successors() {
    let upstreams = Upstreams::default();
    let (first, other) = (told("search"), told("images"));
    upstreams.set(vec![first.clone(), other.clone()]);
    assert_eq!(connects(&upstreams), [("search".to_owned(), 11), ("images".to_owned(), 11)]);
    let second = told("search");
    set_connects(&second, 0);
    upstreams.set(vec![other.clone(), second.clone()]);
    assert_eq!(connects(&upstreams), [("images".to_owned(), 11), ("search".to_owned(), 11)]);
    // Its requests in flight go on.
    set_connects(&first, 13);
    set_connects(&second, 100);
    assert_eq!(connects(&upstreams)[1].1, 113);
    drop(first);
    assert_eq!(connects(&upstreams)[1].1, 113);
    let third = told("search");
    upstreams.set(vec![third]);
    drop(second);
    assert_eq!(connects(&upstreams), [("search".to_owned(), 124)]);
    // One that is kept over a reload counts once.
    let third: Vec<Arc<dyn UpstreamView>> = upstreams.0.lock().unwrap().configured.clone();
    upstreams.set(third);
    assert_eq!(connects(&upstreams), [("search".to_owned(), 124)]);
}

#[test]
fn one_that_was_removed_and_comes_back_goes_on() {
    let upstreams = Upstreams::default();
    upstreams.set(vec![told("search")]);
    upstreams.set(vec![]);
    assert!(upstreams.look().is_empty());
    upstreams.set(vec![told("search")]);
    assert_eq!(connects(&upstreams), [("search".to_owned(), 22)]);
}

#[test]
fn where_an_upstream_is() {
    let upstreams = Upstreams::default();
    upstreams.set(vec![told("search")]);
    let at = upstreams.at("search").unwrap();
    assert_eq!((at.scheme, &*at.address, at.port), ("https", "search.example", Some(9243)));
    assert_eq!(upstreams.at("images"), None);
}
