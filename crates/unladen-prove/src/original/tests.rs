use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::shell::Shell;

/// A folder with a file, and a journal.
struct Place {
    folder: tempfile::TempDir,
    journal: tempfile::TempDir,
    shell: Shell,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let shell = Shell::new(folder.path());
        Self { folder, journal: tempfile::tempdir().unwrap(), shell }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn save(&self, name: &str, link_itself: bool) -> Result<Original, Fault> {
        Original::save(&self.path(name), link_itself, &mut Saver::new(self.journal.path()))
    }
}

#[derive(Clone, Debug)]
enum Step {
    Write(Vec<u8>),
    Remove,
    Restore,
    /// Someone else changes its mode.
    Mode(u32),
    /// A write that was cut off.
    Rubbish,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..20).prop_map(Step::Write),
        Just(Step::Remove),
        Just(Step::Restore),
        (0..0o1000_u32).prop_map(|mode| Step::Mode(mode | 0o600)),
        Just(Step::Rubbish),
    ];
    prop::collection::vec(step, 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_happens_it_is_as_it_was(
        steps in steps(),
        before in prop::option::of((prop::collection::vec(any::<u8>(), 0..20), 0..0o1000_u32)),
        deep in any::<bool>(),
    ) {
        let place = Place::new();
        let name = if deep && before.is_none() { "a/b/file" } else { "file" };
        let path = place.path(name);
        if let Some((bytes, mode)) = &before {
            fs::write(&path, bytes).unwrap();
            let time = TimeSpec::new(1_000_000_000, 123_456_789);
            futimens(File::open(&path).unwrap(), &time, &time).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(*mode | 0o400)).unwrap();
        }
        let found = fs::metadata(&path).ok().map(|found| Meta::of(&found));
        let original = place.save(name, false).unwrap();
        for step in steps {
            match step {
                Step::Write(bytes) => {
                    original.write(&Content::Bytes(bytes.clone())).unwrap();
                    prop_assert_eq!(fs::read(&path).unwrap(), bytes);
                    let mode = fs::metadata(&path).unwrap().mode() & 0o7777;
                    prop_assert_eq!(mode, found.map_or(0o644, |found| found.mode));
                }
                Step::Remove => original.write(&Content::Absent).unwrap(),
                Step::Restore => drop(original.restore(place.journal.path()).unwrap()),
                Step::Mode(mode) => drop(fs::set_permissions(&path, fs::Permissions::from_mode(mode))),
                Step::Rubbish => drop(fs::write(beside(&path), "half")),
            }
        }
        original.restore(place.journal.path()).unwrap();
        prop_assert_eq!(fs::metadata(&path).ok().map(|found| Meta::of(&found)), found);
        prop_assert_eq!(fs::read(&path).ok(), before.map(|(bytes, _)| bytes));
        let left: Vec<_> = fs::read_dir(place.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        prop_assert_eq!(left.len(), usize::from(found.is_some()), "{:?}", left);
        prop_assert!(!original.restore(place.journal.path()).unwrap(), "the second time there is nothing to do");
    }
}

#[test]
fn a_symbolic_link_stays_one() {
    let place = Place::new();
    fs::write(place.path("behind"), "old").unwrap();
    symlink("behind", place.path("link")).unwrap();
    let original = place.save("link", false).unwrap();
    original.write(&Content::Bytes(b"new".to_vec())).unwrap();
    assert_eq!(fs::read_link(place.path("link")).unwrap(), Path::new("behind"));
    assert_eq!(fs::read(place.path("behind")).unwrap(), b"new");
    original.restore(place.journal.path()).unwrap();
    assert_eq!(fs::read(place.path("link")).unwrap(), b"old");
}

#[test]
fn a_symbolic_link_that_is_taken_away_comes_back() {
    let place = Place::new();
    symlink("nowhere", place.path("link")).unwrap();
    let original = place.save("link", true).unwrap();
    original.write(&Content::Absent).unwrap();
    assert!(!place.path("link").is_symlink());
    assert!(original.restore(place.journal.path()).unwrap());
    assert_eq!(fs::read_link(place.path("link")).unwrap(), Path::new("nowhere"));
    assert!(!original.restore(place.journal.path()).unwrap());
}

#[test]
fn what_could_not_be_put_back_is_refused() {
    let place = Place::new();
    symlink("nowhere", place.path("dangling")).unwrap();
    fs::write(place.path("file"), "x").unwrap();
    fs::hard_link(place.path("file"), place.path("other")).unwrap();
    fs::create_dir(place.path("folder")).unwrap();
    for (name, part) in [
        ("dangling", "follow the symbolic link"),
        ("file", "hard links"),
        ("folder", "not a regular file"),
        ("other/x", "examine"),
    ] {
        let error = place.save(name, false).unwrap_err().to_string();
        assert!(error.contains(part), "{name}: {error}");
    }
}

#[test]
fn a_folder_that_went_with_its_last_file_comes_back() {
    let place = Place::new();
    fs::create_dir(place.path("sub")).unwrap();
    fs::write(place.path("sub/file"), "x").unwrap();
    let original = place.save("sub/file", false).unwrap();
    fs::remove_dir_all(place.path("sub")).unwrap();
    assert!(original.restore(place.journal.path()).unwrap());
    assert_eq!(fs::read(place.path("sub/file")).unwrap(), b"x");
}

/// The line that is shown when putting back fails does what it says.
#[test]
fn the_way_by_hand_works() {
    let place = Place::new();
    fs::write(place.path("file"), "old").unwrap();
    let original = place.save("file", false).unwrap();
    original.write(&Content::Bytes(b"new".to_vec())).unwrap();
    let by_hand = original.by_hand(place.journal.path()).unwrap();
    place.shell.run(&by_hand, &Default::default(), Duration::from_secs(60), &unladen_load::Cancel::new()).unwrap();
    assert_eq!(fs::read(place.path("file")).unwrap(), b"old");
}

/// Pasted by root, it gave a file of root's to whoever put a link there.
#[test]
fn the_way_by_hand_followed_another_users_link_as_root() {
    const NOBODY: u32 = 65_534;
    let place = Place::new();
    let (conf, secret) = (place.path("conf"), place.path("secret"));
    fs::create_dir(&conf).unwrap();
    fs::write(conf.join("file"), "old").unwrap();
    fs::write(&secret, "root's").unwrap();
    let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    open(place.folder.path(), 0o755);
    for path in [conf.clone(), conf.join("file")] {
        if let Err(error) = std::os::unix::fs::chown(&path, Some(NOBODY), Some(NOBODY)) {
            println!("SKIPPED: another user's folder: {error}");
            return;
        }
    }
    let original = place.save("conf/file", false).unwrap();
    let by_hand = original.by_hand(place.journal.path()).unwrap();
    let run = || place.shell.run(&by_hand, &Default::default(), Duration::from_secs(60), &unladen_load::Cancel::new());
    fs::write(conf.join("file"), "new").unwrap();
    run().unwrap();
    assert_eq!(fs::read(conf.join("file")).unwrap(), b"old");

    fs::remove_file(conf.join("file")).unwrap();
    symlink(&secret, conf.join("file")).unwrap();
    assert!(run().is_err(), "{by_hand}");
    assert_eq!(fs::read(&secret).unwrap(), b"root's");
    // Where anybody may do so, there is no such line.
    open(&conf, 0o777);
    std::os::unix::fs::chown(&conf, Some(0), Some(0)).unwrap();
    assert_eq!(original.by_hand(place.journal.path()), None);
}

/// Paths stood between quotes as they are: a folder called `'$(…)'` ran what it is called, as root.
#[test]
fn the_way_by_hand_ran_what_a_folder_is_called() {
    let place = Place::new();
    let name = "a'; touch ran; '$(touch ran)`touch ran`";
    let run = |line: &str| {
        let line = line.to_owned();
        place.shell.run(&line, &Default::default(), Duration::from_secs(60), &unladen_load::Cancel::new()).unwrap();
    };
    fs::create_dir(place.path(name)).unwrap();
    let path = place.path(name).join("file");
    let save = |link_itself| Original::save(&path, link_itself, &mut Saver::new(place.journal.path())).unwrap();
    run(&save(false).by_hand(place.journal.path()).unwrap());
    symlink(name, &path).unwrap();
    run(&save(true).by_hand(place.journal.path()).unwrap());
    assert_eq!(fs::read_link(&path).unwrap(), Path::new(name));
    fs::remove_file(&path).unwrap();
    fs::write(&path, "old").unwrap();
    let original = save(false);
    fs::write(&path, "new").unwrap();
    run(&original.by_hand(place.journal.path()).unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert!(!place.path("ran").exists());
}

/// Who owns the folder put a link in the file's place between the look and the reading: root kept what it led to, and
/// put it back as a file of his.
#[test]
fn what_was_put_in_a_files_place_was_kept_as_its_original() {
    let place = Place::new();
    fs::write(place.path("file"), "his").unwrap();
    fs::write(place.path("secret"), "not his").unwrap();
    let seen = fs::symlink_metadata(place.path("file")).unwrap();
    assert_eq!(read_seen(&place.path("file"), &seen).unwrap(), b"his");
    fs::remove_file(place.path("file")).unwrap();
    symlink("secret", place.path("file")).unwrap();
    assert!(read_seen(&place.path("file"), &seen).is_err());
    fs::rename(place.path("secret"), place.path("file")).unwrap();
    assert!(read_seen(&place.path("file"), &seen).is_err());
    fs::remove_file(place.path("file")).unwrap();
    nix::unistd::mkfifo(&place.path("file"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(read_seen(&place.path("file"), &seen).is_err());
}

/// A user's link led root to write into a file that is root's.
#[test]
fn a_link_of_another_user_led_to_a_file_that_is_not_his() {
    if !Uid::effective().is_root() {
        eprintln!("left out: only root can give links away");
        return;
    }
    let place = Place::new();
    fs::write(place.path("behind"), "root's").unwrap();
    symlink("behind", place.path("link")).unwrap();
    let give = |name: &str| std::os::unix::fs::lchown(place.path(name), Some(65534), None).unwrap();
    give("link");
    let error = place.save("link", false).unwrap_err().to_string();
    assert!(error.contains("a link of a user"), "{error}");
    give("behind");
    place.save("link", false).unwrap();
}

/// Another user put a link in the place of a folder between two switches, and root wrote into its own.
#[test]
fn a_folder_that_became_a_link_led_elsewhere() {
    let place = Place::new();
    let (conf, target) = (place.path("conf"), place.path("target"));
    fs::create_dir(&conf).unwrap();
    fs::create_dir(&target).unwrap();
    fs::write(conf.join("app.sh"), "original").unwrap();
    fs::write(target.join("app.sh"), "another's").unwrap();
    let original = place.save("conf/app.sh", false).unwrap();
    original.write(&Content::Bytes(b"switched".to_vec())).unwrap();
    fs::rename(&conf, place.path("moved")).unwrap();
    symlink(&target, &conf).unwrap();
    assert!(original.write(&Content::Bytes(b"switched".to_vec())).is_err());
    assert!(original.write(&Content::Absent).is_err());
    let error = original.restore(place.journal.path()).unwrap_err().to_string();
    assert!(error.contains("conf has become a symbolic link"), "{error}");
    assert_eq!(fs::read_to_string(target.join("app.sh")).unwrap(), "another's");
    // As soon as it is back, so is the file.
    fs::remove_file(&conf).unwrap();
    fs::rename(place.path("moved"), &conf).unwrap();
    assert!(original.restore(place.journal.path()).unwrap());
    assert_eq!(fs::read_to_string(conf.join("app.sh")).unwrap(), "original");
}
