use super::*;
use crate::function::functions;
use crate::profile::Unit;
use crate::writers::Writer;

/// Of Go 1.26's runtime/pprof: a CPU profile of 26 samples, and all allocations.
const CPU: &[u8] = include_bytes!("go_cpu.pb.gz");
const ALLOCATIONS: &[u8] = include_bytes!("go_allocations.pb.gz");

fn read(mut bytes: &[u8]) -> Result<Profile, ReadError> {
    Pprof.read(&mut Input::new(&mut bytes))
}

#[track_caller]
fn refused(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

/// A field that is a number, or a message.
fn number(field: u8, number: u8) -> Vec<u8> {
    vec![field << 3, number]
}

fn bytes(field: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![field << 3 | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    [&out, bytes].concat()
}

/// A profile of these types of samples (type and unit each), with these samples, of two functions and a location of
/// both.
fn file(types: &[(&str, &str)], samples: &[&[u8]]) -> Vec<u8> {
    let mut strings = vec!["", "inner", "outer", "a.go"];
    let mut file = Vec::new();
    for (kind, unit) in types {
        strings.extend([kind, unit]);
        let index = strings.len() as u8 - 2;
        file.extend(bytes(1, &[number(1, index), number(2, index + 1)].concat()));
    }
    samples.iter().for_each(|sample| file.extend(bytes(2, sample)));
    let lines = [bytes(4, &number(1, 1)), bytes(4, &number(1, 2))].concat();
    file.extend(bytes(4, &[number(1, 1), lines].concat()));
    file.extend(bytes(5, &[number(1, 1), number(2, 1), number(4, 3), number(5, 9)].concat()));
    file.extend(bytes(5, &[number(1, 2), number(2, 2), number(4, 3)].concat()));
    strings.iter().for_each(|string| file.extend(bytes(6, string.as_bytes())));
    file
}

/// Of location 1, once.
fn sample(values: &[u8]) -> Vec<u8> {
    [bytes(1, &[1]), bytes(2, values)].concat()
}

/// The figures of `go tool pprof -top` on the same file.
#[test]
fn gos_own_profiles_are_read_to_the_sample() {
    assert!([CPU, ALLOCATIONS].iter().all(|packed| Pprof.recognises(&crate::readers::unpacked(packed))));
    let profile = read(CPU).unwrap();
    assert_eq!((profile.about.unit, profile.total()), (Unit::CpuNanoseconds, 260_000_000));
    let rows = functions(&profile);
    let row = |name: &str| rows.iter().find(|row| profile.frames.get(row.frame).name == name).unwrap();
    let weights = |name: &str| (row(name).self_weight / 1_000_000, row(name).total_weight / 1_000_000);
    assert_eq!(weights("main.hash"), (70, 230));
    assert_eq!(weights("runtime.asyncPreempt"), (160, 160));
    assert_eq!(weights("runtime.spanClass.sizeclass"), (10, 10));
    assert!(profile.frames.get(row("main.hash").frame).file.ends_with("/main.go"));

    let profile = read(ALLOCATIONS).unwrap();
    assert_eq!((profile.about.unit, profile.about.period_ns), (Unit::Bytes, None));
    let rows = functions(&profile);
    let top = rows.iter().max_by_key(|row| row.self_weight).unwrap();
    assert_eq!(profile.frames.get(top.frame).name, "internal/bytealg.MakeNoZero");
    assert_eq!((top.self_weight as f64 / profile.total() as f64 * 1e4).round(), 5520.0);
}

#[test]
fn inlined_functions_lie_on_what_they_are_inlined_in() {
    let profile = read(&file(&[("samples", "count")], &[&sample(&[3])])).unwrap();
    let [(stack, 3)] = profile.clusters[0].weights[..] else { panic!("{:?}", profile.clusters) };
    let frames = profile.stacks.outwards_in(stack).into_iter().map(|id| profile.frames.get(id));
    let frames: Vec<_> = frames.map(|frame| (frame.name, frame.file, frame.line)).collect();
    assert_eq!(frames, [("outer", "a.go", 0), ("inner", "a.go", 9)]);
}

#[test]
fn time_comes_before_what_the_file_prefers() {
    let cpu = (Unit::CpuNanoseconds, 5);
    for (types, expected) in [
        (&[("samples", "count"), ("cpu", "nanoseconds")][..], cpu),
        (&[("cpu", "nanoseconds"), ("samples", "count")], (Unit::CpuNanoseconds, 4)),
        (&[("wall", "nanoseconds"), ("alloc", "bytes")], (Unit::Nanoseconds, 4)),
        (&[("samples", "count"), ("cpu", "microseconds")], (Unit::CpuNanoseconds, 5000)),
        (&[("samples", "count"), ("wall", "seconds")], (Unit::Nanoseconds, 5_000_000_000)),
        // Austin's, with the letter.
        (&[("samples", "count"), ("Wall time", "\u{3bc}s")], (Unit::Nanoseconds, 5000)),
        (&[("contentions", "count"), ("delay", "nanoseconds")], (Unit::Nanoseconds, 5)),
        (&[("objects", "count"), ("space", "bytes")], (Unit::Bytes, 5)),
        (&[("bytes", "bytes"), ("objects", "count")], (Unit::Count, 5)),
        (&[("space", "bytes"), ("samples", "count")], (Unit::Samples, 5)),
    ] {
        let profile = read(&file(types, &[&sample(&[4, 5])])).unwrap();
        assert_eq!((profile.about.unit, profile.total()), expected, "{types:?}");
        let is_all_said = types.iter().any(|(kind, _)| *kind == "samples") && types[0].0 != "space";
        assert_eq!(profile.notes.is_empty(), is_all_said, "{:?}", profile.notes);
    }
}

#[test]
fn what_is_wrong_is_told_with_its_byte() {
    let types = [("samples", "count")];
    assert!(refused(&file(&types, &[&sample(&[1, 2])])).starts_with("pprof, byte 8: a sample: 2 values of 1 types"));
    let negative = sample(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]);
    assert!(refused(&file(&types, &[&negative])).contains("a negative value"));
    let nowhere = [bytes(1, &[7]), bytes(2, &[1])].concat();
    assert!(refused(&file(&types, &[&nowhere])).contains("there is no location 7"));
    let largest = sample(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    let sum = refused(&file(&types, &[&largest, &largest, &largest]));
    assert!(sum.contains("64 bits"), "{sum}");
    assert!(refused(&file(&[("cpu", "seconds")], &[&largest])).contains("too large"));
    let deep = [bytes(1, &vec![1; 60_000]), bytes(2, &[1])].concat();
    assert!(refused(&file(&types, &[&deep])).contains("a stack of more than 100000 frames"));
    let lines = bytes(4, &bytes(4, &[]).repeat(5000));
    assert!(refused(&[file(&types, &[]), lines].concat()).contains("more than 256 inlined functions"));

    assert_eq!(refused(b""), "pprof, byte 0: no type of samples: this is not a pprof file");
    assert_eq!(refused(&[0x0a, 5, 8]), "pprof, byte 1: a field of 5 bytes, of which only 1 are there");
    assert_eq!(refused(&[0x80]), "pprof, byte 0: the file ends in a number");
    assert_eq!(refused(&[0xff; 12]), "pprof, byte 0: a number of more than 64 bits");
    assert!(refused(&[0x0b]).contains("wire type 3"));
    assert!(refused(&[0x0d, 1]).contains("the file ends in a number"));
    assert!(refused(&[0x08, 1]).contains("field 1 holds a number where a text or a message is expected"));
}

#[test]
fn truncated_files_are_refused_or_shorter() {
    for end in 0..CPU.len() {
        let error = refused(&CPU[..end]);
        assert!(error.starts_with("pprof, byte "), "{error}");
    }
    let unpacked = crate::readers::unpacked(CPU);
    let cut: Vec<_> = (0..unpacked.len()).filter_map(|end| read(&unpacked[..end]).ok()).collect();
    // A message has no end of its own: where a field ends, so may the file.
    assert!(cut.iter().all(|profile| profile.total() <= 260_000_000));
    let mut broken = CPU.to_vec();
    *broken.last_mut().unwrap() ^= 1;
    assert!(refused(&broken).starts_with("pprof, byte "));
}

#[test]
fn texts_are_no_messages() {
    let firefox = crate::writers::firefox::Firefox;
    let mut json = Vec::new();
    firefox.write(&Profile::default(), &mut json).unwrap();
    for text in [&b"\n\nmain;find 12\n"[..], b"\n\tmain 12\n", b"a;b 12\n", &json, b"", b"\n", b"NYTProf 5 0\n"] {
        assert!(!Pprof.recognises(text), "{}", String::from_utf8_lossy(text));
    }
}
