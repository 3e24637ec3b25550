//! What may be read, and what is said of the rest.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::sync::LazyLock;

use unladen_tests::{Ability, Call, Subject, copy_binary, skip_without};

static FAULTS: LazyLock<Subject> = LazyLock::new(|| Subject::up("faults"));

const AS_NOBODY: [&str; 5] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];

/// A copy of the program where anybody may execute it: the sources may be in somebody's home.
fn open_to_all() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("unladen");
    copy_binary(&program);
    (folder, program)
}

#[test]
fn without_privilege_it_works_and_says_in_one_line_what_root_adds() {
    if skip_without(Ability::Root, "without_privilege_it_works_and_says_in_one_line_what_root_adds") {
        return;
    }
    let (_folder, program) = open_to_all();
    let quick = || Call::quick(["--group-by", "pid", FAULTS.url()]).program(&program);
    let nobody = quick().through(AS_NOBODY).document();
    // Other users' CPU is there, what they read and write is not.
    assert!(nobody.weight("www-data nginx", "cpu").per_request > 0.0, "{nobody}");
    let warnings = nobody.list("warnings").iter().filter_map(|warning| warning.as_str());
    let of_root: Vec<_> = warnings.filter(|warning| warning.starts_with("with root")).collect();
    assert_eq!(of_root.len(), 1, "{nobody}");
    assert!(of_root[0].contains("read, write and disk counts of other users' processes"), "{nobody}");

    let root = quick().document();
    assert!(!root.warns("with root"), "{root}");
    assert!(root.weight("nginx", "write_calls").per_request > 0.0, "{root}");
}

#[test]
fn a_proc_that_lists_nothing() {
    if skip_without(Ability::PrivateMounts, "a_proc_that_lists_nothing") {
        return;
    }
    let call = Call::quick([FAULTS.url()]).through(["unshare", "--mount"]);
    let done = call.through_shell(r#"mount -t tmpfs none /proc && exec "$@""#).run();
    done.ended_with(7).says(["/proc"]).shows_nothing();
}

#[test]
fn a_proc_that_hides_other_users_processes() {
    if skip_without(Ability::PrivateMounts, "a_proc_that_hides_other_users_processes") {
        return;
    }
    let (_folder, program) = open_to_all();
    let call = Call::quick(["--json", "--group-by", "exe", FAULTS.url()]).program(&program);
    let script =
        r#"mount -t proc -o hidepid=2 none /proc && exec setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@""#;
    let document = call.through(["unshare", "--mount"]).through_shell(script).run().succeeded().document();
    assert!(!document.groups().iter().any(|group| group.contains("nginx")), "{document}");
    assert!(document.warns("/proc hides the processes of other users"), "{document}");
}
