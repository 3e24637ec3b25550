use std::cell::RefCell;
use std::fs;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::*;
use crate::settings::{EndpointAddress, Origin, UpstreamSettings};
use crate::tests::testing::Authority;
use crate::upstream::Upstream;

const LONG: Duration = Duration::from_secs(20);

fn shown(placed: &[Placed]) -> Vec<String> {
    let one = |one: &Placed| {
        let weight = one.endpoint.weight.load(Ordering::Relaxed);
        format!("{} {weight} {}{}", one.endpoint.address, one.priority, if one.draining { " draining" } else { "" })
    };
    placed.iter().map(one).collect()
}

fn put(path: &std::path::Path, text: &str) {
    let new = path.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::rename(new, path).unwrap();
}

#[tokio::test]
async fn endpoints_that_stay_are_the_same_and_the_last_good_answer_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.json");
    let discovery = Discovery { from: EndpointSource::File(path.clone()), zone: None };
    let resolver = Arc::new(Resolver::of_files("/nonexistent", "/nonexistent"));
    let mut discoverer = Discoverer::new(&discovery, resolver, ResolveSettings::default(), &[]);
    let status = discoverer.status();
    let said = RefCell::new(Vec::new());
    let told = |text: &str| said.borrow_mut().push(text.to_owned());

    put(&path, r#"{"endpoints": [{"address": "10.0.0.1:80"}, {"address": "10.0.0.2:80", "priority": 1}]}"#);
    let first = discoverer.changed(&told).await;
    assert_eq!(shown(&first), ["10.0.0.1:80 1 0", "10.0.0.2:80 1 1"]);

    put(
        &path,
        r#"{"endpoints": [{"address": "10.0.0.2:80", "weight": 7}, {"address": "10.0.0.1:80", "draining": true}]}"#,
    );
    let second = tokio::time::timeout(LONG, discoverer.changed(&told)).await.unwrap();
    assert_eq!(shown(&second), ["10.0.0.2:80 7 0", "10.0.0.1:80 1 0 draining"]);
    assert!(
        Arc::ptr_eq(&first[0].endpoint, &second[1].endpoint) && Arc::ptr_eq(&first[1].endpoint, &second[0].endpoint)
    );
    assert_eq!((said.borrow().len(), status.stale()), (0, None));

    put(&path, "{\"endpoints\": [\n{\"address\": \"app\"}]}");
    let broken = async {
        while status.error().is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // The same mistake once more is told no second time.
        put(&path, "{\"endpoints\": [\n{\"address\": \"app\"}]}");
        tokio::time::sleep(Duration::from_millis(300)).await;
    };
    tokio::select! {
        changed = discoverer.changed(&told) => panic!("{:?}", shown(&changed)),
        () = broken => {}
    }
    assert!(status.error().unwrap().contains("app.json:2:"), "{:?}", status.error());
    assert!(status.stale().is_some());
    assert_eq!(said.borrow().len(), 1, "{said:?}");
    assert!(said.borrow()[0].contains("the previous endpoints stay in use"), "{said:?}");

    put(&path, r#"{"endpoints": []}"#);
    let none = tokio::time::timeout(LONG, discoverer.changed(&told)).await.unwrap();
    assert!(none.is_empty());
    assert_eq!((said.borrow().len(), status.error(), status.stale()), (2, None, None));
}

/// A service with TLS whose endpoints a file tells.
fn of_file(path: &std::path::Path, host: &str, authority: &Authority) -> Arc<Upstream> {
    let origin = Origin {
        at: EndpointAddress::Tcp(host.to_owned(), 443),
        tls: true,
        weight: 1,
        authority: host.to_owned(),
        discovery: Some(Discovery { from: EndpointSource::File(path.to_owned()), zone: None }),
    };
    let mut settings = UpstreamSettings::new("test", vec![origin]);
    settings.tls.ca = Some(authority.path().to_owned());
    Upstream::new(settings, 1).unwrap()
}

#[tokio::test]
async fn the_certificate_is_for_the_service_and_not_for_where_it_was_found() {
    let authority = Authority::new();
    let (address, _) = authority.site().serve().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.json");
    put(&path, &format!("{{\"endpoints\": [{{\"address\": \"{address}\"}}]}}"));
    let resolver = Arc::new(Resolver::of_files("/nonexistent", "/nonexistent"));
    let upstream = of_file(&path, "upstream.example", &authority);
    assert!(upstream.endpoints().endpoints().is_empty(), "its URL says not where it is");
    let endpoints = upstream.look_up(0, &resolver).await.unwrap();
    assert_eq!(endpoints.len(), 1);
    assert!(upstream.attempt(&endpoints[0].endpoint).await.unwrap().tls);
    let other = of_file(&path, "other.example", &authority);
    let said = other.attempt(&endpoints[0].endpoint).await.unwrap_err().to_string();
    assert!(said.contains("other.example"), "{said}");
}
