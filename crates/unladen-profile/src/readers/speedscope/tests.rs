use super::*;
use crate::profile::Unit;
use crate::readers::MAX_DEPTH;

fn read(mut text: &[u8]) -> Result<Profile, ReadError> {
    Speedscope.read(&mut Input::new(&mut text))
}

/// A file with these profiles, of the frames `a`, `b` of `b.php` and `c`.
fn file(head: &str, profiles: &str) -> String {
    format!(
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json",{head}"profiles":[{profiles}],
           "shared":{{"frames":[{{"name":"a"}},{{"name":"b","file":"b.php","line":7,"col":1}},{{"name":"c","file":null,"line":null}}]}}}}"#
    )
}

fn sampled(unit: &str, samples: &str, weights: &str) -> String {
    format!(
        r#"{{"type":"sampled","name":"t","unit":"{unit}","startValue":0,"endValue":9,"samples":{samples},"weights":{weights}}}"#
    )
}

fn evented(unit: &str, events: &str) -> String {
    format!(r#"{{"type":"evented","name":"t","unit":"{unit}","startValue":0,"endValue":9,"events":{events}}}"#)
}

/// Each cluster's stacks and weights: `a;b 12`.
fn rows(profile: &Profile) -> Vec<Vec<String>> {
    let name = |id| profile.frames.get(id).name;
    let row = |(stack, weight): &(_, u64)| {
        let names: Vec<_> = profile.stacks.outwards_in(*stack).into_iter().map(name).collect();
        format!("{} {weight}", names.join(";"))
    };
    profile.clusters.iter().map(|cluster| cluster.weights.iter().map(row).collect()).collect()
}

#[track_caller]
fn refused(profiles: &str) -> String {
    read(file("", profiles).as_bytes()).unwrap_err().to_string()
}

/// What Excimer 1.2 makes of a log (`getSpeedscopeData`), by `json_encode`.
#[test]
fn excimers_own_export_is_read() {
    let text = r#"{"$schema":"https:\/\/www.speedscope.app\/file-format-schema.json","exporter":"Excimer","shared":{"frames":[{"name":"\/srv\/w\/index.php","file":"\/srv\/w\/index.php"},{"name":"AutoLoader::autoload","file":"\/srv\/w\/AutoLoader.php"}]},"profiles":[{"type":"sampled","name":"","unit":"nanoseconds","startValue":0,"endValue":2000100,"samples":[[0],[0,1],[0,1]],"weights":[1000000,1000000,2000000]}]}"#;
    assert!(Speedscope.recognises(text.as_bytes()));
    let profile = read(text.as_bytes()).unwrap();
    assert_eq!(profile.about.profiler, "excimer");
    assert_eq!((profile.about.unit, profile.about.are_requests), (Unit::Nanoseconds, false));
    let expected = [
        "/srv/w/index.php 1000000",
        "/srv/w/index.php;AutoLoader::autoload 1000000",
        "/srv/w/index.php;AutoLoader::autoload 2000000",
    ];
    assert_eq!(rows(&profile), [expected]);
}

/// py-spy writes seconds, a profile for each thread, and the exporter with its version.
#[test]
fn py_spys_seconds_become_ns() {
    let threads = [sampled("seconds", "[[0,1],[0]]", "[0.01,0.02]"), sampled("seconds", "[[0]]", "[0.01]")].join(",");
    let text = file(r#""exporter":"py-spy@0.3.14","activeProfileIndex":null,"name":"py-spy profile","#, &threads);
    let profile = read(text.as_bytes()).unwrap();
    assert_eq!((profile.about.profiler.as_str(), profile.about.title.as_str()), ("py-spy", "py-spy profile"));
    assert_eq!(rows(&profile), [vec!["a;b 10000000", "a 20000000"], vec!["a 10000000"]]);
    let b = profile.frames.iter().find(|(_, frame)| frame.name == "b").unwrap().1;
    assert_eq!((b.file, b.line), ("b.php", 7));
}

#[test]
fn units_are_what_they_say() {
    for (unit, weight, expected) in [
        ("none", "3", (Unit::Samples, 3)),
        ("none", "3.0", (Unit::Samples, 3)),
        ("bytes", "4096", (Unit::Bytes, 4096)),
        ("nanoseconds", "18446744073709551615", (Unit::Nanoseconds, u64::MAX)),
        ("nanoseconds", "1.6", (Unit::Nanoseconds, 2)),
        ("microseconds", "1.5", (Unit::Nanoseconds, 1500)),
        ("milliseconds", "1e-3", (Unit::Nanoseconds, 1000)),
        ("seconds", "2", (Unit::Nanoseconds, 2_000_000_000)),
    ] {
        let profile = read(file("", &sampled(unit, "[[0]]", &format!("[{weight}]"))).as_bytes()).unwrap();
        assert_eq!((profile.about.unit, profile.total()), expected, "{weight} {unit}");
    }
    // Counts have few decimals, and nothing is less than nothing.
    for (unit, weight) in
        [("none", "0.12345678"), ("bytes", "1e300"), ("seconds", "-1"), ("seconds", "1e11"), ("none", "-1")]
    {
        let error = refused(&sampled(unit, "[[0],[0]]", &format!("[1,{weight}]")));
        assert!(error.contains("profiles[0]: weights[1]: ") && error.contains(" is not a number of "), "{error}");
    }
    let profile = read(file("", &sampled("none", "[[0],[0]]", "[1,0.25]")).as_bytes()).unwrap();
    assert_eq!((profile.about.decimals, profile.total()), (2, 125));
    assert!(refused(&sampled("furlongs", "[]", "[]")).contains("`furlongs` is not a known unit"));
}

#[test]
fn profiles_that_count_something_else_are_left_out() {
    let profiles =
        [sampled("bytes", "[[0]]", "[1]"), sampled("seconds", "[[0]]", "[2]"), sampled("milliseconds", "[[1]]", "[3]")];
    let text = file(r#""activeProfileIndex":1,"#, &profiles.join(","));
    let profile = read(text.as_bytes()).unwrap();
    assert_eq!(rows(&profile), [["a 2000000000"], ["b 3000000"]]);
    assert_eq!(profile.notes, ["its profiles of ns are read; others are left out: 1 of bytes"]);
}

#[test]
fn calls_weigh_what_passes_while_they_are_the_innermost() {
    let events = r#"[{"type":"O","frame":0,"at":1},{"type":"O","frame":1,"at":3},{"type":"C","frame":1,"at":7},
        {"type":"O","frame":1,"at":7},{"type":"C","frame":1,"at":8},{"type":"C","frame":0,"at":9},
        {"type":"O","frame":2,"at":20},{"type":"C","frame":2,"at":21.5}]"#;
    let profile = read(file("", &evented("microseconds", events)).as_bytes()).unwrap();
    assert_eq!(rows(&profile), [["a 2000", "a;b 4000", "a;b 1000", "a 1000", "c 1500"]]);
}

#[test]
fn calls_that_do_not_nest_are_refused() {
    for (events, what) in [
        (r#"[{"type":"O","frame":0,"at":1}]"#, "profiles[0]: 1 calls never end"),
        (r#"[{"type":"C","frame":0,"at":1}]"#, "events[0]: frame 0 ends, but is not the one that began last"),
        (
            r#"[{"type":"O","frame":0,"at":1},{"type":"O","frame":1,"at":1},{"type":"C","frame":0,"at":1}]"#,
            "events[2]: frame 0 ends, but is not the one that began last",
        ),
        (
            r#"[{"type":"O","frame":0,"at":2},{"type":"C","frame":0,"at":1}]"#,
            "events[1]: 1 is before the previous \
            event",
        ),
        (r#"[{"type":"O","frame":3,"at":2}]"#, "events[0]: frame 3 of 3"),
        (r#"[{"type":"X","frame":0,"at":2}]"#, "events[0]: the type is `X`"),
    ] {
        let error = refused(&evented("none", events));
        assert!(error.contains(what), "{error}");
    }
    let deep = format!("[{}]", vec![r#"{"type":"O","frame":0,"at":1}"#; MAX_DEPTH + 1].join(","));
    assert!(refused(&evented("none", &deep)).contains(&format!("more than {MAX_DEPTH} calls are open")));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    assert!(refused(&sampled("none", "[[0],[1,3]]", "[1,1]")).contains("profiles[0]: samples[1]: frame 3 of 3"));
    assert!(refused(&sampled("none", "[[0]]", "[1,1]")).contains("there are 1 samples and 2 weights"));
    assert!(refused("").contains("profiles: there are none"));
    assert!(refused(r#"{"type":"guessed","unit":"none"}"#).contains("profiles[0]: the type is `guessed`"));
    let max = u64::MAX;
    assert!(refused(&sampled("none", "[[0],[0]]", &format!("[{max},1]"))).contains("64 bits"));
    let deep = format!("[[{}]]", vec!["0"; MAX_DEPTH + 1].join(","));
    assert!(refused(&sampled("none", &deep, "[1]")).contains("samples[0]: "));
    // truncated, and nested without end
    let whole = file("", &sampled("none", "[[0]]", "[1]"));
    for end in 0..whole.len() {
        let error = read(&whole.as_bytes()[..end]).unwrap_err().to_string();
        assert!(error.starts_with("speedscope, line "), "{error}");
    }
    let nested = format!("{{\"x\":{}", "[".repeat(1 << 20));
    assert!(read(nested.as_bytes()).unwrap_err().to_string().starts_with("speedscope, line 1: column 1048581: "));
    assert!(read(format!("{whole} 1").as_bytes()).unwrap_err().to_string().contains("trailing characters"));
}

#[test]
fn a_packed_file_is_read_and_one_that_explodes_is_not() {
    use std::io::Write;
    let packed = |text: &[u8], zeros: usize| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(text).unwrap();
        let blanks = vec![b' '; 1 << 20];
        (0..zeros).for_each(|_| packer.write_all(&blanks).unwrap());
        packer.finish().unwrap()
    };
    let whole = file("", &sampled("none", "[[0]]", "[1]"));
    let small = packed(whole.as_bytes(), 0);
    assert_eq!(read(&small).unwrap().total(), 1);
    assert!(read(&small[..small.len() - 20]).is_err());
    let bomb = packed(b"", 17);
    assert!(bomb.len() < 1 << 20);
    let error = read(&bomb).unwrap_err().to_string();
    assert!(error.starts_with("speedscope, byte ") && error.contains("unpacked, it has more than 16 MiB"), "{error}");
}
