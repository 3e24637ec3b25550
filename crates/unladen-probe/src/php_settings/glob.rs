//! [`glob`]: the files that a pattern names, as the C library's function of that name finds them for php-fpm.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Names that are looked at for one pattern: a pattern with several stars may walk a whole disk.
const MOST_NAMES: usize = 10_000;

/// The files, in the order of their names. None: there are more names to look at than any folder of settings has.
pub(super) fn glob(pattern: &Path) -> Option<Vec<PathBuf>> {
    let mut found = vec![PathBuf::from("/")];
    let mut looked = 0;
    for part in pattern.components() {
        let part = match part {
            std::path::Component::Normal(part) => part,
            std::path::Component::ParentDir => OsStr::new(".."),
            _ => continue,
        };
        if !is_pattern(part.as_bytes()) {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let mut next = Vec::new();
        for folder in &found {
            // What cannot be read has no names.
            let Ok(entries) = fs::read_dir(folder) else { continue };
            for entry in entries.flatten() {
                looked += 1;
                if looked > MOST_NAMES {
                    return None;
                }
                if matches(part.as_bytes(), entry.file_name().as_bytes()) {
                    next.push(entry.path());
                }
            }
        }
        found = next;
    }
    found.retain(|path| path.exists());
    found.sort();
    Some(found)
}

fn is_pattern(text: &[u8]) -> bool {
    text.iter().any(|byte| b"*?[\\".contains(byte))
}

/// Whether a name is of a pattern: `*`, `?`, `[a-z]`, `[!a-z]` and `\`. A dot at its beginning is matched by a dot alone.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    if name.first() == Some(&b'.') && pattern.first() != Some(&b'.') {
        return false;
    }
    // Where to go on after the last star, should the rest not fit: no more than one is ever tried again.
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < name.len() {
        if pattern.get(at) == Some(&b'*') {
            at += 1;
            star = Some((at, from));
            continue;
        }
        if let Some(length) = one(&pattern[at.min(pattern.len())..], name[from]) {
            at += length;
            from += 1;
            continue;
        }
        let Some((after, begun)) = star else { return false };
        (at, from) = (after, begun + 1);
        star = Some((after, from));
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// How much of a pattern one byte takes; none: it does not fit.
fn one(pattern: &[u8], byte: u8) -> Option<usize> {
    match pattern {
        [b'?', ..] => Some(1),
        [b'\\', escaped, ..] => (*escaped == byte).then_some(2),
        [b'[', rest @ ..] => {
            let (is_not, set) = match rest {
                [b'!' | b'^', set @ ..] => (true, set),
                set => (false, set),
            };
            // A bracket that comes first is one of the set.
            let Some(end) = set.iter().skip(1).position(|byte| *byte == b']').map(|end| end + 1) else {
                return (byte == b'[').then_some(1);
            };
            let is_in = is_in(&set[..end], byte);
            (is_in != is_not).then_some(pattern.len() - rest.len() + usize::from(is_not) + end + 1)
        }
        [plain, ..] => (*plain == byte).then_some(1),
        [] => None,
    }
}

fn is_in(mut set: &[u8], byte: u8) -> bool {
    while let [first, rest @ ..] = set {
        match rest {
            [b'-', last, more @ ..] => {
                if (*first..=*last).contains(&byte) {
                    return true;
                }
                set = more;
            }
            _ => {
                if *first == byte {
                    return true;
                }
                set = rest;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_as_the_c_library_does() {
        let of = |pattern: &str, name: &str| matches(pattern.as_bytes(), name.as_bytes());
        for (pattern, name) in [
            ("*.conf", "www.conf"),
            ("*", "a"),
            ("a*b*c", "aXbYbc"),
            ("?.conf", "a.conf"),
            ("[a-c]x", "bx"),
            ("[!a-c]x", "dx"),
            ("[]x]", "]"),
            ("a\\*b", "a*b"),
            ("[", "["),
            (".*", ".hidden"),
        ] {
            assert!(of(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("*.conf", ".conf"),
            ("*.conf", "www.conf.bak"),
            ("a*b*c", "aXbYb"),
            ("?.conf", "ab.conf"),
            ("[a-c]x", "dx"),
            ("[!a-c]x", "bx"),
            ("a\\*b", "aXb"),
            ("", "a"),
        ] {
            assert!(!of(pattern, name), "{pattern} {name}");
        }
        // One that tries all ways for each star takes years for this.
        assert!(!of(&format!("{}b", "a*".repeat(30)), &"a".repeat(250)));
    }

    #[test]
    fn files_come_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["b site/pool d/x.conf", "b site/pool d/a.conf", "b site/pool d/a.conf~", "a/pool d/z.conf"] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), "").unwrap();
        }
        let names = |pattern: &str| -> Vec<String> {
            let found = glob(&root.join(pattern)).unwrap();
            found.iter().map(|path| path.strip_prefix(root).unwrap().display().to_string()).collect()
        };
        assert_eq!(names("b site/pool d/*.conf"), ["b site/pool d/a.conf", "b site/pool d/x.conf"]);
        assert_eq!(names("*/pool d/?.conf").len(), 3);
        assert_eq!(names("a/pool d/z.conf"), ["a/pool d/z.conf"]);
        assert_eq!(names("none/*").len() + names("none").len(), 0);
    }
}
