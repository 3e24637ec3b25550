//! Agents that say otherwise than they did: what is told of them is true.

use unladen_tests::{Document, Done, Server};

use crate::way::{agent, from, mark, relay, way};

/// A load of 200 requests, half of them from an agent whose third frame of records is tampered with.
fn tampered(how: &str) -> Done {
    let (server, relay) = (Server::good(), relay());
    let hostile = way(&format!("python3 {} {how} 2", relay.path().display()), &mark(how));
    let call = from(&way("", &mark(&format!("beside-{how}"))), &hostile);
    call.args(["--rate", "200", "-t", "1s", "--json", &server.url("/")]).run()
}

fn assert_lost(document: &Document, why: &str) {
    let (a, b) = (agent(document, "a"), agent(document, "b"));
    assert_eq!((&a["requests"], a["lost"].is_null()), (&100.into(), true), "{document}");
    assert!(b["lost"]["why"].as_str().unwrap().contains(why), "{document}");
    assert_eq!((&document["fit"], &b["fit"]), (&false.into(), &false.into()));
    let unfit = document["unfit"].to_string();
    assert!(unfit.contains("agent b was lost") && unfit.contains(why), "{unfit}");
}

#[test]
fn an_agent_that_tells_of_requests_twice_is_lost() {
    // More are told of than were planned: none is missing.
    assert_lost(&tampered("double").succeeded().document(), "its account does not add up: it reported 1");
}

#[test]
fn an_agent_that_hides_requests_is_lost_with_what_is_missing() {
    let document = tampered("hide").ended_with(4).document();
    assert_lost(&document, "but says that 100 ended");
    let b = agent(&document, "b");
    assert_eq!(b["requests"].as_u64().unwrap() + b["missing"].as_u64().unwrap(), 100, "{document}");
    assert_eq!(document.number("planned"), 200.0, "{document}");
}

#[test]
fn an_agent_that_talks_nonsense_is_lost() {
    let document = tampered("garbage").ended_with(4).document();
    assert_lost(&document, "no message of this protocol");
    let b = agent(&document, "b");
    assert_eq!(b["requests"].as_u64().unwrap() + b["missing"].as_u64().unwrap(), 100, "{document}");
}

#[test]
fn in_which_order_records_come_does_not_matter() {
    let document = tampered("swap").succeeded().document();
    assert_eq!((document.number("planned"), document.number("requests")), (200.0, 200.0), "{document}");
    assert_eq!(agent(&document, "b")["requests"], 100);
}
