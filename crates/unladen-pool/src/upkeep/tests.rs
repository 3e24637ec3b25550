use std::fs;
use std::time::Duration;

use super::*;
use crate::resolve::Resolver;
use crate::settings::{Discovery, EndpointAddress, EndpointSource, Origin, UpstreamSettings};

fn upstream(discovery: Option<Discovery>, connections: usize) -> Arc<Upstream> {
    let origin = Origin {
        at: EndpointAddress::Tcp("app.example".to_owned(), 80),
        tls: false,
        weight: 1,
        authority: "app.example".to_owned(),
        discovery,
    };
    let mut settings = UpstreamSettings::new("test", vec![origin]);
    settings.limits.connections = connections;
    Upstream::new(settings, 1).unwrap()
}

fn shown(upstream: &Upstream) -> Vec<String> {
    upstream.endpoints().placed().iter().map(|one| one.endpoint.address.to_string()).collect()
}

#[tokio::test]
async fn other_settings_begin_with_the_endpoints_that_were_known_and_keep_them_while_nobody_tells_better_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.json");
    let of_zone = |zone: Option<&str>| {
        let from = EndpointSource::File(path.clone());
        Some(Discovery { from, zone: zone.map(str::to_owned) })
    };
    fs::write(&path, r#"{"endpoints": [{"address": "10.0.0.1:80"}, {"address": "10.0.0.2:80", "draining": true}]}"#)
        .unwrap();
    let resolver = Arc::new(Resolver::of_files("/nonexistent", "/nonexistent"));
    let follow = |upstream: Arc<Upstream>| {
        let resolver = resolver.clone();
        async move { upstream.follow(resolver, |_, _| (), |_| ()).await }
    };
    let first = upstream(of_zone(None), 1);
    tokio::select! {
        () = follow(first.clone()) => {}
        endpoint = first.endpoint(&[]) => assert_eq!(endpoint.unwrap().address.to_string(), "10.0.0.1:80"),
    }

    fs::write(&path, "{").unwrap();
    let second = upstream(of_zone(Some("a")), 2);
    second.take_over(&first);
    assert_eq!(shown(&second), ["10.0.0.1:80", "10.0.0.2:80"]);
    assert!(!Arc::ptr_eq(&first.endpoints().endpoints()[0], &second.endpoints().endpoints()[0]));
    let broken = async {
        while second.lookup_error().is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        () = follow(second.clone()) => {}
        () = broken => {}
    }
    assert_eq!(shown(&second), ["10.0.0.1:80", "10.0.0.2:80"]);
    assert_eq!(second.endpoints().endpoints().len(), 1);
    assert!(second.state().endpoints_stale.is_some());

    // Those of other places are not taken over.
    let other = upstream(None, 2);
    other.take_over(&second);
    assert!(other.endpoints().endpoints().is_empty());
}

#[test]
fn a_socket_that_is_not_there_and_an_endpoint_that_is_unwell_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["a.sock", "b.sock"].map(|name| folder.path().join(name));
    let origin = |path: &std::path::Path| Origin {
        at: EndpointAddress::Unix(path.to_owned()),
        tls: false,
        weight: 1,
        authority: "app".to_owned(),
        discovery: None,
    };
    let upstream = Upstream::new(UpstreamSettings::new("app", vec![origin(&first), origin(&second)]), 1).unwrap();
    assert_eq!(upstream.usable(), Usable { usable: 0, all: 2 });
    // A file that is no socket: nobody can listen at it.
    std::fs::write(&second, "").unwrap();
    let _listens = std::os::unix::net::UnixListener::bind(&first).unwrap();
    assert_eq!(upstream.usable(), Usable { usable: 1, all: 2 });
    upstream.endpoints().endpoints()[0].healthy.store(false, Ordering::Relaxed);
    assert_eq!(upstream.usable(), Usable { usable: 0, all: 2 });
}
