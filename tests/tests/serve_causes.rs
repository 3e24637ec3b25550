//! `unladen serve` tells on standard error why an upstream was not asked, the first time at once: expired, another's
//! name, nobody's authority, no TLS, nobody there, no name.

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use unladen_tests::{Authority, Certificate, Nginx, Outbound, Wanting, Wire};

const ANSWER: &str = "location / { return 200 'well'; }";
const SETTINGS: &str = "retry = { attempts = 0 }\nbreaker = false\n";

fn nginx(certificate: &Certificate) -> Nginx {
    Nginx::start(
        &format!("LISTEN ssl; ssl_certificate chain.pem; ssl_certificate_key key.pem; {ANSWER}"),
        &[("chain.pem", &certificate.chain), ("key.pem", &certificate.key)],
    )
}

/// Trusting what this says, PEM.
fn outbound(nginx: &Nginx, ca: &str, settings: &str) -> Outbound {
    let file = nginx.path("ca.pem");
    std::fs::write(&file, ca).unwrap();
    Outbound::of(&format!("https://{}", nginx.address()), &format!("ca = \"{}\"\n{SETTINGS}{settings}", file.display()))
}

/// By itself, as `openssl req -x509` makes them.
fn signed_by_itself(is_ca: IsCa) -> Certificate {
    let mut params = CertificateParams::new(["elsewhere.example".to_owned()]).unwrap();
    params.is_ca = is_ca;
    let key = KeyPair::generate().unwrap();
    Certificate { chain: params.self_signed(&key).unwrap().pem(), key: key.serialize_pem() }
}

/// Asks three times, and gives what is said on standard error: each cause is there once.
fn said(outbound: Outbound, reason: &str) -> String {
    let mut wire = outbound.wire();
    for _ in 0..3 {
        let answer = wire.get("/secret");
        assert_eq!(answer.field("x-unladen-reason"), Some(reason), "{answer:?}");
    }
    let stats = Wire::unix(&outbound.path("admin.sock")).get("/stats").is(200).text();
    assert!(
        stats.contains(&format!("\"reason\":\"{reason}\"")) || stats.contains(&format!("\"reason\": \"{reason}\"")),
        "{stats}"
    );
    let done = outbound.stop();
    let told: Vec<&str> = done.stderr.lines().filter(|line| line.contains(&format!("[{reason}]"))).collect();
    // The first at once, and the others together at the end.
    assert!(matches!(told.len(), 1 | 2), "{done}");
    told.first().copied().unwrap_or_default().to_owned()
}

#[test]
fn the_cause_of_tls_that_fails_is_told() {
    let (ours, others) = (Authority::new(), Authority::new());
    let name = "server_name = \"upstream.example\"";
    for (certificate, words) in [
        (ours.expired("upstream.example"), ["its certificate expired", "renew it"]),
        (others.certificate("upstream.example"), ["no trusted authority signed its certificate", "`ca`"]),
        (
            ours.certificate("other.example"),
            ["its certificate is for other.example, not for upstream.example", "`server_name`"],
        ),
        (signed_by_itself(IsCa::Ca(BasicConstraints::Unconstrained)), ["its certificate is", "authority"]),
    ] {
        let nginx = nginx(&certificate);
        let told = said(outbound(&nginx, &ours.pem(), name), "tls_failed");
        assert!(words.iter().all(|word| told.contains(word)), "{words:?}: {told}");
        assert!(told.starts_with(&format!("unladen: `test` ({})", nginx.address())), "{told}");
    }
    let plain = Nginx::plain(ANSWER);
    let told = said(outbound(&plain, &ours.pem(), ""), "tls_failed");
    assert!(told.contains("it does not speak TLS there"), "{told}");
}

#[test]
fn a_certificate_that_ca_names_itself_is_trusted_and_no_other() {
    for is_ca in [IsCa::NoCa, IsCa::ExplicitNoCa, IsCa::Ca(BasicConstraints::Unconstrained)] {
        let certificate = signed_by_itself(is_ca);
        let nginx = nginx(&certificate);
        let outbound = outbound(&nginx, &certificate.chain, "");
        assert_eq!(outbound.wire().get("/").is(200).text(), "well", "{is_ca:?}");
        outbound.stop();
        let other = said(self::outbound(&nginx, &signed_by_itself(is_ca).chain, ""), "tls_failed");
        assert!(other.contains("certificate"), "{other}");
    }
}

#[test]
fn the_cause_of_a_connection_that_fails_is_told() {
    let nobody = unladen_tests::site::free();
    let told = said(Outbound::of(&format!("http://{nobody}"), SETTINGS), "connect_failed");
    assert!(told.contains(&nobody.to_string()) && told.contains("is it running"), "{told}");
    let told = said(Outbound::of("unix:/nowhere/app.sock", SETTINGS), "connect_failed");
    assert!(told.contains("/nowhere/app.sock") && told.contains("there is no such socket"), "{told}");
    let settings = format!("{SETTINGS}timeouts.connect = \"200ms\"\nresolve.timeout = \"2s\"");
    let told = said(Outbound::of("http://name.invalid", &settings), "no_endpoint");
    assert!(told.contains("its name has no address"), "{told}");
}

#[test]
fn a_cause_is_in_the_access_log() {
    let nobody = unladen_tests::site::free();
    let outbound = Outbound::of(&format!("http://{nobody}"), &format!("{SETTINGS}[log]\nfile = \"DIR/access.json\""));
    outbound.wire().get("/").refuses(502, "connect_failed");
    let file = outbound.path("access.json");
    let folder = file.parent().unwrap().to_owned();
    let kept = tempfile::tempdir().unwrap();
    let copy = kept.path().join("access.json");
    let begun = std::time::Instant::now();
    loop {
        let log = std::fs::read_to_string(&file).unwrap_or_default();
        if log.ends_with('\n') && !log.is_empty() {
            std::fs::write(&copy, &log).unwrap();
            break;
        }
        assert!(begun.elapsed().as_secs() < 40, "nothing is logged in {}", folder.display());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let log = std::fs::read_to_string(&copy).unwrap();
    let line: serde_json::Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert!(line["cause"].as_str().is_some_and(|cause| cause.contains(&nobody.to_string())), "{line}");
    outbound.stop();
}

#[test]
fn the_cause_of_a_certificate_of_ours_that_is_refused_after_the_handshake_is_told() {
    let (ours, others) = (Authority::new(), Authority::new());
    let (server, stranger) = (ours.certificate("127.0.0.1"), others.certificate("client"));
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    for (name, text) in [
        ("ca.pem", &ours.pem()),
        ("chain.pem", &server.chain),
        ("key.pem", &server.key),
        ("stranger.pem", &stranger.chain),
        ("stranger.key", &stranger.key),
    ] {
        std::fs::write(file(name), text).unwrap();
    }
    let known = format!("ca = \"{}\"\n", file("ca.pem"));
    let strange = format!("certificate = \"{}\"\nkey = \"{}\"\n", file("stranger.pem"), file("stranger.key"));
    // That it speaks HTTP/2 is agreed on before the certificate is looked at.
    for alpn in ["http/1.1", "h2"] {
        let wanting = Wanting::start(folder.path(), &["-tls1_3", "-alpn", alpn]);
        for (more, words) in
            [("", "it requires a client certificate; name yours"), (&*strange, "it refuses the client's certificate")]
        {
            let upstream = format!("https://{}", wanting.address());
            let told = said(Outbound::of(&upstream, &format!("{known}{more}{SETTINGS}")), "tls_failed");
            assert!(told.contains(words), "{alpn}: {told}");
        }
    }
}

#[test]
fn the_cause_of_a_health_check_that_fails_is_told_and_shown() {
    let nobody = unladen_tests::site::free();
    let nginx = Nginx::plain("location / { return 200 'well'; } location /health { return 500 'ill'; }");
    let health = "[outbound.health]\npath = \"/health\"\nevery = \"100ms\"\nunhealthy = 1000\n";
    for (upstream, words) in
        [(nobody, "its health check cannot connect to"), (nginx.address(), "its health check failed: it answered 500")]
    {
        let outbound = Outbound::of(&format!("http://{upstream}"), &format!("{SETTINGS}{health}"));
        let begun = std::time::Instant::now();
        loop {
            let stats = Wire::unix(&outbound.path("admin.sock")).get("/stats").is(200).text();
            if stats.contains(words) && stats.contains("health_check_failed") {
                break;
            }
            assert!(begun.elapsed().as_secs() < 40, "{words}: {stats}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let done = outbound.stop();
        let told: Vec<_> = done.stderr.lines().filter(|line| line.ends_with("[health_check_failed]")).collect();
        assert!(told.len() == 1 && told[0].contains(words) && told[0].contains(&upstream.to_string()), "{done}");
    }
}
