use unladen_fleet::{BusUrl, Wait};
use unladen_validator::{ListenSettings, SharedSettings, ValidatorSource};

use super::*;

fn fleet(when_cut_off: WhenCutOff) -> FleetSettings {
    FleetSettings {
        purges: BusUrl::parse("valkey://cache.example").unwrap(),
        ca: None,
        stamp: 0,
        name: "shop".to_owned(),
        node: None,
        lease: Duration::from_secs(2),
        when_cut_off,
        wait: Wait::All,
        wait_for: Duration::from_secs(2),
        keep: 10,
        htcp: None,
        htcp_from: Vec::new(),
        htcp_groups: Vec::new(),
    }
}

fn validator(listen: Option<u64>, shared: Option<u64>) -> ValidatorSettings {
    ValidatorSettings {
        path: "/".to_owned(),
        source: ValidatorSource::Head,
        timeout: Duration::from_secs(1),
        connections: 1,
        stale: None,
        listen: listen.map(|ms| ListenSettings { channel: "changes".to_owned(), heartbeat: Duration::from_millis(ms) }),
        shared: shared.map(|ms| SharedSettings {
            within: Duration::from_millis(ms),
            url: BusUrl::parse("valkey://cache.example").unwrap(),
            ca: None,
            stamp: 0,
            fleet: "shop".to_owned(),
            site: "shop".to_owned(),
        }),
    }
}

#[test]
fn the_larger_bound_is_told_with_what_makes_it() {
    let said = |listen, shared| bounds(Some(&validator(listen, shared)), None).concat();
    assert!(said(Some(1000), None).starts_with("no request gets a page that was changed more than 1s before"));
    assert!(said(None, Some(5)).contains("more than 5ms") && said(None, Some(5)).contains("`shared`"));
    let both = said(Some(1000), Some(5));
    assert!(
        both.contains("more than 1s") && both.contains("`listen`") && both.contains("for 5ms (`shared`)"),
        "{both}"
    );
    assert_eq!(said(None, None), "");
}

/// A page was said to be at most a heartbeat old, though it is served for an hour while the database is down.
#[test]
fn what_is_served_without_an_answer_was_not_in_the_bound() {
    let said = |listen, shared, stale| {
        let stale = Some(Duration::from_secs(stale));
        bounds(Some(&ValidatorSettings { stale, ..validator(listen, shared) }), None).concat()
    };
    let both = said(Some(1000), Some(5), 3600);
    assert!(both.contains("changed more than 1h 1s before") && both.contains("for 1h after"), "{both}");
    assert!(both.contains("(`stale`)") && both.ends_with("while the validator answers"), "{both}");
    assert!(said(None, Some(5), 2).contains("more than 2s 5ms before"));
    let alone = said(None, None, 3600);
    assert!(alone.contains("changed up to 1h before") && alone.contains("(`stale`)"), "{alone}");
}

#[test]
fn a_fleet_bounds_pages_that_only_their_lifetime_vouches_for() {
    assert!(bounds(None, Some(&fleet(WhenCutOff::Revalidate))).concat().contains("within 2s"));
    assert!(bounds(None, Some(&fleet(WhenCutOff::Serve))).concat().contains("whole lifetime"));
    // A validator vouches for its pages, whoever is cut off.
    assert_eq!(bounds(Some(&validator(None, None)), Some(&fleet(WhenCutOff::Serve))), Vec::<String>::new());
    assert_eq!(bounds(None, None), Vec::<String>::new());
}
