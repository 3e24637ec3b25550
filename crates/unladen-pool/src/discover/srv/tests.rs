use proptest::prelude::*;

use super::*;
use crate::balance::Balancer;
use crate::endpoint::Placed;
use crate::settings::Balance;
use crate::tests::testing::Dnsmasq;

fn settings() -> ResolveSettings {
    ResolveSettings { timeout: Duration::from_secs(10), ..ResolveSettings::default() }
}

fn names(server: &Dnsmasq) -> SrvNames {
    let settings = ResolveSettings { servers: vec![server.address], ..settings() };
    // Servers of the settings, and not those of the system.
    let resolver = Resolver::of_files("/nonexistent/hosts", "/nonexistent/resolv.conf");
    SrvNames::new("_http._tcp.app.example".to_owned(), Arc::new(resolver), settings)
}

fn shown(found: &[Found]) -> Vec<String> {
    let mut all: Vec<_> = found.iter().map(|one| format!("{} {} {}", one.priority, one.address, one.weight)).collect();
    all.sort_unstable();
    all
}

#[tokio::test]
async fn records_and_the_addresses_of_their_targets_become_endpoints() {
    let server = Dnsmasq::start_with(
        "192.0.2.1 one.example\n192.0.2.2 two.example\n192.0.2.3 two.example\n192.0.2.4 late.example",
        &[
            "--srv-host=_http._tcp.app.example,one.example,8080,0,10",
            "--srv-host=_http._tcp.app.example,two.example,8081,0,20",
            "--srv-host=_http._tcp.app.example,late.example,80,5,0",
            "--srv-host=_http._tcp.app.example,gone.example,80,0,20",
        ],
    );
    let found = names(&server).next().await.unwrap();
    let expected = ["0 192.0.2.1:8080 1000", "0 192.0.2.2:8081 1000", "0 192.0.2.3:8081 1000", "5 192.0.2.4:80 1"];
    assert_eq!(shown(&found), expected);
}

#[tokio::test]
async fn a_service_that_is_not_there_has_no_endpoints_and_one_that_nobody_knows_is_an_error() {
    let server = Dnsmasq::start_with("", &["--srv-host=_http._tcp.app.example"]);
    assert_eq!(names(&server).next().await.unwrap(), []);
    let server = Dnsmasq::start("192.0.2.1 other.example");
    let said = names(&server).next().await.unwrap_err().to_string();
    assert!(said.contains("there is no host `_http._tcp.app.example`"), "{said}");
    let server = Dnsmasq::start_with("", &["--srv-host=_http._tcp.app.example,gone.example,80,0,20"]);
    let said = names(&server).next().await.unwrap_err().to_string();
    assert!(said.contains("gone.example"), "{said}");
}

#[tokio::test]
async fn a_target_that_is_lost_stays_where_it_was() {
    let options = [
        "--srv-host=_http._tcp.app.example,one.example,80,0,1",
        "--srv-host=_http._tcp.app.example,two.example,80,0,1",
    ];
    let server = Dnsmasq::start_with("192.0.2.1 one.example\n192.0.2.2 two.example", &options);
    let mut names = names(&server);
    names.settings.max_ttl = Duration::from_secs(1);
    let both = names.next().await.unwrap();
    assert_eq!(both.len(), 2);
    server.set("192.0.2.9 two.example");
    assert_eq!(shown(&names.next().await.unwrap()), ["0 192.0.2.1:80 100", "0 192.0.2.9:80 100"]);
}

fn record() -> impl Strategy<Value = SrvRecord> {
    (0..3_u16, any::<u16>(), 0..3_u16, 0..5_u8).prop_map(|(priority, weight, port, target)| SrvRecord {
        priority,
        weight,
        port,
        target: if target == 4 { ".".to_owned() } else { format!("{target}.example.") },
    })
}

proptest! {
    #[test]
    fn each_address_once_with_the_best_priority_and_a_weight(records in prop::collection::vec(record(), 0..30)) {
        let resolver = Arc::new(Resolver::of_files("/nonexistent", "/nonexistent"));
        let mut names = SrvNames {
            name: "app".to_owned(), resolver, settings: settings(), due: Instant::now(), failures: 0,
            // Of four targets three are known, and two have an address in common.
            targets: HashMap::from([
                ("0.example.".to_owned(), vec![[192, 0, 2, 1].into()]),
                ("1.example.".to_owned(), vec![[192, 0, 2, 1].into(), [192, 0, 2, 2].into()]),
                ("2.example.".to_owned(), vec![[192, 0, 2, 3].into(), [0x2001, 0xdb8, 0, 0, 0, 0, 0, 1].into()]),
            ]),
            pairs: HashMap::new(),
        };
        let found = names.found(&records);
        let usable = |record: &&SrvRecord| record.port > 0 && ["0.example.", "1.example.", "2.example."].contains(&record.target.as_str());
        let best = records.iter().filter(usable).map(|record| u32::from(record.priority)).min();
        prop_assert_eq!(found.iter().map(|one| one.priority).min(), best);
        let addresses: HashSet<_> = found.iter().map(|one| one.address.clone()).collect();
        prop_assert_eq!(addresses.len(), found.len());
        prop_assert!(found.iter().all(|one| one.weight >= 1));
        prop_assert_eq!(names.found(&records), found.clone(), "the same again");

        // The lower priority is tried first, and the next where none of it can be used.
        let placed: Vec<Placed> = found.into_iter().map(|one| one.place(&[])).collect();
        let balancer = Balancer::of_placed(placed.clone(), None, Balance::LeastRequests);
        let taken = |balancer: &Balancer| {
            let endpoint = balancer.pick(&[], 0)?.clone();
            placed.iter().find(|one| Arc::ptr_eq(&one.endpoint, &endpoint)).map(|one| one.priority)
        };
        prop_assert_eq!(taken(&balancer), best);
        for one in placed.iter().filter(|one| Some(one.priority) == best) {
            one.endpoint.ejected_until.store(1, std::sync::atomic::Ordering::Relaxed);
        }
        let next = placed.iter().map(|one| one.priority).filter(|priority| Some(*priority) > best).min();
        prop_assert_eq!(taken(&balancer), next.or(best), "all out: any of them");
    }

    #[test]
    fn a_weight_is_divided_among_the_addresses(weight in 1..=u16::MAX, among in 1..20_usize) {
        let all = u64::from(share(weight, among)) * among as u64;
        let whole = u64::from(weight) * u64::from(SCALE);
        prop_assert!(all <= whole && whole - all < among as u64, "{all} of {whole}");
        prop_assert_eq!(share(0, among), 1);
    }
}
