use std::io;
use std::path::Path;

use crate::{Config, ConfigError, Surroundings, TierSecret};

struct Lab;

impl Surroundings for Lab {
    fn processors(&self) -> usize {
        2
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match path.file_name().and_then(|name| name.to_str()) {
            Some("secret") => Ok(b"0123456789abcdef0123456789abcdef\n".to_vec()),
            Some("short") => Ok(b"0123456789abcdef".to_vec()),
            _ => Err(io::Error::from(io::ErrorKind::NotFound)),
        }
    }

    fn stamp(&self, _: &Path) -> io::Result<u64> {
        Err(io::Error::from(io::ErrorKind::NotFound))
    }

    fn mode(&self, _: &Path) -> Option<u32> {
        Some(0o640)
    }
}

fn parse(tier: &str) -> Result<Config, ConfigError> {
    let site = "[[site]]\nlisten = '127.0.0.1:8081'\nupstream = 'http://127.0.0.1:8080'\n";
    Config::parse(&format!("[tier]\n{tier}\n{site}"), Path::new("unladen.toml"), Path::new("/lab"), &Lab)
}

const TWO: &str = "peers = ['http://10.0.0.1:8080', 'http://10.0.0.2:8080']\n";

#[test]
fn peers_are_asked_once_and_left_out_when_they_fail() {
    let text = format!("{TWO}secret_file = 'secret'\nnode = '10.0.0.1:8080'\ndeadline = '200ms'");
    let config = parse(&text).unwrap();
    let tier = config.settings.tier.clone().unwrap();
    assert_eq!(tier.upstream.origins.len(), 2);
    assert_eq!((tier.upstream.retry.attempts, tier.upstream.outlier.unwrap().consecutive), (0, 1));
    let timeouts = tier.upstream.timeouts;
    assert_eq!(timeouts.connect + timeouts.first_byte, tier.deadline);
    let shown = format!("{:?} {}", config.settings, serde_json::to_string(&config.settings).unwrap());
    assert!(!shown.contains("0123456789abcdef"), "the secret is shown");
    assert!(config.explained.iter().all(|explained| !explained.value.to_string().contains("0123456789abcdef")));
    let found =
        "secret_file = 'secret'\npeers = { url = 'http://web.example:8080', endpoints = 'srv:_http._tcp.web.example' }";
    assert!(parse(found).unwrap().settings.tier.unwrap().upstream.origins[0].discovery.is_some());
}

#[test]
fn what_cannot_be_a_tier_is_told() {
    for (text, says) in [
        (TWO.to_owned(), "secret_file"),
        ("secret_file = 'secret'".to_owned(), "peers"),
        (format!("{TWO}secret_file = 'none'"), "none"),
        (format!("{TWO}secret_file = 'short'"), "32 to 256"),
        (format!("{TWO}secret_file = 'secret'\nnode = '0.0.0.0:8080'"), "an address and a port"),
        (format!("{TWO}secret_file = 'secret'\nnode = 'here'"), "an address and a port"),
        (format!("{TWO}secret_file = 'secret'\nhot = 0"), "1"),
        ("secret_file = 'secret'\npeers = 'unix:/run/a.sock'".to_owned(), "Unix socket"),
        ("secret_file = 'secret'\npeers = { url = 'http://10.0.0.1:1', weight = 2 }".to_owned(), "weight"),
    ] {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.contains(says), "{text}: {error}");
        assert!(!error.contains("0123456789abcdef"), "{error}");
    }
}

#[test]
fn a_secret_is_long_and_never_shown() {
    let text = "correct-horse-battery-staple-0123456789";
    let secret = TierSecret::new(text).unwrap();
    assert_eq!(secret.reveal(), text);
    let shown = format!("{secret:?}");
    assert!(!shown.contains("horse"), "{shown}");
    for wrong in ["short", &"x".repeat(257), &format!("{text} {text}"), &format!("{text}\u{e9}")] {
        assert_eq!(TierSecret::new(wrong), None, "{wrong}");
    }
}
