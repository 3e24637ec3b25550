//! Tests of [`TriedTier`].

use std::fs;
use std::net::TcpListener;

use tokio::runtime::{Builder, LocalOptions};
use unladen_serve_config::{Config, Machine};

use super::*;
use crate::control::plans::ports;

/// What comes of these peers, where nobody tells of names but this hosts file.
fn tried(peers: &str, hosts: &str) -> Vec<Trial> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("secret"), "correct-horse-battery-staple-0123456789").unwrap();
    fs::write(folder.path().join("hosts"), hosts).unwrap();
    fs::write(folder.path().join("peers.json"), r#"{"endpoints": []}"#).unwrap();
    let text = format!(
        "[tier]\npeers = {peers}\nsecret_file = 'secret'\n[[site]]\nlisten = '127.0.0.1:9'\nupstream = 'http://127.0.0.1:1'\n"
    );
    let config = Config::parse(&text, &folder.path().join("unladen.toml"), folder.path(), &Machine).unwrap();
    let settings = &config.settings;
    let tier = TriedTier::new(settings.tier.as_ref().unwrap(), ports(settings)).unwrap();
    let resolver = Arc::new(Resolver::of_files(folder.path().join("hosts"), folder.path().join("none")));
    let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default()).unwrap();
    runtime.block_on(tier.run(resolver))
}

fn of<'t>(trials: &'t [Trial], place: &str) -> Option<&'t Trial> {
    trials.iter().find(|trial| trial.place == place)
}

/// It was told that no peer asks it, though the name was its own.
#[test]
fn a_name_that_nobody_tells_of_may_be_this_node() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let other = format!("http://{}", other.local_addr().unwrap());
    let trials = tried(&format!("['{other}', 'http://node.example:9']"), "");
    let failed = of(&trials, "http://node.example:9").unwrap().failed.as_ref().unwrap();
    assert_eq!(failed.reason, "no_endpoint");
    assert!(failed.cause.starts_with("its name has no address: "), "{}", failed.cause);
    assert!(of(&trials, "this node").is_none(), "{trials:?}");
    assert!(of(&trials, &other).is_some(), "the others are connected to: {trials:?}");
    let trials = tried(&format!("['{other}', 'http://node.example:9']"), "127.0.0.1 node.example\n");
    assert_eq!(of(&trials, "this node").unwrap().spoken, Some("one of the peers"), "{trials:?}");
}

/// Nobody was there, and all was well.
#[test]
fn a_list_without_a_peer_was_good() {
    let trials = tried("{ url = 'http://tier.example', endpoints = 'file:peers.json' }", "");
    assert_eq!(trials.len(), 1, "{trials:?}");
    let failed = trials[0].failed.as_ref().unwrap();
    assert_eq!(failed.cause, "discovery reports no endpoints");
}
