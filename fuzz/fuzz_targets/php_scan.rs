//! PHP files: no panic, an end, and names and lines that can be.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_classmap::php::scan;

fuzz_target!(|source: &[u8]| {
    let found = scan(source);
    let lines = source.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() as u32 + 1;
    for declaration in &found.declarations {
        let name = &declaration.name;
        assert!(!name.is_empty() && !name.starts_with(b"\\") && !name.ends_with(b"\\"));
        assert!(name.iter().all(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\\' | 0x80..)));
        assert!((1..=lines).contains(&declaration.line));
    }
    assert!(found.declarations.is_sorted_by_key(|declaration| declaration.line));
    assert!(found.broken.is_none_or(|(line, _)| (1..=lines).contains(&line)));
    // What is declared stays so when text follows that is not PHP, if all before is whole.
    if found.broken.is_none() {
        let longer = [source, b"\n?> class Fake { '"].concat();
        let declarations = scan(&longer).declarations;
        assert!(declarations.len() >= found.declarations.len());
    }
});
