use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

mod docs;
mod mistakes;

/// A machine of two CPUs that has a few files.
struct Lab;

impl Surroundings for Lab {
    fn processors(&self) -> usize {
        2
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match path.strip_prefix("/lab").ok().and_then(Path::to_str) {
            Some("ca.pem" | "own.pem") => {
                Ok(b"-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n".to_vec())
            }
            Some("own.key" | "open.key") => {
                Ok(b"-----BEGIN EC PRIVATE KEY-----\nMA==\n-----END EC PRIVATE KEY-----\n".to_vec())
            }
            Some("empty.pem") => Ok(Vec::new()),
            _ => Err(io::Error::from(io::ErrorKind::NotFound)),
        }
    }

    fn mode(&self, path: &Path) -> Option<u32> {
        Some(if path.ends_with("open.key") { 0o644 } else { 0o640 })
    }
}

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Path::new("unladen.toml"), Path::new("/lab"), &Lab)
}

const LEAST: &str = "[[beside]]
name = 'search'
listen = '127.0.0.1:6102'
upstream = 'https://search.example:9243'
";

const WHOLE: &str = r#"
threads = 3
drain = "20s"

[admin]
listen = "[::1]:6190"

[log]
file = "access.log"
sample = "5%"

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

[[beside]]
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
resolve = { min_ttl = "2s", max_ttl = "3s", timeout = "1s" }
client = { connections = 5, head_bytes = 2048, fields = 40, body_bytes = "10GiB", head_timeout = "1s", idle = "2s", streams = 3 }

[[beside.rate]]
header = "X-Api-Key"
rate = 2.5
keys = 10
[[beside.rate]]
rate = 100
burst = 300

[[beside]]
name = "plain"
listen = "127.0.0.1:6103"
upstream = "http://127.0.0.1:8080"
breaker = true
outlier = false
health = false
"#;

#[test]
fn three_lines_are_enough() {
    let Config { settings, warnings, .. } = parse(LEAST).unwrap();
    let [beside] = settings.beside.as_slice() else { panic!() };
    assert_eq!((settings.threads, settings.drain), (2, std::time::Duration::from_secs(30)));
    assert!(settings.admin.is_none() && settings.log.is_none() && settings.otlp.is_none());
    let upstream = unladen_pool::UpstreamSettings::new("search", beside.upstream.origins.clone());
    assert_eq!(beside.upstream, upstream, "the pool's own defaults");
    assert_eq!(beside.client, crate::settings::ClientSettings::default());
    assert!(warnings.is_empty(), "{warnings:?}");
}

/// All of it, as JSON.
#[test]
fn reads_everything() {
    let config = parse(WHOLE).unwrap();
    insta::assert_json_snapshot!(config.settings);
    assert_eq!(config.warnings, []);
}

#[test]
fn a_certificate_that_is_another_is_told_by_its_stamp() {
    let of = |text: &str| parse(text).unwrap().stamps;
    let with = format!("{LEAST}ca = 'ca.pem'\n");
    assert_eq!(of(&with), of(&with));
    assert_ne!(of(&with), of(LEAST));
}

#[test]
fn explains_each_value() {
    let config = parse(&format!("{LEAST}pool.idle = '3s'\n[defaults.pool]\nfresh = '500ms'\nidle = '2s'\n")).unwrap();
    let lines: Vec<String> = config
        .explained
        .iter()
        .map(|one| {
            format!("{} | {} = {} | {}", one.beside.as_deref().unwrap_or("-"), one.name(), one.value, one.reason())
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
    let told = names(&parse(WHOLE).unwrap());
    let keys: BTreeSet<_> =
        KEYS.iter().filter(|key| key.table != "upstream").map(|key| (key.table, key.name)).collect();
    assert_eq!(told, keys);
    for key in KEYS {
        assert!(!key.about.is_empty() && !key.form.is_empty(), "{key:?}");
        let is_required = matches!(
            (key.table, key.name),
            ("beside", "name" | "listen" | "upstream")
                | ("admin", "listen")
                | ("otlp", "endpoint")
                | ("health", "path")
                | ("rate", "rate")
                | ("upstream", "url")
        );
        assert_eq!(key.why.is_empty(), is_required, "a default has a reason: {key:?}");
    }
}

/// Each field of the settings is set by a key: none has been forgotten.
#[test]
fn every_field_of_the_settings_has_its_key() {
    let settings = serde_json::to_value(parse(WHOLE).unwrap().settings).unwrap();
    let mut fields = BTreeSet::new();
    leaves(&settings, String::new(), &mut fields);
    let mut keys: BTreeSet<String> = KEYS
        .iter()
        .filter(|key| {
            !["admin", "log", "otlp", "breaker", "outlier", "health", "rate"].contains(&key.name) || key.table == "rate"
        })
        .map(|key| match (key.table, key.name) {
            ("", name) => name.into(),
            (table @ ("admin" | "log" | "otlp"), name) => format!("{table}.{name}"),
            ("beside", name @ ("name" | "http" | "balance")) => format!("beside.upstream.{name}"),
            ("beside", name @ ("ca" | "server_name" | "insecure")) => format!("beside.upstream.tls.{name}"),
            ("beside", "certificate" | "key") => "beside.upstream.tls.certificate".into(),
            ("beside", "upstream") | ("upstream", "url") => "beside.upstream.origins.at".into(),
            ("upstream", name) => format!("beside.upstream.origins.{name}"),
            ("beside", name) => format!("beside.{name}"),
            ("client", name) => format!("beside.client.{name}"),
            ("rate", name) => format!("beside.rates.{name}"),
            (table, name) => format!("beside.upstream.{table}.{name}"),
        })
        .collect();
    // Both come from the URL.
    keys.extend(["tls", "authority"].map(|name| format!("beside.upstream.origins.{name}")));
    assert_eq!(fields, keys);
}

/// The paths of all that is no table.
fn leaves(value: &serde_json::Value, path: String, into: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(map) if map.contains_key("nanos") => drop(into.insert(path)),
        // How an enum's word with a value is written.
        serde_json::Value::Object(map) if map.keys().all(|key| ["tcp", "unix", "fixed"].contains(&key.as_str())) => {
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
        serde_json::Value::Array(list) if list.is_empty() && path.ends_with("rates") => {}
        _ => drop(into.insert(path)),
    }
}

/// What `--explain` prints can be read again, and means the same.
#[test]
fn what_is_explained_is_a_configuration_that_comes_to_the_same() {
    for text in [WHOLE, LEAST] {
        let config = parse(text).unwrap();
        let told = config.told();
        let again = parse(&told).unwrap_or_else(|error| panic!("{error}\n{told}"));
        assert_eq!(again.settings, config.settings, "{told}");
    }
    insta::assert_snapshot!(parse(WHOLE).unwrap().told());
    for bytes in [0, 1, 999, 1000, 1024, 1500, 65_536, 1_000_000, 1 << 30, 1 << 50] {
        let text = format!("{LEAST}client.body_bytes = {}\n", Shown::Bytes(bytes));
        assert_eq!(parse(&text).unwrap().settings.beside[0].client.body_bytes, Some(bytes));
    }
}

#[test]
fn files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.toml");
    assert!(Config::read(&path).unwrap_err().to_string().contains("cannot read the configuration"));
    std::fs::write(&path, [0xff]).unwrap();
    assert!(Config::read(&path).unwrap_err().to_string().contains("not UTF-8"));
    assert!(Config::read(Path::new("/dev/zero")).unwrap_err().to_string().contains("no regular file"));
    std::fs::write(&path, LEAST).unwrap();
    assert_eq!(Config::read(&path).unwrap().settings.beside.len(), 1);
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
