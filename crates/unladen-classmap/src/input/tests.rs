use super::*;

#[test]
fn a_file_without_end_is_refused_and_one_as_long_as_may_be_is_read() {
    let longest = 1 << 20;
    assert_eq!(up_to(io::repeat(0), longest).expect_err("too long").to_string(), "it has more than 1 MB");
    assert_eq!(up_to(io::repeat(0).take(longest as u64), longest).expect("read").len(), longest);
}

#[test]
fn a_pipe_or_a_device_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("installed.json");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRUSR).expect("a pipe");
    for path in [pipe.as_path(), Path::new("/dev/zero")] {
        let error = read_whole(path).expect_err("no file");
        assert_eq!(error.to_string(), "it is not a file, but a pipe or a device");
    }
    assert_eq!(read_whole(folder.path()).expect_err("a folder").kind(), io::ErrorKind::IsADirectory);
    let gone = read_whole(&folder.path().join("none")).expect_err("not there");
    assert_eq!(gone.kind(), io::ErrorKind::NotFound);
}

/// A link to /dev/zero, or a disk's image.
#[test]
fn a_file_without_end_takes_no_more_memory_than_the_longest() {
    let longest = 1 << 20;
    let mut buffer = Buffer::default();
    let error = buffer.fill_up_to(&mut io::repeat(0), longest, |_| Ok(true)).expect_err("too long");
    assert_eq!(error.to_string(), "it has more than 1 MB");
    assert_eq!(buffer.0.len(), longest + 1);
    for length in [longest, longest - 1, 1, 0] {
        let read = buffer.fill_up_to(&mut io::repeat(0).take(length as u64), longest, |_| Ok(true)).expect("read");
        assert_eq!(read.len(), length);
    }
}

/// `--watch` read 256 MB of /dev/zero whenever a link to it came or went, and then said that the map would not be whole,
/// which it was when all was read.
#[test]
fn neither_a_device_nor_a_file_full_of_holes_takes_memory() {
    let mut buffer = Buffer::default();
    assert!(open_if_there(Path::new("/dev/zero")).expect("a device").is_none());
    let mut device = open(Path::new("/dev/zero")).expect("a device");
    assert_eq!(buffer.fill(&mut device).expect("nothing to read"), b"");
    let mut long = tempfile::tempfile().expect("a file");
    long.set_len(8 << 30).expect("a long file");
    assert_eq!(buffer.fill(&mut long).expect_err("too long").to_string(), "it has more than 256 MB");
    assert_eq!(buffer.0.len(), FIRST);
}
