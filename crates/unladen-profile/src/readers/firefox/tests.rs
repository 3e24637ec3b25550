use super::*;
use crate::frame::FrameKind;
use crate::profile::Unit;

fn read(mut text: &[u8]) -> Result<Profile, ReadError> {
    Firefox.read(&mut Input::new(&mut text))
}

#[track_caller]
fn refused(text: &str) -> String {
    read(text.as_bytes()).unwrap_err().to_string()
}

const STRINGS: &str = r#"["main","libc.so.6","memcpy","render","app.js","irq"]"#;

/// `main` of app.js below memcpy of a library, `render` without a file, and `irq` of the kernel.
fn tables(stacks: &str, functions: &str, resources: &str, frames: &str) -> String {
    format!(
        r#""stackTable":{{"length":4,"frame":[0,1,2,3],{stacks}}},
        "frameTable":{{"length":4,"func":[0,1,2,3],"category":[0,1,null,2],"line":[5,null,null,null]{frames}}},
        "funcTable":{{"length":4,"name":[0,2,3,5],"resource":[-1,0,-1,-1],"lineNumber":[3,null,null,null],{functions}}},
        "resourceTable":{{"length":1,"name":[1],"type":[1],"host":[null]{resources}}}"#
    )
}

const META: &str = r#""interval":0.5,"product":"php","categories":[{"name":"Other","color":"grey"},{"name":"User"},{"name":"Kernel"}]"#;
const SAMPLES: &str =
    r#""samples":{"length":4,"stack":[1,2,null,3],"timeDeltas":[0,1,1,1],"weight":[1,2,9,3],"weightType":"samples"}"#;
const PREFIX: &str = r#""prefix":[null,0,1,1]"#;
const OFFSET: &str = r#""prefixOffset":[0,1,1,2]"#;
const FILE_NAME: &str = r#""fileName":[4,null,null,null]"#;
const SOURCE: &str = r#""source":[0,null,null,null]"#;
const SOURCES: &str = r#""sources":{"length":1,"filename":[4],"id":[null]}"#;

/// The same profile in the versions between which its tables have changed.
fn versions() -> Vec<(u64, String)> {
    let own = |version: u64, shared: &str, own: &str, functions: &str| {
        let tables = tables(PREFIX, functions, r#","lib":[0]"#, "");
        let text = format!(
            r#"{{"meta":{{{META},"preprocessedProfileVersion":{version}}},"libs":[{{"name":"libc.so.6"}}]{shared},
            "threads":[{{"name":"idle","samples":{{"stack":[]}}{own},{tables}}},{{"name":"php",{SAMPLES}{own},{tables}}}]}}"#
        );
        (version, text)
    };
    let shared = |version: u64, stacks: &str, frames: &str| {
        let tables = tables(stacks, SOURCE, "", frames);
        let text = format!(
            r#"{{"meta":{{{META},"preprocessedProfileVersion":{version}}},"libs":[{{"name":"libc.so.6"}}],
            "shared":{{"stringArray":{STRINGS},{SOURCES},{tables}}},"threads":[{{"name":"php",{SAMPLES}}}]}}"#
        );
        (version, text)
    };
    vec![
        own(46, "", &format!(r#","stringArray":{STRINGS}"#), FILE_NAME),
        own(56, &format!(r#","shared":{{"stringArray":{STRINGS}}}"#), "", FILE_NAME),
        own(58, &format!(r#","shared":{{"stringArray":{STRINGS},{SOURCES}}}"#), "", SOURCE),
        shared(60, PREFIX, ""),
        shared(66, OFFSET, ""),
        shared(70, OFFSET, r#","lib":[-1,0,-1,-1]"#),
    ]
}

#[test]
fn each_version_is_read_as_the_same_profile() {
    for (version, text) in versions() {
        assert!(Firefox.recognises(text.as_bytes()), "{version}");
        let profile = read(text.as_bytes()).unwrap_or_else(|error| panic!("{version}: {error}"));
        assert_eq!((profile.about.unit, profile.about.period_ns), (Unit::Samples, Some(500_000)), "{version}");
        assert_eq!((profile.about.title.as_str(), profile.about.are_requests), ("php", false));
        let [cluster] = &profile.clusters[..] else { panic!("{version}: {:?}", profile.clusters) };
        let place = |id| {
            let frame = profile.frames.get(id);
            format!("{} {}@{}:{}", frame.kind.into_str(), frame.name, frame.file, frame.line)
        };
        let row = |(stack, weight): &(_, u64)| {
            (profile.stacks.outwards_in(*stack).into_iter().map(place).collect::<Vec<_>>().join(";"), *weight)
        };
        let main = "function main@app.js:3;native memcpy@libc.so.6:0";
        let expected =
            [(main.to_owned(), 1), (format!("{main};function render@:0"), 2), (format!("{main};kernel irq@:0"), 3)];
        assert_eq!(cluster.weights.iter().map(row).collect::<Vec<_>>(), expected, "{version}");
    }
}

#[test]
fn weights_are_of_their_type_and_threads_of_another_are_left_out() {
    let thread = |samples: &str| format!(r#"{{"samples":{{{samples}}}}}"#);
    let file = |threads: &[String]| {
        let tables = tables(OFFSET, SOURCE, "", "");
        format!(
            r#"{{"meta":{{{META},"preprocessedProfileVersion":66}},"shared":{{"stringArray":{STRINGS},{tables}}},"threads":[{}]}}"#,
            threads.join(",")
        )
    };
    for (samples, expected) in [
        (r#""stack":[0,1],"weight":null,"weightType":"samples""#, (Unit::Samples, 2)),
        (r#""stack":[0,1]"#, (Unit::Samples, 2)),
        (r#""stack":[0,1],"weight":[0.25,1],"weightType":"tracing-ms""#, (Unit::Nanoseconds, 1_250_000)),
        (r#""stack":[0,1],"weight":[10,1],"weightType":"bytes""#, (Unit::Bytes, 11)),
    ] {
        let other = if samples.contains("bytes") { "samples" } else { "bytes" };
        let other = thread(&format!(r#""stack":[0],"weight":[1000],"weightType":"{other}""#));
        let profile = read(file(&[thread(samples), other, thread(samples)]).as_bytes()).unwrap();
        assert_eq!((profile.about.unit, profile.clusters[0].total()), expected);
        assert_eq!(profile.clusters.len(), 2);
        assert!(profile.notes[0].contains("others are left out: 1 of "), "{:?}", profile.notes);
    }
    for (samples, what) in [
        (r#""stack":[0],"weight":[-1]"#, "threads[0]: samples, 0: -1 is not a number of samples"),
        (r#""stack":[0],"weight":[0.5]"#, "0.5 is not a number of samples"),
        (r#""stack":[0,0],"weight":[1]"#, "2 samples and 1 weights"),
        (r#""stack":[4]"#, "samples, 0: stack 4 of 4"),
        (r#""stack":[0],"weightType":"sheep""#, "weightType `sheep`"),
        (r#""stack":[0,0],"weight":[18446744073709551615,1]"#, "64 bits"),
    ] {
        let error = refused(&file(&[thread(samples)]));
        assert!(error.starts_with("firefox, byte 0: ") && error.contains(what), "{error}");
    }
}

#[test]
fn other_formats_and_versions_are_refused_with_their_name() {
    let gecko = r#"{"meta":{"version":31,"interval":1,"stackwalk":1},"libs":[],"threads":[{"name":"GeckoMain",
        "samples":{"schema":{"stack":0},"data":[[1,2]]},"stackTable":{"schema":{"prefix":0},"data":[]}}]}"#;
    assert!(Firefox.recognises(gecko.as_bytes()));
    assert!(refused(gecko).contains("https://profiler.firefox.com"), "{}", refused(gecko));
    for version in ["40", "71", "-1", "1.5"] {
        let text = format!(r#"{{"meta":{{"preprocessedProfileVersion":{version}}}}}"#);
        assert_eq!(refused(&text), format!("firefox, byte 0: version {version} of the format: 41 to 70 can be read"));
    }
}

#[test]
fn tables_that_lead_nowhere_are_refused() {
    let (_, whole) = versions().swap_remove(4);
    for (from, to, what) in [
        (OFFSET, r#""prefixOffset":[0,1,3,2]"#, "stackTable, 2: the prefixOffset leads out of the table"),
        (OFFSET, r#""prefixOffset":[0,1]"#, "stackTable, 2: there is no prefix"),
        (OFFSET, r#""prefix":[null,1,1,1]"#, "stackTable, 1: the prefix 1 is not an earlier stack"),
        (r#""frame":[0,1,2,3]"#, r#""frame":[0,1,2,4]"#, "stackTable, 3: no frame of 4"),
        (r#""func":[0,1,2,3]"#, r#""func":[0,1,2,4]"#, "frameTable, 3: no function of 4"),
        (r#""name":[0,2,3,5]"#, r#""name":[0,2,3,6]"#, "frameTable, 3: string 6 of 6"),
        (r#""stackTable""#, r#""elsewhere""#, "there is no stackTable"),
        (r#""funcTable""#, r#""elsewhere""#, "there is no funcTable"),
    ] {
        assert!(whole.contains(from));
        let error = refused(&whole.replace(from, to));
        assert!(error.contains(what), "{error}");
    }
    for end in 0..whole.len() {
        let error = refused(&whole[..end]);
        assert!(error.starts_with("firefox, line "), "{error}");
    }
    for place in [r#"{"meta":{"unladen":"#, r#"{"else":"#] {
        let error = refused(&format!("{place}{}", "[".repeat(1 << 20)));
        assert!(error.starts_with("firefox, line 1: column "), "{error}");
    }
    let deep = 100_001;
    let tables = format!(
        r#""stringArray":["f"],"funcTable":{{"name":[0]}},"frameTable":{{"func":[0]}},"stackTable":{{"frame":[{}],"prefixOffset":[0,{}]}}"#,
        vec!["0"; deep].join(","),
        vec!["1"; deep - 1].join(",")
    );
    let text = format!(r#"{{"meta":{{"preprocessedProfileVersion":66}},"shared":{{{tables}}},"threads":[]}}"#);
    assert!(refused(&text).contains("stackTable, 100000: a stack of more than 100000 frames"), "{}", refused(&text));
}

#[test]
fn requests_that_do_not_fit_their_samples_are_refused() {
    use crate::writers::Writer;
    let mut profile = Profile::new(crate::profile::About { are_requests: true, ..Default::default() });
    let main = profile.frames.intern(crate::frame::Frame { name: "f", file: "", line: 0, kind: FrameKind::Include });
    let stack = profile.stacks.intern([main]);
    for weight in [3, 4] {
        let cluster = profile.begin_request();
        profile.add(cluster, stack, weight);
    }
    let mut written = Vec::new();
    crate::writers::firefox::Firefox.write(&profile, &mut written).unwrap();
    let text = String::from_utf8(written).unwrap();
    assert_eq!(read(text.as_bytes()).unwrap().clusters, profile.clusters);
    let one = r#""unladenSamples":1"#;
    assert!(refused(&text.replacen(one, r#""unladenSamples":3"#, 1)).contains("a request of 3 samples: 2 are left"));
    assert!(refused(&text.replacen(one, r#""unladenSamples":0"#, 1)).contains("1 samples belong to no request"));
}
