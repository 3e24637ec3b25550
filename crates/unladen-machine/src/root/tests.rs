use super::*;

#[test]
fn only_the_beginning_of_an_endless_file_is_read() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("endless")).unwrap();
    assert_eq!(Root::at(folder.path()).read("endless").map(|content| content.len() as u64), Some(LONGEST));
}

#[test]
fn a_line_is_without_blanks_and_zeros() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("model"), "  Raspberry Pi 5\0\nmore\n").unwrap();
    std::fs::write(folder.path().join("empty"), " \n").unwrap();
    let root = Root::at(folder.path());
    assert_eq!(root.line("model").as_deref(), Some("Raspberry Pi 5"));
    assert_eq!(root.line("empty"), None);
    assert_eq!(root.line("missing"), None);
}
