use std::sync::Arc;

use super::*;
use crate::observability::tests::observability;
use crate::sites::tests::Told as ToldSite;
use crate::sites::{CertificateState, OrderState, SiteState};
use crate::upstreams::tests::{Told, told};

/// Two threads, of which one has begun; a site of two endpoints, and one that waits for its certificate.
fn begun() -> (Arc<Observability>, Arc<Told>, crate::Pulse) {
    let shop = told("shop");
    let observability = observability(vec![shop.clone(), told("news")]);
    let site = |name, certificates| ToldSite {
        name,
        state: SiteState { certificates, ..SiteState::default() },
        forgets: None,
        told: std::sync::Mutex::default(),
    };
    let there = CertificateState { name: "shop.example".to_owned(), not_after: Some(1), orders: None };
    let lacking = CertificateState {
        name: "news.example".to_owned(),
        not_after: None,
        orders: Some(OrderState { error: Some("no answer at port 80".to_owned()), ..OrderState::default() }),
    };
    observability.set_sites(vec![Arc::new(site("shop", vec![there])), Arc::new(site("news", vec![lacking]))]);
    let pulse = observability.pulse(0, 2);
    (observability, shop, pulse)
}

fn required(observability: &Observability, checks: &[ReadyCheck]) {
    observability.ready.store(Arc::new(checks.to_vec()));
}

#[test]
fn each_check_tells_what_is_lacking() {
    let (observability, shop, _first) = begun();
    required(&observability, &ReadyCheck::WORDS.map(|(_, check)| check));
    for endpoint in &mut shop.state.lock().unwrap().endpoints {
        endpoint.healthy = false;
    }
    let expected = "not ready\n\
                    ok      stopping: no\n\
                    FAILED  threads: 1 of 2 serve requests\n\
                    FAILED  certificates: news.example has none: no answer at port 80\n\
                    FAILED  upstreams: shop: none of 2 endpoints can be used\n";
    assert_eq!(Readiness::of(&observability).text(), expected);
    // What is ejected for failures comes back by itself: one that is well is enough.
    shop.state.lock().unwrap().endpoints[1].healthy = true;
    assert!(shop.state.lock().unwrap().endpoints[1].ejected);
    let _second = observability.pulse(1, 2);
    required(&observability, &[ReadyCheck::Upstreams]);
    let expected = "ready\n\
                    ok      stopping: no\n\
                    ok      threads: 2 of 2 serve requests\n\
                    ignored certificates: news.example has none: no answer at port 80\n\
                    ok      upstreams: 2 of 2 have an endpoint\n";
    assert_eq!(Readiness::of(&observability).text(), expected);
    observability.drain();
    let document = Readiness::of(&observability).document();
    assert_eq!((&document["ready"], &document["checks"][0]["ok"]), (&false.into(), &false.into()));
}

/// Many sites must not make an answer that no supervisor keeps.
#[test]
fn of_many_that_are_lacking_a_number_tells() {
    let (is_ok, text) = told_of_many();
    assert!(!is_ok && text.starts_with("0; 1; 2;") && text.ends_with("7; and 42 more"), "{text}");
}

fn told_of_many() -> (bool, String) {
    super::told(50, "there", (0..50).map(|site| site.to_string()).collect())
}
