//! The HTML report, in a real browser: results that are kept, shown as a file, and opened from there.
//!
//! Measures: a profile, whose flame graph is shown.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use unladen_tests::{Ability, Call, Chromium, ScriptServer, skip_without};

/// One of each command.
const RESULTS: [(&str, &str); 5] = [
    ("weigh", include_str!("../../crates/unladen-publish/src/html/tests/weigh.json")),
    ("load", include_str!("../../crates/unladen-publish/src/html/tests/load.json")),
    ("prove", include_str!("../../crates/unladen-publish/src/html/tests/prove.json")),
    ("profile", include_str!("../../crates/unladen-publish/src/html/tests/profile.json")),
    ("profile-diff", include_str!("../../crates/unladen-publish/src/html/tests/profile-diff.json")),
];

/// Ends the script, the attribute and the title, where they are written as they are.
const HOSTILE: &str =
    "</script></title>'\"><img src=x onerror=document.title='run'><script>document.title='run'</script>";

/// Reports as the program writes them.
struct Reports {
    folder: TempDir,
}

impl Reports {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Keeps a result, and has it shown.
    fn of(&self, name: &str, result: &str) -> PathBuf {
        let [result_file, store, report] =
            [format!("{name}.json"), format!("{name}.db"), format!("{name}.html")].map(|name| self.path(&name));
        std::fs::write(&result_file, result).unwrap();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        Call::new(["runs", "import", &text(&result_file), "--store", &text(&store)]).run().ended_with(0);
        Call::new(["runs", "show", "1", "--html", &text(&report), "--store", &text(&store)]).run().ended_with(0);
        report
    }

    /// The check of a class map that is out of date.
    fn of_class_map(&self) -> PathBuf {
        let (app, report) = (self.path("app"), self.path("classmap.html"));
        std::fs::create_dir_all(app.join("src")).unwrap();
        let call = |args: &[&str]| Call::new(["classmap", "--psr4", "App\\=src"]).args(args).args([&app]);
        std::fs::write(app.join("src/Cart.php"), "<?php\nnamespace App;\nclass Cart {}\n").unwrap();
        call(&[]).run().succeeded();
        std::fs::write(app.join("src/Odd.php"), "<?php\nnamespace App;\nclass AVeryLongNameOfAClass {}\n").unwrap();
        std::fs::write(app.join("src/Basket.php"), "<?php\nnamespace App;\nclass Basket {}\n").unwrap();
        call(&["--check", "--html", report.to_str().unwrap()]).run().ended_with(8);
        report
    }
}

fn open(page: &Chromium, report: &Path) {
    page.load(&format!("file://{}", report.display()));
}

/// Nothing went wrong, and nothing but the file was asked for.
#[track_caller]
fn is_well(page: &Chromium) {
    assert_eq!(page.take_problems(), [""; 0]);
    let elsewhere: Vec<_> = page
        .asked()
        .into_iter()
        .filter(|url| !url.starts_with("file:") && !url.starts_with("data:") && url != "about:blank")
        .collect();
    assert_eq!(elsewhere, [""; 0]);
}

/// What stands out to the side of a page, beyond what scrolls by itself.
const BEYOND: &str = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

#[test]
fn every_report_fits_every_screen_in_both_themes() {
    let reports = Reports::new();
    let page = Chromium::start();
    for (name, result) in RESULTS {
        open(&page, &reports.of(name, result));
        fits(&page, name);
    }
    open(&page, &reports.of_class_map());
    fits(&page, "classmap");
    assert!(page.text("document.body.innerText").contains("src/Odd.php:3"));
}

/// Nothing of the report stands out, in either theme.
#[track_caller]
fn fits(page: &Chromium, name: &str) {
    for width in [360, 768, 1400] {
        page.resize(width, 900);
        // Whatever is folded is opened: a table in it may be wide.
        page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)");
        assert_eq!(page.evaluate(BEYOND), 0, "{name} at {width}");
    }
    let ground = "getComputedStyle(document.body).backgroundColor";
    page.prefer("light");
    let light = page.text(ground);
    page.prefer("dark");
    assert_ne!(page.text(ground), light, "{name}");
    page.prefer("light");
    assert_eq!(page.unnamed(), [Value::Null; 0], "{name}");
    assert!(page.text("document.querySelector('h2').textContent").contains("In short"), "{name}");
    is_well(page);
}

/// A page that PHP works for.
const PAGE: &str = "<?php $sum = 0; for ($i = 0; $i < 200000; $i++) { $sum += sqrt($i); } echo $sum;";

/// What `profile` keeps are its stacks: the report of a run that is kept has the flame graph of them.
#[test]
fn the_report_of_a_profile_that_is_kept_shows_its_flame_graph() {
    let test = "the_report_of_a_profile_that_is_kept_shows_its_flame_graph";
    if skip_without(Ability::Tracing, test) {
        return;
    }
    let (reports, site) = (Reports::new(), ScriptServer::php(PAGE, &[]));
    let [store, report] = ["runs.db", "report.html"].map(|name| reports.path(name).to_str().unwrap().to_owned());
    let profile = Call::new(["profile", "-n", "12", "-q", "--store", &store, "--output-dir"]);
    profile.args([reports.path("files")]).args([site.url()]).run().succeeded();
    Call::new(["runs", "show", "latest", "--html", &report, "--store", &store]).run().succeeded();

    let page = Chromium::start();
    open(&page, Path::new(&report));
    let image = "document.querySelector('#pictures img')";
    page.wait_for(&format!("{image}.complete && {image}.naturalWidth > 0"));
    assert!(page.text(&format!("{image}.alt")).contains("Flame graph"));
    // Its boxes are of the machine code that did the page's work, and the page itself runs none of it.
    let drawn = page.text(&format!("atob({image}.src.split(',')[1])"));
    assert!(drawn.contains("<svg") && drawn.matches("<rect").count() > 3 && drawn.contains("php"), "{drawn:.400}");
    is_well(&page);
}

#[test]
fn a_report_is_read_by_keyboard() {
    let reports = Reports::new();
    let page = Chromium::start();
    open(&page, &reports.of("weigh", RESULTS[0].1));
    page.key("Tab");
    assert_eq!(page.text("document.activeElement.textContent"), "Skip to the content");
    page.key("Enter");
    page.wait_for("location.hash === '#content'");
    // Every link within the page leads to something.
    let dangling =
        "[...document.querySelectorAll('a[href^=\"#\"]')].filter(link => !document.querySelector(link.hash)).length";
    assert_eq!(page.evaluate(dangling), 0);
    // What scrolls sideways is reached, and so are texts to copy.
    assert_eq!(
        page.evaluate("[...document.querySelectorAll('.table, pre')].filter(of => of.tabIndex !== 0).length"),
        0
    );
    page.evaluate("document.querySelector('summary').focus()");
    page.key("Enter");
    page.wait_for("document.querySelector('summary').parentElement.open");
    is_well(&page);
}

#[test]
fn a_table_is_sorted_and_searched() {
    let reports = Reports::new();
    let mut result: Value = serde_json::from_str(RESULTS[0].1).unwrap();
    let url = result["urls"][0]["url"].clone();
    let weight = |group: u64| {
        json!({ "url": url, "group": format!("unit-{group}"), "counter": "minor_faults", "unit": "1", "follows": true,
                "per_request": (group * 7) % 40, "low": (group * 7) % 40, "high": (group * 7) % 40, "noise_floor": 0.1 })
    };
    result["weights"].as_array_mut().unwrap().extend((0..40).map(weight));
    let page = Chromium::start();
    open(&page, &reports.of("wide", &result.to_string()));
    let table = "[...document.querySelectorAll('table')].find(table => table.caption.textContent.includes('Everything else that follows'))";
    let names = format!(
        "[...{table}.tBodies[0].rows].filter(row => !row.hidden).map(row => row.cells[0].textContent).join(' ')"
    );
    page.evaluate(&format!("{table}.tHead.rows[0].cells[2].querySelector('button').click()"));
    assert_eq!(page.text(&format!("{table}.tHead.rows[0].cells[2].getAttribute('aria-sort')")), "descending");
    let sorted = page.text(&names);
    // 15.2 ms are more ns than anything else is anything.
    assert!(sorted.starts_with("www-data php-fpm8.2"), "{sorted}");
    let place = |name: &str| sorted.find(name).unwrap();
    assert!(place("unit-17") < place("unit-34") && place("unit-34") < place("unit-11"), "{sorted}");
    page.evaluate(&format!("{table}.parentElement.previousElementSibling.querySelector('input').focus()"));
    for key in ["u", "n", "i", "t", "-", "3", "4"] {
        page.key(key);
    }
    page.wait_for(&format!("{names} === 'unit-34'"));
    is_well(&page);
}

#[test]
fn hostile_names_run_nothing_and_are_readable() {
    let reports = Reports::new();
    let mut result: Value = serde_json::from_str(RESULTS[0].1).unwrap();
    result["target"] = HOSTILE.into();
    result["host"] = HOSTILE.into();
    result["command"] = json!(["unladen", HOSTILE]);
    result["urls"][0]["name"] = HOSTILE.into();
    result["weights"][0]["group"] = HOSTILE.into();
    result["findings"][0]["summary"] = HOSTILE.into();
    result["findings"][0]["fix"]["lines"] = json!([HOSTILE, "gnp.\u{202e}php\u{1b}[31m"]);
    result["warnings"] = json!([HOSTILE]);
    let page = Chromium::start();
    open(&page, &reports.of("hostile", &result.to_string()));
    assert_ne!(page.text("document.title"), "run");
    assert_eq!(page.evaluate("document.querySelectorAll('img, iframe, object').length"), 0);
    assert_eq!(page.evaluate("document.scripts.length"), 1);
    let text = page.text("document.body.innerText");
    assert!(text.contains(HOSTILE), "{text}");
    assert!(text.contains("gnp.‹U+202E›php␛[31m"), "{text}");
    page.resize(360, 900);
    assert_eq!(page.evaluate(BEYOND), 0);
    is_well(&page);
}
