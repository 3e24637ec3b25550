//! Profiles in the shape of a small MediaWiki's, without and with an optimised class map.

use unladen_document::{OpenNs, ProfileSetup, Written};
use unladen_finding::{Figure, Finding, Fix, Saves, Share};
use unladen_profile::{About, CallCount, Frame, FrameKind, Profile, Unit, diff, functions};
use unladen_trace::Interval;

use crate::finding::written_finding;
use crate::inside::WARM;
use crate::profile::{ProfileDiff, Profiled};

const URL: &str = "http://127.0.0.1:8080/index.php/Main_Page";

/// `lookups` is how many samples a request spends in looking for classes.
fn stacks(title: &str, requests: u64, lookups: u64) -> Profile {
    let mut profile = Profile::new(About {
        title: title.into(),
        profiler: "excimer".into(),
        unit: Unit::Samples,
        period_ns: Some(1_000_000),
        are_requests: true,
        ..About::default()
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

fn setup(profiled_ns: u64) -> ProfileSetup {
    let ns = |value: u64, below: u64, above: u64| OpenNs { value, low: Some(value - below), high: Some(value + above) };
    let (plain_ns, profiled_ns) = (ns(19_140_000, 230_000, 250_000), ns(profiled_ns, 210_000, 240_000));
    ProfileSetup {
        url: URL.into(),
        group: "www-data php-fpm8.2".into(),
        answer: Some(super::weigh::answer("/index.php/Main_Page")),
        how: "Excimer, every 1 ms of time".into(),
        elapsed_ns: 12_340_000_000,
        ended: "complete".into(),
        plain_ns,
        profiled_ns,
        overhead: ProfileSetup::overhead_of(plain_ns, profiled_ns),
    }
}

fn written(file: &str, reads: &str) -> Written {
    Written { file: file.to_owned(), reads: reads.to_owned() }
}

fn result(profile: Profile, top: usize) -> Profiled {
    let functions = functions(&profile);
    Profiled::of(profile, &functions, Some(top))
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
    let mut result = result(stacks(URL, 60, 2), 3);
    let document = &mut result.document;
    document.target = URL.into();
    document.setup = Some(setup(20_060_000));
    document.findings = vec![written_finding(URL, WARM, &lookups)];
    document.notes = vec!["A sample belongs to the function in which PHP looks next whether one is due.".into()];
    document.written = vec![
        written("wiki.svg", "any browser: a flame graph, with search and zoom"),
        written("wiki.speedscope.json", "https://www.speedscope.app"),
    ];
    result
}

/// A file that tells no request from another.
pub(crate) fn from_file() -> Profiled {
    let mut profile = stacks("wiki.collapsed", 1, 2);
    (profile.about.are_requests, profile.about.profiler, profile.about.period_ns) = (false, String::new(), None);
    result(profile, 15)
}

/// What a class map moves.
pub(crate) fn profile_diff() -> ProfileDiff {
    let diff = diff(&stacks("without the class map", 60, 2), &stacks("with it", 60, 0)).unwrap();
    let mut result = ProfileDiff::of(diff, Some(5));
    result.document.setups = Some([setup(20_060_000), setup(16_900_000)]);
    result.document.written = vec![written("diff.svg", "any browser: a flame graph, with search and zoom")];
    result
}

/// Two files that tell no requests.
pub(crate) fn diff_of_files() -> ProfileDiff {
    let [before, after] = [("before.collapsed", 2), ("after.collapsed", 0)].map(|(title, lookups)| {
        let mut profile = stacks(title, 1, lookups);
        profile.about.are_requests = false;
        profile
    });
    ProfileDiff::of(diff(&before, &after).unwrap(), Some(2))
}
