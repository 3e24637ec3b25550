//! TLS: whom to trust, and what to do when that fails.

use std::sync::LazyLock;

use unladen_tests::{Call, Subject};

static FAULTS: LazyLock<Subject> = LazyLock::new(|| Subject::up("faults"));

fn trusting() -> [&'static str; 2] {
    ["--cacert", FAULTS.get("CA_FILE")]
}

#[test]
fn an_unknown_issuer() {
    let done = Call::weigh([FAULTS.at("UNTRUSTED_URL", "/ok")]).args(trusting()).run();
    done.ended_with(3).says(["no trusted authority signed its certificate", "--cacert", "--insecure"]).shows_nothing();
    // The system's authorities do not know ours either.
    let done = Call::weigh([FAULTS.at("HTTPS_URL", "/ok")]).run();
    done.ended_with(3).says(["no trusted authority signed its certificate"]).shows_nothing();
}

#[test]
fn another_name() {
    let done = Call::weigh([FAULTS.at("WRONG_NAME_URL", "/ok")]).args(trusting()).run();
    done.ended_with(3).says(["its certificate is for wrong.example, not for localhost", "--insecure"]).shows_nothing();
}

#[test]
fn an_expired_certificate() {
    let done = Call::weigh([FAULTS.at("EXPIRED_URL", "/ok")]).args(trusting()).run();
    done.ended_with(3).says(["its certificate expired", "renew it", "--insecure"]).shows_nothing();
}

#[test]
fn https_where_http_is_spoken_and_http_where_https_is() {
    let done = Call::weigh([FAULTS.at("HTTP_URL", "/ok").replace("http:", "https:")]).run();
    done.ended_with(3).says(["does not speak TLS", "begin with http"]).shows_nothing();
    let done = Call::weigh([FAULTS.at("HTTPS_URL", "/ok").replace("https:", "http:")]).run();
    done.ended_with(4).says(["400 Bad Request", "HTTPS port"]).shows_nothing();
}

#[test]
fn a_trusted_server_is_weighed_with_the_version_it_prefers() {
    let document = Call::quick([FAULTS.at("HTTPS_URL", "/ok")]).args(trusting()).document();
    assert_eq!(document["urls"][0]["http"], "HTTP/2.0");
    let document = Call::quick(["--http", "1.1", &FAULTS.at("HTTPS_URL", "/ok")]).args(trusting()).document();
    assert_eq!(document["urls"][0]["http"], "HTTP/1.1");
}

#[test]
fn insecure_accepts_any_certificate() {
    for server in ["UNTRUSTED_URL", "WRONG_NAME_URL", "EXPIRED_URL"] {
        // Its first answer is enough: that it was reached is the point.
        let done = Call::weigh(["-k", "--requests", "1", &FAULTS.at(server, "/ok")]).run();
        done.ended_with(5).says(["1 requests are too few"]);
    }
    assert!(Call::quick(["-k", &FAULTS.at("EXPIRED_URL", "/ok")]).document().number("requests") > 0.0);
}
