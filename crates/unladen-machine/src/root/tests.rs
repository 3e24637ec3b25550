use proptest::prelude::*;

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

proptest! {
    #[test]
    fn numbers_are_found_behind_their_key(n: u64, noise in "[a-z ]{0,20}") {
        let content = format!("{noise}\nkey:\t {n} kB\nother: 5\n");
        prop_assert_eq!(number_after(content.as_bytes(), b"key:"), Some(n));
    }

    #[test]
    fn no_bytes_make_the_number_parser_panic(bytes: Vec<u8>) {
        let _ = decimal(&bytes);
        let _ = number_after(&bytes, b"k");
    }
}
