use nix::libc;
use proptest::prelude::*;
use unladen_trace::FileCall;

use super::*;

/// A record as the kernel's part writes it.
#[derive(Default)]
struct Written {
    result: i64,
    arguments: [u64; 6],
    kind: u8,
    number: i64,
    object: [u8; 8], // kind, family, type, flags, peer's port, own port
    peer: [u8; 16],
    first: &'static [u8],
    second: &'static [u8],
}

impl Written {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(1_000_u64.to_ne_bytes());
        bytes.extend(70_u64.to_ne_bytes());
        bytes.extend(self.result.to_ne_bytes());
        self.arguments.iter().for_each(|argument| bytes.extend(argument.to_ne_bytes()));
        [11_u32, 12, 3].iter().for_each(|id| bytes.extend(id.to_ne_bytes()));
        bytes.extend(u16::from(self.kind).to_ne_bytes());
        bytes.extend((self.number as u16).to_ne_bytes());
        bytes.extend(0xffff_8881_0000_0000_u64.to_ne_bytes());
        bytes.extend(self.object);
        bytes.extend(self.peer);
        bytes.extend((self.first.len() as u16).to_ne_bytes());
        bytes.extend((self.second.len() as u16).to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(self.first);
        bytes.extend(self.second);
        bytes
    }

    fn what(&self) -> What {
        Decoder { listening: HashSet::from([80]), ..Decoder::new() }.event(&self.bytes()).expect("a record").what
    }
}

const SOCKET_INET: [u8; 8] = [OBJECT_SOCKET, 2, 1, 0, 0x1f, 0x90, 0, 0xc0];

#[test]
fn a_file_is_looked_at() {
    let folder = u64::from(5_u32);
    let written = Written {
        kind: kind::PATH,
        number: libc::SYS_newfstatat,
        arguments: [folder, 0, 0, 0, 0, 0],
        result: -2,
        first: b"x/y",
        ..Default::default()
    };
    let event = Decoder::new().event(&written.bytes()).expect("a record");
    assert_eq!((event.at_ns, event.pid, event.tid, event.group), (1_000, 11, 12, 3));
    let path = b"x/y".to_vec();
    let file =
        |folder| What::File { call: FileCall::Stat, path: path.clone(), target: None, folder, result: -2, took_ns: 70 };
    assert_eq!(event.what, file(Some(5)));
    let at_fdcwd = u64::from(libc::AT_FDCWD as u32);
    assert_eq!(Written { arguments: [at_fdcwd, 0, 0, 0, 0, 0], ..written }.what(), file(None));
}

#[test]
fn open_is_told_by_its_flags() {
    let kind_of = |flags: i32| calls::open_kind(u64::from(flags as u32));
    assert_eq!(kind_of(libc::O_RDONLY | libc::O_CLOEXEC), FileCall::Open);
    assert_eq!(kind_of(libc::O_RDWR), FileCall::OpenWrite);
    assert_eq!(kind_of(libc::O_RDONLY | libc::O_CREAT), FileCall::OpenWrite);
    assert_eq!(kind_of(libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL), FileCall::Create);
}

#[test]
fn a_folder_by_its_descriptor_is_itself() {
    let written =
        Written { kind: kind::PATH, number: libc::SYS_fchdir, arguments: [7, 0, 0, 0, 0, 0], ..Default::default() };
    let path = b".".to_vec();
    let (call, folder) = (FileCall::Chdir, Some(7));
    assert_eq!(written.what(), What::File { call, path, target: None, folder, result: 0, took_ns: 70 });
}

#[test]
fn bytes_are_sent_to_an_address() {
    let mut peer = [0; 16];
    peer[..4].copy_from_slice(&[127, 0, 0, 1]);
    let mut written = Written {
        kind: kind::TRANSFER,
        number: libc::SYS_sendto,
        arguments: [4, 0, 0, 0, 0, 0],
        result: 5,
        object: SOCKET_INET,
        peer,
        second: b"hello",
        ..Default::default()
    };
    let transfer = |accepted| What::Transfer {
        way: Way::Out,
        fd: 4,
        object: Object::Socket(Socket {
            id: 0xffff_8881_0000_0000,
            datagram: false,
            accepted,
            peer: Peer::Ip("127.0.0.1:8080".parse().expect("an address")),
        }),
        result: 5,
        payload: b"hello".to_vec(),
        took_ns: 70,
    };
    assert_eq!(written.what(), transfer(false));
    written.object[6..].copy_from_slice(&80_u16.to_ne_bytes());
    assert_eq!(written.what(), transfer(true), "the port is one at which the process listens");
    // The same address in the clothes of IPv6.
    written.object[1] = 10;
    written.peer = "::ffff:127.0.0.1".parse::<Ipv6Addr>().expect("an address").octets();
    assert_eq!(written.what(), transfer(true));
}

#[test]
fn names_of_unix_sockets() {
    assert_eq!(unix_peer(b"/run/x.sock\0"), Peer::Unix(b"/run/x.sock".to_vec()));
    assert_eq!(unix_peer(b"/run/x.sock\0rubbish"), Peer::Unix(b"/run/x.sock".to_vec()));
    assert_eq!(unix_peer(b"\0abstract"), Peer::Unix(b"@abstract".to_vec()));
    assert_eq!(unix_peer(b""), Peer::Unix(Vec::new()));
    assert_eq!(unix_peer(b"\0"), Peer::Unix(Vec::new()));
}

#[test]
fn locks_and_their_giving_back() {
    let lock = |number, arguments| {
        let written = Written { kind: kind::LOCK, number, arguments, first: b"x.lock", ..Default::default() };
        match written.what() {
            What::Lock { call, fd: 3, name, unlock, .. } if name == b"x.lock" => (call, unlock),
            other => panic!("{other:?}"),
        }
    };
    let operation = |operation: i32| [3, u64::from(operation as u32), 0, 0, 0, 0];
    assert_eq!(lock(libc::SYS_flock, operation(libc::LOCK_EX | libc::LOCK_NB)), (LockCall::Flock, false));
    assert_eq!(lock(libc::SYS_flock, operation(libc::LOCK_UN)), (LockCall::Flock, true));
    let setlk = |kind: i32| [3, u64::from(libc::F_SETLK as u32), u64::from(kind as u32), 0, 0, 0];
    assert_eq!(lock(libc::SYS_fcntl, setlk(libc::F_WRLCK)), (LockCall::Fcntl, false));
    assert_eq!(lock(libc::SYS_fcntl, setlk(libc::F_UNLCK)), (LockCall::Fcntl, true));
}

#[test]
fn every_listed_call_is_listed_once() {
    let mut numbers: Vec<_> = calls::all().map(|call| call.number).collect();
    numbers.sort_unstable();
    let count = numbers.len();
    numbers.dedup();
    assert_eq!(numbers.len(), count);
    assert!(numbers.iter().all(|number| (0..1024).contains(number)), "MAX_CALLS in bpf/calls.bpf.c");
}

#[test]
fn a_record_that_was_cut_is_none() {
    let whole = Written { kind: kind::EXEC, first: b"/bin/sh", ..Default::default() }.bytes();
    assert!(Decoder::new().event(&whole).is_some());
    for length in 0..whole.len() {
        assert_eq!(Decoder::new().event(&whole[..length]), None, "{length}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = Decoder::new().event(&bytes);
    }

    #[test]
    fn no_values_make_it_panic(
        kind in 0_u8..20, number in 0_i64..600, arguments: [u64; 6], result: i64, object: [u8; 8], peer: [u8; 16],
    ) {
        let written = Written { kind, number, arguments, result, object, peer, first: b"\0a", second: b"b" };
        let _ = Decoder::new().event(&written.bytes());
    }
}
