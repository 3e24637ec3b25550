//! `unladen serve --check --connect`: what a fleet rests on is tried as a node uses it, and what is wrong is told with
//! what to do about it. A node connects by authorities that have become others.

use std::fs;

use unladen_tests::site::free;
use unladen_tests::{
    Authority, Call, ControlPlane, Done, Names, Nats, Nginx, PgBouncer, Postgres, RateLimits, Serve, Valkey, Wire, wait,
};

/// What a machine may be too slow for, as a check gives an engine some seconds.
const ATTEMPTS: usize = 4;

/// Checks a configuration of one site, with this before it and this within it. Once more, if something took too long.
fn check(before: &str, within: &str) -> Done {
    let app = Nginx::plain("return 200 'well';");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unladen.toml");
    fs::write(folder.path().join("secret"), "correct-horse-battery-staple-0123456789").unwrap();
    let site = format!("[[site]]\nname = \"site\"\nlisten = \"{}\"\nupstream = \"http://{}\"\n", free(), app.address());
    fs::write(&file, format!("{before}\n{site}cache = {{}}\n{within}\n")).unwrap();
    let check = || Call::new(["serve", file.to_str().unwrap(), "--check", "--connect"]).run();
    let is_slow =
        |done: &Done| done.stdout.lines().any(|line| line.ends_with("[timeout]") || line.contains(" does not answer"));
    // What is expected of the last one, whatever it is, is asserted.
    let done = (1..ATTEMPTS).map(|_| check()).find(|done| !is_slow(done));
    done.unwrap_or_else(check)
}

fn fleet(url: &str) -> String {
    format!("[fleet]\npurges = \"{url}\"\n")
}

/// The line that begins so.
#[track_caller]
fn line<'d>(done: &'d Done, beginning: &str) -> &'d str {
    let found = done
        .stdout
        .lines()
        .find(|line| line.trim_start_matches(char::is_alphabetic).trim_start().starts_with(beginning));
    found.unwrap_or_else(|| panic!("{beginning} is not told of\n{done}"))
}

#[test]
fn each_engine_takes_a_purge_and_tells_of_it() {
    let (valkey, nats, postgres) = (Valkey::start(), Nats::start(), Postgres::start());
    postgres.sql("grant create on database postgres to asker");
    for url in [Valkey::url_at(valkey.address()), nats.url(), postgres.url("right")] {
        let done = check(&fleet(&url), "").succeeded();
        let told = line(&done, "[fleet] `unladen`");
        assert!(told.starts_with("ok ") && told.ends_with(": a purge was written, notified and read"), "{told}");
        assert!(!done.stdout.contains("open-sesame") && !done.stdout.contains("right@"), "{done}");
    }
    // Nobody waits for a node that only tried.
    let nodes = valkey.say("ZCARD unladen:{unladen}:nodes").unwrap();
    assert_eq!(nodes.trim(), ":1", "the list has its mark alone");
    postgres.sql("do $$ begin assert (select count(*) = 0 from unladen_fleet.member where node <> ''); end $$");
}

#[test]
fn an_engine_that_would_take_no_purge_fails_with_what_to_do() {
    let (valkey, postgres) = (Valkey::start(), Postgres::start());
    valkey.say("ACL SETUSER reader on >hush ~unladen:* +eval +info +xread +xrange +hget +hset +hdel +del +time +zadd +zscore +zrem +zrangebyscore +select");
    let at = valkey.address();
    for (url, words, reason) in [
        (format!("valkey://reader:hush@{at}/0"), "+xadd", "refused"),
        (format!("valkey://reader:wrong@{at}/0"), "WRONGPASS", "refused"),
        (format!("valkey://{}/0", free()), "cannot be reached", "unreachable"),
        // May not make the tables, which nobody has made.
        (postgres.url("right"), "permission denied", "refused"),
        (format!("nats://{}", free()), "cannot be reached", "unreachable"),
    ] {
        let done = check(&fleet(&url), "").ended_with(3);
        let told = line(&done, "[fleet] `unladen`");
        assert!(told.starts_with("FAILED ") && told.contains(words), "{url}: {told}");
        assert!(told.ends_with(&format!("[{reason}]")), "{url}: {told}");
        assert!(!done.stdout.contains("hush"), "{done}");
    }
}

/// What PgBouncer leaves out of a session's beginning: nothing but psql's, which it refuses otherwise, or all of it.
const REFUSES: &str = "";
const DROPS: &str = ",options";

/// LISTEN is taken there, and nothing ever comes; what was set there was everybody's.
#[test]
fn a_pooler_of_transactions_is_told_in_plain_words() {
    let postgres = Postgres::start();
    postgres.sql("grant create on database postgres to asker");
    // What a node would set otherwise.
    postgres.sql("alter role asker set synchronous_commit = off");
    postgres.sql("alter role asker set default_transaction_isolation = 'repeatable read'");
    let validator = |url: &str| {
        format!(
            "[[site.validator]]\npath = \"/{{ref}}\"\ndatabase = \"{url}\"\nquery = \"select id from page where ref = $1\"\n\
             parameters = [\"ref\"]\nlisten = \"changes\"\n"
        )
    };
    for ignored in [REFUSES, DROPS] {
        let bouncer = PgBouncer::start(&postgres, ignored);
        let done = check(&fleet(&bouncer.url()), &validator(&bouncer.url())).ended_with(3);
        let told = line(&done, "[fleet] `unladen`");
        assert!(told.starts_with("ok ") && told.contains("PgBouncer") && told.contains("LISTEN"), "{told}");
        let told = line(&done, "[[site]] `site`, the channel for");
        assert!(told.starts_with("FAILED ") && told.contains("PgBouncer"), "{told}");
        let told = line(&done, "[[site]] `site`, the validator for");
        assert!(told.starts_with("ok ") && told.contains("neither read-only nor limited in time: set both"), "{told}");
        // The application, which is lent the same sessions, could not write any more, nor ask for longer than a moment.
        let settings = "select concat_ws(' ', current_setting('default_transaction_read_only'), \
             current_setting('statement_timeout'), current_setting('lock_timeout'), \
             current_setting('synchronous_commit'), current_setting('default_transaction_isolation'))";
        for _ in 0..12 {
            assert_eq!(bouncer.ask(settings), "off 0 0 off repeatable read", "{ignored}");
        }
    }
    // Where the role has both, a pooler takes nothing away.
    postgres.sql("alter role asker set default_transaction_read_only = on");
    postgres.sql("alter role asker set statement_timeout = '800ms'");
    let bouncer = PgBouncer::start(&postgres, REFUSES);
    let done = check("", &validator(&bouncer.url()));
    let told = line(&done, "[[site]] `site`, the validator for");
    assert!(told.ends_with(": the query was prepared"), "{told}");
    postgres.sql("alter role asker reset all");
    // Without it, all is well.
    let direct = postgres.url("right");
    let done = check(&fleet(&direct), &validator(&direct)).succeeded();
    let told = line(&done, "[[site]] `site`, the channel for");
    assert!(told.ends_with(": notifications from another session arrive"), "{told}");
    let told = line(&done, "[[site]] `site`, the validator for");
    assert!(told.ends_with(": the query was prepared"), "{told}");
}

#[test]
fn a_standby_tells_of_no_changes() {
    let mut postgres = Postgres::start();
    postgres.become_standby();
    let validator = format!(
        "[[site.validator]]\npath = \"/{{ref}}\"\ndatabase = \"{}\"\nquery = \"select id from page where ref = $1\"\n\
         parameters = [\"ref\"]\nlisten = \"changes\"\n",
        postgres.url("right")
    );
    let done = check("", &validator).ended_with(3);
    let told = line(&done, "[[site]] `site`, the validator for");
    assert!(told.ends_with(": the query was prepared"), "{told}");
    let told = line(&done, "[[site]] `site`, the channel for");
    assert!(told.contains("a standby does not notify of changes") && told.ends_with("[refused]"), "{told}");
}

#[test]
fn who_shares_answers_finds_out_whether_the_engine_lets_it() {
    let (valkey, postgres) = (Valkey::start(), Postgres::start());
    valkey.say("ACL SETUSER purger on >hush ~unladen:* +@all -get");
    let at = valkey.address();
    let validator = format!(
        "[[site.validator]]\npath = \"/{{ref}}\"\ndatabase = \"{}\"\nquery = \"select id from page where ref = $1\"\n\
         parameters = [\"ref\"]\nshared = \"5ms\"\n",
        postgres.url("right")
    );
    let done = check(&fleet(&Valkey::url_at(at)), &validator).succeeded();
    let told = line(&done, "[[site]] `site`, the shared answers for");
    assert!(told.ends_with(": answers can be looked up and stored"), "{told}");
    let done = check(&fleet(&format!("valkey://purger:hush@{at}/0")), &validator).ended_with(3);
    let told = line(&done, "[[site]] `site`, the shared answers for");
    assert!(told.starts_with("FAILED ") && told.contains("+get +set"), "{told}");
}

#[test]
fn a_service_of_limits_is_asked_for_a_verdict() {
    let bound = |address: &str| {
        format!("[[site.rate]]\nrate = 1\nservice = \"grpc://{address}/shop\"\ndescriptor = [\"generic_key=login\"]\n")
    };
    let nobody = free().to_string();
    let done = check("", &bound(&nobody)).ended_with(3);
    let told = line(&done, "[[site]] `site`, the rate limit service");
    assert!(told.starts_with("FAILED ") && told.ends_with("[rate_limit_service]"), "{told}");
    let web = Nginx::plain("return 200 'well';");
    let done = check("", &bound(&web.address().to_string())).ended_with(3);
    assert!(line(&done, "[[site]] `site`, the rate limit service").starts_with("FAILED "), "{done}");
    if !RateLimits::is_here("a_service_of_limits_is_asked_for_a_verdict") {
        return;
    }
    let limits = RateLimits::start(
        "domain: shop\ndescriptors:\n  - key: generic_key\n    value: login\n    rate_limit: {unit: second, requests_per_unit: 5}\n",
    );
    let done = check("", &bound(&limits.address().to_string())).succeeded();
    assert!(line(&done, "[[site]] `site`, the rate limit service").ends_with(": it answers"), "{done}");
}

#[test]
fn nodes_of_a_tier_are_connected_to_and_weights_are_said_to_mean_nothing() {
    let (peer, gone, own) = (Nginx::plain("return 200 'well';"), free(), free());
    let tier = |peers: &str, node: &str| {
        let site = format!("[[site]]\nname = \"tier\"\nlisten = \"{own}\"\nupstream = \"http://{}\"\n", peer.address());
        (format!("[tier]\npeers = {peers}\nsecret_file = \"secret\"\n{node}"), site)
    };
    let (before, site) = tier(&format!("[\"http://{}\", \"http://{gone}\", \"http://{own}\"]", peer.address()), "");
    let done = check(&before, &site).ended_with(3);
    assert!(line(&done, &format!("[tier], http://{}", peer.address())).ends_with(": TCP"), "{done}");
    assert!(line(&done, &format!("[tier], http://{gone}")).ends_with("[connect_failed]"), "{done}");
    // It does not serve yet, and is not connected to.
    assert!(line(&done, "[tier], this node").ends_with(": one of the peers"), "{done}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("peers.json");
    let listed = format!(
        "{{\"endpoints\": [{{\"address\": \"{}\", \"weight\": 3}}, {{\"address\": \"{own}\"}}]}}",
        peer.address()
    );
    fs::write(&file, listed).unwrap();
    let (before, site) =
        tier(&format!("{{ url = \"http://tier.example\", endpoints = \"file:{}\" }}", file.display()), "");
    let done = check(&before, &site).succeeded();
    let told = line(&done, "[tier], this node");
    assert!(told.contains("weights, zones and priorities are ignored"), "{told}");
    // Nobody is there, and nobody was said to be.
    fs::write(&file, "{\"endpoints\": []}").unwrap();
    let done = check(&before, &site).ended_with(3);
    let told = line(&done, "[tier], http://tier.example");
    assert!(told.starts_with("FAILED ") && told.ends_with("[no_endpoint]"), "{told}");
    assert!(!done.stdout.contains("this node"), "{done}");
    // A node that is in no list owns nothing, and is told so.
    let (before, site) = tier(&format!("[\"http://{}\"]", peer.address()), "");
    let told = check(&before, &site);
    assert!(line(&told.succeeded(), "[tier], this node").contains("none asks it"));
}

#[test]
fn what_tells_endpoints_is_asked_for_real() {
    let app = Nginx::plain("return 200 'well';");
    // It has addresses of all names, and no services.
    let names = Names::start();
    let outbound = |endpoints: &str| {
        let upstream = format!("{{ url = \"http://app.example\", endpoints = \"{endpoints}\" }}");
        let resolve = format!("resolve = {{ servers = [\"{}\"] }}", names.address());
        format!("[[outbound]]\nname = \"app\"\nlisten = \"{}\"\nupstream = {upstream}\n{resolve}\n", free())
    };
    for (endpoints, words) in [
        ("srv:_http._tcp.app.example".to_owned(), "discovery fails"),
        ("file:/nowhere/app.json".to_owned(), "/nowhere/app.json"),
        (format!("xds://{}/app?node=web-1", free()), "no connection"),
        // It listens, and is no control plane.
        (format!("xds://{}/app?node=web-1", app.address()), "discovery fails"),
    ] {
        let done = check(&outbound(&endpoints), "").ended_with(3);
        let told = line(&done, "[[outbound]] `app`");
        assert!(told.starts_with("FAILED ") && told.contains(words), "{endpoints}: {told}");
    }
    if !ControlPlane::is_here("what_tells_endpoints_is_asked_for_real") {
        return;
    }
    let plane = ControlPlane::start("web-1");
    let done = check(&outbound(&format!("xds://{}/nobody?node=web-1", plane.address())), "").ended_with(3);
    assert!(line(&done, "[[outbound]] `app`").starts_with("FAILED "), "{done}");
}

/// The file was watched and read, and the node went on with what it had read at its start.
#[test]
fn authorities_that_have_become_others_are_those_that_a_node_trusts() {
    let (authority, other) = (Authority::new(), Authority::new());
    let valkey = Valkey::start_with_tls(&authority.certificate("127.0.0.1"));
    let folder = tempfile::tempdir().unwrap();
    let ca = folder.path().join("ca.pem");
    fs::write(&ca, other.pem()).unwrap();
    let serve = Serve::start(&format!(
        "[admin]\nlisten = \"unix:DIR/admin.sock\"\n[fleet]\npurges = \"rediss://:{}@{}/0\"\nca = \"{}\"\n\
         [[site]]\nlisten = \"unix:DIR/a.sock\"\nupstream = \"http://127.0.0.1:9\"\ncache = {{}}\n",
        Valkey::PASSWORD,
        valkey.tls_address(),
        ca.display()
    ));
    let page = || Wire::unix(&serve.path("admin.sock")).get("/metrics").text();
    let is_connected = || page().lines().any(|line| line == "unladen_fleet_connected 1");
    // Longer than a lease: it has said why by then.
    let cut_off = || {
        let page = page();
        let line = page.lines().find_map(|line| line.strip_prefix("unladen_fleet_cut_off_duration_seconds_total "));
        line.and_then(|seconds| seconds.parse::<f64>().ok()).unwrap_or_default()
    };
    wait::until("it is cut off", || cut_off() > 3.0);
    assert!(!is_connected());
    let new = folder.path().join("new.pem");
    fs::write(&new, authority.pem()).unwrap();
    fs::rename(&new, &ca).unwrap();
    wait::until("it trusts whom the file names now", is_connected);
    let done = serve.stop();
    let said = &done.stderr;
    assert!(
        said.contains("no trusted authority signed its certificate; set `ca` to the file of its authority"),
        "{done}"
    );
    assert!(!said.contains(Valkey::PASSWORD), "{done}");
}
