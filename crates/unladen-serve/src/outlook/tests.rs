//! Tests of [`outlook`].

use std::path::Path;

use unladen_fleet::{BusUrl, Wait};
use unladen_serve_config::Machine;
use unladen_validator::{ListenSettings, SharedSettings, ValidatorSource};

use super::*;

const SITE: &str = "
[[site]]
listen = ['127.0.0.1:8080', 'unix:/run/unladen/site.sock']
upstream = 'http://127.0.0.1:9'
";

fn config(text: &str) -> Config {
    Config::parse(text, Path::new("unladen.toml"), Path::new("/"), &Machine).unwrap()
}

fn look_with(text: &str, url: &str, fields: &[(&str, &str)]) -> Outlook {
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
    outlook(&config(text), &Asking { url: url.parse().unwrap(), fields, connect: false }).unwrap()
}

fn look(text: &str, url: &str) -> Outlook {
    look_with(text, url, &[])
}

fn reasons(reasons: &[WhyNot]) -> Vec<&str> {
    reasons.iter().map(|why| why.reason).collect()
}

#[test]
fn the_listener_is_found_by_the_port_or_there_is_only_one_site() {
    let two = format!(
        "{SITE}redirect = '127.0.0.1:8081'
         [[site]]
         name = 'other'
         listen = '[::]:8443'
         upstream = 'http://127.0.0.1:9'
         [[outbound]]
         name = 'search'
         listen = '127.0.0.1:6102'
         upstream = 'http://127.0.0.1:9'"
    );
    let two = two.replace("redirect = '127.0.0.1:8081'", "");
    assert_eq!(look(&two, "http://127.0.0.1:8080/").site.as_deref(), Some("site"));
    assert_eq!(look(&two, "http://site.example:8080/").listener, "127.0.0.1:8080");
    assert_eq!(look(&two, "http://[::1]:8443/").site.as_deref(), Some("other"));
    let proxy = look(&two, "http://127.0.0.1:6102/");
    assert_eq!((proxy.outbound.as_deref(), proxy.rule, proxy.kept), (Some("search"), Rule::Outbound, Some(false)));
    let asking = Asking { url: "https://site.example/".parse().unwrap(), fields: Vec::new(), connect: false };
    let error = outlook(&config(&two), &asking).unwrap_err().to_string();
    assert!(error.starts_with("nothing listens at port 443: ") && error.contains("[::]:8443 (`other`)"), "{error}");
    // The other address is another's.
    assert!(matches!(
        outlook(&config(&two), &Asking { url: "http://127.0.0.2:8080/".parse().unwrap(), ..asking }),
        Err(OutlookError::NoListener { port: 8080, .. })
    ));
    let only = look(SITE, "http://site.example/");
    assert_eq!(only.site.as_deref(), Some("site"));
    assert!(only.notes[0].contains("nothing listens at port 80 itself"), "{:?}", only.notes);
    let beyond = look(SITE, "https://site.example/");
    assert!(beyond.notes[1].contains("`trusted.proxies`") && beyond.key.unwrap().starts_with("http://"));
    let trusted = look(&format!("{SITE}[site.trusted]\nproxies = ['127.0.0.1']"), "https://site.example/x?y#z");
    assert_eq!(trusted.key.as_deref(), Some("https://site.example/x?y"));
}

#[test]
fn the_first_validator_that_fits_is_asked_and_the_others_are_told() {
    let text = format!(
        "{SITE}
         [[site.validator]]
         path = '/feed/'
         file = '/nowhere/feed'
         [[site.validator]]
         path = '/{{ref}}/'
         file = '/nowhere/{{ref}}'
         [[site.validator]]
         path = '/{{page*}}'
         database = 'sqlite:/nowhere/site.db'
         query = 'select version from counters'"
    );
    let page = look(&text, "http://127.0.0.1:8080/hello%20world/?p=1");
    let told: Vec<_> = page.validators.iter().map(|one| (one.number, &*one.path, &*one.asks)).collect();
    assert_eq!(told, [(2, "/{ref}/", "/nowhere/{ref}"), (3, "/{page*}", "select version from counters")]);
    assert_eq!(page.validators[0].parameters["ref"], "hello world");
    assert_eq!(page.validators[1].parameters["page"], "hello world/");
    assert_eq!((page.rule, page.kept, reasons(&page.needs)), (Rule::Validator, None, Vec::<&str>::new()));
    assert_eq!(look(&text, "http://127.0.0.1:8080/").validators[0].number, 3);
}

#[test]
fn why_a_validator_is_left_alone_is_told() {
    let text = format!(
        "{SITE}effects = ['export']
         no_effects = ['doku.php']
         [[site.validator]]
         path = '/{{page*}}'
         file = '/nowhere/site'
         [[site.validator]]
         path = '/named/export'
         file = '/nowhere/export'"
    );
    for (path, by) in
        [("/wp-cron.php?doing_wp_cron", "`*.php`"), ("/a/export", "`export`"), ("/doku.php/login", "`login`")]
    {
        let left = look(&text, &format!("http://127.0.0.1:8080{path}"));
        assert_eq!((left.rule, left.validators.len()), (Rule::Lifetime, 0), "{path}");
        let [note] = left.notes.as_slice() else { panic!("{path}: {:?}", left.notes) };
        assert!(note.contains(by) && note.contains("`/{page*}`") && note.contains("`no_effects`"), "{note}");
    }
    for path in ["/", "/doku.php/start", "/exports"] {
        let asked = look(&text, &format!("http://127.0.0.1:8080{path}"));
        assert_eq!((asked.validators.len(), asked.notes.len()), (1, 0), "{path}: {:?}", asked.notes);
    }
    // Whoever has written all of the path means it.
    assert_eq!(look(&text, "http://127.0.0.1:8080/named/export").validators[0].number, 2);
}

#[test]
fn what_a_plain_answer_lacks_is_told_all_of_it() {
    let text = format!("{SITE}[site.cache]\nignore_cookies = ['_ga*']\nignore_query = ['utm_*']");
    let page = look_with(&text, "http://127.0.0.1:8080/a?utm_x=1&b=2", &[("cookie", "_ga=1; session=2")]);
    assert_eq!(page.key.as_deref(), Some("http://127.0.0.1:8080/a?b=2"));
    let cookies: Vec<_> = page.cookies.iter().map(|cookie| (&*cookie.name, cookie.counts)).collect();
    assert_eq!(cookies, [("_ga", false), ("session", true)]);
    assert_eq!((page.rule, page.kept), (Rule::Lifetime, None));
    assert_eq!(reasons(&page.needs), ["no-lifetime", "cookies"]);
    let bearer = look_with(&text, "http://127.0.0.1:8080/a", &[("authorization", "Bearer x")]);
    assert_eq!(reasons(&bearer.needs), ["authorization", "no-lifetime"]);
}

#[test]
fn a_request_that_goes_past_the_cache_says_why() {
    for (name, value, reason) in
        [("cache-control", "no-store", "request-no-store"), ("x-original-url", "/admin", "disguised")]
    {
        let page = look_with(SITE, "http://127.0.0.1:8080/", &[(name, value)]);
        assert_eq!((page.rule, page.kept, reasons(&page.why_not)), (Rule::Passes, Some(false), vec![reason]), "{name}");
    }
    let nothing = look(&format!("{SITE}cache = false"), "http://127.0.0.1:8080/");
    assert_eq!((nothing.rule, nothing.kept), (Rule::NoCache, Some(false)));
}

/// Behind a front that adds `X-Original-URL` nothing was ever kept, and no setting helped.
#[test]
fn what_a_front_adds_is_taken_off_by_trust_or_by_a_route() {
    let fields = [("x-original-url", "/a"), ("x-original-host", "b"), ("x-scheme", "https")];
    let is_disguised = |text: &str, fields: &[(&str, &str)]| {
        let page = look_with(text, "http://127.0.0.1:8080/", fields);
        assert_eq!(page.rule == Rule::Passes, reasons(&page.why_not) == ["disguised"], "{page:?}");
        // Which field does that is named, with what to do.
        let is_named = page.notes.iter().any(|note| note.starts_with("`x-") && note.contains("`trusted.proxies`"));
        assert_eq!(page.rule == Rule::Passes, is_named, "{page:?}");
        page.rule == Rule::Passes
    };
    let trusted = format!("{SITE}[site.trusted]\nproxies = ['127.0.0.1']");
    assert!(is_disguised(SITE, &fields) && !is_disguised(&trusted, &fields));
    // It is the client's own word, whoever passes it on: without it, another method would be asked for.
    assert!(is_disguised(&trusted, &[("x-http-method-override", "DELETE")]));
    let route = "[[site.route]]\nname = 'all'\nrequest.";
    let removing = format!("{SITE}{route}remove = ['X-Original-URL', 'X-Original-Host', 'X-Scheme']");
    assert!(!is_disguised(&removing, &fields));
    assert!(is_disguised(&removing, &[("x-original-url", "/a"), ("x-rewrite-url", "/b")]));
    let saying = format!("{SITE}{route}set = {{ X-Original-URL = '/ours' }}");
    assert!(!is_disguised(&saying, &fields[..1]) && is_disguised(&saying, &fields));
}

#[test]
fn what_is_no_request_is_refused_as_it_would_be() {
    let asking = |fields: &[(&str, &str)]| {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
        outlook(&config(SITE), &Asking { url: "http://127.0.0.1:8080/".parse().unwrap(), fields, connect: false })
    };
    for fields in [
        &[("host", "a")][..],
        &[("a", "b\r\nc: d\r\n\r\nGET / HTTP/1.1")],
        &[("a b", "c")],
        &[("content-length", "1"), ("content-length", "2")],
    ] {
        assert!(matches!(asking(fields), Err(OutlookError::Refused(_))), "{fields:?}");
    }
}

#[test]
fn all_reasons_against_an_answer_are_found() {
    let config = config(SITE);
    let site = site_of(&config.settings.site[0]).unwrap();
    let asking = Asking {
        url: "http://127.0.0.1:8080/".parse().unwrap(),
        fields: vec![("cookie".to_owned(), b"session=1".to_vec())],
        connect: false,
    };
    let request = request_of(&asking, &site).unwrap();
    let wanted = FetchPlan {
        script: None,
        proxy: site.proxy.clone(),
        site: site.clone(),
        request,
        is_https: false,
        address: None,
        stored: None,
        version: None,
        is_validated: false,
        requested: unladen_cache::Time::now(),
        peers: None,
        sequence: site.cache.as_ref().unwrap().store.sequence(),
        key: Vec::new(),
    };
    let of = |status, fields: &[(&str, &str)]| -> Vec<&str> {
        let mut response = Response { status, ..Response::default() };
        fields.iter().for_each(|(name, value)| response.fields.push(name.as_bytes(), value.as_bytes()));
        trial::reasons(wanted.clone(), response).into_iter().map(|why| why.into_str()).collect()
    };
    assert_eq!(of(200, &[("cache-control", "s-maxage=60")]), Vec::<&str>::new());
    assert_eq!(of(200, &[("cache-control", "public, max-age=60")]), ["cookies"]);
    let all = of(401, &[("cache-control", "Private, No-Store"), ("set-cookie", "a=b"), ("vary", "*"), ("x", "y")]);
    assert_eq!(all, ["status", "no-store", "private", "set-cookie", "vary-all", "no-lifetime", "cookies"]);
}

/// `--check --url` said that a script would be run which a route refuses.
#[test]
fn a_route_that_guards_what_a_path_comes_to_is_told() {
    let root = tempfile::tempdir().unwrap();
    for file in ["index.php", "login.php", "uploads/evil/index.php", "private/index.html"] {
        let path = root.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    let users = root.path().join("users");
    std::fs::write(&users, "ann:$2y$04$TquQqtaDOzff4ys/lAOnTeJZFqOz4qiW4RhqVxb8CFamY77hdBkJ6\n").unwrap();
    let text = format!(
        "[[site]]
         listen = '127.0.0.1:8080'
         php = '/run/php.sock'
         root = {:?}
         try = ['{{path}}', '{{path}}/', '/index.php']
         [[site.route]]
         name = 'scripts'
         path = '/uploads'
         suffix = '.php'
         status = 403
         [[site.route]]
         name = 'who'
         exact = ['/login.php', '/private/index.html', '/admin']
         access = {{ auth = {users:?} }}",
        root.path()
    );
    let told = |path: &str| {
        let outlook = look(&text, &format!("http://127.0.0.1:8080{path}"));
        let route = outlook.route.unwrap();
        let comes_to = route.comes_to.unwrap_or_default().replace(root.path().to_str().unwrap(), "");
        (route.name.unwrap_or_default(), comes_to, outlook.kept)
    };
    for (path, comes_to) in [
        ("/uploads/evil/", "the script /uploads/evil/index.php; the route `scripts`, line 6, refuses that: 403"),
        (
            "/login.php/x",
            "the script /login.php, with PATH_INFO = /x; there, `access` of the route `who`, line 11, decides who is \
             allowed",
        ),
        (
            "/index.php/admin",
            "the script /index.php, with PATH_INFO = /admin; there, `access` of the route `who`, line 11, decides who \
             is allowed",
        ),
        (
            "/private/",
            "the file /private/index.html; there, `access` of the route `who`, line 11, decides who is allowed",
        ),
    ] {
        assert_eq!(told(path), (String::new(), comes_to.to_owned(), Some(false)), "{path}");
    }
    assert_eq!(told("/a/page"), (String::new(), "the script /index.php".to_owned(), None));
    assert_eq!(told("/uploads/").1, "the script /index.php");
}

fn fleet(when_cut_off: WhenCutOff) -> FleetSettings {
    FleetSettings {
        purges: BusUrl::parse("valkey://cache.example").unwrap(),
        ca: None,
        stamp: 0,
        name: "shop".to_owned(),
        node: None,
        lease: Duration::from_secs(2),
        when_cut_off,
        wait: Wait::All,
        wait_for: Duration::from_secs(2),
        keep: 10,
        htcp: None,
        htcp_from: Vec::new(),
        htcp_groups: Vec::new(),
    }
}

fn validator(listen: Option<u64>, shared: Option<u64>) -> ValidatorSettings {
    ValidatorSettings {
        path: "/".to_owned(),
        source: ValidatorSource::Head,
        timeout: Duration::from_secs(1),
        connections: 1,
        stale: None,
        listen: listen.map(|ms| ListenSettings { channel: "changes".to_owned(), heartbeat: Duration::from_millis(ms) }),
        shared: shared.map(|ms| SharedSettings {
            within: Duration::from_millis(ms),
            url: BusUrl::parse("valkey://cache.example").unwrap(),
            ca: None,
            stamp: 0,
            fleet: "shop".to_owned(),
            site: "shop".to_owned(),
        }),
    }
}

#[test]
fn the_larger_bound_is_told_with_what_makes_it() {
    let said = |listen, shared| bounds(Some(&validator(listen, shared)), None).concat();
    assert!(said(Some(1000), None).starts_with("no request gets a page that was changed more than 1s before"));
    assert!(said(None, Some(5)).contains("more than 5ms") && said(None, Some(5)).contains("`shared`"));
    let both = said(Some(1000), Some(5));
    assert!(
        both.contains("more than 1s") && both.contains("`listen`") && both.contains("for 5ms (`shared`)"),
        "{both}"
    );
    assert_eq!(said(None, None), "");
}

/// A page was said to be at most a heartbeat old, though it is served for an hour while the database is down.
#[test]
fn what_is_served_without_an_answer_was_not_in_the_bound() {
    let said = |listen, shared, stale| {
        let stale = Some(Duration::from_secs(stale));
        bounds(Some(&ValidatorSettings { stale, ..validator(listen, shared) }), None).concat()
    };
    let both = said(Some(1000), Some(5), 3600);
    assert!(both.contains("changed more than 1h 1s before") && both.contains("for 1h after"), "{both}");
    assert!(both.contains("(`stale`)") && both.ends_with("while the validator answers"), "{both}");
    assert!(said(None, Some(5), 2).contains("more than 2s 5ms before"));
    let alone = said(None, None, 3600);
    assert!(alone.contains("changed up to 1h before") && alone.contains("(`stale`)"), "{alone}");
}

#[test]
fn a_fleet_bounds_pages_that_only_their_lifetime_vouches_for() {
    assert!(bounds(None, Some(&fleet(WhenCutOff::Revalidate))).concat().contains("within 2s"));
    assert!(bounds(None, Some(&fleet(WhenCutOff::Serve))).concat().contains("whole lifetime"));
    // A validator vouches for its pages, whoever is cut off.
    assert_eq!(bounds(Some(&validator(None, None)), Some(&fleet(WhenCutOff::Serve))), Vec::<String>::new());
    assert_eq!(bounds(None, None), Vec::<String>::new());
}
