//! `unladen serve` and TLS upstreams: who cannot show that they are who they should be, are sent nothing.

use unladen_tests::{Authority, Certificate, Nginx, Outbound};

const ANSWER: &str = "location / { return 200 'well'; }";

/// Trusts the authority, and asks for the name.
fn outbound(nginx: &Nginx, authority: &Authority, settings: &str) -> Outbound {
    let ca = nginx.path("ca.pem");
    std::fs::write(&ca, authority.pem()).unwrap();
    Outbound::of(
        &format!("https://{}", nginx.address()),
        &format!("ca = \"{}\"\nretry = {{ attempts = 0 }}\nbreaker = false\n{settings}", ca.display()),
    )
}

fn nginx(certificate: &Certificate, listen: &str, more: &str) -> Nginx {
    Nginx::start(
        &format!("LISTEN {listen}; ssl_certificate chain.pem; ssl_certificate_key key.pem; {more}"),
        &[("chain.pem", &certificate.chain), ("key.pem", &certificate.key)],
    )
}

#[test]
fn an_upstream_that_is_not_who_it_should_be_is_sent_nothing() {
    let (ours, others) = (Authority::new(), Authority::new());
    for (what, certificate) in [
        ("expired", ours.expired("upstream.example")),
        ("of an authority that is not known", others.certificate("upstream.example")),
        ("for another name", ours.certificate("other.example")),
    ] {
        for listen in ["ssl", "ssl http2"] {
            let nginx = nginx(&certificate, listen, ANSWER);
            let outbound = outbound(&nginx, &ours, "server_name = \"upstream.example\"");
            let mut wire = outbound.wire();
            wire.get("/secret").refuses(502, "tls_failed");
            wire.post("/secret", "secret").refuses(502, "tls_failed");
            assert_eq!(nginx.file("requests.log"), "", "{what}, {listen}");
            assert!(
                outbound.metric("unladen_tls_handshakes_total{upstream=\"test\",result=\"failed\"}") >= Some(2.0),
                "{what}"
            );
            outbound.stop();
        }
    }
    let nginx = nginx(&ours.certificate("upstream.example"), "ssl", ANSWER);
    let outbound = outbound(&nginx, &ours, "server_name = \"upstream.example\"");
    assert_eq!(outbound.wire().get("/").is(200).text(), "well");
    assert_eq!(nginx.requests(1).lines().count(), 1);
    outbound.stop();
}

#[test]
fn what_does_not_speak_tls_is_sent_nothing() {
    let nginx = Nginx::plain(ANSWER);
    let outbound = outbound(&nginx, &Authority::new(), "");
    outbound.wire().get("/secret").refuses(502, "tls_failed");
    assert!(!nginx.file("requests.log").contains("secret"));
    outbound.stop();
}

#[test]
fn connections_with_tls_are_kept_and_sessions_resumed() {
    let authority = Authority::new();
    for (listen, version) in [("ssl", "1.1"), ("ssl http2", "2")] {
        let nginx = nginx(&authority.certificate("127.0.0.1"), listen, &format!("keepalive_requests 5; {ANSWER}"));
        let outbound = outbound(&nginx, &authority, "");
        let mut wire = outbound.wire();
        for number in 0..40 {
            // nginx closes its connections every five requests, or says that it will: none of these is lost by that.
            let answer = if number % 2 == 0 { wire.get("/") } else { wire.post("/", "x".repeat(1000)) }.is(200);
            assert_eq!(answer.text(), "well");
            // nginx may answer before it has taken the body: the rest of that ends the client's connection.
            if answer.field("connection") == Some("close") {
                wire = outbound.wire();
            }
        }
        assert_eq!(nginx.requests(40).lines().count(), 40, "HTTP/{version}");
        let handshakes = |result: &str| {
            outbound
                .metric(&format!("unladen_tls_handshakes_total{{upstream=\"test\",result=\"{result}\"}}"))
                .unwrap_or(0.0)
        };
        let (full, resumed) = (handshakes("full"), handshakes("resumed"));
        println!("HTTP/{version}: {full} full handshakes, {resumed} resumed ones");
        assert!(full >= 1.0 && full + resumed <= 20.0, "HTTP/{version}: {full} full, {resumed} resumed");
        assert!(resumed >= 5.0, "HTTP/{version}: {full} full, {resumed} resumed");
        outbound.stop();
    }
}
