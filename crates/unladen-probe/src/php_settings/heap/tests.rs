use super::*;

#[test]
fn finds_the_whole_text_and_not_the_end_of_another() {
    let memory = b"\0MY_PHPRC=no\0x\x01PHPRC=/etc/php\0PHPRC=second\0PHP";
    assert_eq!(text(memory, b"PHPRC="), Some(b"/etc/php".to_vec()));
    assert_eq!(text(memory, b"PHP_INI"), None);
    assert_eq!(text(memory, b"MY_"), Some(b"PHPRC=no".to_vec()));
    assert_eq!(text(memory, b"PHPX"), None);
    assert_eq!(text(memory, b""), None);
}

#[test]
fn a_word_is_printable_and_ended() {
    assert_eq!(word(b"opcache.enable=0\0more"), Some("opcache.enable=0"));
    assert_eq!(word(b"opcache.enable=0\nmore\0"), None, "a line of a file that was read");
    assert_eq!(word(b"opcache.enable=0"), None);
    assert_eq!(word(b"\0"), None);
}

#[test]
fn knows_the_heap() {
    let line = "55e06b377000-55e06b68b000 rw-p 00000000 00:00 0                          [heap]";
    assert_eq!(heap(line), Some((0x55e0_6b37_7000, 0x55e0_6b68_b000)));
    assert_eq!(heap("7fff92585000-7fff925a6000 rw-p 00000000 00:00 0 [stack]"), None);
}

/// Apache's workers have it in two, and only the first was looked into: what was read at their start lay in the second.
#[test]
fn the_second_piece_of_a_heap_was_not_looked_into() {
    let folder = tempfile::tempdir().unwrap();
    let maps = "00001000-00002000 rw-p 00000000 00:00 0                          [heap]\n\
                00002000-00003000 rw-p 00000000 00:00 0                          [heap]\n";
    fs::write(folder.path().join("maps"), maps).unwrap();
    let mut memory = vec![0; 0x3000];
    memory[0x2100..0x210c].copy_from_slice(b"/etc/php.ini");
    fs::write(folder.path().join("mem"), memory).unwrap();
    assert_eq!(find(folder.path(), &[b"/etc/php.ini"]).unwrap(), [Some(Vec::new())]);
}

#[test]
fn reads_its_own_heap() {
    // The allocator may have put it elsewhere, so only that nothing fails is sure.
    find(Path::new("/proc/self"), &[b"a text that is not there"]).unwrap();
}
