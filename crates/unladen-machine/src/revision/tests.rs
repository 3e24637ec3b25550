//! With git itself.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::process::Command;

use tempfile::TempDir;

use super::*;

/// Runs git with settings of its own, whatever the user's are.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository with one commit on `main`.
fn repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q", "-b", "main"]);
    fs::write(folder.path().join("index.php"), "<?php\n").unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/a.php"), "<?php\n").unwrap();
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-q", "-m", "first"]);
    folder
}

fn head(folder: &Path) -> String {
    git(folder, &["rev-parse", "HEAD"])
}

#[test]
fn a_clone_says_its_commit_branch_and_changes() {
    let folder = repository();
    let revision = Revision::of(&folder.path().join("src")).unwrap();
    let expected = Revision {
        folder: folder.path().canonicalize().unwrap(),
        commit: head(folder.path()),
        branch: Some("main".into()),
        dirty: Some(false),
    };
    assert_eq!(revision, expected);
    fs::write(folder.path().join("untracked"), "").unwrap();
    assert_eq!(Revision::of(folder.path()).unwrap().dirty, Some(false), "a file that git does not know is no change");
    fs::write(folder.path().join("index.php"), "<?php 1;\n").unwrap();
    assert_eq!(Revision::of(folder.path()).unwrap().dirty, Some(true));
}

#[test]
fn packed_references_are_found() {
    let folder = repository();
    git(folder.path(), &["checkout", "-q", "-b", "feature/x"]);
    git(folder.path(), &["pack-refs", "--all"]);
    assert!(!folder.path().join(".git/refs/heads/feature/x").exists());
    let revision = Revision::of(folder.path()).unwrap();
    assert_eq!((revision.branch.as_deref(), revision.commit), (Some("feature/x"), head(folder.path())));
}

#[test]
fn a_detached_head_has_no_branch() {
    let folder = repository();
    git(folder.path(), &["checkout", "-q", "--detach"]);
    let revision = Revision::of(folder.path()).unwrap();
    assert_eq!((revision.branch, revision.commit), (None, head(folder.path())));
}

#[test]
fn a_linked_work_tree_has_a_head_of_its_own() {
    let folder = repository();
    let linked = tempfile::tempdir().unwrap();
    let path = linked.path().join("linked");
    git(folder.path(), &["worktree", "add", "-q", "-b", "other", path.to_str().unwrap()]);
    git(&path, &["commit", "-q", "--allow-empty", "-m", "second"]);
    let revision = Revision::of(&path).unwrap();
    assert_eq!((revision.branch.as_deref(), &revision.commit), (Some("other"), &head(&path)));
    assert_eq!((revision.folder, revision.dirty), (path.canonicalize().unwrap(), Some(false)));
    assert_ne!(revision.commit, Revision::of(folder.path()).unwrap().commit);
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let (outer, inner) = (repository(), repository());
    git(inner.path(), &["commit", "-q", "--allow-empty", "-m", "second"]);
    git(outer.path(), &["submodule", "--quiet", "add", inner.path().to_str().unwrap(), "part"]);
    git(outer.path(), &["commit", "-q", "-m", "with a part"]);
    let part = outer.path().join("part");
    let revision = Revision::of(&part).unwrap();
    assert_eq!((revision.commit, revision.dirty), (head(inner.path()), Some(false)));
    assert_eq!(Revision::of(outer.path()).unwrap().commit, head(outer.path()));
    git(&part, &["commit", "-q", "--allow-empty", "-m", "third"]);
    assert_eq!(Revision::of(outer.path()).unwrap().dirty, Some(true), "another commit of a submodule is a change");
}

#[test]
fn sha_256_has_longer_ids() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q", "-b", "main", "--object-format=sha256"]);
    git(folder.path(), &["commit", "-q", "--allow-empty", "-m", "first"]);
    let revision = Revision::of(folder.path()).unwrap();
    assert_eq!((revision.commit.len(), revision.dirty), (64, Some(false)));
}

#[test]
fn there_must_be_a_work_tree_and_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let error = Revision::of(&folder.path().join("missing")).unwrap_err();
    assert!(matches!(error, RevisionError::Read { .. }), "{error}");
    git(folder.path(), &["init", "-q", "-b", "main"]);
    let error = Revision::of(folder.path()).unwrap_err();
    assert!(matches!(&error, RevisionError::NoCommit { branch, .. } if branch == "main"), "{error}");
    fs::write(folder.path().join(".git/HEAD"), "ref: ../../etc/passwd\n").unwrap();
    let error = Revision::of(folder.path()).unwrap_err();
    assert!(matches!(error, RevisionError::Malformed { .. }), "{error}");
}

/// What a repository's own configuration names runs when git looks at a file whose time has changed.
fn booby_trap(folder: &Path, mark: &Path) {
    let script = folder.join(".git/trap");
    let text = format!("#!/bin/sh\nid -u >> {}\ncat\n", mark.display());
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let script = script.to_str().unwrap();
    for key in ["core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.askPass", "diff.external"] {
        git(folder, &["config", key, script]);
    }
    for hook in ["post-index-change", "fsmonitor-watchman", "post-checkout"] {
        fs::copy(script, folder.join(".git/hooks").join(hook)).unwrap();
    }
    git(folder, &["config", "alias.status", &format!("!{script}")]);
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let folder = repository();
    let marks = tempfile::tempdir().unwrap();
    let mark = marks.path().join("ran");
    booby_trap(folder.path(), &mark);
    // The same content at another time: git has to look into it.
    fs::write(folder.path().join("index.php"), "<?php\n").unwrap();
    assert_eq!(Revision::of(folder.path()).unwrap().dirty, Some(false));
    assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap_or_default());
}

/// Filters cannot be turned off by settings. Those of another's repository do not run with our rights.
#[test]
fn a_filter_of_another_user_runs_with_that_users_rights() {
    if !nix::unistd::geteuid().is_root() {
        eprintln!("not tried: only root can give a repository to another user");
        return;
    }
    const OTHER: u32 = 65_534;
    let folder = repository();
    let marks = tempfile::tempdir().unwrap();
    fs::set_permissions(marks.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let mark = marks.path().join("ran");
    booby_trap(folder.path(), &mark);
    git(folder.path(), &["config", "filter.trap.clean", folder.path().join(".git/trap").to_str().unwrap()]);
    fs::write(folder.path().join(".git/info/attributes"), "*.php filter=trap\n").unwrap();
    own(folder.path(), OTHER);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(folder.path().join("index.php"), "<?php\n").unwrap();
    let revision = Revision::of(folder.path()).unwrap();
    assert_eq!(revision.dirty, Some(false), "its owner can look at it");
    let ran = fs::read_to_string(&mark).unwrap();
    assert!(ran.lines().count() > 0 && ran.lines().all(|user| user == OTHER.to_string()), "{ran}");

    // As soon as it is anybody's who can write it, git is not run at all; the commit is still known.
    fs::remove_file(&mark).unwrap();
    chown(folder.path().join(".git/config"), Some(0), Some(0)).unwrap();
    fs::write(folder.path().join("index.php"), "<?php\n").unwrap();
    let revision = Revision::of(folder.path()).unwrap();
    assert_eq!((revision.dirty, revision.branch.as_deref()), (None, Some("main")));
    assert!(!mark.exists());
}

/// The link may be root's, and what it leads to another's.
#[test]
fn a_link_to_anothers_repository_is_not_run_as_root() {
    if !nix::unistd::geteuid().is_root() {
        eprintln!("not tried: only root can give a repository to another user");
        return;
    }
    let (mine, others) = (repository(), repository());
    fs::remove_dir_all(mine.path().join(".git")).unwrap();
    own(others.path(), 65_534);
    std::os::unix::fs::symlink(others.path().join(".git"), mine.path().join(".git")).unwrap();
    assert_eq!(Revision::of(mine.path()).unwrap().dirty, None);
}

/// Gives all of a folder to a user.
fn own(path: &Path, user: u32) {
    chown(path, Some(user), Some(user)).unwrap();
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).unwrap() {
            own(&entry.unwrap().path(), user);
        }
    }
}

#[test]
fn it_serialises_as_the_documents_have_it() {
    let revision = Revision { folder: "/srv/wiki".into(), commit: "ab".repeat(20), branch: None, dirty: None };
    let expected = serde_json::json!({"folder": "/srv/wiki", "commit": "ab".repeat(20), "branch": null, "dirty": null});
    assert_eq!(serde_json::to_value(&revision).unwrap(), expected);
}
