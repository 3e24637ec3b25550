use super::*;

#[test]
fn the_cancelled_writes_are_not_taken_for_writes() {
    let content =
        b"rchar: 10\nwchar: 20\nsyscr: 3\nsyscw: 4\nread_bytes: 50\nwrite_bytes: 60\ncancelled_write_bytes: 70\n";
    let io = Io::parse(content).unwrap();
    assert_eq!((io.read_bytes, io.disk_read_bytes, io.disk_write_bytes, io.write_calls), (10, 50, 60, 4));
    assert_eq!(Io::parse(b"rchar: 10\n"), None);
}
