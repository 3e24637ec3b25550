//! Profiles in the shape of a small MediaWiki's, without and with an optimised class map.

use std::time::Duration;

use unladen_finding::{Figure, Finding, Fix, Saves, Share};
use unladen_profile::{About, CallCount, Frame, FrameKind, Profile, Unit, diff, functions};
use unladen_trace::Interval;

use crate::ended::Ended;
use crate::profile::{ProfileDiff, ProfileSetup, Profiled};

const URL: &str = "http://127.0.0.1:8080/index.php/Main_Page";

/// `lookups` is how many samples a request spends in looking for classes.
fn stacks(title: &str, requests: u64, lookups: u64) -> Profile {
    let mut profile = Profile::new(About {
        title: title.into(),
        profiler: "excimer".into(),
        unit: Unit::Samples,
        period_ns: Some(1_000_000),
        requests: None,
        are_requests: true,
    });
    let mut frame = |name, file, line, kind| profile.frames.intern(Frame { name, file, line, kind });
    let index = frame("/srv/wiki/index.php", "/srv/wiki/index.php", 1, FrameKind::Include);
    let main = frame("MediaWiki\\MediaWiki::main", "/srv/wiki/includes/MediaWiki.php", 51, FrameKind::Function);
    let parse =
        frame("MediaWiki\\Parser\\Parser::parse", "/srv/wiki/includes/parser/Parser.php", 611, FrameKind::Function);
    let output = frame("OutputPage::output", "/srv/wiki/includes/OutputPage.php", 2_800, FrameKind::Function);
    let map = frame("/srv/wiki/classmap.php", "/srv/wiki/classmap.php", 0, FrameKind::Include);
    let find = frame("AutoLoader::find", "/srv/wiki/includes/AutoLoader.php", 120, FrameKind::ClassLookup);
    let skin = frame(
        "MediaWiki\\Skins\\Vector\\ResourceLoader\\VectorResourceLoaderUserStylesModule::getStyles",
        "/srv/wiki/skins/Vector/includes/VectorResourceLoaderUserStylesModule.php",
        17,
        FrameKind::Function,
    );
    for request in 0..requests {
        let cluster = profile.begin_request();
        let jitter = request * 7 % 3;
        let stacks = [
            (vec![index, main], 5 + jitter),
            (vec![index, main, parse], 6 + jitter),
            (vec![index, main, parse, find], lookups * 3 + request * 5 % 3),
            (vec![index, main, skin], 2),
            (vec![index, output], 1 + request * 5 % 4),
            (vec![index, map], if lookups == 0 { 1 + request % 2 } else { 0 }),
            (vec![index, main, skin, find], lookups + request * 5 % 2),
        ];
        for (frames, weight) in stacks {
            let stack = profile.stacks.intern(frames);
            profile.add(cluster, stack, weight);
        }
        for (caller, callee, calls) in
            [(Some(main), parse, 1), (Some(parse), find, 70 * lookups), (Some(skin), find, 30 * lookups)]
        {
            profile.add_calls(cluster, CallCount { caller, callee, calls });
        }
    }
    profile
}

fn setup(profiled_ns: f64) -> ProfileSetup {
    ProfileSetup {
        url: URL.into(),
        group: "www-data php-fpm8.2".into(),
        answer: Some(super::weigh::answer("/index.php/Main_Page")),
        how: "Excimer, every 1 ms of time".into(),
        elapsed: Duration::from_millis(12_340),
        ended: Ended::Complete,
        plain_ns: (19_140_000.0, 18_910_000.0, 19_390_000.0),
        profiled_ns: (profiled_ns, profiled_ns - 210_000.0, profiled_ns + 240_000.0),
    }
}

fn result(setup: Option<ProfileSetup>, profile: Profile) -> Profiled {
    Profiled {
        setup,
        functions: functions(&profile),
        findings: Vec::new(),
        profile,
        notes: Vec::new(),
        written: Vec::new(),
        gates: Vec::new(),
        top: 15,
    }
}

/// A page that looks for its classes on the disk.
pub(crate) fn profiled() -> Profiled {
    let lookups = Finding {
        rule: "autoload-share",
        group: "www-data php-fpm8.2".into(),
        summary: "19.1 ± 0.4 % of the time is spent looking for classes".into(),
        figures: vec![Figure { name: "share", unit: "1", value: Interval { value: 0.191, low: 0.187, high: 0.195 } }],
        items: Vec::new(),
        takes: Share::NotKnown("a sample".into()),
        saves: Saves::NotKnown("a sample".into()),
        removes: None,
        fix: Fix::advice("optimise the class map").command("unladen classmap /srv/wiki"),
        check_again: "unladen profile diff before.profile.json after.profile.json".into(),
    };
    Profiled {
        findings: vec![lookups],
        notes: vec!["A sample belongs to the function in which PHP looks next whether one is due.".into()],
        written: vec![
            ("wiki.svg".into(), "any browser: a flame graph, with search and zoom"),
            ("wiki.speedscope.json".into(), "https://www.speedscope.app"),
        ],
        top: 3,
        ..result(Some(setup(20_060_000.0)), stacks(URL, 60, 2))
    }
}

/// A file that tells no request from another.
pub(crate) fn from_file() -> Profiled {
    let mut profile = stacks("wiki.collapsed", 1, 2);
    (profile.about.are_requests, profile.about.profiler, profile.about.period_ns) = (false, String::new(), None);
    result(None, profile)
}

/// What a class map moves.
pub(crate) fn profile_diff() -> ProfileDiff {
    ProfileDiff {
        setups: Some([setup(20_060_000.0), setup(16_900_000.0)]),
        diff: diff(&stacks("without the class map", 60, 2), &stacks("with it", 60, 0)).unwrap(),
        notes: Vec::new(),
        written: vec![("diff.svg".into(), "any browser: a flame graph, with search and zoom")],
        top: 5,
    }
}

/// Two files that tell no requests.
pub(crate) fn diff_of_files() -> ProfileDiff {
    let [before, after] = [("before.collapsed", 2), ("after.collapsed", 0)].map(|(title, lookups)| {
        let mut profile = stacks(title, 1, lookups);
        profile.about.are_requests = false;
        profile
    });
    ProfileDiff { setups: None, diff: diff(&before, &after).unwrap(), notes: Vec::new(), written: Vec::new(), top: 2 }
}
