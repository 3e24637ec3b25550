use super::*;

#[test]
fn names_and_ends_are_told_apart() {
    let mut ends: Vec<&str> = WRITERS.iter().flat_map(|writer| writer.suffixes()).copied().collect();
    let count = ends.len();
    ends.sort_unstable();
    ends.dedup();
    assert_eq!(ends.len(), count);
    for writer in WRITERS {
        assert_eq!(writer_named(writer.name()).unwrap().name(), writer.name());
        assert!(!writer.suffixes().is_empty() && writer.suffixes().iter().all(|end| end.starts_with('.')));
    }
    assert!(writer_named("nothing").is_none());
}

#[test]
fn the_longest_end_of_a_name_decides() {
    for (name, writer) in [
        ("a.profile.json", "unladen"),
        ("dir.svg/a.speedscope.json", "speedscope"),
        ("a.firefox.json", "firefox"),
        ("a.svg", "flame"),
        ("a.pb.gz", "pprof"),
        ("a.folded", "collapsed"),
        ("a.txt", "collapsed"),
    ] {
        assert_eq!(writer_for(Path::new(name)).unwrap().name(), writer, "{name}");
    }
    for name in ["a.json", "a", "", "a.gz", ".."] {
        assert!(writer_for(Path::new(name)).is_none(), "{name}");
    }
}
