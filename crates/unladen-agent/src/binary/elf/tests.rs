use super::*;

#[test]
fn a_header_tells_the_machine() {
    let header = |class: u8, order: u8, number: [u8; 2]| {
        let mut header = [0; HEADER];
        header[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, order]);
        header[18..20].copy_from_slice(&number);
        header
    };
    let machine = |header| Elf::of_header(&header).map(Elf::machine);
    assert_eq!(machine(header(2, 1, [62, 0])), Some("x86_64"));
    assert_eq!(machine(header(2, 1, [183, 0])), Some("aarch64"));
    assert_eq!(machine(header(2, 2, [0, 22])), Some("s390x"));
    assert_eq!(machine(header(2, 1, [0xff, 0xff])), None);
    assert_eq!(machine([0; HEADER]), None);
}

/// Debian's shell is linked to the C library.
#[test]
fn libraries_are_seen() {
    let shell = Elf::read(&mut File::open("/bin/sh").unwrap()).unwrap().unwrap();
    assert!(shell.is_dynamic());
}
