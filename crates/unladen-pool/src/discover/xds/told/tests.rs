use proptest::prelude::*;

use super::super::messages::{
    Address as At, Assignment, Cluster, EdsClusterConfig, Endpoint, LbEndpoint, Locality, LocalityEndpoints, Pipe,
    SocketAddress, UInt32Value,
};
use super::*;

fn tcp(address: &str, port: u32) -> LbEndpoint {
    let place = Place::Socket(SocketAddress { protocol: 0, address: address.to_owned(), port });
    of(place)
}

fn of(place: Place) -> LbEndpoint {
    LbEndpoint { endpoint: Some(Endpoint { address: Some(At { place: Some(place) }) }), health: 0, weight: None }
}

fn group(priority: u32, zone: &str, endpoints: Vec<LbEndpoint>) -> LocalityEndpoints {
    LocalityEndpoints { locality: Some(Locality { zone: zone.to_owned() }), endpoints, priority }
}

fn response(type_url: &str, message: &impl Message) -> DiscoveryResponse {
    let resource = Any { type_url: type_url.to_owned(), value: message.encode_to_vec() };
    DiscoveryResponse { resources: vec![resource], type_url: type_url.to_owned(), ..DiscoveryResponse::default() }
}

fn assigned(endpoints: Vec<LocalityEndpoints>) -> Result<Option<Vec<Found>>, String> {
    let assignment = Assignment { cluster_name: "app".to_owned(), endpoints };
    assignment_of(&assignment, "app")
}

fn assignment_of(assignment: &Assignment, name: &str) -> Result<Option<Vec<Found>>, String> {
    super::assignment(&response(m::ASSIGNMENT, assignment), name)
}

/// A zone of a mebibyte, and one with lines of its own, were taken over as they were, and so was a path.
#[test]
fn what_is_shown_of_a_control_plane_is_short_and_on_one_line() {
    let long = "z".repeat(65);
    for zone in ["a\nunladen: all is well", long.as_str()] {
        let error = assigned(vec![group(0, zone, vec![tcp("10.0.0.1", 80)])]).unwrap_err();
        assert!(error.contains("the zone") && !error.contains('\n'), "{error}");
    }
    let pipe = of(Place::Pipe(Pipe { path: "/run/a\nb".to_owned() }));
    assert!(assigned(vec![group(0, "", vec![pipe])]).is_err());
    let load_assignment = Assignment {
        cluster_name: "app\nunladen: all is well".to_owned(),
        endpoints: vec![group(0, "", vec![tcp("10.0.0.1", 80), tcp("10.0.0.1", 80)])],
    };
    let cluster = Cluster { name: "app".to_owned(), load_assignment: Some(load_assignment), ..Cluster::default() };
    let error = super::cluster(&response(m::CLUSTER, &cluster), "app").unwrap_err();
    assert!(error.contains("twice") && !error.contains('\n'), "{error}");
}

#[test]
fn an_assignment_becomes_endpoints() {
    let heavy = LbEndpoint { weight: Some(UInt32Value { value: 7 }), ..tcp("10.0.0.2", 81) };
    let drained = |health| LbEndpoint { health, ..tcp("10.0.0.3", 80 + u32::try_from(health).unwrap()) };
    let pipe = of(Place::Pipe(Pipe { path: "/run/app.sock".to_owned() }));
    let found = assigned(vec![
        group(0, "a", vec![tcp("10.0.0.1", 80), heavy]),
        group(3, "", vec![tcp("fd00::1", 80), pipe]),
        group(1, "b", (1..=6).map(drained).collect()),
    ]);
    let shown: Vec<_> = found
        .unwrap()
        .unwrap()
        .into_iter()
        .map(|one| {
            let Found { address, weight, priority, zone, draining } = one;
            format!("{address} {weight} {priority} {} {draining}", zone.unwrap_or_default())
        })
        .collect();
    let expected = [
        "10.0.0.1:80 1 0 a false",
        "10.0.0.2:81 7 0 a false",
        "[fd00::1]:80 1 3  false",
        "unix:/run/app.sock 1 3  false",
        "10.0.0.3:81 1 1 b false",
        "10.0.0.3:82 1 1 b true",
        "10.0.0.3:83 1 1 b true",
        "10.0.0.3:84 1 1 b true",
        "10.0.0.3:85 1 1 b false",
        // A state that is not known here.
        "10.0.0.3:86 1 1 b false",
    ];
    assert_eq!(shown, expected);
    assert_eq!(assigned(Vec::new()), Ok(Some(Vec::new())));
    assert_eq!(assignment_of(&Assignment { cluster_name: "other".to_owned(), endpoints: Vec::new() }, "app"), Ok(None));
}

#[test]
fn what_cannot_be_used_is_refused_with_the_reason() {
    let zero = LbEndpoint { weight: Some(UInt32Value { value: 0 }), ..tcp("10.0.0.2", 81) };
    let udp = of(Place::Socket(SocketAddress { protocol: 1, address: "10.0.0.1".to_owned(), port: 80 }));
    let many = (0..=MOST).map(|n| tcp("10.0.0.1", 1 + u32::try_from(n).unwrap())).collect();
    for (endpoints, priority, words) in [
        (vec![tcp("app.example", 80)], 0, "an endpoint at `app.example`"),
        (vec![tcp("10.0.0.1", 0)], 0, "an endpoint at `10.0.0.1`"),
        (vec![tcp("10.0.0.1", 65_536)], 0, "an endpoint at `10.0.0.1`"),
        (vec![tcp("0.0.0.0", 80)], 0, "an endpoint at `0.0.0.0`"),
        (vec![tcp("10.0.0.1", 80), tcp("10.0.0.1", 80)], 0, "10.0.0.1:80 twice"),
        (vec![zero], 0, "the weight 0 of 10.0.0.2:81"),
        (vec![udp], 0, "without an address of TCP"),
        (vec![of(Place::Pipe(Pipe { path: "@app".to_owned() }))], 0, "without an address of TCP"),
        (vec![LbEndpoint::default()], 0, "without an address of TCP"),
        (vec![tcp("10.0.0.1", 80)], 128, "the priority 128"),
        (many, 0, "more than 1000 endpoints"),
    ] {
        let said = assigned(vec![group(priority, "a", endpoints)]).unwrap_err();
        assert!(said.contains(words), "{words}: {said}");
    }
    let long = Assignment { cluster_name: "x".repeat(LARGEST), endpoints: Vec::new() };
    let said = assignment_of(&long, "app").unwrap_err();
    assert!(said.contains("at most 1048576 are read"), "{said}");
    let said = super::assignment(&response("other", &Assignment::default()), "app").unwrap_err();
    assert!(said.contains("a resource of the type `other`"), "{said}");
}

#[test]
fn a_cluster_says_where_its_endpoints_are() {
    let of = |cluster: Cluster| super::cluster(&response(m::CLUSTER, &cluster), "app");
    let app = || Cluster { name: "app".to_owned(), ..Cluster::default() };
    let eds =
        |name: &str| Cluster { kind: Some(3), eds: Some(EdsClusterConfig { service_name: name.to_owned() }), ..app() };
    assert_eq!(of(eds("")), Ok(Some(Members::Named("app".to_owned()))));
    assert_eq!(of(eds("app-v2")), Ok(Some(Members::Named("app-v2".to_owned()))));
    let load_assignment =
        Some(Assignment { cluster_name: "app".to_owned(), endpoints: vec![group(0, "", vec![tcp("10.0.0.1", 80)])] });
    let Ok(Some(Members::Listed(found))) = of(Cluster { load_assignment, ..app() }) else { panic!() };
    assert_eq!(found.len(), 1);
    assert_eq!(of(app()), Ok(Some(Members::Listed(Vec::new()))));
    assert_eq!(super::cluster(&response(m::CLUSTER, &eds("")), "other"), Ok(None));
    let said = of(Cluster { kind: Some(1), ..app() }).unwrap_err();
    assert!(said.contains("the discovery type 1, expected EDS or STATIC"), "{said}");
}

proptest! {
    #[test]
    fn whatever_a_resource_holds_is_read_or_refused(value in prop::collection::vec(any::<u8>(), 0..200)) {
        for type_url in [m::CLUSTER, m::ASSIGNMENT] {
            let resource = Any { type_url: type_url.to_owned(), value: value.clone() };
            let response = DiscoveryResponse { resources: vec![resource], ..DiscoveryResponse::default() };
            let _ = (super::cluster(&response, "app"), super::assignment(&response, "app"));
        }
    }

    #[test]
    fn fields_that_are_not_known_are_passed_over(tag in 100..1_000_u32, more in prop::collection::vec(any::<u8>(), 0..50)) {
        let assignment = Assignment {
            cluster_name: "app".to_owned(),
            endpoints: vec![group(0, "a", vec![tcp("10.0.0.1", 80)])],
        };
        let mut value = assignment.encode_to_vec();
        prost::encoding::bytes::encode(tag, &more, &mut value);
        let resource = Any { type_url: m::ASSIGNMENT.to_owned(), value };
        let response = DiscoveryResponse { resources: vec![resource], ..DiscoveryResponse::default() };
        prop_assert_eq!(super::assignment(&response, "app").unwrap().unwrap().len(), 1);
    }
}
