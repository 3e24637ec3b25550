use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::tests::testing::Dnsmasq;

const LONG: Duration = Duration::from_secs(20);
/// More than a life of an answer and what it is stretched by.
const A_LIFE: Duration = Duration::from_millis(1_500);

fn origin(host: &str, weight: u32) -> Origin {
    Origin {
        at: EndpointAddress::Tcp(host.to_owned(), 443),
        tls: true,
        weight,
        authority: host.to_owned(),
        discovery: None,
    }
}

fn settings() -> ResolveSettings {
    ResolveSettings { timeout: Duration::from_secs(2), max_ttl: Duration::from_secs(2), ..ResolveSettings::default() }
}

fn watcher(server: &Dnsmasq, origins: &[Origin]) -> Watcher {
    let resolver = Resolver::of_servers("/nonexistent/hosts", vec![server.address]);
    Watcher::new(Arc::new(resolver), origins, settings(), &[])
}

async fn changed(watcher: &mut Watcher) -> Vec<Arc<Endpoint>> {
    tokio::time::timeout(LONG, watcher.changed()).await.expect("nothing changed")
}

async fn stays(watcher: &mut Watcher, for_so_long: Duration) {
    if let Ok(changed) = tokio::time::timeout(for_so_long, watcher.changed()).await {
        panic!("{:?}", shown(&changed));
    }
}

fn shown(endpoints: &[Arc<Endpoint>]) -> BTreeSet<String> {
    endpoints
        .iter()
        .map(|endpoint| match &endpoint.address {
            Address::Tcp(addresses) => addresses.iter().map(|at| at.ip().to_string()).collect::<Vec<_>>().join(" "),
            Address::Unix(path) => path.display().to_string(),
        })
        .collect()
}

fn set<const N: usize>(expected: [&str; N]) -> BTreeSet<String> {
    expected.map(str::to_owned).into()
}

/// Which of those before are still there.
fn kept(before: &[Arc<Endpoint>], after: &[Arc<Endpoint>]) -> usize {
    before.iter().filter(|one| after.iter().any(|other| Arc::ptr_eq(one, other))).count()
}

#[tokio::test]
async fn what_changes_is_told_and_what_stays_is_the_same_endpoint() {
    let server = Dnsmasq::start("192.0.2.1 wiki.example\n192.0.2.2 wiki.example\n2001:db8::1 wiki.example");
    let mut watcher = watcher(&server, &[origin("wiki.example", 3)]);
    let first = changed(&mut watcher).await;
    assert_eq!(shown(&first), set(["2001:db8::1 192.0.2.1", "192.0.2.2"]));
    assert!(first.iter().all(|endpoint| endpoint.weight.load(Ordering::Relaxed) == 3 && endpoint.origin == 0));

    server.set("2001:db8::1 wiki.example\n192.0.2.2 wiki.example\n192.0.2.1 wiki.example");
    stays(&mut watcher, 2 * A_LIFE).await;
    let lookups = watcher.status().lookups();
    assert!((2..=6).contains(&lookups), "the same in another order is no change; it was asked again: {lookups}");

    server.set("192.0.2.1 wiki.example\n192.0.2.3 wiki.example\n2001:db8::1 wiki.example");
    let second = changed(&mut watcher).await;
    assert_eq!(shown(&second), set(["2001:db8::1 192.0.2.1", "192.0.2.3"]));
    assert_eq!(kept(&first, &second), 1);
}

#[tokio::test]
async fn the_last_good_answer_stays_whatever_dns_says() {
    let mut server = Dnsmasq::start("192.0.2.1 wiki.example");
    let mut watcher = watcher(&server, &[origin("wiki.example", 1)]);
    let first = changed(&mut watcher).await;
    let status = watcher.status();
    assert_eq!((status.failures(), status.error()), (0, None));

    server.set("192.0.2.1 other.example");
    stays(&mut watcher, 2 * A_LIFE).await;
    let denied = status.failures();
    assert!(denied > 0);
    assert!(status.error().unwrap().contains("there is no host `wiki.example`"), "{:?}", status.error());

    server.stop();
    let began = Instant::now();
    while status.failures() == denied {
        assert!(began.elapsed() < LONG);
        stays(&mut watcher, A_LIFE).await;
    }

    server.restart();
    server.set("192.0.2.1 wiki.example\n192.0.2.2 wiki.example");
    let second = changed(&mut watcher).await;
    assert_eq!(shown(&second), set(["192.0.2.1", "192.0.2.2"]));
    assert_eq!(kept(&first, &second), 1);
    assert_eq!(status.error(), None, "all is well again");
}

#[tokio::test]
async fn nothing_is_told_until_something_is_known() {
    let server = Dnsmasq::start("");
    let mut watcher = watcher(&server, &[origin("wiki.example", 1)]);
    stays(&mut watcher, A_LIFE).await;
    server.set("192.0.2.1 wiki.example");
    assert_eq!(shown(&changed(&mut watcher).await), set(["192.0.2.1"]));
}

#[tokio::test]
async fn what_is_an_address_is_known_at_once_and_names_follow() {
    let server = Dnsmasq::start("192.0.2.1 wiki.example\n192.0.2.2 search.example");
    let unix = Origin {
        at: EndpointAddress::Unix("/run/app.sock".into()),
        tls: false,
        weight: 1,
        authority: "app".into(),
        discovery: None,
    };
    let origins = [origin("wiki.example", 1), origin("192.0.2.9", 2), unix, origin("search.example", 1)];
    let mut watcher = watcher(&server, &origins);
    let mut all = changed(&mut watcher).await;
    assert_eq!(shown(&all), set(["192.0.2.9", "/run/app.sock"]));
    let fixed = all.clone();
    while all.len() < 4 {
        all = changed(&mut watcher).await;
    }
    assert_eq!(shown(&all), set(["192.0.2.1", "192.0.2.9", "/run/app.sock", "192.0.2.2"]));
    assert_eq!(kept(&fixed, &all), 2);
    assert_eq!(all.iter().map(|endpoint| endpoint.origin).collect::<BTreeSet<_>>(), [0, 1, 2, 3].into());
    assert_eq!(all.iter().find(|endpoint| endpoint.origin == 1).unwrap().weight.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn what_never_changes_is_told_once_and_known_endpoints_are_taken_over() {
    let origins = [origin("192.0.2.9", 2), origin("2001:db8::9", 1)];
    let resolver = Arc::new(Resolver::of_files("/nonexistent", "/nonexistent"));
    let mut first = Watcher::new(resolver.clone(), &origins, settings(), &[]);
    let known = changed(&mut first).await;
    stays(&mut first, Duration::from_millis(300)).await;
    let mut second = Watcher::new(resolver.clone(), &origins, settings(), &known);
    let again = changed(&mut second).await;
    assert_eq!(kept(&known, &again), 2);
    let heavier = [origin("192.0.2.9", 5), origin("2001:db8::9", 1)];
    let mut third = Watcher::new(resolver, &heavier, settings(), &known);
    assert_eq!(kept(&known, &changed(&mut third).await), 1, "with another weight it is another");
}

#[tokio::test]
async fn dropping_the_wait_loses_nothing() {
    let server = Dnsmasq::start("192.0.2.1 wiki.example");
    let mut watcher = watcher(&server, &[origin("wiki.example", 1)]);
    let began = Instant::now();
    let told = loop {
        assert!(began.elapsed() < LONG);
        // Shorter than a lookup takes.
        if let Ok(told) = tokio::time::timeout(Duration::from_micros(50), watcher.changed()).await {
            break told;
        }
    };
    assert_eq!(shown(&told), set(["192.0.2.1"]));
    assert_eq!(server.asked("A", "wiki.example"), 1, "and asks no second time");
}

#[tokio::test]
async fn a_family_that_could_not_be_learnt_keeps_its_addresses() {
    let server = Dnsmasq::start("192.0.2.1 half.test\n2001:db8::1 half.test");
    let mut watcher = watcher(&server, &[origin("half.test", 1)]);
    let first = changed(&mut watcher).await;
    assert_eq!(shown(&first), set(["2001:db8::1 192.0.2.1"]));
    // Without the line of IPv6 it refuses, as it has nobody to ask.
    server.set("192.0.2.1 half.test");
    stays(&mut watcher, 2 * A_LIFE).await;
    server.set("192.0.2.2 half.test");
    assert_eq!(shown(&changed(&mut watcher).await), set(["2001:db8::1 192.0.2.2"]));
}

#[tokio::test]
async fn a_lookup_that_is_lost_with_its_task_is_asked_again() {
    let server = Dnsmasq::start("192.0.2.1 wiki.example");
    let mut watcher = watcher(&server, &[origin("wiki.example", 1)]);
    watcher.ask();
    watcher.asking.abort_all();
    assert_eq!(shown(&changed(&mut watcher).await), set(["192.0.2.1"]));
}

fn addresses(text: &str) -> Vec<SocketAddr> {
    text.split_whitespace().map(|address| format!("{address}:443").parse().unwrap()).collect()
}

fn pairs(text: &str) -> Vec<Vec<SocketAddr>> {
    text.split(',').map(addresses).collect()
}

#[test]
fn families_go_together_and_what_is_left_over_alone() {
    assert_eq!(pair(&[], &[]), Vec::<Vec<SocketAddr>>::new());
    assert_eq!(pair(&addresses("192.0.2.1 192.0.2.2"), &[]), pairs("192.0.2.1,192.0.2.2"));
    assert_eq!(
        pair(&addresses("192.0.2.2 [2001:db8::1] 192.0.2.3 192.0.2.1 [2001:db8::2]"), &[]),
        pairs("192.0.2.3,[2001:db8::1] 192.0.2.1,[2001:db8::2] 192.0.2.2"),
        "IPv6 is tried first"
    );
    assert_eq!(pair(&addresses("[2001:db8::1] [2001:db8::2]"), &[]), pairs("[2001:db8::1],[2001:db8::2]"));
}

#[test]
fn one_less_moves_no_other() {
    let before = pairs("[2001:db8::1] 192.0.2.1,[2001:db8::2] 192.0.2.2,[2001:db8::3] 192.0.2.3");
    let after = pair(&addresses("[2001:db8::2] [2001:db8::3] 192.0.2.2 192.0.2.3"), &before);
    assert_eq!(after, before[1..]);
    let half = pair(&addresses("[2001:db8::1] [2001:db8::2] [2001:db8::3] 192.0.2.2 192.0.2.3"), &before);
    assert_eq!(half, pairs("[2001:db8::1],[2001:db8::2] 192.0.2.2,[2001:db8::3] 192.0.2.3"));
}

fn some() -> impl Strategy<Value = Vec<SocketAddr>> {
    let v4 = (0..8_u8).prop_map(|last| SocketAddr::from(([192, 0, 2, last], 80)));
    let v6 = (0..8_u16).prop_map(|last| SocketAddr::from(([0x2001, 0xdb8, 0, 0, 0, 0, 0, last], 80)));
    prop::collection::vec(prop_oneof![v4, v6], 0..12)
}

proptest! {
    #[test]
    fn each_is_there_once_and_no_pair_could_be_made_more(before in some(), now in some()) {
        let before = pair(&before, &[]);
        let after = pair(&now, &before);
        let mut all: Vec<_> = after.iter().flatten().copied().collect();
        all.sort_unstable();
        let mut expected = now.clone();
        expected.sort_unstable();
        expected.dedup();
        prop_assert_eq!(all, expected);
        for two in after.iter().filter(|pair| pair.len() != 1) {
            prop_assert!(two.len() == 2 && two[0].is_ipv6() && two[1].is_ipv4());
        }
        let alone: Vec<_> = after.iter().filter(|pair| pair.len() == 1).map(|pair| pair[0].is_ipv6()).collect();
        prop_assert!(alone.iter().all(|is_v6| *is_v6 == alone[0]), "two alone of different families");
        for pair in before.iter().filter(|pair| pair.len() == 2 && pair.iter().all(|address| now.contains(address))) {
            prop_assert!(after.contains(pair), "a pair was parted");
        }
    }
}
