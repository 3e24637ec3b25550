use std::io::Write;

use proptest::prelude::*;

use super::*;

#[test]
fn functions_are_found_by_address() {
    let map = PerfMap::parse(b"1000 20 first\nwrong\n0x2000 10 second one\n3000 0 nothing\n4000 8\n5000 10 half");
    assert_eq!(map.name(0x0fff), None);
    assert_eq!(map.name(0x1000), Some("first"));
    assert_eq!(map.name(0x101f), Some("first"));
    assert_eq!(map.name(0x1020), None);
    assert_eq!(map.name(0x2008), Some("second one"));
    assert_eq!(map.name(0x3000), None);
    assert_eq!(map.name(0x4000), None);
    assert_eq!(map.name(0x5000), Some("half"));
}

#[test]
fn later_code_replaces_earlier() {
    let map = PerfMap::parse(b"1000 20 old\n1020 20 older\n1000 30 new\n");
    assert_eq!(map.name(0x1000), Some("new"));
    assert_eq!(map.name(0x1028), Some("new"));
    assert_eq!(map.name(0x1030), None);
}

#[test]
fn only_the_own_file_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("perf-1.map");
    std::fs::File::create(&path).unwrap().write_all(b"1000 20 f\n").unwrap();
    let own = std::fs::metadata(&path).unwrap().uid();
    assert_eq!(PerfMap::read(&path, Some(own)).unwrap().name(0x1000), Some("f"));
    assert_eq!(PerfMap::read(&path, Some(own + 1)).is_some(), own == 0, "root's is believed");
    let link = folder.path().join("perf-2.map");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(PerfMap::read(&link, None).is_none(), "a link is not followed");
    let pipe = folder.path().join("perf-3.map");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(PerfMap::read(&pipe, None).is_none(), "a pipe is not waited for");
    assert!(PerfMap::of(1 << 23).is_none());
}

#[test]
fn names_say_more_than_names() {
    let function = |name, file, line| Frame { name, file, line, kind: FrameKind::Function };
    assert_eq!(frame("py::handle:/srv/app.py"), function("handle", "/srv/app.py", 0));
    let module = Frame { name: "/srv/app.py", file: "/srv/app.py", line: 0, kind: FrameKind::Include };
    assert_eq!(frame("py::<module>:/srv/app.py"), module);
    assert_eq!(frame("JS:*render /srv/app.js:10:5"), function("render", "/srv/app.js", 10));
    assert_eq!(frame("LazyCompile:~next node:internal/streams:7:1"), function("next", "node:internal/streams", 7));
    assert_eq!(frame("LazyCompile:*render /srv/app.js:10"), function("render", "/srv/app.js", 10), "up to Node.js 18");
    assert_eq!(frame("LazyCompile:~next node:internal/streams:7"), function("next", "node:internal/streams", 7));
    assert_eq!(frame("JS:*lost /srv/app.js"), function("lost", "/srv/app.js", 0));
    assert_eq!(frame("JS:^ /srv/app.js:3:2"), function("/srv/app.js", "/srv/app.js", 3));
    let native = |name| Frame { name, file: "", line: 0, kind: FrameKind::Native };
    assert_eq!(frame("Builtin:ArrayMap"), native("Builtin:ArrayMap"));
    assert_eq!(frame("x"), native("x"));
}

#[test]
fn ids_of_containers() {
    let status = "Name:\tnode\nUid:\t0\t33\t0\t0\nNStgid:\t4711\t17\n";
    assert_eq!((innermost_id(status), user(status)), (Some(17), Some(33)));
    assert_eq!((innermost_id(""), user("Uid:\t1")), (None, None));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), address: u64) {
        let _ = PerfMap::parse(&bytes).name(address);
    }

    #[test]
    fn no_name_makes_it_panic(name in "(py::|JS:|Script:)?[*~: a/0-9é]{0,20}") {
        let _ = frame(&name);
    }
}
