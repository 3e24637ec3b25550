use crate::{ListenAddress, RouteAction, ScriptSettings};
use std::collections::BTreeSet;
use std::io;

use proptest::prelude::*;

use super::*;
use crate::*;

mod docs;
mod mistakes;
mod pushed;

/// A machine of two CPUs that has a few files.
struct Lab;

impl Surroundings for Lab {
    fn processors(&self) -> usize {
        2
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match path.strip_prefix("/lab").ok().and_then(Path::to_str) {
            Some("ca.pem" | "own.pem" | "site.pem" | "other.pem") => {
                Ok(b"-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n".to_vec())
            }
            Some("own.key" | "open.key" | "site.key" | "other.key") => {
                Ok(b"-----BEGIN EC PRIVATE KEY-----\nMA==\n-----END EC PRIVATE KEY-----\n".to_vec())
            }
            Some("empty.pem") => Ok(Vec::new()),
            Some("users") => Ok(b"ann:$2y$05$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyz01234\n".to_vec()),
            Some("tier.secret") => Ok(b"0123456789abcdef0123456789abcdef\n".to_vec()),
            Some("sorry.html") => Ok(b"<p>{status} {reason} {request_id}\n".to_vec()),
            _ => Err(io::Error::from(io::ErrorKind::NotFound)),
        }
    }

    fn stamp(&self, path: &Path) -> io::Result<u64> {
        if path == Path::new("/lab/country.mmdb") { Ok(7) } else { Err(io::Error::from(io::ErrorKind::NotFound)) }
    }

    fn mode(&self, path: &Path) -> Option<u32> {
        Some(if path.ends_with("open.key") { 0o644 } else { 0o640 })
    }
}

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Path::new("unladen.toml"), Path::new("/lab"), &Lab)
}

const LEAST: &str = "[[outbound]]
name = 'search'
listen = '127.0.0.1:6102'
upstream = 'https://search.example:9243'
";

const WHOLE: &str = r#"
threads = 3
drain = "20s"
zone = "eu-1a"

[admin]
listen = "[::1]:6190"

[log]
file = "access.log"
sample = "5%"

[fleet]
purges = "valkeys://cache.example/1"
ca = "ca.pem"
name = "shop"
node = "web-1"
lease = "3s"
when_cut_off = "serve"
wait = "quorum"
wait_for = "2s"
keep = 5000
htcp = "0.0.0.0:4827"
htcp_from = ["10.0.0.0/8"]
htcp_groups = ["239.128.0.112"]

[tier]
peers = ["https://10.0.0.1:8443", "https://10.0.0.2:8443"]
secret_file = "tier.secret"
node = "10.0.0.1:8443"
deadline = "250ms"
hot = 2
ca = "ca.pem"
server_name = "shop.example"

[otlp]
endpoint = "http://127.0.0.1:4318/"
sample = 0.5
every = "10s"
service = "shop"

[defaults]
ca = "ca.pem"
via = false
socket_mode = "0600"
breaker = false
outlier = { consecutive = 7 }
pool.idle = "9s"
timeouts = { request = "2m", tunnel = "2h" }
limits.head_bytes = "16KiB"
health = { path = "/up", every = "1s", timeout = "500ms" }
[[defaults.rate]]
rate = 1000

[[outbound]]
name = "search"
listen = ["127.0.0.1:6102", "unix:search.sock"]
upstream = [{ url = "https://a.example:9243", weight = 3 }, "https://[2001:db8::1]", "unix:/run/search.sock"]
certificate = "own.pem"
key = "own.key"
server_name = "Search.Example"
http = "2"
balance = "round-robin"
host = "search.example:9243"
forwarded = "x-forwarded"
request_id = false
pool = { idle = "1m", fresh = "500ms", warm = 2, max_idle = 8, max_age = "1h", max_requests = 100 }
limits = { connections = 10, pending = 5, requests = 20, retries = 1 }
timeouts = { connect = "250ms", first_byte = "4s", idle = "5s", request = "none" }
retry = { attempts = 2, statuses = [502, 503], budget = "10%", backoff = "1ms", max_backoff = "2ms", replay_bytes = "1MB" }
breaker = { failures = 0.75, requests = 5, window = "1s", open = "2s", trials = 1 }
outlier = { ejection = "1s", max_ejection = "2s", max_share = 1 }
health = { healthy = 1, unhealthy = 1 }
resolve = { servers = ["127.0.0.1:8600", "[::1]:53"], min_ttl = "2s", max_ttl = "3s", timeout = "1s" }
client = { connections = 5, head_bytes = 2048, fields = 40, body_bytes = "10GiB", head_timeout = "1s", idle = "2s", streams = 3 }

[[outbound.rate]]
header = "X-Api-Key"
rate = 2.5
keys = 10
[[outbound.rate]]
rate = 100
burst = 300

[[outbound]]
name = "plain"
listen = "127.0.0.1:6103"
upstream = "http://127.0.0.1:8080"
breaker = true
outlier = false
health = false

[[outbound]]
name = "found"
listen = "127.0.0.1:6104"
upstream = { url = "https://app.example", endpoints = "srv:_https._tcp.app.example" }

[[outbound]]
name = "listed"
listen = "127.0.0.1:6105"
upstream = { url = "https://app.example:8443", endpoints = "file:app.json" }

[[outbound]]
name = "meshed"
listen = "127.0.0.1:6106"
upstream = { url = "https://app", endpoints = "xdss://[2001:db8::1]:443/outbound|80||app.local?node=web-1" }

[[site]]
name = "site"
listen = ["0.0.0.0:443", "unix:site.sock"]
tls = [{ cert = "site.pem", key = "site.key" }, { cert = "other.pem", key = "other.key" }]
tls12 = false
compress = false
http2 = false
upstream = [{ url = "http://127.0.0.1:8080", weight = 2 }, "unix:/run/app.sock", "https://app.example"]
redirect = "0.0.0.0:80"
hsts = "max-age=300; includeSubDomains"
per_client = 20
effects = ["export", "/shop/cart*"]
no_effects = ["admin"]
retry_after = "2s"
ca = "ca.pem"
host = "shop.example"
forwarded = "forwarded"
health = { path = "/up" }
breaker = true
limits = { connections = 40, pending = 30 }

[site.trusted]
proxies = ["10.0.0.0/8", "2001:db8::1", "unix"]
header = "forwarded"
proxy_protocol = true

[site.clients]
connections = 100
network_connections = 1000
uploads = 10
network_uploads = 100
rate = 50
network_rate = "none"
hits = true
ipv4 = 16
ipv6 = 48

[site.cache]
memory = "512MiB"
tier = false
largest = "1MiB"
variants = 8
ignore_cookies = ["_ga*", "utm*"]
vary_cookies = ["lang"]
store_set_cookie = true
languages = ["en", "pt-BR"]
ignore_query = ["fbclid", "utm_*"]
heuristic = "20%"
heuristic_max = "1h"
stale_if_error = "1m"
stale_while_revalidate = "10s"
uncacheable = "5s"
country = { database = "country.mmdb" }
purge = ["127.0.0.1", "172.16.0.0/12"]

[[site.validator]]
path = "/list/{name}/{page*}"
database = "mariadb://me@db.example/shop"
query = "select version from lists where page = ? and name = ?"
parameters = ["page", "name"]
timeout = "50ms"
connections = 3
stale = "30s"
[[site.validator]]
path = "/{ref}"
database = "postgres:///pledges?host=/run/postgresql"
query = "select changed from pledges where ref = $1 or '$1' = $1"
[[site.validator]]
path = "/wiki/{page}"
database = "sqlite:pages.db"
query = "select changed from pages where name = ?"
[[site.validator]]
path = "/static/{file}"
file = "static/{file}"
[[site.validator]]
path = "/feed"
head = true

[[site.rate]]
rate = 50

[[site]]
name = "small"
listen = "127.0.0.1:8081"
upstream = "http://127.0.0.1:8082"
cache = false
"#;

/// Hosts, certificates of an authority, scripts, files, routes.
const ROUTED: &str = r#"
[[site]]
hosts = ["Example.org", "*.example.net.", "[2001:db8::1]"]
default = true
listen = "0.0.0.0:8443"
tls = { cert = "site.pem", key = "site.key" }
root = "www"
index = "index.htm"
try = ["{path}", "{path}.html", "{path}/", "/404.html"]
error_page = "sorry.html"
files = { immutable = ["/build/*"], max_age = { "*.css" = "1d", "/a" = "0s" }, precompressed = false, hidden = true, allow = ["*.sql"], memory = false, links = ["/usr/share"] }

[[site.route]]
name = "api"
path = ["/api/", "/v2"]
suffix = ".JSON"
method = ["GET", "POST"]
upstream = { url = "https://api.example:9000", weight = 2 }
ca = "ca.pem"
timeouts = { first_byte = "3s" }
health = { path = "/up" }
breaker = true
host = "upstream"
set = { "X-Frame-Options" = "DENY", "x-a" = "" }
remove = ["server"]
request = { set = { "x-api" = "1" }, remove = ["cookie"] }
body = "10MiB"
[[site.route]]
path = "/private/"
access = { allow = ["10.0.0.0/8", "unix"], deny = ["10.1.0.0/16"], auth = "users", realm = "the back" }
[[site.route]]
name = "old"
exact = "/old"
redirect = "https://www.example.org{uri}"
status = 301
[[site.route]]
name = "none"
suffix = [".bak", "~"]
status = 404
[[site.route]]
name = "static"
path = "/static-x/"
alias = "/usr/share/x"
index = ["index.html", "index.txt"]
try = ["{path}"]
cache = false
[[site.route]]
name = "run"
path = "/run"
php = "fcgi://127.0.0.1:9001"
root = "run"
fastcgi = { scripts = [".fcgi"], params = { APP_ENV = "test" } }
[[site.route]]
name = "rest"
path = "/files"
root = "/srv/files"

[[site]]
name = "php"
hosts = ["php.example.org"]
acme = { email = "admin@example.org", directory = "letsencrypt-staging", challenge = "http-01", ca = "ca.pem", state = "acme" }
listen = "0.0.0.0:443"
redirect = "0.0.0.0:80"
root = "app"
php = ["/run/php/fpm.sock", "unix:/run/php/other.sock"]
queue = { running = 5, length = 100, wait = "2s", cookie = "id" }
snapshot = { file = "php.snapshot", every = "30s" }
[site.fastcgi]
scripts = [".php", ".phtml"]
params = { APP_ENV = "prod" }
status = "/fpm-status"
keep = true
sendfile = ["/srv/out"]

[[site]]
name = "wws"
hosts = "lists.example.org"
listen = "unix:wws.sock"
php = { url = "/run/wws.sock", weight = 3 }
[site.fastcgi]
script = "/usr/lib/cgi-bin/wws.fcgi"
name = "/wws"
"#;

const SITE: &str = "[[site]]
listen = '0.0.0.0:443'
tls = { cert = 'site.pem', key = 'site.key' }
upstream = 'http://127.0.0.1:8080'
";

#[test]
fn three_lines_are_enough() {
    let Config { settings, warnings, .. } = parse(LEAST).unwrap();
    let [outbound] = settings.outbound.as_slice() else { panic!() };
    assert_eq!((settings.threads, settings.drain), (2, std::time::Duration::from_secs(30)));
    assert!(settings.admin.is_none() && settings.log.is_none() && settings.otlp.is_none());
    let upstream = unladen_pool::UpstreamSettings::new("search", outbound.upstream.origins.clone());
    assert_eq!(outbound.upstream, upstream, "the pool's own defaults");
    assert_eq!(outbound.client, crate::ClientSettings::default());
    assert!(warnings.is_empty(), "{warnings:?}");
}

/// All of it, as JSON.
#[test]
fn reads_everything() {
    let config = parse(WHOLE).unwrap();
    insta::assert_json_snapshot!(config.settings);
    // What cannot be said too often.
    let others: Vec<_> = config.warnings.iter().filter(|warning| !warning.message.contains("UDP")).collect();
    assert!(others.is_empty(), "{others:?}");
}

/// Of how an upstream is called, what routes may say otherwise.
fn shorten(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(map) => {
            if map.contains_key("socket_mode") {
                map.retain(|key, _| ["listen", "upstream", "host"].contains(&key.as_str()));
            }
            if map.contains_key("origins") {
                let kept = ["name", "origins", "http", "health", "tls", "timeouts"];
                map.retain(|key, _| kept.contains(&key.as_str()));
            }
            for gone in ["clients", "trusted", "cache"] {
                if map.get(gone).is_some_and(serde_json::Value::is_object) {
                    map.insert(gone.to_owned(), "…".into());
                }
            }
            map.values_mut().for_each(shorten);
        }
        serde_json::Value::Array(list) => list.iter_mut().for_each(shorten),
        _ => {}
    }
}

/// The same of hosts and routes.
#[test]
fn reads_hosts_and_routes() {
    let config = parse(ROUTED).unwrap();
    let mut sites = serde_json::to_value(&config.settings.site).unwrap();
    shorten(&mut sites);
    insta::assert_json_snapshot!(sites);
    assert_eq!(config.warnings, []);
}

#[test]
fn three_lines_and_a_certificate_are_enough_for_a_site() {
    let Config { settings, warnings, site_stamps, stamps, .. } = parse(SITE).unwrap();
    let [site] = settings.site.as_slice() else { panic!() };
    assert_eq!(settings.outbound, []);
    assert_eq!((stamps.len(), site_stamps.len()), (0, 1));
    assert_eq!(site.proxy.upstream.name, "site");
    assert_eq!(site.proxy.host, crate::HostRule::Keep);
    assert_eq!(site.tls.as_ref().unwrap().certificates, [("/lab/site.pem".into(), "/lab/site.key".into())]);
    assert!(site.cache.is_some() && site.redirect.is_empty() && site.hsts.is_none());
    assert!(warnings.is_empty(), "{warnings:?}");
}

/// `[::]` is IPv6 alone: clients of IPv4 met nobody at a site that said no address.
#[test]
fn sites_of_one_address_that_bound_clients_otherwise_are_warned_of() {
    let both = |one: &str, other: &str| {
        let site = |name: &str, more: &str| {
            format!(
                "[[site]]\nname = '{name}'\nhosts = '{name}.example'\nlisten = '127.0.0.1:8080'\n\
                 upstream = 'http://127.0.0.1:8081'\n{more}\n"
            )
        };
        let config = parse(&(site("one", one) + &site("other", other))).unwrap();
        config.warnings.into_iter().map(|warning| warning.message).collect::<Vec<_>>()
    };
    // Each holds for its own site.
    let heads = "client = { head_bytes = '8KiB', fields = 50, body_bytes = '1MB' }";
    assert_eq!(both(heads, ""), Vec::<String>::new());
    let told = both("", "client = { idle = '5s', streams = 10 }");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with(
            "`client.idle` and `client.streams`: where this site shares an address with `one`, the larger"
        )
    );
    let told = both("clients = { connections = 5 }", "http2 = false");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("`clients` and `http2` of the site `one` also applies to this site"), "{told:?}");
    // What is asked of a client once it has asked is its site's.
    assert_eq!(both("clients = { rate = 5 }", ""), Vec::<String>::new());
}

#[test]
fn a_port_alone_is_all_addresses_of_both_families() {
    let listens = |text: &str| -> (Vec<String>, Vec<String>) {
        let config = parse(text).unwrap();
        let site = &config.settings.site[0];
        let texts = |list: &[crate::ListenAddress]| list.iter().map(crate::address_text).collect();
        (texts(&site.proxy.listen), texts(&site.redirect))
    };
    let both = |port: u16| vec![format!("0.0.0.0:{port}"), format!("[::]:{port}")];
    let rest = "upstream = \"http://127.0.0.1:8080\"";
    assert_eq!(listens(&format!("[[site]]\nhosts = [\"a.example\"]\n{rest}")), (both(80), vec![]));
    let tls = "tls = { cert = \"site.pem\", key = \"site.key\" }";
    assert_eq!(listens(&format!("[[site]]\n{tls}\n{rest}")), (both(443), both(80)));
    assert_eq!(listens(&format!("[[site]]\nlisten = \":8081\"\n{rest}")), (both(8081), vec![]));
    let listed = [vec!["127.0.0.1:81".to_owned()], both(82)].concat();
    assert_eq!(listens(&format!("[[site]]\nlisten = [\"127.0.0.1:81\", \":82\"]\n{rest}")), (listed, vec![]));
    for wrong in [":0", ":", ":+80", ":70000", ":http"] {
        parse(&format!("[[site]]\nlisten = \"{wrong}\"\n{rest}")).unwrap_err();
    }
    // For the application beside it alone, unless it says so.
    parse(&format!("[[outbound]]\nname = \"a\"\nlisten = \":8080\"\n{rest}")).unwrap_err();
}

/// The example of the issue that asked for it.
#[test]
fn the_example_that_was_asked_for() {
    let text = r#"
[[site]]
listen = "0.0.0.0:443"
tls = { cert = "site.pem", key = "site.key" }
upstream = "http://127.0.0.1:8080"

[site.cache]
memory = "512MiB"
ignore_cookies = ["_ga*", "utm*"]
country = { database = "country.mmdb" }

[[site.validator]]
path = "/{ref}"
database = "postgres://app@db.example/pledges"
query = "select extract(epoch from pledge_last_change_time(id)) from pledges where ref = $1"
"#;
    let config = parse(text).unwrap();
    assert_eq!(config.warnings, []);
    let [validator] = config.settings.site[0].validators.as_slice() else { panic!() };
    let unladen_validator::ValidatorSource::Postgres { parameters, .. } = &validator.source else { panic!() };
    assert_eq!(parameters, &["ref"]);
}

/// What is watched is each file that is read at a reload.
/// What runs a route's requests.
fn script(route: &str) -> Result<ScriptSettings, ConfigError> {
    let site = "[[site]]\nlisten = '127.0.0.1:1'\nphp = '/run/a.sock'\nroot = '/srv/www'\nfastcgi.keep = true\n";
    let text = format!("{site}fastcgi.status = '/status'\n[[site.route]]\npath = '/lists'\n{route}");
    let action = parse(&text)?.settings.site.remove(0).routes.remove(0).action;
    let RouteAction::Php(_, script) = action else { panic!("{action:?}") };
    Ok(script)
}

#[test]
fn a_program_beside_that_of_the_site_could_not_be_named() {
    let own = script("php = '/run/b.sock'\nfastcgi = { script = 'wws.fcgi', name = '/lists' }").unwrap();
    assert_eq!(own.script.as_deref(), Some(Path::new("/lab/wws.fcgi")));
    // Nothing of the site's is left: neither its folder nor what is said of its own programs.
    assert_eq!((own.name.as_str(), own.folder, own.keep, own.status_path), ("/lists", None, false, None));
    let as_of_site = script("php = '/run/b.sock'").unwrap();
    assert!(as_of_site.keep && as_of_site.status_path.is_none(), "{as_of_site:?}");
    assert_eq!(as_of_site.folder.unwrap().root, Path::new("/srv/www"));
    for (route, said) in [
        ("upstream = 'http://127.0.0.1:2'\nfastcgi = { keep = true }", "needs a `php` in the same table"),
        ("php = '/run/b.sock'\nfastcgi = { status = '/s' }", "`status` applies only to the site"),
        ("php = '/run/b.sock'\nfastcgi = { scrip = 'a' }", "script"),
    ] {
        let error = script(route).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_socket_beside_the_file_was_no_socket() {
    let at = |php: &str| {
        let text = format!("[[site]]\nlisten = '127.0.0.1:1'\nroot = '/srv'\nphp = '{php}'");
        parse(&text).map(|config| config.settings.site[0].proxy.upstream.origins[0].at.clone())
    };
    assert_eq!(at("run/fpm.sock").unwrap(), at("/lab/run/fpm.sock").unwrap());
    assert_eq!(at("./fpm.sock").unwrap(), at("/lab/./fpm.sock").unwrap());
    for wrong in ["fpm.sock", "127.0.0.1:9000", "http://127.0.0.1:9000/x", "127.0.0.1:9000/x"] {
        at(wrong).unwrap_err();
    }
}

#[test]
fn files_that_are_named_are_watched() {
    let files = watched_files(&parse(WHOLE).unwrap().settings);
    let names: Vec<&str> = files.iter().filter_map(|file| file.strip_prefix("/lab").ok()?.to_str()).collect();
    let all = ["ca.pem", "country.mmdb", "other.key", "other.pem", "own.key", "own.pem", "site.key", "site.pem"];
    assert_eq!(names, [&all[..], &["tier.secret"]].concat());
}

#[test]
fn a_password_of_a_database_is_not_told() {
    let validator = "[[site.validator]]\npath = '/'\ndatabase = 'postgres://me:secret@db/shop'\nquery = 'select 1'\n";
    let config = parse(&format!("{SITE}{validator}")).unwrap();
    assert!(!config.told().contains("secret"), "{}", config.told());
    assert!(config.told().contains("postgres://me@db/shop"));
}

#[test]
fn a_certificate_that_is_another_is_told_by_its_stamp() {
    let of = |text: &str| parse(text).unwrap().stamps;
    let with = format!("{LEAST}ca = 'ca.pem'\n");
    assert_eq!(of(&with), of(&with));
    assert_ne!(of(&with), of(LEAST));
}

/// A fleet's node went on with the authorities of before, as its settings were the same.
#[test]
fn authorities_of_an_engine_that_are_others_are_told_by_their_stamp() {
    let of = |ca: &str| {
        let validator =
            "[[site.validator]]\npath = '/'\ndatabase = 'postgres://db/shop'\nquery = 'select 1'\nshared = '5ms'\n";
        let fleet = format!("[fleet]\npurges = 'valkeys://cache.example'\n{ca}");
        let settings = parse(&format!("{fleet}{SITE}{validator}")).unwrap().settings;
        let shared = settings.site[0].validators[0].shared.clone().unwrap();
        let fleet = settings.fleet.unwrap();
        assert_eq!(fleet.stamp, shared.stamp);
        fleet.stamp
    };
    assert_eq!(of("ca = 'ca.pem'\n"), of("ca = 'ca.pem'\n"));
    assert_ne!(of("ca = 'ca.pem'\n"), of(""));
    let error = parse("[fleet]\npurges = 'valkeys://cache.example'\nca = 'none.pem'\n").unwrap_err().to_string();
    assert!(error.contains("none.pem"), "{error}");
}

#[test]
fn explains_each_value() {
    let config = parse(&format!("{LEAST}pool.idle = '3s'\n[defaults.pool]\nfresh = '500ms'\nidle = '2s'\n")).unwrap();
    let lines: Vec<String> = config
        .explained
        .iter()
        .map(|one| {
            let whose = one.whose.outbound().or(one.whose.site()).unwrap_or("-");
            format!("{whose} | {} = {} | {}", one.name(), one.value, one.reason())
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

/// What is told of a configuration, and what can be said in one, are one list.
#[test]
fn every_key_is_explained_and_every_explanation_is_a_key() {
    let names = |config: &Config| -> BTreeSet<(&str, &str)> {
        config.explained.iter().map(|one| (one.key.table, one.key.name)).collect()
    };
    let mut told = names(&parse(WHOLE).unwrap());
    told.extend(names(&parse(ROUTED).unwrap()));
    let keys: BTreeSet<_> =
        keys::all().filter(|key| !keys::INLINE.contains(&key.table)).map(|key| (key.table, key.name)).collect();
    assert_eq!(told, keys);
    for key in keys::all() {
        assert!(!key.about.is_empty() && !key.form.is_empty(), "{key:?}");
        let is_required = matches!(
            (key.table, key.name),
            ("outbound", "name" | "listen" | "upstream")
                | ("admin", "listen")
                | ("otlp", "endpoint")
                | ("fleet", "purges")
                | ("tier", "peers" | "secret_file")
                | ("health", "path")
                | ("rate", "rate")
                | ("upstream", "url")
                | ("tls", "cert" | "key")
                | ("eab", _)
                | ("country", "database")
                | ("validator", "path")
        );
        assert_eq!(key.why.is_empty(), is_required, "a default has a reason: {key:?}");
    }
}

/// Each field of the settings is set by a key: none has been forgotten.
#[test]
fn every_field_of_the_settings_has_its_key() {
    let mut fields = BTreeSet::new();
    leaves(&serde_json::to_value(parse(WHOLE).unwrap().settings).unwrap(), String::new(), &mut fields);
    leaves(&serde_json::to_value(parse(ROUTED).unwrap().settings.site).unwrap(), "site".into(), &mut fields);
    // What answers is one of several, and what is not said of it is off.
    let is_one_of_several = |field: &String| {
        ["site.application", "site.routes.action", "site.routes.line", "site.preset"]
            .iter()
            .any(|one| field.starts_with(one))
            || ["site.acme", "site.queue", "site.snapshot", "site.routes.access", "site.acme.eab"]
                .contains(&field.as_str())
    };
    // So is what tells the endpoints.
    fields.retain(|field| !is_one_of_several(field) && !field.contains(".origins.discovery."));
    let tables = [
        "admin",
        "log",
        "otlp",
        "fleet",
        "tier",
        "breaker",
        "outlier",
        "health",
        "rate",
        "trusted",
        "clients",
        "cache",
        "country",
        "validator",
        "acme",
        "fastcgi",
        "files",
        "queue",
        "snapshot",
        "route",
    ];
    let of_one =
        |key: &&Key| !tables.contains(&key.name) || matches!(key.table, "rate" | "clients" | "route" | "cache");
    let mut keys: BTreeSet<String> = BTreeSet::new();
    for key in keys::all().filter(of_one) {
        let name = key.name;
        let settings = |role: &str| match (keys::below(key.table), name) {
            ("", "name" | "http" | "balance") => format!("{role}.upstream.{name}"),
            ("", "ca" | "server_name" | "insecure") => format!("{role}.upstream.tls.{name}"),
            ("", "certificate" | "key") => format!("{role}.upstream.tls.certificate"),
            ("", "upstream") | ("upstream", "url") => format!("{role}.upstream.origins.at"),
            ("upstream", name) => format!("{role}.upstream.origins.{name}"),
            ("", name) => format!("{role}.{name}"),
            ("client", pace) if pace.ends_with("_rate") || pace.ends_with("_grace") => {
                format!("{role}.client.{}", pace.replace("_rate", "_pace.rate").replace("_grace", "_pace.grace"))
            }
            ("client" | "buffer", name) => format!("{role}.{}.{name}", keys::below(key.table)),
            ("rate", name) => format!("{role}.rates.{name}"),
            (table, name) => format!("{role}.upstream.{table}.{name}"),
        };
        match (key.table, name) {
            ("", name) => drop(keys.insert(name.into())),
            ("upstream", "endpoints") => {}
            (table @ ("admin" | "log" | "otlp" | "fleet" | "tier"), name) => {
                keys.insert(format!("{table}.{name}"));
            }
            ("outbound", _) => drop(keys.insert(settings("outbound"))),
            ("site", "redirect" | "hsts" | "underscores" | "per_client" | "effects" | "no_effects" | "retry_after") => {
                keys.insert(format!("site.{name}"));
            }
            ("site", "compress" | "hosts" | "error_page") => drop(keys.insert(format!("site.{name}"))),
            ("site", "default") => drop(keys.insert("site.is_default".into())),
            // They say what answers, which is one of several.
            ("site", "root" | "index" | "try" | "php" | "preset" | "database") | ("fastcgi" | "eab", _) => {}
            ("acme", "eab") => {}
            ("acme" | "files" | "queue" | "snapshot", _) => drop(keys.insert(format!("site.{}.{name}", key.table))),
            ("access", "auth") => drop(keys.insert("site.routes.access.auth.users".into())),
            ("access", "realm") => drop(keys.insert("site.routes.access.auth.realm".into())),
            ("access" | "request", _) => drop(keys.insert(format!("site.routes.{}.{name}", key.table))),
            ("route", _) => keys.extend(match name {
                "name" | "cache" => Some(format!("site.routes.{name}")),
                "path" => Some("site.routes.matching.prefixes".into()),
                "exact" => Some("site.routes.matching.exact".into()),
                "suffix" | "method" => {
                    Some(format!("site.routes.matching.{}", if name == "suffix" { "suffixes" } else { "methods" }))
                }
                "set" | "remove" => Some(format!("site.routes.response.{name}")),
                "body" => Some("site.routes.body_bytes".into()),
                _ => None,
            }),
            ("site", "tls12") => drop(keys.insert(format!("site.tls.{name}"))),
            ("site", "tls") | ("tls", _) => drop(keys.insert("site.tls.certificates".into())),
            ("site", _) => drop(keys.insert(settings("site.proxy"))),
            ("trusted" | "clients" | "cache", _) => drop(keys.insert(format!("site.{}.{name}", key.table))),
            ("country", _) => drop(keys.insert("site.cache.country".into())),
            // Which of them there are depends on what is asked.
            (
                "validator",
                "database" | "query" | "parameters" | "file" | "head" | "listen" | "heartbeat" | "shared",
            ) => {}
            ("validator", _) => drop(keys.insert(format!("site.validators.{name}"))),
            _ => keys.extend([settings("outbound"), settings("site.proxy")]),
        }
    }
    // They come from the URL, from lists of addresses, and from what is asked.
    for role in ["outbound", "site.proxy"] {
        keys.extend(["tls", "authority"].map(|name| format!("{role}.upstream.origins.{name}")));
    }
    keys.extend(["allow", "deny"].map(|name| format!("site.routes.access.{name}_unix")));
    keys.extend(["site.trusted.unix", "site.cache.purge_unix", "site.validators.source"].map(str::to_owned));
    fields.retain(|field| !field.starts_with("site.validators.source."));
    keys.remove("site.validators.source");
    assert_eq!(fields, keys);
}

/// The paths of all that is no table.
fn leaves(value: &serde_json::Value, path: String, into: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(map) if map.contains_key("nanos") => drop(into.insert(path)),
        // How an enum's word with a value is written.
        serde_json::Value::Object(map)
            if map.keys().all(|key| ["tcp", "unix", "fixed", "exact", "below"].contains(&key.as_str())) =>
        {
            into.insert(path);
        }
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                leaves(value, path, into);
            }
        }
        serde_json::Value::Array(list) if list.iter().any(serde_json::Value::is_object) => {
            list.iter().for_each(|value| leaves(value, path.clone(), into));
        }
        // What is off is told by the other listener, where it is on.
        serde_json::Value::Null if ["breaker", "outlier", "health"].iter().any(|name| path.ends_with(name)) => {}
        serde_json::Value::Array(list)
            if list.is_empty()
                && ["rates", "validators", "routes", "origins"].iter().any(|name| path.ends_with(name)) => {}
        serde_json::Value::Null if path == "site.cache" || path == "site.tls" => {}
        serde_json::Value::String(_) if path == "site.validators.source" => {}
        _ => drop(into.insert(path)),
    }
}

/// What `--explain` prints can be read again, and means the same.
#[test]
fn what_is_explained_is_a_configuration_that_comes_to_the_same() {
    for text in [WHOLE, ROUTED, LEAST, SITE] {
        let config = parse(text).unwrap();
        let told = config.told();
        let again = parse(&told).unwrap_or_else(|error| panic!("{error}\n{told}"));
        assert_eq!(again.settings, config.settings, "{told}");
    }
    insta::assert_snapshot!(parse(WHOLE).unwrap().told());
    for bytes in [0, 1, 999, 1000, 1024, 1500, 65_536, 1_000_000, 1 << 30, 1 << 50] {
        let text = format!("{LEAST}client.body_bytes = {}\n", Shown::Bytes(bytes));
        assert_eq!(parse(&text).unwrap().settings.outbound[0].client.body_bytes, Some(bytes));
    }
}

#[test]
fn files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.toml");
    assert!(Config::read(&path).unwrap_err().to_string().contains("cannot read the configuration"));
    std::fs::write(&path, [0xff]).unwrap();
    assert!(Config::read(&path).unwrap_err().to_string().contains("not UTF-8"));
    assert!(Config::read(Path::new("/dev/zero")).unwrap_err().to_string().contains("not a regular file"));
    std::fs::write(&path, LEAST).unwrap();
    assert_eq!(Config::read(&path).unwrap().settings.outbound.len(), 1);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC*") {
        let _ = parse(&text).map_err(|error| error.to_string());
    }

    /// Cut, doubled and with lines exchanged, a good file brings most errors about.
    #[test]
    fn no_change_of_a_good_file_makes_it_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..5_u8), 1..4)
    ) {
        let mut lines: Vec<String> = WHOLE.lines().map(str::to_owned).collect();
        for (one, other, how) in changes {
            let (one, other) = (one.index(lines.len()), other.index(lines.len()));
            match how {
                0 => drop(lines.remove(one)),
                1 => lines.swap(one, other),
                2 => lines.insert(other, lines[one].clone()),
                3 => {
                    let half: String = lines[one].chars().take(other).collect();
                    lines[one] = half;
                }
                _ => {
                    let value = lines[other].split_once('=').map_or("0", |(_, value)| value).to_owned();
                    lines[one] = format!("{}={value}", lines[one].split('=').next().unwrap_or_default());
                }
            }
            prop_assume!(!lines.is_empty());
        }
        match parse(&lines.join("\n")) {
            // Whatever is accepted says all of itself.
            Ok(config) => prop_assert!(config.explained.len() > 20),
            Err(error) => prop_assert!(error.to_string().starts_with("unladen.toml:"), "{}", error),
        }
    }
}

#[test]
fn as_a_document_durations_are_numbers_and_defaults_are_filled_in() {
    let settings = parse(&format!("drain = '1s 5ns'\n{LEAST}")).unwrap().settings;
    let document: serde_json::Value = serde_json::from_str(&unladen_observability::config_document(&settings)).unwrap();
    assert_eq!(document["schema"], "unladen.serve-config/1");
    assert_eq!(document["drain_ns"], 1_000_000_005_u64);
    assert_eq!(document["outbound"][0]["upstream"]["pool"]["idle_ns"], 4_000_000_000_u64);
    assert_eq!(document["outbound"][0]["upstream"]["timeouts"]["request"], serde_json::Value::Null);
    assert!(!document.to_string().contains("secs"), "{document:#}");
}

#[test]
fn a_stop_may_wait_and_probes_have_an_address_of_their_own() {
    let top = "drain_delay = '10s'\n[admin]\nlisten = '127.0.0.1:6190'\n";
    let settings =
        parse(&format!("{top}probes = '0.0.0.0:6191'\nready = ['fleet', 'fleet']\n{LEAST}")).unwrap().settings;
    let admin = settings.admin.unwrap();
    assert_eq!(settings.drain_delay, std::time::Duration::from_secs(10));
    assert_eq!(admin.probes, Some(ListenAddress::Tcp("0.0.0.0:6191".parse().unwrap())));
    assert_eq!(admin.ready, [unladen_observability::ReadyCheck::Fleet]);
    for (wrong, said) in [
        ("probes = '127.0.0.1:6190'", "is already used in line 3"),
        ("probes = '127.0.0.1:6102'", "is already used in line 4"),
        ("ready = ['upstream']", "did you mean `upstreams`?"),
        ("ready = 'fleet'", "expected a list of conditions"),
    ] {
        let error = parse(&format!("{top}{wrong}\n{LEAST}")).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}
