use std::os::unix::fs::{chown, lchown, symlink};

use super::*;

const ANOTHER: Option<u32> = Some(65534);

/// `load --record` of root's truncated and filled what another user's link led to; `-o` wrote into a device.
#[test]
fn a_link_of_another_user_led_root_elsewhere() {
    if !geteuid().is_root() {
        eprintln!("left out: only root can give links away");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("victim"), "root's").unwrap();
    for (name, leads_to) in [("record", at("victim")), ("result", "/dev/null".into())] {
        symlink(leads_to, at(name)).unwrap();
        lchown(at(name), ANOTHER, ANOTHER).unwrap();
    }
    stream(&at("record")).unwrap().write_all(b"new").unwrap();
    whole_file(&at("result"), |out| out.write_all(b"new")).unwrap();
    assert_eq!(std::fs::read(at("victim")).unwrap(), b"root's");
    for name in ["record", "result"] {
        assert!(at(name).symlink_metadata().unwrap().is_file(), "{name}");
        assert_eq!(std::fs::read(at(name)).unwrap(), b"new");
    }
    // He who opens it may wait for ever.
    nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    chown(at("pipe"), ANOTHER, ANOTHER).unwrap();
    let refused = stream(&at("pipe")).unwrap_err();
    assert!(refused.to_string().contains("belongs to another user"), "{refused}");
}
