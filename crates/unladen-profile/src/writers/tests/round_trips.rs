//! What each writer writes, its reader reads again: all of the profile that the format has a place for.

use proptest::prelude::*;

use crate::frame::{Frame, FrameKind};
use crate::input::Input;
use crate::profile::{About, Profile, Unit};
use crate::read::{READERS, reader_named};
use crate::tests::testing::{by_name, of_lines};
use crate::write::writer_named;

/// A cluster: each stack's frames, the outermost first, and its weight.
type Rows = Vec<(Vec<(String, String, u32, FrameKind)>, u64)>;

const KINDS: [FrameKind; 6] = [
    FrameKind::Function,
    FrameKind::Include,
    FrameKind::ClassLookup,
    FrameKind::Native,
    FrameKind::Kernel,
    FrameKind::Group,
];

fn units() -> impl Strategy<Value = (Unit, Option<u64>)> {
    prop_oneof![
        Just((Unit::Samples, None)),
        (1..10_000_000_u64).prop_map(|period| (Unit::Samples, Some(period))),
        Just((Unit::Nanoseconds, None)),
        Just((Unit::CpuNanoseconds, None)),
        Just((Unit::Bytes, None)),
        Just((Unit::Count, None)),
    ]
}

prop_compose! {
    fn profiles()(
        (unit, period_ns) in units(),
        names in prop::collection::vec((".{0,12}", prop_oneof![Just(String::new()), "/[a-z \"]{1,8}"], 0..3_u32, 0..KINDS.len()), 1..8),
        rows in prop::collection::vec(prop::collection::vec((prop::collection::vec(any::<prop::sample::Index>(), 1..6), 1..1_u64 << 30), 0..6), 0..5),
        are_requests: bool,
        requests in prop::option::of(2..1000_u64),
        (title, profiler) in (".{0,9}", "[a-z]{0,7}"),
    ) -> Profile {
        let requests = requests.filter(|_| !are_requests);
        let about = About { title, profiler, unit, period_ns, requests, are_requests, decimals: 0 };
        let mut profile = Profile::new(about);
        let frames: Vec<_> = names.iter().map(|(name, file, line, kind)| {
            profile.frames.intern(Frame { name, file, line: *line, kind: KINDS[*kind] })
        }).collect();
        for rows in rows {
            let cluster = profile.begin_request();
            for (stack, weight) in rows {
                let stack = profile.stacks.intern(stack.iter().map(|index| *index.get(&frames)));
                profile.add(cluster, stack, weight);
            }
        }
        profile
    }
}

fn rows(profile: &Profile) -> Vec<Rows> {
    let place = |id| {
        let Frame { name, file, line, kind } = profile.frames.get(id);
        (name.to_owned(), file.to_owned(), line, kind)
    };
    let row = |(stack, weight): &(_, u64)| {
        (profile.stacks.outwards_in(*stack).into_iter().map(place).collect::<Vec<_>>(), *weight)
    };
    profile.clusters.iter().map(|cluster| cluster.weights.iter().map(row).collect()).collect()
}

/// The same without what a format has no place for.
fn simplified(rows: &[Rows], change: impl Fn(&mut (String, String, u32, FrameKind)), of_one: u64) -> Vec<Rows> {
    let mut rows = rows.to_vec();
    for (stack, weight) in rows.iter_mut().flatten() {
        stack.iter_mut().for_each(&change);
        *weight *= of_one;
    }
    rows
}

fn written(format: &str, profile: &Profile) -> Vec<u8> {
    let mut bytes = Vec::new();
    writer_named(format).unwrap().write(profile, &mut bytes).unwrap();
    bytes
}

#[track_caller]
fn again(format: &str, profile: &Profile) -> Profile {
    let bytes = written(format, profile);
    let head = crate::readers::unpacked(&bytes);
    let reader = READERS.iter().find(|reader| reader.recognises(&head[..head.len().min(64 << 10)]));
    assert_eq!(reader.map(|reader| reader.name()), Some(format), "{}", String::from_utf8_lossy(&bytes));
    reader_named(format).unwrap().read(&mut Input::new(&mut &bytes[..])).unwrap()
}

/// All clusters as one, each stack once, as it is where a format knows nothing of requests.
fn together(rows: &[Rows]) -> Vec<Rows> {
    let mut sums: Rows = Vec::new();
    for (stack, weight) in rows.iter().flatten() {
        match sums.iter_mut().find(|(known, _)| known == stack) {
            Some((_, sum)) => *sum += weight,
            None => sums.push((stack.clone(), *weight)),
        }
    }
    sums.sort();
    vec![sums]
}

/// A line that a format learns from one frame is a line of all frames of that name: only those that differ in it are
/// left out.
fn has_twins(profile: &Profile) -> bool {
    let mut seen = std::collections::HashSet::new();
    !profile.frames.iter().all(|(_, frame)| seen.insert((frame.name.to_owned(), frame.file.to_owned())))
}

#[test]
fn fractions_are_kept() {
    for unit in [Unit::Samples, Unit::Bytes, Unit::Nanoseconds] {
        let mut profile = of_lines("t", &[&[("a;b", 1050), ("a;c", 1000), ("a;d", 25)]]);
        profile.about = About { title: "t".to_owned(), unit, decimals: 2, ..About::default() };
        for format in ["unladen", "firefox", "pprof", "collapsed", "speedscope"] {
            // These have no other units, or round times.
            if (unit == Unit::Bytes && format == "collapsed") || (unit == Unit::Nanoseconds && format != "unladen") {
                continue;
            }
            let read = again(format, &profile);
            assert_eq!(read.about.decimals, 2, "{format}");
            assert_eq!(by_name(&read), by_name(&profile), "{format}");
        }
    }
}

#[test]
fn more_decimals_than_are_kept_are_refused() {
    let mut profile = of_lines("t", &[&[("a", 1)]]);
    profile.about.decimals = 7;
    let bytes = written("unladen", &profile);
    let error = reader_named("unladen").unwrap().read(&mut Input::new(&mut &bytes[..])).unwrap_err().to_string();
    assert!(error.contains("7 decimal places, of at most 6"), "{error}");
}

proptest! {
    #[test]
    fn speedscope(profile in profiles()) {
        prop_assume!(!has_twins(&profile));
        let read = again("speedscope", &profile);
        let (unit, of_one) = match (profile.about.unit, profile.about.period_ns) {
            (Unit::Samples, Some(period)) => (Unit::Nanoseconds, period),
            (Unit::CpuNanoseconds, _) => (Unit::Nanoseconds, 1),
            (Unit::Count, _) => (Unit::Samples, 1),
            (unit, _) => (unit, 1),
        };
        let expected = simplified(&rows(&profile), |place| place.3 = FrameKind::Function, of_one);
        prop_assert_eq!(read.about.unit, unit);
        prop_assert_eq!(&read.about.title, &profile.about.title);
        prop_assert_eq!(&read.about.profiler, &profile.about.profiler);
        prop_assert_eq!(read.requests(), profile.requests());
        if profile.about.are_requests && !profile.clusters.is_empty() {
            prop_assert!(read.about.are_requests);
            prop_assert_eq!(rows(&read), expected);
        } else {
            prop_assert_eq!(together(&rows(&read)), together(&expected));
        }
    }

    #[test]
    fn firefox(profile in profiles()) {
        let read = again("firefox", &profile);
        prop_assert_eq!(&read.about, &profile.about);
        if profile.about.are_requests {
            prop_assert_eq!(rows(&read), rows(&profile));
        } else {
            prop_assert_eq!(together(&rows(&read)), together(&rows(&profile)));
        }
    }

    #[test]
    fn pprof(profile in profiles()) {
        prop_assume!(!has_twins(&profile));
        let read = again("pprof", &profile);
        let (unit, of_one) = match (profile.about.unit, profile.about.period_ns) {
            (Unit::Samples, Some(period)) => (Unit::Nanoseconds, period),
            (unit, _) => (unit, 1),
        };
        let change = |place: &mut (String, String, u32, FrameKind)| {
            if place.3 == FrameKind::Kernel && place.1.is_empty() {
                place.1 = "[kernel.kallsyms]".to_owned();
            }
            place.3 = match place.3 {
                FrameKind::Kernel if place.1.starts_with("[kernel") => FrameKind::Kernel,
                FrameKind::Kernel | FrameKind::Native if !place.1.is_empty() => FrameKind::Native,
                _ => FrameKind::Function,
            };
        };
        let expected = simplified(&rows(&profile), change, of_one);
        let About { title, profiler, requests, are_requests, .. } = &profile.about;
        prop_assert_eq!(&read.about, &About { title: title.clone(), profiler: profiler.clone(), unit, period_ns: None, requests: *requests, are_requests: *are_requests, decimals: 0 });
        if *are_requests {
            prop_assert_eq!(rows(&read), expected);
        } else {
            prop_assert_eq!(together(&rows(&read)), together(&expected));
        }
    }

    #[test]
    fn bytes_that_are_changed_make_no_reader_panic(profile in profiles(), at in any::<prop::sample::Index>(), byte: u8, cut: bool) {
        for format in ["speedscope", "firefox", "pprof"] {
            let mut bytes = written(format, &profile);
            if format == "pprof" {
                bytes = crate::readers::unpacked(&bytes);
            }
            let at = at.index(bytes.len());
            if cut { bytes.truncate(at) } else { bytes[at] = byte }
            match reader_named(format).unwrap().read(&mut Input::new(&mut &bytes[..])) {
                Ok(read) => { read.total_weights(); }
                Err(error) => prop_assert!(error.to_string().starts_with(format), "{}", error),
            }
        }
    }
}

#[test]
fn the_beginning_of_a_file_tells_its_format() {
    let mut profile = Profile::new(About::default());
    let main = profile.frames.intern(Frame::function("main"));
    let stack = profile.stacks.intern([main]);
    let cluster = profile.begin_request();
    profile.add(cluster, stack, 1);
    let files: [(&str, Vec<u8>); 8] = [
        ("unladen", written("unladen", &profile)),
        ("speedscope", written("speedscope", &profile)),
        ("firefox", written("firefox", &profile)),
        ("pprof", crate::readers::unpacked(&written("pprof", &profile))),
        ("collapsed", written("collapsed", &profile)),
        ("perf", b"main 12 1.5: 3 cpu-clock: \n\t1 f (/b)\n\n".to_vec()),
        (
            "speedscope",
            br#"{"$schema":"https:\/\/www.speedscope.app\/file-format-schema.json","exporter":"Excimer"}"#.to_vec(),
        ),
        ("nytprof", b"NYTProf 5 0\n# Perl profile database. Generated by Devel::NYTProf 6.12\n:basetime=1\n".to_vec()),
    ];
    for (format, bytes) in files {
        let takers = READERS.iter().filter(|reader| reader.recognises(&bytes)).map(|reader| reader.name());
        assert_eq!(takers.collect::<Vec<_>>(), [format], "{}", String::from_utf8_lossy(&bytes));
        // All may come packed.
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packer, &bytes).unwrap();
        assert_eq!(crate::readers::unpacked(&packer.finish().unwrap()), bytes, "{format}");
    }
}
