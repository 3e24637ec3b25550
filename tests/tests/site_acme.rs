//! Certificates by ACME: ordered of Pebble (Let's Encrypt's authority for tests), shown to clients, renewed while they
//! come, and what happens where the authority cannot be reached or cannot reach this machine.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use nix::sys::signal::Signal;
use rustls::client::Resumption;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use unladen_tests::pebble::Settings;
use unladen_tests::site::app;
use unladen_tests::{Call, Pebble, Serve, Upstream, Wire, free_port, wait};

/// Far above what any wait of the tests takes.
const LIMIT: Duration = Duration::from_secs(40);
const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage";

/// A site whose certificate comes from an authority.
struct Trial {
    pebble: Pebble,
    serve: Serve,
    _app: Upstream,
    https: u16,
    http: u16,
}

/// What differs between trials.
struct With<'a> {
    hosts: &'a str,
    /// Of another site at the same addresses.
    other: Option<&'a str>,
    challenge: &'a str,
    eab: Option<(&'a str, &'a str)>,
    pebble: fn(&mut Settings),
}

impl Default for With<'_> {
    fn default() -> Self {
        Self { hosts: "\"a.example\"", other: None, challenge: "auto", eab: None, pebble: |_| {} }
    }
}

fn config(with: &With<'_>, pebble: &Pebble, app: &Upstream, (http, https): (u16, u16)) -> String {
    let With { hosts, other, challenge, eab, .. } = with;
    let (directory, ca) = (pebble.directory(), pebble.ca());
    let eab = eab.map_or(String::new(), |(kid, key)| format!(", eab = {{ kid = \"{kid}\", key = \"{key}\" }}"));
    let redirect = if *challenge == "tls-alpn-01" { String::new() } else { format!("redirect = \"127.0.0.1:{http}\"") };
    let site = |name: &str, hosts: &str| {
        format!(
            "[[site]]
             name = \"{name}\"
             hosts = [{hosts}]
             listen = \"127.0.0.1:{https}\"
             {redirect}
             upstream = \"{}\"
             acme = {{ directory = \"{directory}\", ca = \"{}\", state = \"DIR/acme\", challenge = \"{challenge}\", email = \"a@b.example\"{eab} }}
             ",
            app.url(),
            ca.display()
        )
    };
    let other = other.map_or(String::new(), |hosts| site("other", hosts));
    format!("threads = 2\n[admin]\nlisten = \"unix:DIR/admin.sock\"\n{}{other}", site("test", hosts))
}

impl Trial {
    fn start(with: &With<'_>) -> Self {
        let (http, https) = (free_port(), free_port());
        let mut settings = Settings::new(http, https);
        (with.pebble)(&mut settings);
        let pebble = Pebble::start(settings);
        let app = app(|_| PAGE.to_owned());
        let config = config(with, &pebble, &app, (http, https));
        let serve = Serve::start_through("exec \"$@\" 2>>DIR/said", &config);
        Self { pebble, serve, _app: app, https, http }
    }

    fn said(&self) -> String {
        std::fs::read_to_string(self.serve.path("said")).unwrap_or_default()
    }

    /// A file of the state.
    fn state(&self, name: &str) -> PathBuf {
        let mut folders = std::fs::read_dir(self.serve.path("acme")).expect("there is a state");
        folders.next().expect("of one authority").expect("a folder").path().join(name)
    }

    /// A handshake that looks at all; a request; and the certificate that was shown. The error: why there is none.
    fn get(&self, name: &str) -> Result<CertificateDer<'static>, String> {
        get(&self.client(), self.https, name)
    }

    fn client(&self) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.pebble.root().as_bytes()).expect("PEM")).expect("an authority");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let mut config = builder.expect("versions").with_root_certificates(roots).with_no_client_auth();
        // A session that goes on shows what it began with.
        config.resumption = Resumption::disabled();
        Arc::new(config)
    }

    #[track_caller]
    fn comes(&self, name: &str) -> CertificateDer<'static> {
        wait::until_ok("the certificate comes", || {
            self.get(name).map_err(|error| format!("{error}\n{}\n{}", self.said(), self.pebble.log()))
        })
    }

    #[track_caller]
    fn says(&self, words: &str) {
        wait::until_ok(&format!("it says {words}"), || match self.said() {
            said if said.contains(words) => Ok(()),
            said => Err(said),
        });
    }

    fn metric(&self, begin: &str) -> Option<String> {
        let text = Wire::unix(&self.serve.path("admin.sock")).get("/metrics").is(200).text();
        text.lines().find(|line| line.starts_with(begin)).map(str::to_owned)
    }
}

fn get(client: &Arc<ClientConfig>, port: u16, name: &str) -> Result<CertificateDer<'static>, String> {
    let (answer, certificate) = ask(client, port, name, name)?;
    if answer.ends_with("page") { Ok(certificate) } else { Err(answer) }
}

/// A handshake for this name, and a request for this host: the answer, and the certificate that was shown.
fn ask(
    client: &Arc<ClientConfig>,
    port: u16,
    name: &str,
    for_host: &str,
) -> Result<(String, CertificateDer<'static>), String> {
    let host = ServerName::try_from(name.to_owned()).expect("a name");
    let connection = ClientConnection::new(client.clone(), host).expect("a client");
    let socket = TcpStream::connect(("127.0.0.1", port)).map_err(|error| error.to_string())?;
    socket.set_read_timeout(Some(LIMIT)).expect("a time");
    let mut stream = StreamOwned::new(connection, socket);
    let asked = format!("GET / HTTP/1.1\r\nHost: {for_host}\r\nConnection: close\r\n\r\n");
    stream.write_all(asked.as_bytes()).map_err(|error| error.to_string())?;
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        // It is known by its length that it is whole.
        Err(error) if answer.is_empty() => return Err(error.to_string()),
        _ => {}
    }
    let certificate = stream.conn.peer_certificates().expect("a certificate")[0].clone().into_owned();
    Ok((String::from_utf8_lossy(&answer).into_owned(), certificate))
}

#[test]
fn a_certificate_comes_by_http_and_is_kept() {
    if !Pebble::is_here("a_certificate_comes_by_http_and_is_kept") {
        return;
    }
    let with = With { hosts: "\"a.example\", \"www.a.example\"", challenge: "http-01", ..With::default() };
    let mut trial = Trial::start(&with);
    // Until there is one, no handshake is finished with anything else.
    if let Err(error) = trial.get("a.example") {
        assert!(error.contains("AccessDenied"), "{error}");
    }
    let first = trial.comes("a.example");
    assert_eq!(trial.comes("www.a.example"), first);
    trial.says("ordering a certificate for a.example, www.a.example from https://localhost:");
    trial.says("the certificate for a.example, www.a.example is in force; it expires 20");
    // A token that nobody expects goes the way of all requests.
    let asked = "GET /.well-known/acme-challenge/unknown HTTP/1.1\r\nHost: a.example\r\n\r\n";
    let answer = Wire::tcp(([127, 0, 0, 1], trial.http).into()).ask(asked);
    assert_eq!(answer.status, 301);
    let mode = |name: &str| std::fs::metadata(trial.state(name)).unwrap().permissions().mode() & 0o777;
    for file in ["account.json", "a.example.pem"] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
    assert_eq!(mode("."), 0o700);
    assert_eq!(mode("challenges"), 0o700);
    assert_eq!(std::fs::read_dir(trial.state("challenges")).unwrap().count(), 0, "no answer is left");
    assert!(trial.metric("unladen_certificate_not_after_seconds{").is_some_and(|line| line.contains("a.example")));
    // It is there at once after a handover, also without the authority, and none is ordered.
    trial.pebble.end();
    let client = {
        let mut roots = RootCertStore::empty();
        let chain = std::fs::read(trial.state("a.example.pem")).unwrap();
        let issuer = CertificateDer::pem_slice_iter(&chain).nth(1).unwrap().unwrap();
        roots.add(issuer).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        Arc::new(builder.with_root_certificates(roots).with_no_client_auth())
    };
    trial.serve.running().signal(Signal::SIGUSR2);
    trial.says("has taken over");
    assert_eq!(get(&client, trial.https, "a.example").unwrap(), first);
    assert_eq!(trial.said().matches("ordering a certificate").count(), 1, "{}", trial.said());
    // The new process is nobody's child: it is told by its address.
    let told = Wire::unix(&trial.serve.path("admin.sock")).get("/metrics").is(200).text();
    assert!(told.contains("unladen_certificate_not_after_seconds"), "{told}");
    end_others(&trial);
}

/// Ends the process that has taken over.
fn end_others(trial: &Trial) {
    let said = trial.said();
    let process =
        said.split("unladen: process ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).expect("its id");
    let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(process), Signal::SIGTERM);
}

#[test]
fn a_certificate_comes_by_tls_alone() {
    if !Pebble::is_here("a_certificate_comes_by_tls_alone") {
        return;
    }
    // Nonces are lost now and then: that is nobody's failure.
    let with = With { challenge: "tls-alpn-01", pebble: |settings| settings.bad_nonces = 5, ..With::default() };
    let trial = Trial::start(&with);
    wait::until_ok("the certificate comes", || {
        trial.get("a.example").inspect_err(|_| {
            // One request in hundreds loses three nonces in a row.
            if trial.said().contains("no new certificate") {
                let _ = std::fs::remove_file(trial.state("a.example.json"));
            }
        })
    });
    // Nobody is expected to ask by the authority's protocol now.
    let mut config = ClientConfig::clone(&trial.client());
    config.alpn_protocols = vec![b"acme-tls/1".to_vec()];
    assert!(get(&Arc::new(config), trial.https, "a.example").is_err());
    trial.serve.stop();
}

#[test]
fn sites_at_one_address_have_a_certificate_each() {
    if !Pebble::is_here("sites_at_one_address_have_a_certificate_each") {
        return;
    }
    for challenge in ["http-01", "tls-alpn-01"] {
        let trial = Trial::start(&With { other: Some("\"b.example\""), challenge, ..With::default() });
        let (a, b) = (trial.comes("a.example"), trial.comes("b.example"));
        assert_ne!(a, b);
        // Each is for its own site alone: the handshake looks at the name, and so does each request.
        for (name, other, shown) in [("a.example", "b.example", &a), ("b.example", "a.example", &b)] {
            let (answer, certificate) = ask(&trial.client(), trial.https, name, other).expect("an answer");
            assert!(answer.starts_with("HTTP/1.1 421 "), "{name} asked for {other}: {answer}");
            assert!(answer.contains("x-unladen-reason: misdirected\r\n"), "{answer}");
            assert_eq!(certificate, *shown);
        }
        let (answer, _) = ask(&trial.client(), trial.https, "a.example", "c.example").expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 421 "), "a name that nobody has: {answer}");
        assert_eq!(trial.said().matches("ordering a certificate").count(), 2, "{}", trial.said());
        trial.serve.stop();
    }
}

#[test]
fn sites_with_one_certificate_share_a_connection() {
    if !Pebble::is_here("sites_with_one_certificate_share_a_connection") {
        return;
    }
    let trial = Trial::start(&With { hosts: "\"a.example\", \"b.example\"", ..With::default() });
    let first = trial.comes("a.example");
    let (answer, certificate) = ask(&trial.client(), trial.https, "a.example", "b.example").expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert_eq!(certificate, first);
    trial.serve.stop();
}

#[test]
fn options_alone_bring_a_certificate() {
    if !Pebble::is_here("options_alone_bring_a_certificate") {
        return;
    }
    let https = free_port();
    // There is no address of plain HTTP, so that it takes a handshake to be seen.
    let pebble = Pebble::start(Settings::new(free_port(), https));
    let app = app(|_| PAGE.to_owned());
    let folder = tempfile::tempdir().unwrap();
    let (address, directory, url) = (format!("127.0.0.1:{https}"), pebble.directory(), app.url());
    let options =
        ["serve", "--acme", "a@b.example", "--acme-directory", &directory, "--hosts", "a.example,www.a.example"];
    let call = Call::new(options).args(["--listen", &address, "--to", &url]);
    // What a service of systemd has, and whom this machine trusts.
    let call = call.env("STATE_DIRECTORY", folder.path()).env("SSL_CERT_FILE", pebble.ca());
    let running = call.start();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(pebble.root().as_bytes()).expect("PEM")).expect("an authority");
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let client = Arc::new(builder.with_root_certificates(roots).with_no_client_auth());
    let of = |name: &'static str| {
        let (client, pebble) = (client.clone(), &pebble);
        wait::until_ok("the certificate comes", move || {
            get(&client, https, name).map_err(|error| format!("{error}\n{}", pebble.log()))
        })
    };
    assert_eq!(of("a.example"), of("www.a.example"));
    assert!(folder.path().join("acme").is_dir(), "its state is where systemd keeps it");
    running.signal(Signal::SIGTERM);
    let said = running.wait().succeeded().stderr;
    assert!(said.contains("the certificate for a.example, www.a.example is in force"), "{said}");
}

#[test]
fn an_authority_that_wants_an_account_elsewhere_gets_it() {
    if !Pebble::is_here("an_authority_that_wants_an_account_elsewhere_gets_it") {
        return;
    }
    const KEY: &str = "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W";
    let with = With {
        eab: Some(("kid-1", KEY)),
        pebble: |settings| settings.eab = Some(("kid-1".into(), KEY.into())),
        ..With::default()
    };
    let trial = Trial::start(&with);
    trial.comes("a.example");
    trial.serve.stop();
}

/// Says so when it is dropped, also by a panic: the threads of a scope would go on for ever.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_certificate_is_renewed_when_the_authority_says_so_and_no_handshake_fails() {
    if !Pebble::suggests("a_certificate_is_renewed_when_the_authority_says_so_and_no_handshake_fails") {
        return;
    }
    let trial = Trial::start(&With::default());
    let first = trial.comes("a.example");
    let chain = std::fs::read_to_string(trial.state("a.example.pem")).unwrap();
    let certificate = &chain[chain.find("-----BEGIN CERT").unwrap()..];
    trial.pebble.suggest(certificate, "2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z");
    let (is_over, count) = (AtomicBool::new(false), AtomicU64::new(0));
    let client = trial.client();
    let failures: Vec<String> = std::thread::scope(|scope| {
        let load = || {
            let mut failures = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                failures.extend(get(&client, trial.https, "a.example").err());
                count.fetch_add(1, Ordering::Relaxed);
            }
            failures
        };
        let loads = [scope.spawn(load), scope.spawn(load)];
        let over = Over(&is_over);
        // It asks again in some hours, and orders no sooner than a day after it has; what was remembered is gone, so that
        // it does both now. Not while it asks: then it would remember it again.
        wait::until("it has asked", || {
            std::fs::read_to_string(trial.state("a.example.json")).is_ok_and(|text| text.contains("\"suggestion\": {"))
        });
        std::fs::remove_file(trial.state("a.example.json")).unwrap();
        wait::until("another certificate is shown", || {
            get(&client, trial.https, "a.example").is_ok_and(|now| now != first)
        });
        let before = count.load(Ordering::Relaxed);
        wait::until("some more come", || count.load(Ordering::Relaxed) > before + 20);
        drop(over);
        loads.into_iter().flat_map(|load| load.join().expect("a thread")).collect()
    });
    assert_eq!(failures, Vec::<String>::new());
    trial.says("it is time to renew it");
    trial.serve.stop();
}

#[test]
fn a_short_life_is_renewed_in_time() {
    if !Pebble::is_here("a_short_life_is_renewed_in_time") {
        return;
    }
    let trial = Trial::start(&With { pebble: |settings| settings.valid = 15, ..With::default() });
    let first = trial.comes("a.example");
    wait::until("another is shown", || {
        let now = trial.get("a.example");
        now.expect("there is always one that is valid") != first
    });
    trial.serve.stop();
}

#[test]
fn the_one_before_stays_while_no_new_one_can_be_had() {
    if !Pebble::is_here("the_one_before_stays_while_no_new_one_can_be_had") {
        return;
    }
    let mut trial = Trial::start(&With::default());
    let first = trial.comes("a.example");
    let client = trial.client();
    trial.pebble.end();
    // A name is added.
    let file = trial.serve.path("unladen.toml");
    let config = std::fs::read_to_string(&file).unwrap();
    let config = config.replace("hosts = [\"a.example\"]", "hosts = [\"a.example\", \"b.example\"]");
    std::fs::write(&file, config).unwrap();
    trial.says("no new certificate for a.example (next order: ");
    trial.says("stays in force): the authority cannot be reached");
    assert_eq!(get(&client, trial.https, "a.example").unwrap(), first);
    assert!(get(&client, trial.https, "b.example").is_err());
    assert!(trial.metric("unladen_certificate_failures{").is_some_and(|line| line.ends_with(" 1")));
    // The authority is back, but has forgotten the account.
    let Trial { pebble, serve, _app, https, http } = trial;
    let trial = Trial { pebble: pebble.again(|_| {}), serve, _app, https, http };
    std::fs::remove_file(trial.state("a.example.json")).unwrap();
    trial.says("(accountDoesNotExist)");
    std::fs::remove_file(trial.state("a.example.json")).unwrap();
    let both = trial.comes("b.example");
    assert_eq!(trial.comes("a.example"), both);
    assert_ne!(both, first);
    trial.serve.stop();
}

#[test]
fn an_authority_that_cannot_reach_this_machine_says_why() {
    if !Pebble::is_here("an_authority_that_cannot_reach_this_machine_says_why") {
        return;
    }
    let with = With { challenge: "http-01", pebble: |settings| settings.http = free_port(), ..With::default() };
    let trial = Trial::start(&with);
    trial.says(
        "the authority could not verify that `a.example` is this machine (http-01; from outside, try `curl -v http:",
    );
    trial.says("refused (connection)");
    let page = Wire::unix(&trial.serve.path("admin.sock")).get("/stats").is(200).text();
    assert!(page.contains("challenge_failed"), "{page}");
    assert!(trial.get("a.example").is_err());
    trial.serve.stop();
}

#[test]
fn after_a_failure_it_is_the_other_challenges_turn() {
    if !Pebble::is_here("after_a_failure_it_is_the_other_challenges_turn") {
        return;
    }
    let trial = Trial::start(&With { pebble: |settings| settings.http = free_port(), ..With::default() });
    trial.says("is this machine (http-01;");
    // The time of the next order is remembered there; that it is the second is too.
    let file = trial.state("a.example.json");
    wait::until("it is remembered", || {
        std::fs::read_to_string(&file).is_ok_and(|text| text.contains("\"failures\": 1"))
    });
    // At once: read while it was empty, it had told of no failure.
    let whole = file.with_extension("whole");
    std::fs::write(&whole, "{\"failures\": 1}").unwrap();
    std::fs::rename(&whole, &file).unwrap();
    trial.comes("a.example");
    trial.serve.stop();
}

#[test]
fn a_handover_in_the_middle_of_an_order_loses_nothing() {
    if !Pebble::is_here("a_handover_in_the_middle_of_an_order_loses_nothing") {
        return;
    }
    let trial = Trial::start(&With::default());
    trial.says("ordering a certificate");
    trial.serve.running().signal(Signal::SIGUSR2);
    trial.says("has taken over");
    trial.comes("a.example");
    end_others(&trial);
}

#[test]
fn a_check_says_what_no_authority_issues_and_asks_the_directory_if_it_is_told_to() {
    if !Pebble::is_here("a_check_says_what_no_authority_issues_and_asks_the_directory_if_it_is_told_to") {
        return;
    }
    let (http, https) = (free_port(), free_port());
    let mut pebble = Pebble::start(Settings::new(http, https));
    let app = app(|_| PAGE.to_owned());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unladen.toml");
    let check = |hosts: &str, pebble: &Pebble, more: &[&str]| {
        let with = With { hosts, ..With::default() };
        let config = config(&with, pebble, &app, (http, https)).replace("DIR", folder.path().to_str().unwrap());
        std::fs::write(&file, config).unwrap();
        Call::new(["serve".as_ref(), "--config".as_ref(), file.as_os_str(), "--check".as_ref()]).args(more).run()
    };
    check("\"a.example\", \"*.a.example\"", &pebble, &[])
        .ended_with(2)
        .says(["`*.a.example`, with `acme`", "use `tls`"]);
    check("\"a.example\"", &pebble, &["--connect"]).succeeded().shows(["authority", &pebble.directory()]);
    pebble.end();
    check("\"a.example\"", &pebble, &[]).succeeded();
    check("\"a.example\"", &pebble, &["--connect"]).ended_with(3).shows(["authority", "refused"]);
    assert!(!folder.path().join("acme").exists(), "a check writes nothing");
}
