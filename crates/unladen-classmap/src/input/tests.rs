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
        assert_eq!(error.to_string(), "it is no file, but a pipe or a device");
    }
    assert_eq!(read_whole(folder.path()).expect_err("a folder").kind(), io::ErrorKind::IsADirectory);
    let gone = read_whole(&folder.path().join("none")).expect_err("not there");
    assert_eq!(gone.kind(), io::ErrorKind::NotFound);
}
