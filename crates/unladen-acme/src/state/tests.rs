use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;

use super::*;

const NOW: u64 = 1_790_000_000;

fn folder() -> (tempfile::TempDir, Folder) {
    let state = tempfile::tempdir().unwrap();
    let folder = Folder::new(state.path(), "https://acme.example/dir");
    folder.make().unwrap();
    (state, folder)
}

#[test]
fn each_directory_has_a_folder_of_its_own() {
    let name = |url| Folder::new(Path::new("/s"), url).path;
    assert_eq!(
        name("https://acme-v02.api.letsencrypt.org/directory"),
        Path::new("/s/acme-v02.api.letsencrypt.org_2fdirectory")
    );
    assert_ne!(name("https://a/b"), name("https://a_2fb"));
    assert_eq!(name("https://../../etc"), Path::new("/s/_2e._2f.._2fetc"));
}

#[test]
fn only_this_user_may_read_what_is_kept() {
    let (state, folder) = folder();
    folder.keep_issued("a.org", "text").unwrap();
    folder.keep_schedule("a.org", &Schedule::default()).unwrap();
    let _lock = folder.lock("a.org").unwrap().unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.path), 0o700);
    let mut files = 0;
    for entry in std::fs::read_dir(&folder.path).unwrap() {
        let path = entry.unwrap().path();
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
        files += 1;
    }
    assert_eq!(files, 4);
    drop(state);
}

#[test]
fn a_link_is_replaced_and_not_followed() {
    let (state, folder) = folder();
    let elsewhere = state.path().join("elsewhere");
    std::fs::write(&elsewhere, "{}").unwrap();
    std::os::unix::fs::symlink(&elsewhere, folder.json("a.org")).unwrap();
    assert!(folder.schedule("a.org", NOW).is_err());
    folder.keep_schedule("a.org", &Schedule { failures: 3, ..Schedule::default() }).unwrap();
    assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "{}");
    assert_eq!(folder.schedule("a.org", NOW).unwrap().unwrap().failures, 3);
}

#[test]
fn one_process_has_the_lock_at_a_time() {
    let (_state, folder) = folder();
    let first = folder.lock("a.org").unwrap();
    assert!(first.is_some() && folder.lock("a.org").unwrap().is_none());
    assert!(folder.lock("b.org").unwrap().is_some(), "another certificate is another matter");
    drop(first);
    assert!(folder.lock("a.org").unwrap().is_some());
}

#[test]
fn what_is_not_there_is_nothing_and_what_is_torn_is_told() {
    let (_state, folder) = folder();
    assert_eq!(folder.schedule("a.org", NOW), Ok(None));
    assert!(matches!(folder.issued("a.org"), Ok(None)));
    folder.keep_schedule("a.org", &Schedule::default()).unwrap();
    let whole = std::fs::read(folder.json("a.org")).unwrap();
    for end in 0..whole.len() {
        std::fs::write(folder.json("a.org"), &whole[..end]).unwrap();
        assert!(folder.schedule("a.org", NOW).is_err(), "{end}");
    }
    std::fs::write(folder.pem("a.org"), "nonsense").unwrap();
    assert!(folder.issued("a.org").unwrap_err().contains("private key"));
}

#[test]
fn a_time_in_another_century_does_not_stop_renewals() {
    let (_state, folder) = folder();
    std::fs::write(folder.json("a.org"), r#"{"not_until": 99999999999}"#).unwrap();
    assert_eq!(folder.schedule("a.org", NOW).unwrap_err(), "its times are too far away");
}

#[test]
fn a_file_that_has_no_end_is_not_read_to_it() {
    let (_state, folder) = folder();
    std::os::unix::fs::symlink("/dev/zero", folder.pem("a.org")).unwrap();
    assert!(folder.issued("a.org").is_err());
    std::fs::write(folder.json("b.org"), vec![b' '; LONGEST_JSON as usize + 1]).unwrap();
    assert!(folder.schedule("b.org", NOW).unwrap_err().contains("longer than"));
    nix::unistd::mkfifo(&folder.json("c.org"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(folder.schedule("c.org", NOW).is_err());
}

proptest! {
    #[test]
    fn a_schedule_comes_back_as_it_was(failures in any::<u32>(), wait in 0_u64..8 * 24 * 3600, error in ".{0,80}") {
        let (_state, folder) = folder();
        let schedule = Schedule { failures, not_until: NOW + wait, error: Some(error), ..Schedule::default() };
        folder.keep_schedule("a.org", &schedule).unwrap();
        prop_assert_eq!(folder.schedule("a.org", NOW), Ok(Some(schedule)));
    }

    #[test]
    fn no_file_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (_state, folder) = folder();
        std::fs::write(folder.json("a.org"), &bytes).unwrap();
        std::fs::write(folder.pem("a.org"), &bytes).unwrap();
        let _ = (folder.schedule("a.org", NOW), folder.issued("a.org"), folder.account::<serde_json::Value>());
    }
}
