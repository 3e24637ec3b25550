//! Tests of where what is kept is written, and what the next process thinks of it.

use std::io;
use std::path::{Path, PathBuf};

use super::*;
use crate::{Config, Surroundings};

/// A machine on which systemd says where state is kept, or does not.
struct Service(Option<&'static str>);

impl Surroundings for Service {
    fn processors(&self) -> usize {
        1
    }

    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn stamp(&self, _: &Path) -> io::Result<u64> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn mode(&self, _: &Path) -> Option<u32> {
        None
    }

    fn state_folder(&self) -> Option<PathBuf> {
        self.0.map(PathBuf::from)
    }
}

const SITE: &str = "[[site]]\nname = 'shop'\nlisten = '127.0.0.1:8081'\nupstream = 'http://127.0.0.1:8080'\n";

fn parse(text: &str, folder: Option<&'static str>) -> Result<Vec<Option<SnapshotSettings>>, String> {
    let config = Config::parse(text, Path::new("unladen.toml"), Path::new("/etc/unladen"), &Service(folder));
    let config = config.map_err(|error| error.to_string())?;
    Ok(config.settings.site.into_iter().map(|site| site.snapshot).collect())
}

fn one(more: &str, folder: Option<&'static str>) -> Option<SnapshotSettings> {
    parse(&format!("{SITE}{more}"), folder).unwrap_or_else(|error| panic!("{error}")).remove(0)
}

#[test]
fn it_is_on_where_there_is_a_place_for_it() {
    let state = Some("/var/lib/unladen");
    assert_eq!(one("", None), None);
    assert_eq!(one("", state).unwrap().file, Path::new("/var/lib/unladen/shop.snapshot"));
    assert_eq!(one("snapshot = false", state), None);
    assert_eq!(one("cache = false", state), None);
    // A path is one beside the file.
    let own = one("snapshot = { file = 'own', every = '1m' }", state).unwrap();
    assert_eq!((&*own.file, own.every), (Path::new("/etc/unladen/own"), Duration::from_secs(60)));
}

#[test]
fn who_purges_has_pages_asked_about() {
    let state = Some("/var/lib/unladen");
    let trust = |more: &str| one(more, state).unwrap().trust;
    assert_eq!(trust(""), SnapshotTrust::Fresh);
    assert_eq!(trust("cache.purge = ['127.0.0.1']"), SnapshotTrust::Revalidate);
    assert_eq!(trust("cache.purge = ['unix']"), SnapshotTrust::Revalidate);
    assert_eq!(trust("cache.purge = ['127.0.0.1']\nsnapshot.trust = 'fresh'"), SnapshotTrust::Fresh);
    assert_eq!(trust("snapshot.trust = 'revalidate'"), SnapshotTrust::Revalidate);
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |text: &str| parse(text, None).unwrap_err();
    assert!(refused(&format!("{SITE}snapshot = true")).contains("[site.snapshot]"));
    assert!(refused(&format!("{SITE}cache = false\nsnapshot.file = 'a'")).contains(
        "nothing to write, because the cache \
            is off"
    ));
    let site = format!("{SITE}snapshot.file = 'a'\n");
    let twice = format!("{site}{}", site.replace("shop", "other").replace("8081", "8082"));
    assert!(refused(&twice).contains("the snapshot `/etc/unladen/a` is already used in line"), "{}", refused(&twice));
    assert!(refused(&format!("{SITE}snapshot = {{ file = 'a', trust = 'always' }}")).contains("trust"));
}
