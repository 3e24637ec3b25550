//! `unladen bill`: the traffic of a log, weighed on the real application by kind of page.
//!
//! Measures: CPU of kinds of pages, by groups that other tests have too.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use unladen_tests::{Call, Document, ScriptServer, Site, Subject};

/// A log of the pledges' pages: `(request, how often, status, who)`.
fn log(folder: &Path, entries: &[(&str, usize, u16, &str)]) -> String {
    let mut text = String::new();
    for (request, times, status, agent) in entries {
        for at in 0..*times {
            let request = request.replace('#', &at.to_string());
            let second = at % 60;
            let _ = writeln!(
                text,
                "203.0.113.{} - - [10/Oct/2026:13:55:{second:02} +0000] \"{request} HTTP/1.1\" {status} 512 \"-\" \"{agent}\"",
                at % 250
            );
        }
    }
    let file = folder.join("access.log");
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

const PERSON: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const CRAWLER: &str = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";

/// The site's address, without the page.
fn site(subject: &Subject) -> String {
    let (scheme, rest) = subject.url().split_once("://").unwrap();
    format!("{scheme}://{}/", rest.split('/').next().unwrap())
}

fn bill(more: &[&str]) -> Call {
    Call::new(["bill", "--quiet", "--no-store", "--no-findings"]).args(more).within(Duration::from_secs(400))
}

/// Each would see the other's servers.
static ALONE: Mutex<()> = Mutex::new(());

fn sum(document: &Document, list: &str, field: &str) -> f64 {
    document.list(list).iter().map(|row| row[field]["value"].as_f64().unwrap()).sum()
}

#[test]
fn the_traffic_of_a_log_is_billed_by_kind_and_by_client() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let subject = Subject::up("pledges");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(Path::new(subject.get("STATE")).join("app/web/style.css"), "body { color: black }\n").unwrap();
    let page = subject.url().split_once("://").unwrap().1.split_once('/').unwrap().1.to_owned();
    let get = format!("GET /{page}");
    let entries = [
        (get.as_str(), 300, 200, PERSON),
        (get.as_str(), 100, 200, CRAWLER),
        ("GET /style.css", 200, 200, PERSON),
        // It is not there any more.
        ("GET /notes.txt", 40, 200, PERSON),
        // Its answer is the server's page for what is not there.
        ("GET /wp-login.php", 60, 404, CRAWLER),
        ("POST /pledge.php", 20, 200, PERSON),
        ("GET /logout?token=1", 10, 302, PERSON),
    ];
    let file = log(folder.path(), &entries);
    // What is planned is told, and nothing is sent.
    let planned = bill(&["--plan", "--access-log", &file, &site(&subject)]).run().succeeded();
    planned.shows(["/pledge.php", "GET alone is sent", "looks like a change"]);

    let files = ["--load", "100%", "-t", "40s", "--access-log", &file, &site(&subject)];
    let document = bill(&["--json"]).args(files).run().succeeded().document();
    let kinds = document.list("kinds");
    let dearest = &kinds[0];
    assert!(dearest["kind"].as_str().unwrap().contains("pledge.php"), "{document}");
    assert!(dearest["cpu_share"]["low"].as_f64().unwrap() > 0.9, "a file costs next to nothing: {document}");
    assert!((sum(&document, "kinds", "cpu_share") - 1.0).abs() < 1e-6, "{document}");
    let missing = kinds.iter().find(|row| row["kind"] == "not found").expect("what was never there is billed");
    assert_eq!((missing["requests"].as_u64(), missing["failed"].as_u64()), (Some(60), Some(0)), "{document}");
    // A quarter of the page's requests are a crawler's.
    let crawlers = document.list("clients").iter().find(|row| row["sort"] == "crawlers").expect("crawlers");
    let share = crawlers["cpu_share"]["value"].as_f64().unwrap();
    assert!((0.2..0.3).contains(&share), "{crawlers}");
    let left: u64 = document.list("not_weighed").iter().map(|row| row["requests"].as_u64().unwrap()).sum();
    let weighed: u64 = kinds.iter().map(|row| row["requests"].as_u64().unwrap()).sum();
    assert_eq!((left, left + weighed), (70, 730), "{document}");
    let gone = document.list("not_weighed").iter().find(|row| row["what"] == "static .txt").expect("what is gone");
    assert!(gone["why"].as_str().unwrap().contains("404"), "one kind that is gone ended the bill: {gone}");
    let follows = document.list("groups").iter().any(|row| row["group"].as_str().unwrap().contains("php"));
    assert!(follows, "PHP follows the traffic: {document}");
}

/// A log's own mix of hits and misses was not billed.
#[test]
fn a_caches_hits_and_misses_are_billed_apart() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // Ten milliseconds of CPU, and kept for a minute.
    let page = "<?php function cpu() { $r = getrusage(); return 1e6 * ($r['ru_utime.tv_sec'] + $r['ru_stime.tv_sec']) \
                + $r['ru_utime.tv_usec'] + $r['ru_stime.tv_usec']; } \
                $end = cpu() + 10000; while (cpu() < $end); \
                header('Cache-Control: max-age=60'); echo str_repeat('text ', 200);";
    let application = ScriptServer::php(page, &[]);
    let front = Site::start(&format!("upstream = \"{}\"\n[site.cache]", application.url().trim_end_matches('/')));
    let folder = tempfile::tempdir().unwrap();
    let file = log(folder.path(), &[("GET /page", 400, 200, PERSON)]);
    let site = format!("http://{}/", front.address());
    let past_cache = |file: &str| bill(&["--json", "--past-cache", "--access-log", file, &site]);
    past_cache(&file).run().ended_with(2).says(["does not say which requests a cache answered"]);

    let text = std::fs::read_to_string(&file).unwrap();
    let lines =
        text.lines().enumerate().map(|(at, line)| format!("{line} {}\n", if at < 300 { "HIT" } else { "MISS" }));
    std::fs::write(&file, lines.collect::<String>()).unwrap();
    let document = past_cache(&file).args(["--load", "100%", "-t", "30s"]).run().succeeded().document();
    let row = |name: &str| {
        let row = document.list("kinds").iter().find(|row| row["kind"] == name);
        row.unwrap_or_else(|| panic!("{name}: {document}")).clone()
    };
    let (hits, misses) = (row("/page, from the cache"), row("/page, past the cache"));
    assert_eq!((hits["requests"].as_u64(), misses["requests"].as_u64()), (Some(300), Some(100)), "{document}");
    let cpu = |row: &serde_json::Value, end: &str| row["cpu_ns"][end].as_f64().unwrap() / 1e6;
    assert!(cpu(&hits, "high") < 5.0, "a hit asks nobody: {document}");
    assert!(cpu(&misses, "low") < 13.0 && cpu(&misses, "high") > 9.5, "{document}");
    assert!(!document.warns("not certainly cheaper"), "{document}");
}

#[test]
fn what_is_no_log_or_too_little_time_is_refused_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "milk\neggs\n").unwrap();
    let nowhere = "http://127.0.0.1:1/";
    bill(&["--access-log", file.to_str().unwrap(), nowhere]).run().ended_with(2).says(["notes.txt:1", "milk"]);
    bill(&["--access-log", "/nowhere/access.log*", nowhere]).run().ended_with(2).says(["/nowhere/access.log"]);
    let pages = log(folder.path(), &[("GET /page", 9, 200, PERSON)]);
    bill(&["--access-log", &pages, nowhere]).run().ended_with(3).says(["nothing listens there"]);
    let log = log(folder.path(), &[("GET /logout", 9, 302, PERSON)]);
    bill(&["--access-log", &log, nowhere]).run().ended_with(5).says(["nothing to weigh", "session"]);
    bill(&["-X", "DELETE", "--access-log", &log, nowhere]).run().ended_with(2).says(["cannot be used with"]);
    bill(&["--load", "0%", "--access-log", &log, nowhere]).run().ended_with(2).says(["a part of one core"]);
}

#[test]
fn a_list_and_a_sitemap_are_billed_where_there_is_no_log() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let subject = Subject::up("pledges");
    let web = Path::new(subject.get("STATE")).join("app/web");
    let page = subject.url().split_once("://").unwrap().1.split_once('/').unwrap().1.to_owned();
    let urls = |names: &[&str]| -> String {
        names
            .iter()
            .map(|page| format!("<url><loc>https://example.org/{}</loc></url>", page.replace('&', "&amp;")))
            .collect()
    };
    let index = "<sitemapindex><sitemap><loc>https://example.org/pages.xml</loc></sitemap>\
                 <sitemap><loc>https://example.org/gone.xml</loc></sitemap></sitemapindex>";
    std::fs::write(web.join("sitemap.xml"), index).unwrap();
    std::fs::write(web.join("pages.xml"), format!("<urlset>{}</urlset>", urls(&[&page, "sitemap.xml"]))).unwrap();
    let of_map = format!("{}sitemap.xml", site(&subject));
    // One that is gone ends nothing.
    let planned = bill(&["--plan", "--sitemap", &of_map, &site(&subject)]).run().succeeded();
    planned.says(["passed over", "gone.xml"]).shows(["2 requests", "/pledge.php"]);

    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("site.urls");
    std::fs::write(&list, format!("3 https://example.org/{page}\nhttps://example.org/sitemap.xml\n")).unwrap();
    let args = ["--load", "100%", "-t", "20s", "--urls", list.to_str().unwrap(), &site(&subject)];
    let gates = ["--fail-on", "/{title}.xml > 50%", "--fail-on", "/pledge.php?{keys} > 99.99%"];
    let done = bill(&["--json"]).args(args).args(gates).run();
    let document = done.document();
    let kinds = document.list("kinds");
    assert_eq!((kinds[0]["requests"].as_u64(), kinds[1]["requests"].as_u64()), (Some(3), Some(1)), "{document}");
    assert!(document.list("clients").is_empty(), "nobody knows whose requests they are: {document}");
    assert!(document.list("gates").iter().all(|gate| gate["condition"].as_str().unwrap().contains('>')), "{document}");
    assert_eq!(document.list("gates")[0]["broken"], false, "{document}");
}

#[test]
fn what_is_no_sitemap_or_no_condition_is_refused_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sitemap.xml");
    std::fs::write(&file, "<html><body>404</body></html>").unwrap();
    let nowhere = "http://127.0.0.1:1/";
    bill(&["--sitemap", file.to_str().unwrap(), nowhere]).run().ended_with(2).says(["sitemap.xml", "is no sitemap"]);
    bill(&["--sitemap", "/nowhere.xml", nowhere]).run().ended_with(2).says(["/nowhere.xml"]);
    bill(&["--sitemap", "http://127.0.0.1:1/s.xml", nowhere]).run().ended_with(3).says(["nothing listens there"]);
    bill(&["--urls", file.to_str().unwrap(), nowhere]).run().ended_with(2).says(["sitemap.xml:1"]);
    let pages = log(folder.path(), &[("GET /page", 9, 200, PERSON)]);
    let conditions = [
        ("/page > 4", "a share of 0 to 100 %"),
        ("/nope > 4%", "is called /nope"),
        ("no-such-rule", "`unladen rules` lists them"),
        // It would never see its evidence, and pass.
        ("cold-start", "looks at a fresh process"),
        ("hot-call", "belongs to `unladen profile`"),
        ("stat-storm", "--no-findings does not"),
    ];
    for (condition, why) in conditions {
        bill(&["--fail-on", condition, "--access-log", &pages, nowhere]).run().ended_with(2).says([why]);
    }
}
