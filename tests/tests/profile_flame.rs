//! Flame graphs, in a real browser: written to a file and opened from there.

use std::path::PathBuf;

use tempfile::TempDir;
use unladen_profile::{About, FlameStyle, Frame, FrameKind, Profile, Unit, diff, flame, flame_diff};
use unladen_tests::Chromium;

/// A picture in a file, in a browser.
struct Shown {
    page: Chromium,
    file: PathBuf,
    _folder: TempDir,
}

impl Shown {
    fn new(draw: impl FnOnce(&mut Vec<u8>)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.svg");
        let mut svg = Vec::new();
        draw(&mut svg);
        std::fs::write(&file, svg).unwrap();
        let shown = Self { page: Chromium::start(), file, _folder: folder };
        shown.open("");
        shown
    }

    fn open(&self, hash: &str) {
        // The same file with another hash would be no new page.
        self.page.load("about:blank");
        self.page.load(&format!("file://{}{hash}", self.file.display()));
        self.page.wait_for("document.querySelector('.tools input') !== null");
    }

    /// How wide a box is drawn; 0 of one that is not.
    fn width(&self, name: &str) -> f64 {
        let width = "rect => rect.getAttribute('display') === 'none' ? 0 : Number(rect.getAttribute('width'))";
        self.page.evaluate(&format!("({width})({})", rect(name))).as_f64().unwrap()
    }

    fn click(&self, name: &str) {
        self.page.evaluate(&format!("{}.dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))", rect(name)));
    }

    fn inner(&self, class: &str) -> String {
        self.page.text(&format!("document.querySelector('.{class}').textContent"))
    }

    fn hash(&self) -> String {
        self.page.text("location.hash")
    }

    /// What the keyboard is on.
    fn focused(&self) -> String {
        self.page.text("document.activeElement.getAttribute('aria-label') ?? ''")
    }

    fn type_text(&self, text: &str) {
        for key in text.chars() {
            self.page.key(&key.to_string());
        }
    }

    /// Nothing went wrong, and nothing but the file was asked for.
    #[track_caller]
    fn is_well(&self) {
        assert_eq!(self.page.take_problems(), [""; 0]);
        let elsewhere: Vec<_> =
            self.page.asked().into_iter().filter(|url| !url.starts_with("file:") && url != "about:blank").collect();
        assert_eq!(elsewhere, [""; 0]);
    }
}

/// The box whose title begins so.
fn rect(name: &str) -> String {
    format!("[...document.querySelectorAll('.chart rect')].find(rect => rect.textContent.split('\\n')[0] === '{name}')")
}

/// Requests of 100 ms, of which a class's look-up takes some.
fn profile(title: &str, lookup: u64, gone: u64) -> Profile {
    let mut profile = Profile::new(About {
        title: title.into(),
        profiler: "excimer".into(),
        unit: Unit::Samples,
        period_ns: Some(1_000_000),
        are_requests: true,
        ..About::default()
    });
    let mut frame =
        |name, line, kind| profile.frames.intern(Frame { name, file: "/srv/wiki/includes/WebStart.php", line, kind });
    let main = frame("main", 5, FrameKind::Function);
    let (parse, skin) = (frame("parse", 7, FrameKind::Function), frame("skin", 9, FrameKind::Function));
    let (find, gone_find) =
        (frame("AutoLoader::find", 120, FrameKind::ClassLookup), frame("gone", 3, FrameKind::Function));
    for request in 0..40 {
        let cluster = profile.begin_request();
        let stacks = [
            (vec![main, parse], 40 - request % 2),
            (vec![main, parse, find], lookup + request % 2),
            (vec![main, skin], 30),
            (vec![main, skin, find], 10),
            (vec![main, gone_find], gone),
        ];
        for (frames, weight) in stacks {
            let stack = profile.stacks.intern(frames);
            profile.add(cluster, stack, weight);
        }
    }
    profile
}

fn page() -> Shown {
    let profile = profile("http://127.0.0.1/", 20, 0);
    Shown::new(|out| flame(&profile, &FlameStyle::of(&profile), out).unwrap())
}

#[test]
fn a_click_zooms_and_the_address_keeps_it() {
    let shown = page();
    let (whole, skin) = (shown.width("main"), shown.width("skin"));
    assert!((skin / whole - 0.4).abs() < 0.01, "{skin} of {whole}");
    shown.click("skin");
    assert!((shown.width("skin") - whole).abs() < 1.0 && shown.width("parse") == 0.0);
    assert!((shown.width("main") - whole).abs() < 1.0, "what it lies on stays");
    assert_eq!(shown.inner("name"), "skin  /srv/wiki/includes/WebStart.php:9");
    let details = shown.inner("details");
    assert!(details.starts_with("40 ms a request, 40 % · self 30 ms, 30 % · 100 % of what is shown"), "{details}");
    let hash = shown.hash();
    assert!(hash.starts_with("#zoom="), "{hash}");

    // Back is out of it again, and the link leads into it.
    shown.page.evaluate("history.back()");
    shown.page.wait_for("location.hash === ''");
    shown.page.wait_for(&format!("{}.getAttribute('display') !== 'none'", rect("parse")));
    shown.open(&hash);
    assert!(shown.width("parse") == 0.0 && (shown.width("skin") - whole).abs() < 1.0);

    // The button that resets it is only there where there is something to reset.
    let is_hidden = || shown.page.evaluate("document.querySelector('.tools > button').hidden") == true;
    assert!(!is_hidden());
    shown.page.evaluate("document.querySelector('.tools > button').click()");
    assert!(is_hidden() && shown.width("parse") > 0.0);
    shown.is_well();
}

#[test]
fn a_search_tells_the_part_of_what_matches() {
    let shown = page();
    shown.page.key("/");
    shown.type_text("find$");
    assert_eq!(shown.inner("matched"), "matched: 30.5 %");
    let found = "document.querySelectorAll('.chart .found').length";
    assert_eq!(shown.page.evaluate(found), 2);
    assert_eq!(shown.hash(), "#search=find%24");

    // What lies on a match is not counted twice; files match too.
    shown.page.evaluate("document.querySelector('.tools input').select()");
    shown.type_text("skin|find");
    assert_eq!(shown.inner("matched"), "matched: 60.5 %");
    shown.page.evaluate("document.querySelector('.tools input').select()");
    shown.type_text("webstart");
    assert_eq!(shown.inner("matched"), "matched: 100 %");

    // What is no regular expression says so, and harms nothing.
    shown.page.evaluate("document.querySelector('.tools input').select()");
    shown.type_text("(");
    assert_eq!(shown.inner("matched"), "not a regular expression");
    shown.page.key("Escape");
    assert_eq!((shown.inner("matched").as_str(), shown.hash().as_str()), ("", ""));

    // Ctrl-F too, unless the browser's own search is wanted: a second one is not caught.
    let control_f = "!document.activeElement.dispatchEvent(new KeyboardEvent('keydown', \
                     { key: 'f', ctrlKey: true, bubbles: true, cancelable: true }))";
    assert_eq!(shown.page.evaluate(control_f), true);
    assert_eq!(shown.page.text("document.activeElement.localName"), "input");
    assert_eq!(shown.page.evaluate(control_f), false);

    // A link restores both.
    shown.click("skin");
    let zoom = shown.hash();
    shown.open(&format!("{zoom}&search=find"));
    assert_eq!(shown.inner("matched"), "matched: 30.5 %, of what is shown 25 %");
    shown.is_well();
}

#[test]
fn the_keyboard_is_enough() {
    let shown = page();
    for _ in 0..20 {
        shown.page.key("Tab");
        if shown.focused().starts_with("all, ") {
            break;
        }
    }
    assert!(shown.focused().starts_with("all, 100 ms a request, 100 %"), "{}", shown.focused());
    let ring = "document.querySelector('.ring').getAttribute('display')";
    assert_eq!(shown.page.text(ring), "inline", "the focus is seen");
    let walk = |key: &str, name: &str| {
        shown.page.key(key);
        assert!(shown.focused().starts_with(name), "{key}: {}", shown.focused());
    };
    walk("ArrowUp", "main, ");
    walk("ArrowUp", "parse, 60 ms a request");
    walk("ArrowRight", "skin, ");
    walk("ArrowRight", "skin, ");
    walk("ArrowUp", "AutoLoader::find, 10 ms a request");
    walk("ArrowLeft", "AutoLoader::find, 20");
    walk("ArrowDown", "parse, ");
    walk("Enter", "parse, ");
    assert_eq!(shown.width("skin"), 0.0);
    assert_eq!(shown.inner("name"), "parse  /srv/wiki/includes/WebStart.php:7");
    shown.page.key("Escape");
    assert!(shown.width("skin") > 0.0);
    shown.page.key("Home");
    assert!(shown.focused().starts_with("all, "));
    // Only one box is in the way of the tabulator, however many there are.
    assert_eq!(shown.page.evaluate("document.querySelectorAll('.chart [tabindex]').length"), 1);
    shown.is_well();
}

#[test]
fn a_comparison_shows_the_widths_of_either() {
    let (before, after) = (profile("before", 20, 10), profile("after", 5, 0));
    let diff = diff(&before, &after).unwrap();
    let shown = Shown::new(|out| flame_diff(&diff, &FlameStyle::of_diff(&diff), out).unwrap());
    let class = |name: &str| shown.page.text(&format!("{}.getAttribute('class')", rect(name)));
    assert!(class("parse").starts_with('d') && class("parse").contains("told"), "{}", class("parse"));
    assert!(class("skin").starts_with("e0"), "{}", class("skin"));
    assert!(shown.page.text("document.querySelector('.labels').textContent").contains("▼ parse"));

    // What is gone is seen by the baseline's widths alone.
    assert_eq!(shown.width("gone"), 0.0);
    let pressed = "document.querySelector('.pair [aria-pressed=true]').textContent";
    assert_eq!(shown.page.text(pressed), "candidate");
    shown.page.key("w");
    assert_eq!(shown.page.text(pressed), "baseline");
    let part = shown.width("gone") / shown.width("main");
    assert!((part - 10.0 / 110.0).abs() < 0.01, "{part}");
    assert_eq!(shown.hash(), "#widths=baseline");
    shown.click("parse");
    let details = shown.inner("details");
    let told = "60 ms → 45 ms a request (−15 ms): shrunk · the function everywhere: −15 ms (";
    assert!(details.starts_with(told), "{details}");
    shown.open(&shown.hash());
    assert_eq!(shown.page.text(pressed), "baseline");

    // What is not there by the other widths is not zoomed into by them.
    shown.page.key("Escape");
    shown.click("gone");
    shown.page.key("w");
    assert!(shown.width("main") > 0.0 && shown.width("gone") == 0.0);
    shown.is_well();
}

#[test]
fn it_is_complete_without_its_script_and_follows_the_theme() {
    let shown = page();
    let ground = || shown.page.text("getComputedStyle(document.querySelector('.ground')).fill");
    shown.page.prefer("light");
    assert_eq!(ground(), "rgb(255, 255, 255)");
    shown.page.prefer("dark");
    assert_ne!(ground(), "rgb(255, 255, 255)");
    // As an image no script runs.
    let picture = "new Promise((done, fail) => { const image = new Image(); image.onload = () => done(image.naturalWidth); \
                   image.onerror = fail; image.src = location.href; })";
    assert_eq!(shown.page.evaluate(picture), 1_200);
    let svg = std::fs::read_to_string(&shown.file).unwrap();
    let (_, labels) = svg.split_once("class=\"labels\"").unwrap();
    let (labels, _) = labels.split_once("</g>").unwrap();
    assert!(
        ["all", "main", "parse", "skin", "AutoLoader::find"].iter().all(|name| labels.contains(&format!(">{name}<")))
    );
    shown.is_well();
}

/// Twenty thousand boxes: a click is answered, and each is where it belongs.
#[test]
fn many_boxes_can_be_zoomed_and_searched() {
    let mut profile = Profile::new(About { are_requests: true, ..About::default() });
    let request = profile.begin_request();
    let outer: Vec<_> = (0..200).map(|n| profile.frames.intern(Frame::function(&format!("outer{n:03}")))).collect();
    let inner: Vec<_> = (0..100).map(|n| profile.frames.intern(Frame::function(&format!("inner{n:03}")))).collect();
    for outer in &outer {
        for inner in &inner {
            let stack = profile.stacks.intern([*outer, *inner]);
            profile.add(request, stack, 1);
        }
    }
    let style = FlameStyle { least: 0.0, ..FlameStyle::of(&profile) };
    let shown = Shown::new(|out| flame(&profile, &style, out).unwrap());
    assert_eq!(shown.page.evaluate("document.querySelectorAll('.chart rect').length"), 20_201);
    let whole = shown.width("all");
    shown.click("outer007");
    assert!((shown.width("outer007") - whole).abs() < 1.0);
    assert_eq!(shown.page.evaluate("document.querySelectorAll('.chart rect:not([display])').length"), 102);
    shown.page.key("/");
    shown.type_text("inner00");
    assert_eq!(shown.inner("matched"), "matched: 10 %, of what is shown 10 %");
    shown.is_well();
}

/// Higher than the window: it opens at the outermost frames, and the head stays in sight.
#[test]
fn a_high_picture_opens_at_its_foot() {
    let mut profile = Profile::new(About { are_requests: true, ..About::default() });
    let frames: Vec<_> = (0..200).map(|n| profile.frames.intern(Frame::function(&format!("level{n:03}")))).collect();
    let stack = profile.stacks.intern(frames);
    let request = profile.begin_request();
    profile.add(request, stack, 1);
    let shown = Shown::new(|out| flame(&profile, &FlameStyle::of(&profile), out).unwrap());
    shown.page.wait_for("window.scrollY > 1_000");
    let top = "Math.abs(document.querySelector('.head').getBoundingClientRect().top) < 1";
    shown.page.wait_for(top);
    let is_seen = |name: &str| {
        let is_seen = format!(
            "(box => box.top > document.querySelector('.rule').getBoundingClientRect().top && box.bottom < innerHeight)\
             ({}.getBoundingClientRect())",
            rect(name)
        );
        shown.page.evaluate(&is_seen) == true
    };
    assert!(is_seen("level000") && !is_seen("level199"));
    // The keyboard takes the window along.
    shown.click("level000");
    for level in 1..100 {
        shown.page.key("ArrowUp");
        if level % 33 == 0 {
            shown.page.wait_for(top);
            assert!(is_seen(&format!("level{level:03}")), "{level}");
        }
    }
    shown.is_well();
}

#[test]
fn names_from_outside_are_names() {
    let hostile =
        "</title></script>]]><script>window.ran = 1</script><rect onload='window.ran = 1'/>&\"\0\u{1b}\u{202e}\u{ffff}";
    let mut profile = Profile::new(About { title: hostile.into(), are_requests: true, ..About::default() });
    let frame = profile.frames.intern(Frame { name: hostile, file: hostile, line: 1, kind: FrameKind::Function });
    let stack = profile.stacks.intern([frame]);
    let request = profile.begin_request();
    profile.add(request, stack, 1);
    let shown = Shown::new(|out| flame(&profile, &FlameStyle::of(&profile), out).unwrap());
    shown.page.evaluate(
        "document.querySelectorAll('.chart rect')[1].dispatchEvent(new MouseEvent('click', { bubbles: true }))",
    );
    assert!(
        shown.inner("name").starts_with("</title></script>]]><script>window.ran = 1</script>"),
        "{}",
        shown.inner("name")
    );
    // A hash from outside is no more than text, too.
    shown.open("#zoom=-1&search=%3Cscript%3E%&widths=x&zoom=999999");
    assert_eq!(shown.page.evaluate("window.ran ?? 0"), 0);
    assert_eq!(shown.page.evaluate("document.querySelectorAll('parsererror, script').length"), 2);
    shown.is_well();
}
