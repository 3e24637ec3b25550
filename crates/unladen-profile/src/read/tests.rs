use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::fuzzing;
use crate::tests::testing::of_lines;
use crate::write::{WRITERS, writer_named};

fn file_of(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, bytes).unwrap();
    (folder, file)
}

#[test]
fn names_are_told_apart() {
    for (position, reader) in READERS.iter().enumerate() {
        assert_eq!(READERS.iter().position(|other| other.name() == reader.name()), Some(position));
        assert_eq!(reader_named(reader.name()).unwrap().name(), reader.name());
        assert!(!reader.about().is_empty());
    }
    assert!(reader_named("nothing").is_none());
}

/// Each of the formats that are both read and written tells itself from all others.
#[test]
fn what_is_written_is_known_again_by_its_beginning() {
    let profile = of_lines("a page", &[&[("main;f g;h", 3), ("main", 2)], &[("main", 1)]]);
    let mut known = 0;
    for writer in WRITERS {
        let Some(reader) = reader_named(writer.name()) else { continue };
        let mut bytes = Vec::new();
        writer.write(&profile, &mut bytes).unwrap();
        let unpacked = crate::readers::unpacked(&bytes);
        let first = READERS.iter().find(|reader| reader.recognises(&unpacked[..unpacked.len().min(HEAD)])).unwrap();
        assert_eq!(first.name(), reader.name());
        let (_folder, file) = file_of("x", &bytes);
        assert_eq!(read(&file, None).unwrap().total(), 6, "{}", reader.name());
        known += 1;
    }
    assert!(known >= 2, "{known}");
}

/// Each of the formats that are only read.
#[test]
fn what_others_write_is_known_by_its_beginning() {
    let excimer = concat!(
        r#"{"excimer":1,"version":"1.0.4","php":"8.2.29","period_ns":500000,"clock":"wall","script":"/app/a.php","wrapper":"/w.php"}"#,
        "\n",
        r#"{"frame":["/w.php","/w.php",0,"include"]}"#,
        "\n"
    );
    for (name, head) in [
        ("excimer", excimer),
        ("nytprof", "NYTProf 5 0\n#Perl profile database"),
        ("perf", "bash 21062 62397.988464:    2000000 cpu-clock: \n\tffffffff815ffc48 f+0x18 ([kernel.kallsyms])\n"),
        ("collapsed", "<module> (a.py:10);main (a.py:9) 19\n 2\n"),
    ] {
        let known: Vec<&str> =
            READERS.iter().filter(|reader| reader.recognises(head.as_bytes())).map(|reader| reader.name()).collect();
        assert_eq!(known, [name]);
    }
}

#[test]
fn a_file_without_a_title_has_its_name() {
    let (_folder, file) = file_of("stacks.txt", b"a;b 3\n");
    assert_eq!(read(&file, None).unwrap().about.title, "stacks.txt");
    let mut bytes = Vec::new();
    writer_named("unladen").unwrap().write(&of_lines("a page", &[]), &mut bytes).unwrap();
    let (_folder, file) = file_of("x.profile.json", &bytes);
    assert_eq!(read(&file, None).unwrap().about.title, "a page");
}

#[test]
fn errors_name_the_file() {
    let (folder, file) = file_of("text", b"nothing of the kind\n");
    let error = read(&file, None).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: not a known profile: expected unladen, ", file.display())), "{error}");
    assert!(error.ends_with("collapsed; --format NAME shows what is wrong with it in that format"), "{error}");
    let error = read(&file, reader_named("collapsed")).unwrap_err().to_string();
    assert_eq!(error, format!("{}: collapsed, line 1: expected a number after the last space", file.display()));
    let missing = folder.path().join("missing");
    let error = read(&missing, None).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot read {}: ", missing.display())), "{error}");
}

#[test]
fn no_bytes_are_no_profile() {
    for (name, bytes, hint) in [
        ("empty", &b""[..], "it is empty"),
        ("empty.collapsed", b"\n", "it is empty"),
        (
            "perf.data",
            b"PERFILE2\0\0",
            "this is perf's binary recording: convert it to text with `perf script -i FILE`",
        ),
        ("a.svg", b"<svg>", "this is a page or a picture: use the data file that was written with it"),
    ] {
        let (_folder, file) = file_of(name, bytes);
        let error = read(&file, None).unwrap_err();
        assert!(matches!(error, ReadError::Unknown { .. }), "{error}");
        assert!(error.to_string().ends_with(&format!("; {hint}")), "{error}");
    }
}

#[test]
fn a_name_tells_what_to_expect_of_what_nobody_recognises() {
    for (name, text, fault) in [
        ("a.collapsed", "a;b 1\nfoo\n", "collapsed, line 2: expected a stack, a space and a number"),
        ("a.profile.json", "{", "unladen, byte 1: "),
    ] {
        let (_folder, file) = file_of(name, text.as_bytes());
        let error = read(&file, None).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: {fault}", file.display())), "{error}");
    }
    let (_folder, file) = file_of("a.txt", b"a;b 1\nfoo\n");
    assert!(matches!(read(&file, None), Err(ReadError::Unknown { .. })));
}

/// Three bytes at a time, as a pipe may give them.
struct Pieces<'a>(&'a [u8]);

impl io::Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = into.len().min(3);
        self.0.read(&mut into[..length])
    }
}

#[test]
fn what_comes_in_pieces_is_known_and_read_whole() {
    let text = "main;find 3\nmain 2\n".repeat(2 * HEAD / 19);
    let profile = read_from(Pieces(text.as_bytes()), Path::new("-"), None).unwrap();
    assert_eq!(profile.total(), 5 * (2 * HEAD as u64 / 19));
    assert_eq!(profile.about.title, "standard input");
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    io::copy(&mut flate2::read::GzEncoder::new(bytes, flate2::Compression::fast()), &mut packed).unwrap();
    packed
}

const PERF: &str = "main 12 1.5: 3 cpu-clock: \n\t401136 f+0x6 (/b)\n\n";

#[test]
fn packed_stacks_and_perf_scripts_were_no_profile_that_is_known() {
    for text in ["main;find 3\nmain 2\n", PERF, "\u{feff}main;find 3\nmain 2\n"] {
        let plain = read_from(text.as_bytes(), Path::new("-"), None).unwrap();
        for packed in [gzipped(text.as_bytes()), zstd::bulk::compress(text.as_bytes(), 1).unwrap()] {
            let unpacked = read_from(Pieces(&packed), Path::new("-"), None).unwrap();
            assert_eq!((unpacked.total(), unpacked.frames.len()), (plain.total(), plain.frames.len()), "{text}");
            let cut = &packed[..packed.len() - 5];
            let error = read_from(cut, Path::new("x.gz"), None).unwrap_err().to_string();
            assert!(error.starts_with("cannot read x.gz: the file is cut off within the data packed by "), "{error}");
        }
    }
    let (_folder, file) = file_of("a.folded.gz", &gzipped(b"a;b 1\nfoo\n"));
    let error = read(&file, None).unwrap_err().to_string();
    assert!(error.ends_with("a.folded.gz: collapsed, line 2: expected a stack, a space and a number"), "{error}");
    let bomb = gzipped(&b"main 1\n".repeat(3 << 20));
    let error = read_from(&bomb[..], Path::new("x.gz"), None).unwrap_err().to_string();
    assert!(error.contains("collapsed, line ") && error.ends_with("unpack it first, with `gzip -d`"), "{error}");
}

#[test]
fn a_byte_order_mark_became_part_of_a_name() {
    let profile = read_from(&b"\xef\xbb\xbfa;b 3\na;c 4\n"[..], Path::new("-"), None).unwrap();
    let names: Vec<_> = profile.frames.iter().map(|(_, frame)| frame.name.to_owned()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let error = read_from(&b"\xff\xfea\0 \x001\0"[..], Path::new("x"), None).unwrap_err().to_string();
    assert!(error.contains("this is UTF-16"), "{error}");
    for writer in WRITERS.iter().filter(|writer| reader_named(writer.name()).is_some() && writer.name() != "pprof") {
        let mut bytes = b"\xef\xbb\xbf".to_vec();
        writer.write(&of_lines("t", &[&[("main;f", 3)]]), &mut bytes).unwrap();
        assert_eq!(read_from(&bytes[..], Path::new("-"), None).unwrap().total(), 3, "{}", writer.name());
    }
}

#[test]
fn doubts_name_their_file() {
    let profile = read_from(&b"401b97 f;401b98 f;401b99 f 3\n"[..], Path::new("x.folded"), None).unwrap();
    let [note] = &profile.notes[..] else { panic!("{:?}", profile.notes) };
    assert!(note.starts_with("x.folded: 3 of 3 functions have names like `401b97 f`"), "{note}");
}

/// A file of each format, some packed.
fn files() -> Vec<Vec<u8>> {
    let excimer = concat!(
        r#"{"excimer":1,"version":"1.0.4","php":"8.2.29","period_ns":500000,"clock":"wall","script":"/a.php","wrapper":"/w.php"}"#,
        "\n",
        r#"{"frame":["main","/a.php",0,"include"]}"#,
        "\n",
        r#"{"stack":[0,0]}"#,
        "\n",
        r#"{"sample":[1,2,15600000]}"#,
        "\n",
        r#"{"end":{"frames":1,"stacks":1,"samples":1,"events":2}}"#,
    );
    let texts = [
        PERF,
        "x 12 1.5: 1 cycles: \n\n401b97\tmain (/bin/x)\n\nx 12 1.6: 1 faults: \n\t401b98 f (inlined)\n\n",
        "# austin: 3.3.0\n# mode: wall\nP1;T1;main (a.py:1) 12\n",
        "a;b 1.25\na 2\n",
        excimer,
        "NYTProf 5 0\n# Perl profile database\n:basetime=1\n",
    ];
    let mut files: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    for writer in WRITERS {
        let mut bytes = Vec::new();
        writer.write(&of_lines("t", &[&[("main;f g;h", 3), ("main", 2)], &[("main", 1)]]), &mut bytes).unwrap();
        files.extend([gzipped(&bytes), zstd::bulk::compress(&bytes, 1).unwrap()]);
        files.push(crate::readers::unpacked(&bytes));
    }
    files
}

proptest! {
    #[test]
    fn no_reader_panics_on_a_file_with_other_bytes(
        mut bytes in proptest::sample::select(files()),
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u8>(), prop::sample::select(b" \t\n;.#09({[".to_vec())]), 0..6),
        end in prop::option::of(any::<prop::sample::Index>()),
    ) {
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(end) = end {
            bytes.truncate(end.index(bytes.len()));
        }
        for reader in READERS {
            fuzzing::check(reader.name(), &bytes);
        }
    }
}

#[test]
fn names_that_are_addresses_or_end_in_numbers_are_doubted() {
    let noted = |stacks: &[(&str, u64)]| doubt(&of_lines("t", &[stacks])).unwrap_or_default();
    let addresses = noted(&[("main;401b97 f;401b98 f", 1), ("0x7f1c2a0b4c3d;main", 1)]);
    assert!(
        addresses.starts_with("3 of 4 functions have names like `401b97 f`, which begin with an address"),
        "{addresses}"
    );
    let numbers = noted(&[("main;foo 10", 1), ("main;bar 5", 1), ("main;baz 2.5", 1)]);
    assert!(numbers.starts_with("3 of 4 functions have names like `foo 10`, which end in a number"), "{numbers}");
    assert_eq!(
        noted(&[("12", 1), ("14;15.5", 1)]),
        "all functions are numbers: the file may be a table and no profile"
    );
    let mut bare = of_lines("t", &[&[]]);
    let cluster = bare.begin_request();
    bare.add(cluster, bare.stacks.root(), 1);
    assert!(doubt(&bare).unwrap().starts_with("no stack has a frame"));
    for stacks in [
        &[("main;deadbeef;facade;decade", 1)][..],
        &[("a;b;c;d;e;401b97;401b98;401b99", 1)],
        &[("run 1;run 2", 1)],
        &[("JS:*hot /srv/t.js:1:13;{closure:/srv/a.php(2)};123", 1)],
        &[],
    ] {
        assert_eq!(noted(stacks), "", "{stacks:?}");
    }
}
