//! `unladen serve --check --connect`: what a fleet rests on is tried as a node uses it, and what is wrong is told with
//! what to do about it.

use std::fs;

use unladen_tests::site::free;
use unladen_tests::{Call, ControlPlane, Done, Nats, Nginx, PgBouncer, Postgres, RateLimits, Valkey};

/// Checks a configuration of one site, with this before it and this within it.
fn check(before: &str, within: &str) -> Done {
    let app = Nginx::plain("return 200 'well';");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unladen.toml");
    fs::write(folder.path().join("secret"), "correct-horse-battery-staple-0123456789").unwrap();
    let site = format!("[[site]]\nname = \"site\"\nlisten = \"{}\"\nupstream = \"http://{}\"\n", free(), app.address());
    fs::write(&file, format!("{before}\n{site}cache = {{}}\n{within}\n")).unwrap();
    Call::new(["serve", file.to_str().unwrap(), "--check", "--connect"]).run()
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
        assert!(told.starts_with("ok ") && told.ends_with(": a purge was written, told and read"), "{told}");
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
        (format!("valkey://{}/0", free()), "not reached", "unreachable"),
        // May not make the tables, which nobody has made.
        (postgres.url("right"), "permission denied", "refused"),
        (format!("nats://{}", free()), "not reached", "unreachable"),
    ] {
        let done = check(&fleet(&url), "").ended_with(3);
        let told = line(&done, "[fleet] `unladen`");
        assert!(told.starts_with("FAILED ") && told.contains(words), "{url}: {told}");
        assert!(told.ends_with(&format!("[{reason}]")), "{url}: {told}");
        assert!(!done.stdout.contains("hush"), "{done}");
    }
}

/// LISTEN is taken there, and nothing ever comes; what was set there was everybody's.
#[test]
fn a_pooler_of_transactions_is_told_in_plain_words() {
    let postgres = Postgres::start();
    postgres.sql("grant create on database postgres to asker");
    let bouncer = PgBouncer::start(&postgres);
    let validator = format!(
        "[[site.validator]]\npath = \"/{{ref}}\"\ndatabase = \"{}\"\nquery = \"select id from page where ref = $1\"\n\
         parameters = [\"ref\"]\nlisten = \"changes\"\n",
        bouncer.url()
    );
    let done = check(&fleet(&bouncer.url()), &validator).ended_with(3);
    let told = line(&done, "[fleet] `unladen`");
    assert!(told.starts_with("ok ") && told.contains("PgBouncer") && told.contains("LISTEN"), "{told}");
    let told = line(&done, "[[site]] `site`, the channel for");
    assert!(told.starts_with("FAILED ") && told.contains("PgBouncer"), "{told}");
    // The application, which is lent the same sessions, could not write any more, nor ask for longer than a moment.
    for (setting, value) in
        [("default_transaction_read_only", "off"), ("statement_timeout", "0"), ("lock_timeout", "0")]
    {
        for _ in 0..4 {
            assert_eq!(bouncer.ask(&format!("show {setting}")), value, "{setting}");
        }
    }
    // Without it, both do.
    let done = check(&fleet(&postgres.url("right")), &validator.replace(&bouncer.url(), &postgres.url("right")));
    let told = line(&done.succeeded(), "[[site]] `site`, the channel for").to_owned();
    assert!(told.ends_with(": what another session notifies is told"), "{told}");
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
    assert!(told.ends_with(": answers are looked for and told"), "{told}");
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
    assert!(line(&done, "[[site]] `site`, the rate limit service").ends_with(": it gives verdicts"), "{done}");
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
    assert!(told.contains("weights, zones and priorities are not looked at"), "{told}");
    // A node that is in no list owns nothing, and is told so.
    let (before, site) = tier(&format!("[\"http://{}\"]", peer.address()), "");
    let told = check(&before, &site);
    assert!(line(&told.succeeded(), "[tier], this node").contains("none asks it"));
}

#[test]
fn what_tells_endpoints_is_asked_for_real() {
    let app = Nginx::plain("return 200 'well';");
    let outbound = |endpoints: &str| {
        let upstream = format!("{{ url = \"http://app.example\", endpoints = \"{endpoints}\" }}");
        format!("[[outbound]]\nname = \"app\"\nlisten = \"{}\"\nupstream = {upstream}\n", free())
    };
    for (endpoints, words) in [
        ("srv:_http._tcp.name.invalid".to_owned(), "its endpoints are not told"),
        ("file:/nowhere/app.json".to_owned(), "/nowhere/app.json"),
        (format!("xds://{}/app?node=web-1", free()), "no connection"),
        // It listens, and is no control plane.
        (format!("xds://{}/app?node=web-1", app.address()), "its endpoints are not told"),
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
