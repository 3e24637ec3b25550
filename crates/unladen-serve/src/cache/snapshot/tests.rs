//! Tests of what outlives a process: what comes back, what is in doubt, and what is not used.

use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;
use std::{fs, thread};

use bytes::Bytes;
use tempfile::TempDir;
use unladen_cache::{Freshness, HEADER_LENGTH, Nominated, Policy, Purge, SnapshotHeader, Stored, Time};
use unladen_fleet::{BusSettings, BusUrl, Fleet, FleetSettings, MemoryEngine, Position, Wait, WhenCutOff};
use unladen_http1::Fields;
use unladen_serve_config::{Config, Machine, SiteSettings, SnapshotSettings, SnapshotTrust};

use super::disk::{load, write};
use super::file::{FileError, doubts, fingerprint, new_path};
use super::remembered::Remembered;
use super::succession::{give, take, take_back};
use super::successor::{BYE, Forgotten, Successor, UNSENT, frame};
use crate::cache::Cache;

const SITE: &str = "[[site]]\nname = 'shop'\nlisten = '127.0.0.1:8080'\nupstream = 'http://127.0.0.1:8000'\n";

fn settings(more: &str) -> SiteSettings {
    let text = format!("{SITE}{more}");
    let config = Config::parse(&text, Path::new("unladen.toml"), Path::new("/"), &Machine);
    config.unwrap_or_else(|error| panic!("{error}")).settings.site.remove(0)
}

/// Of a process that has just begun.
fn site() -> Arc<Remembered> {
    let settings = settings("");
    let cache = Cache::new(settings.cache.as_ref().unwrap(), None);
    Arc::new(Remembered { name: "shop".into(), cache, settings: None, fingerprint: fingerprint(&settings).unwrap() })
}

fn page(lines: &[(&str, &str)], received: Time) -> Stored {
    let mut fields = Fields::default();
    lines.iter().for_each(|(name, value)| fields.push(name.as_bytes(), value.as_bytes()));
    let freshness = Freshness::of(200, &fields, received, received, &Policy::default());
    Stored::new(200, fields, Bytes::from_static(b"page"), freshness, None, unladen_cache::Sequence(0))
}

fn put(site: &Remembered, path: &str, mut stored: Stored) {
    stored.sequence = site.cache.store.sequence();
    let key = format!("http://shop{path}");
    assert!(site.cache.store.put(key.as_bytes(), &Nominated::default(), |_| Vec::new(), Arc::new(stored)));
}

fn find(site: &Remembered, path: &str) -> Option<Arc<Stored>> {
    site.cache.store.find(format!("http://shop{path}").as_bytes())?.variant(b"").cloned()
}

const FRESH: &[(&str, &str)] = &[("cache-control", "max-age=3600")];

/// A site that keeps something of every kind.
fn full() -> Arc<Remembered> {
    let site = site();
    let now = Time::now();
    put(&site, "/fresh", page(FRESH, now));
    put(&site, "/stale", page(FRESH, Time(now.0 - 3_601_000)));
    put(&site, "/tagged", page(&[FRESH[0], ("cache-tag", "a")], now));
    put(&site, "/early", page(FRESH, Time(now.0 + 60_000)));
    let mut validated = page(&[("cache-control", "no-store")], now);
    validated.version = Some(b"v".as_slice().into());
    put(&site, "/validated", validated);
    site
}

fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.snapshot");
    (folder, file)
}

fn written(site: &Arc<Remembered>, file: &Path, is_last: bool) {
    written_from(site, file, is_last, None);
}

fn written_from(site: &Arc<Remembered>, file: &Path, is_last: bool, position: Option<&Position>) {
    let settings = SnapshotSettings { file: file.to_owned(), every: Duration::MAX, trust: SnapshotTrust::Fresh };
    let written = write(site, &settings, position, is_last, &|_| true).unwrap().unwrap();
    assert_eq!(fs::metadata(file).unwrap().len(), written.bytes);
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!new_path(file).exists());
}

/// Those that answer without being asked about, if no validator is asked.
fn trusted(site: &Remembered) -> Vec<&'static str> {
    let paths = ["/fresh", "/stale", "/tagged", "/early", "/validated"];
    paths.into_iter().filter(|path| find(site, path).is_some_and(|stored| !stored.is_soft_purged())).collect()
}

#[test]
fn what_is_fresh_answers_after_a_clean_stop_and_is_asked_about_after_a_crash() {
    for (is_last, trust, expected) in [
        (true, SnapshotTrust::Fresh, &["/fresh", "/validated"][..]),
        (true, SnapshotTrust::Revalidate, &["/validated"]),
        (false, SnapshotTrust::Fresh, &["/validated"]),
    ] {
        let (_folder, file) = file();
        written(&full(), &file, is_last);
        let next = site();
        assert_eq!(load(&next, &file, trust, None).unwrap(), Some(5));
        assert_eq!(trusted(&next), expected, "{is_last} {trust:?}");
        assert_eq!(find(&next, "/validated").unwrap().version.as_deref(), Some(&b"v"[..]));
        assert_eq!(next.cache.account.state().loaded, 5);
    }
}

/// A node that serves from memory while it is cut off, or that does not.
fn node(when_cut_off: WhenCutOff) -> Arc<Fleet> {
    let url = BusUrl::parse("valkey://engine").unwrap();
    let bus = BusSettings { url, ca: None, fleet: "test".into(), node: "a".into(), keep: 1000 };
    let time = Duration::from_secs(60);
    let settings = FleetSettings { bus, lease: time, when_cut_off, wait: Wait::All, wait_for: time };
    Fleet::over(MemoryEngine::default().bus("a").0, settings)
}

/// What a node had purged, and its bus did not get before a crash, was served as fresh by that very node; and with
/// `when_cut_off = "serve"` what others had purged was, before anything was read of the bus.
#[test]
fn a_place_on_the_bus_vouches_for_nothing_after_a_crash_or_while_nothing_is_read() {
    let place: Position = "memory.0/7".parse().unwrap();
    for (position, is_last, when_cut_off, expected) in [
        (Some(&place), true, WhenCutOff::Revalidate, &["/fresh", "/tagged", "/validated"][..]),
        (Some(&place), false, WhenCutOff::Revalidate, &["/validated"]),
        (Some(&place), true, WhenCutOff::Serve, &["/validated"]),
        (None, true, WhenCutOff::Revalidate, &["/validated"]),
    ] {
        let (_folder, file) = file();
        written_from(&full(), &file, is_last, position);
        let (next, fleet) = (site(), node(when_cut_off));
        load(&next, &file, SnapshotTrust::Fresh, Some(&fleet)).unwrap();
        assert_eq!(trusted(&next), expected, "{position:?} {is_last} {when_cut_off:?}");
        assert_eq!(fleet.position().as_ref(), position, "it is read on from there all the same");
    }
}

#[test]
fn a_clean_stop_vouches_for_one_start_alone() {
    let (_folder, file) = file();
    written(&full(), &file, true);
    for expected in [&["/fresh", "/validated"][..], &["/validated"]] {
        let next = site();
        load(&next, &file, SnapshotTrust::Fresh, None).unwrap();
        assert_eq!(trusted(&next), expected);
    }
}

/// As if it had been written at another time.
fn written_at(file: &Path, then: impl FnOnce(i64) -> i64) {
    let mut bytes = fs::read(file).unwrap();
    let header = SnapshotHeader::read(bytes.first_chunk().unwrap()).unwrap();
    let header = SnapshotHeader { written: Time(then(header.written.0)), ..header };
    bytes[..HEADER_LENGTH].copy_from_slice(&header.to_bytes());
    fs::write(file, bytes).unwrap();
}

/// A run without a snapshot may have come between, of which nobody knows what was purged.
#[test]
fn a_clean_stop_of_long_ago_vouches_for_nothing() {
    for (minutes, expected) in [(9, &["/fresh", "/validated"][..]), (11, &["/validated"])] {
        let (_folder, file) = file();
        written(&full(), &file, true);
        written_at(&file, |now| now - minutes * 60_000);
        let next = site();
        load(&next, &file, SnapshotTrust::Fresh, None).unwrap();
        assert_eq!(trusted(&next), expected, "{minutes}");
    }
}

#[test]
fn a_clean_stop_does_not_vouch_past_a_run_that_was_configured_otherwise() {
    let (_folder, file) = file();
    written(&full(), &file, true);
    let mut other = Arc::into_inner(site()).unwrap();
    other.fingerprint += 1;
    assert!(matches!(load(&other, &file, SnapshotTrust::Fresh, None).unwrap_err(), FileError::Configuration));
    let next = site();
    assert_eq!(load(&next, &file, SnapshotTrust::Fresh, None).unwrap(), Some(5));
    assert_eq!(trusted(&next), ["/validated"]);
}

#[test]
fn a_clock_that_was_set_back_puts_all_in_doubt() {
    let (_folder, file) = file();
    written(&full(), &file, true);
    written_at(&file, |now| now + 3_600_000);
    let next = site();
    load(&next, &file, SnapshotTrust::Fresh, None).unwrap();
    assert_eq!(trusted(&next), ["/validated"]);
    // Nor is a page vouched for in the future, for the time in which a validator says nothing.
    assert_eq!(find(&next, "/validated").unwrap().vouched.load(std::sync::atomic::Ordering::Relaxed), 0);
}

#[test]
fn a_torn_file_is_not_used_wherever_it_is_torn() {
    let (_folder, file) = file();
    written(&full(), &file, true);
    let whole = fs::read(&file).unwrap();
    for length in (0..whole.len()).step_by(7) {
        fs::write(&file, &whole[..length]).unwrap();
        let next = site();
        let error = load(&next, &file, SnapshotTrust::Fresh, None).unwrap_err();
        assert!(matches!(error, FileError::Content(_)), "{length}: {error}");
        assert_eq!(next.cache.store.totals().resources, 0, "{length}");
    }
    for at in (0..whole.len()).step_by(11) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x40;
        fs::write(&file, &flipped).unwrap();
        let next = site();
        load(&next, &file, SnapshotTrust::Fresh, None).unwrap_err();
        assert_eq!(next.cache.store.totals().resources, 0, "{at}");
    }
}

#[test]
fn a_file_that_others_could_have_written_is_not_used() {
    let (folder, file) = file();
    written(&full(), &file, true);
    let error = |file: &Path| load(&site(), file, SnapshotTrust::Fresh, None).unwrap_err();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o602)).unwrap();
    assert!(matches!(error(&file), FileError::Mode(0o602)));
    assert_eq!(doubts(&file).len(), 1);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(doubts(&file), [""; 0]);
    let link = folder.path().join("link");
    symlink(&file, &link).unwrap();
    assert!(matches!(error(&link), FileError::Io(_)));
    if nix::unistd::geteuid().is_root() {
        std::os::unix::fs::chown(&file, Some(4711), None).unwrap();
        assert!(matches!(error(&file), FileError::Owner(4711)));
    }
    assert!(matches!(error(folder.path()), FileError::Kind | FileError::Io(_)));
    let absent = folder.path().join("absent");
    assert!(load(&site(), &absent, SnapshotTrust::Fresh, None).unwrap().is_none());
    assert!(doubts(&absent.join("shop.snapshot"))[0].contains("its folder does not exist"));
}

#[test]
fn another_configuration_takes_nothing() {
    let (_folder, file) = file();
    written(&full(), &file, true);
    let mut next = Arc::into_inner(site()).unwrap();
    next.fingerprint += 1;
    assert!(matches!(load(&next, &file, SnapshotTrust::Fresh, None).unwrap_err(), FileError::Configuration));
}

#[test]
fn the_fingerprint_is_of_what_makes_and_finds_pages() {
    let of = |more: &str| fingerprint(&settings(more)).unwrap();
    let usual = of("");
    for same in [
        "per_client = 7",
        "retry_after = '7s'",
        "timeouts.connect = '7s'",
        "cache.memory = '32MiB'",
        "cache.purge = ['127.0.0.1']",
        "clients.connections = 7",
    ] {
        assert_eq!(of(same), usual, "{same}");
    }
    for other in [
        "cache.vary_cookies = ['lang']",
        "cache.ignore_cookies = ['a']",
        "cache.ignore_query = ['utm_*']",
        "cache.languages = ['de', 'fr']",
        "cache.share_with_cookies = true",
        "host = 'other.example'",
        "compress = false",
        "underscores = true",
        "effects = ['run']",
        "[[site.validator]]\npath = '/{page*}'\nhead = true",
    ] {
        assert_ne!(of(other), usual, "{other}");
    }
}

#[test]
fn a_write_that_is_given_up_leaves_the_old_file() {
    let (_folder, file) = file();
    fs::write(&file, "old").unwrap();
    let settings = SnapshotSettings { file: file.clone(), every: Duration::MAX, trust: SnapshotTrust::Fresh };
    assert_eq!(write(&full(), &settings, None, false, &|_| false).unwrap(), None);
    assert_eq!(fs::read(&file).unwrap(), b"old");
    assert!(!new_path(&file).exists());
    // What a crash has left there is in nobody's way.
    fs::write(new_path(&file), "rest").unwrap();
    fs::set_permissions(new_path(&file), fs::Permissions::from_mode(0o600)).unwrap();
    written(&full(), &file, true);
}

#[test]
fn a_file_that_another_process_writes_is_left_alone() {
    let (_folder, file) = file();
    let other = fs::File::create(new_path(&file)).unwrap();
    other.set_permissions(fs::Permissions::from_mode(0o600)).unwrap();
    other.lock().unwrap();
    (&other).write_all(b"other").unwrap();
    let settings = SnapshotSettings { file: file.clone(), every: Duration::MAX, trust: SnapshotTrust::Fresh };
    assert!(matches!(write(&full(), &settings, None, true, &|_| true).unwrap_err(), FileError::Locked));
    assert_eq!(fs::read(new_path(&file)).unwrap(), b"other");
}

/// Two processes, of which the second takes over; until the function is done.
fn handed_over(old: &Arc<Remembered>, new: &Arc<Remembered>, then: impl FnOnce(&Successor)) -> std::io::Result<()> {
    let (here, there) = UnixStream::pair().unwrap();
    let (whole, is_whole) = channel();
    let site = new.clone();
    let taking = thread::spawn(move || {
        let now = |name: &str| (name == "shop").then(|| site.clone());
        take(&there, std::slice::from_ref(&site), None, now, (|| {}, || whole.send(()).unwrap()))
    });
    let successor = Successor::new(here);
    give(&successor, std::slice::from_ref(old), None, Duration::from_secs(10)).unwrap();
    is_whole.recv().unwrap();
    then(&successor);
    taking.join().unwrap()
}

/// A new process carries no requests before: what it had stored by then would miss a purge of the old one.
#[test]
fn purges_reach_the_new_process_once_it_says_so() {
    let (old, new) = (full(), site());
    let (here, there) = UnixStream::pair().unwrap();
    let (reached, is_reached) = channel();
    let site = new.clone();
    let taking = thread::spawn(move || {
        let now = |_: &str| Some(site.clone());
        take(&there, std::slice::from_ref(&site), None, now, (|| reached.send(()).unwrap(), || {}))
    });
    let successor = Successor::new(here);
    thread::sleep(Duration::from_millis(50));
    assert!(is_reached.try_recv().is_err());
    give(&successor, std::slice::from_ref(&old), None, Duration::from_secs(10)).unwrap();
    is_reached.recv().unwrap();
    put(&new, "/meanwhile", page(FRESH, Time::now()));
    old.cache.forget(&Purge::Key(b"http://shop/meanwhile".to_vec()), false);
    assert!(find(&new, "/meanwhile").is_none());
    bye(&successor);
    taking.join().unwrap().unwrap();
}

/// What waited for the engine when another process took over was gone: other nodes were told nothing.
#[test]
fn what_the_old_process_could_not_tell_the_fleet_the_new_one_does() {
    let (old, new, fleet) = (full(), site(), node(WhenCutOff::Revalidate));
    let (here, there) = UnixStream::pair().unwrap();
    let (site, hold) = (new.clone(), fleet.hold());
    let taking = thread::spawn(move || {
        let now = |_: &str| Some(site.clone());
        take(&there, std::slice::from_ref(&site), Some(hold), now, (|| {}, || {}))
    });
    let successor = Successor::new(here);
    give(&successor, std::slice::from_ref(&old), None, Duration::from_secs(10)).unwrap();
    assert_eq!(fleet.unsent(), 0);
    successor.send(&frame(UNSENT, &[]).unwrap()).unwrap();
    bye(&successor);
    taking.join().unwrap().unwrap();
    assert_eq!(fleet.unsent(), 1);
}

fn bye(successor: &Successor) {
    successor.send(&frame(BYE, &[]).unwrap()).unwrap();
}

#[test]
fn who_takes_over_has_all_and_forgets_what_is_purged() {
    let (old, new) = (full(), site());
    handed_over(&old, &new, |successor| {
        // As if nothing had happened: not even what is stale is in doubt.
        assert_eq!(trusted(&new), ["/fresh", "/stale", "/tagged", "/early", "/validated"]);
        // Each returns when both have forgotten.
        old.cache.forget(&Purge::Tag("a".into()), false);
        assert!(find(&new, "/tagged").is_none());
        old.cache.forget(&Purge::Key(b"http://shop/fresh".to_vec()), true);
        assert!(find(&new, "/fresh").unwrap().is_soft_purged());
        old.cache.forget(&Purge::Prefix(b"http://shop/st".to_vec()), false);
        assert!(find(&new, "/stale").is_none());
        bye(successor);
    })
    .unwrap();
    assert_eq!(trusted(&new), ["/early", "/validated"]);
    assert_eq!(new.cache.account.state().loaded, 5);
}

#[test]
fn who_is_left_without_a_word_trusts_nothing() {
    let (old, new) = (full(), site());
    handed_over(&old, &new, |successor| take_back(successor, std::slice::from_ref(&old))).unwrap_err();
    assert_eq!(trusted(&new), [""; 0]);
    // And the old one has nobody to wait for.
    old.cache.forget(&Purge::All, false);
}

#[test]
fn who_is_configured_otherwise_takes_nothing_over() {
    let (old, mut new) = (full(), site());
    Arc::get_mut(&mut new).unwrap().fingerprint += 1;
    handed_over(&old, &new, bye).unwrap();
    assert_eq!(new.cache.store.totals().resources, 0);
    assert!(new.cache.account.state().refused.unwrap().contains("configuration was different"));
}

#[test]
fn what_is_purged_is_told_as_it_is() {
    for purge in [Purge::Key(b"k".to_vec()), Purge::Prefix(vec![]), Purge::Tag("t\n".into()), Purge::All] {
        for is_soft in [false, true] {
            let forgotten = Forgotten { site: "shop".into(), purge: purge.clone(), is_soft };
            let bytes = forgotten.to_bytes();
            assert_eq!(Forgotten::read(&bytes).unwrap(), forgotten);
            assert!((0..10).all(|length| Forgotten::read(&bytes[..length]).is_none()));
        }
    }
}
