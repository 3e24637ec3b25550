use proptest::prelude::*;

use super::*;

const MAPS: &str = "\
55e0a0000000-55e0a0010000 r--p 00000000 08:01 4711                       /usr/sbin/php-fpm8.2
55e0a0010000-55e0a0020000 r-xp 00010000 08:01 4711                       /usr/sbin/php-fpm8.2
55e0b0000000-55e0b0100000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0000010000 rwxp 00000000 00:00 0 
7f0000020000-7f0000030000 r-xs 00000000 00:01 9                          /memfd:opcache_lock (deleted)
7f0000040000-7f0000050000 r-xp 00002000 08:01 12                         /opt/a b.so (deleted)
7ffc00000000-7ffc00002000 r-xp 00000000 00:00 0                          [vdso]
";

#[test]
fn code_is_found_where_it_lies() {
    let mappings = Mappings::parse(MAPS.as_bytes());
    let at = |address| mappings.at(address).map(|mapping| (&mapping.backing, mapping.offset_of(address)));
    let file = |path: &str, inode| Backing::File { path: path.into(), inode };
    assert_eq!(at(0x55e0_a001_0010), Some((&file("/usr/sbin/php-fpm8.2", 4711), 0x10010)));
    assert_eq!(at(0x55e0_a000_0010), None, "no code");
    assert_eq!(at(0x55e0_a002_0000), None, "the end is outside");
    assert_eq!(at(0x7f00_0000_0000), Some((&Backing::Anonymous, 0)));
    assert_eq!(at(0x7f00_0002_0001), Some((&Backing::Anonymous, 1)));
    assert_eq!(at(0x7f00_0004_0000), Some((&file("/opt/a b.so", 12), 0x2000)));
    assert_eq!(at(0x7ffc_0000_0001), Some((&Backing::Kernel("[vdso]".into()), 1)));
    assert_eq!(at(0), None);
    assert_eq!(at(u64::MAX), None);
}

#[test]
fn this_process_has_code() {
    let mappings = Mappings::of(std::process::id()).unwrap();
    let own = std::env::current_exe().unwrap();
    let has_own = mappings
        .0
        .iter()
        .any(|mapping| matches!(&mapping.backing, Backing::File { path, .. } if own.as_os_str() == path.as_str()));
    assert!(has_own, "{mappings:?}");
    // Above the largest id that Linux gives out (2²²).
    assert_eq!(Mappings::of(1 << 23), None);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), address: u64) {
        let mappings = Mappings::parse(&bytes);
        let _ = mappings.at(address).map(|mapping| mapping.offset_of(address));
    }

    #[test]
    fn no_numbers_make_it_panic(start: u64, end: u64, offset: u64, address: u64) {
        let mappings = Mappings::parse(format!("{start:x}-{end:x} r-xp {offset:x} 08:01 1 /x").as_bytes());
        let _ = mappings.at(address).map(|mapping| mapping.offset_of(address));
    }
}
