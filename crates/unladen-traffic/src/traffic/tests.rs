use std::io::Write as _;

use proptest::prelude::*;

use super::*;
use crate::entry::Method;

const AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

fn line(target: &str, status: u16) -> String {
    format!("203.0.113.7 - - [10/Oct/2026:13:55:36 +0000] \"GET {target} HTTP/1.1\" {status} 100 \"-\" \"{AGENT}\"\n")
}

fn parse(log: impl AsRef<[u8]>) -> Result<Traffic, TrafficError> {
    Traffic::parse(log.as_ref(), Path::new("access.log"), &Options::default())
}

/// Reads a log, and looks whether all sums are right.
#[track_caller]
fn read(log: impl AsRef<[u8]>) -> Traffic {
    let traffic = parse(&log).unwrap();
    assert_eq!(traffic.lines, log.as_ref().split_inclusive(|byte| *byte == b'\n').count() as u64);
    check(&traffic);
    traffic
}

#[track_caller]
fn check(traffic: &Traffic) {
    let passed_over: u64 = traffic.passed_over.iter().map(|(_, count)| count).sum();
    assert_eq!(traffic.lines, traffic.entries + passed_over);
    assert_eq!(traffic.entries, traffic.kinds.iter().map(|kind| kind.requests).sum::<u64>());
    assert_eq!(traffic.entries, traffic.clients.iter().map(|client| client.requests).sum::<u64>());
    for kind in &traffic.kinds {
        let (statuses, methods) = (kind.statuses, kind.methods);
        let answered = statuses.informational + statuses.success + statuses.redirection;
        assert_eq!(kind.requests, answered + statuses.client_error + statuses.server_error + statuses.none);
        assert_eq!(kind.requests, methods.get + methods.head + methods.other);
        assert_eq!(kind.requests, kind.clients.iter().sum::<u64>());
        assert_eq!(kind.clients.len(), traffic.clients.len());
        let head: u64 = kind.head.iter().map(|head| head.requests).sum();
        assert_eq!(kind.sampled, head + kind.tail_requests, "{kind:?}");
        assert!(kind.sampled + kind.left_out.changes + kind.left_out.secrets + kind.left_out.other <= kind.methods.get);
        assert!(kind.tail.len() as u64 <= kind.tail_requests, "{kind:?}");
        for url in kind.examples() {
            assert!(url.starts_with('/') && url.bytes().all(|byte| byte.is_ascii_graphic()), "{url}");
        }
        assert!(!kind.name.chars().any(char::is_control));
    }
}

/// Kinds of a log in which each of these targets was asked for so many times, with their requests.
#[track_caller]
fn kinds(targets: impl IntoIterator<Item = String>) -> Vec<String> {
    let log: String = targets.into_iter().map(|target| line(&target, 200)).collect();
    let mut kinds: Vec<String> = read(log).kinds.into_iter().map(|kind| kind.name).collect();
    kinds.sort();
    kinds
}

// === Formats ===

#[test]
fn fields_are_read_wherever_formats_have_them() {
    for (text, is_hit, elapsed, signed_in) in [
        (r#"203.0.113.7 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 5"#, None, None, 0),
        (
            r#"203.0.113.7 - joe [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 5 "-" "x" HIT 0.250"#,
            Some(true),
            Some(250_000_000),
            1,
        ),
        (
            r#"shop.example:443 203.0.113.7 - "joe b" [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 5 "http://x/" "x" "MISS""#,
            Some(false),
            None,
            1,
        ),
        (
            r#"203.0.113.7 - - [10/Oct/2026:15:55:36 +0200] "GET https://shop.example/a HTTP/2.0" 200 5 "-" "x" rt=1.500 cs=EXPIRED"#,
            Some(false),
            Some(1_500_000_000),
            0,
        ),
        (
            r#"{"time_local":"10/Oct/2026:13:55:36 +0000","remote_addr":"203.0.113.7","remote_user":"","request":"GET /a HTTP/1.1","status":"200","body_bytes_sent":"5","http_user_agent":"x","request_time":"0.250","upstream_cache_status":"HIT"}"#,
            Some(true),
            Some(250_000_000),
            0,
        ),
        (
            r#"{"level":"info","ts":1791640536.25,"request":{"remote_ip":"203.0.113.7","proto":"HTTP/2.0","method":"GET","host":"x","uri":"/a","headers":{"User-Agent":["x","y"],"Accept":["*/*"]}},"user_id":"joe","duration":0.25,"size":5,"status":200}"#,
            None,
            Some(250_000_000),
            1,
        ),
    ] {
        let traffic = read(format!("{text}\n"));
        let kind = &traffic.kinds[0];
        assert_eq!(kind.head, [UrlCount { url: "/a".to_owned(), requests: 1 }], "{text}");
        assert_eq!((kind.bytes, kind.statuses.success, kind.methods.get), (5, 1, 1), "{text}");
        assert_eq!((traffic.from, traffic.networks), (Some(1_791_640_536), 1), "{text}");
        assert_eq!(
            (kind.cache.hits, kind.cache.misses),
            (u64::from(is_hit == Some(true)), u64::from(is_hit == Some(false))),
            "{text}"
        );
        assert_eq!((kind.timed, kind.elapsed_ns), (u64::from(elapsed.is_some()), elapsed.unwrap_or(0)), "{text}");
        assert_eq!(kind.signed_in, signed_in, "{text}");
    }
}

/// The URL of a line, and whether it is a GET.
fn asked(line: &str) -> String {
    let traffic = read(format!("{line}\n"));
    let kind = &traffic.kinds[0];
    assert_eq!(kind.methods.get, 1, "{line}");
    kind.examples().next().unwrap_or_else(|| panic!("nothing to send of {line}")).to_owned()
}

#[test]
fn of_several_targets_the_one_that_the_client_sent_counts() {
    for (line, expected) in [
        // nginx' $uri is what an internal redirect made of it.
        (r#"{"request":"GET /wiki/A?x=1 HTTP/1.1","uri":"/index.php","status":200}"#, "/wiki/A?x=1"),
        (r#"{"uri":"/index.php","request_uri":"/wiki/B","method":"GET","status":200}"#, "/wiki/B"),
        (r#"{"uri":"/shop/item","query_string":"id=3","method":"GET","status":200}"#, "/shop/item?id=3"),
        (r#"{"uri":"/shop/item","args":"-","method":"GET","status":200}"#, "/shop/item"),
        (r#"{"http_referer":"https://r","path":"/var/log/a.log","request":"GET /a HTTP/1.1","status":200}"#, "/a"),
        (r#"{"log":{"file":{"path":"/var/log/a.log"}},"request":"GET /a HTTP/1.1","status":200}"#, "/a"),
        (r#"{"url":"https://ref.example/x","request":"GET /a HTTP/1.1","status":200}"#, "/a"),
        (
            r#"{"http":{"request":{"method":"GET"},"response":{"status_code":200}},"url":{"path":"/ecs/a","query":"x=1"}}"#,
            "/ecs/a?x=1",
        ),
        (r#"{"http.request.method":"GET","http.response.status_code":200,"url.path":"/ecs/b"}"#, "/ecs/b"),
        (r#"{"request":"GET \/slash\/b\u003fq HTTP/1.1","status":200}"#, "/slash/b?q"),
        (r#"{"RequestMethod":"GET","RequestPath":"/t?a=1","DownstreamStatus":200,"ClientHost":"192.0.2.1"}"#, "/t?a=1"),
        (r#"{"tags":[{"uri":"/no"}],"request":{"method":"GET","uri":"/c"},"status":200}"#, "/c"),
        (r#"{"request":"/index.html","method":"GET","status":200}"#, "/index.html"),
    ] {
        assert_eq!(asked(line), expected, "{line}");
    }
}

/// Caddy writes what it says of itself into the same file, with requests.
#[test]
fn diagnostics_are_no_requests() {
    let of = |logger: &str, message: &str, more: &str| {
        format!(
            r#"{{"level":"error","ts":1,"logger":"{logger}","msg":"{message}","request":{{"remote_ip":"192.0.2.1","method":"GET","uri":"/e"}},{more}"duration":0.1}}"#
        ) + "\n"
    };
    let log = of("http.log.access.log0", "handled request", r#""status":200,"#)
        + &of("http.log.error.log0", "dial tcp", r#""status":502,"#)
        + &of("admin.api", "received request", "")
        + r#"{"level":"info","msg":"started","path":"/etc/app.conf"}"#;
    let traffic = read(log);
    assert_eq!((traffic.entries, traffic.passed_over), (1, vec![(PassedOver::Diagnostic, 3)]));
}

#[test]
fn the_client_is_found_behind_what_stands_before_it() {
    let rest = r#"[10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 5"#;
    for (before, network, signed_in) in [
        ("1.2.3.4 - -", "1.2.3.0/24", 0),
        ("Nov 29 12:00:00 web1 nginx[7]: 1.2.3.4 - -", "1.2.3.0/24", 0),
        ("Nov 29 12:00:00 10.0.0.5 nginx: 1.2.3.4 - joe b", "1.2.3.0/24", 1),
        ("web-1  | 1.2.3.4 - -", "1.2.3.0/24", 0),
        ("2026-11-29T12:00:00.1Z stdout F 1.2.3.4 - joe", "1.2.3.0/24", 1),
        ("10.4.0.1, 172.16.0.1 - -", "10.4.0.0/24", 0),
        ("10.5.0.1:4711 - -", "10.5.0.0/24", 0),
        ("[2001:db8:6::1]:443 - -", "2001:db8:6::/48", 0),
        ("127.0.0.1:80 1.2.3.4 - -", "1.2.3.0/24", 0),
        ("1.2.3.4 192.168.0.1 - -", "1.2.3.0/24", 0),
        ("host.example - -", "", 0),
        ("host.example - joe", "", 1),
    ] {
        let traffic = read(format!("{before} {rest}\n"));
        let networks = traffic.clients.iter().filter(|client| client.sort == ClientSort::Network);
        let networks: Vec<&str> = networks.map(|client| client.name.as_str()).collect();
        assert_eq!(networks, if network.is_empty() { vec![] } else { vec![network] }, "{before}");
        assert_eq!(traffic.kinds[0].signed_in, signed_in, "{before}");
    }
    // Behind proxies that it trusts, Caddy knows the client.
    let caddy = r#"{"request":{"remote_ip":"10.0.0.1","client_ip":"1.2.3.4","method":"GET","uri":"/a"},"status":200}"#;
    assert!(read(caddy).clients.iter().any(|client| client.name == "1.2.3.0/24"));
}

#[test]
fn a_quote_within_a_user_agent_does_not_end_it() {
    let log = r#"1.2.3.4 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 5 "-" "Mozilla/5.0 \"x\" (compatible; AhrefsBot/7.0)""#;
    assert!(read(log).clients.iter().any(|client| client.name.contains("Ahrefs") && client.requests == 1));
}

/// A site's own measurements were its traffic.
#[test]
fn what_unladen_sent_is_nobodys_traffic() {
    let own = line("/a", 200).replace(AGENT, "unladen/0.1.0");
    let traffic = read(own.repeat(9) + &line("/b", 200));
    assert_eq!((traffic.entries, traffic.passed_over), (1, vec![(PassedOver::Own, 9)]));
}

/// What fails costs something else than the page.
#[test]
fn failed_requests_are_no_pages() {
    let log = line("/a", 200).repeat(5) + &[403, 502, 499, 101].map(|status| line("/a", status)).concat();
    let traffic = read(log + &line("/a", 0).replace(" 0 ", " - "));
    let count = |name: &str| traffic.kinds.iter().find(|kind| kind.name == name).map(|kind| kind.requests);
    assert_eq!((count("/a"), count("failed")), (Some(5), Some(5)));
    assert!(traffic.kinds.iter().any(|kind| kind.is_failed() && kind.head.is_empty() && kind.tail.is_empty()));
}

#[test]
fn a_length_before_the_status_is_no_status() {
    let log = line("/a", 200).replace("\" 200 ", "\" 345 200 ") + &line("/a", 200);
    let traffic = read(log);
    assert_eq!((traffic.kinds.len(), traffic.kinds[0].statuses.success, traffic.kinds[0].bytes), (1, 2, 200));
}

#[test]
fn a_length_that_may_be_a_status_was_the_status() {
    let log = |lengths: &[u32]| -> String {
        lengths.iter().map(|length| line("/a", 200).replace("\" 200 ", &format!("\" {length} 200 "))).collect()
    };
    let status = |log: String| {
        let traffic = read(log);
        let statuses = traffic.kinds.iter().fold(StatusCounts::default(), |mut sum, kind| {
            sum.success += kind.statuses.success;
            sum.client_error += kind.statuses.client_error;
            sum
        });
        (traffic.entries, statuses.success, statuses.client_error)
    };
    // The first lines tell nothing, the others that it is no status.
    let lengths = [404, 404, 200, 500, 1203, 98, 345, 12_345, 404, 500];
    assert_eq!(status(log(&lengths)), (10, 10, 0));
    // A size that may be a status stands behind one, and a status that nobody sends is one.
    let size = |status: u16, size: u32| line("/a", status).replace(" 100 ", &format!(" {size} "));
    let sizes = [200, 404, 200, 5123, 0, 77, 12_345, 404];
    let log: String = sizes.iter().map(|length| size(404, *length)).chain([size(444, 200), size(299, 200)]).collect();
    assert_eq!(status(log), (10, 1, 9));
}

#[test]
fn what_is_no_ascii_is_sent_as_requests_carry_it() {
    assert_eq!(asked(line("/wiki/Caf\\xC3\\xA9_1", 200).trim()), "/wiki/Caf%C3%A9_1");
}

#[test]
fn php_fpm_tells_cpu_time() {
    let log = "127.0.0.1 -  29/Nov/2026:12:46:10 +0000 \"GET /index.php?a=1\" 200 /srv/index.php 120.500 4096 83.00%\n\
               - - [29/Nov/2026:12:46:10 +0000] \"POST /index.php\" 200 /srv/index.php 10.000 2048 0.00%\n";
    let traffic = read(log);
    assert_eq!((traffic.entries, traffic.kinds.iter().map(|kind| kind.cpu_counted).sum()), (2, 2));
    assert_eq!(traffic.kinds.iter().map(|kind| kind.cpu_ns).max(), Some(100_015_000));
    // Longer than a day has seconds, in milliseconds.
    let long = log.lines().next().unwrap().replace(" 120.500 ", " 90000.000 ").replace("83.00%", "50.00%");
    assert_eq!(read(long).kinds[0].cpu_ns, 45_000_000_000);
    let mut scratch = Vec::new();
    let entry = dialect::other(log.lines().next().unwrap().as_bytes(), &mut scratch).unwrap();
    assert_eq!((entry.method, entry.memory, entry.elapsed_ns), (Method::Get, Some(4 << 20), Some(120_500_000)));
}

#[test]
fn what_is_no_entry_is_counted_by_its_reason() {
    let log = line("/a", 200).repeat(4)
        + "\n\0\0\0\nnonsense\n"
        + &line("/a", 200).replace("GET /a HTTP/1.1", "\\x16\\x03\\x01")
        + &line("*", 200);
    let expected =
        [(PassedOver::Empty, 2), (PassedOver::NoEntry, 1), (PassedOver::NoRequest, 1), (PassedOver::NoPath, 1)];
    assert_eq!(read(log).passed_over, expected);
}

#[test]
fn what_is_no_log_is_refused_with_file_line_and_reason() {
    let error = parse("one\ntwo \x1b[31m\nthree\n").unwrap_err().to_string();
    assert!(
        error.starts_with("access.log:1: not an entry of an access log, like 3 of the 3 lines: found `one`"),
        "{error}"
    );
    let error = parse(line("/a", 200) + &"x\x1b[31m\n".repeat(5)).unwrap_err().to_string();
    assert!(error.starts_with("access.log:2: ") && !error.contains('\x1b'), "{error}");
    assert_eq!(parse("").unwrap_err().to_string(), "no request in access.log: nothing is there");
    let error = parse(r#"{"request":"","status":"400"}"#).unwrap_err().to_string();
    assert_eq!(error, "no request in access.log: of 1 lines are 1 without an HTTP/1.0 or later request");
    assert_eq!(
        parse("{}\n{\"a\":1}\n{}\n").unwrap_err().to_string().split(':').take(2).collect::<Vec<_>>(),
        ["access.log", "1"]
    );
}

#[test]
fn long_lines_are_cut_and_counted() {
    let long = line(&format!("/{}", "a".repeat(1 << 20)), 200);
    let traffic = read(line("/a", 200).repeat(2) + &long);
    assert_eq!((traffic.lines_cut, traffic.entries), (1, 2));
}

#[test]
fn files_are_unpacked_and_patterns_expanded() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let log = line("/a", 200);
    std::fs::write(path("access.log"), &log).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(log.as_bytes()).unwrap();
    std::fs::write(path("access.log.2.gz"), packed.finish().unwrap()).unwrap();
    std::fs::write(path("access.log.3.zst"), zstd::encode_all(log.as_bytes(), 1).unwrap()).unwrap();
    std::fs::write(path("access.log.4"), "").unwrap();
    let files = files::expand(path("access.log*").to_str().unwrap()).unwrap();
    assert_eq!(files.len(), 4);
    let traffic = Traffic::read(&files, &Options::default()).unwrap();
    check(&traffic);
    assert_eq!(traffic.entries, 3);
    assert!(files::expand(path("none*").to_str().unwrap()).unwrap_err().to_string().contains("no file matches"));
    std::fs::write(path("access.log.5.bz2"), "BZh91AY").unwrap();
    let error = Traffic::read(&[path("access.log.5.bz2")], &Options::default()).unwrap_err().to_string();
    assert!(error.contains("access.log.5.bz2") && error.contains("compressed with bzip2"), "{error}");
}

/// Tapes and block devices fill up what they keep with zeros, which gzip(1) ignores.
#[test]
fn zeros_behind_a_packed_log_refused_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("access.log.gz");
    let member = |target: &str| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(line(target, 200).as_bytes()).unwrap();
        packed.finish().unwrap()
    };
    let (one, zeros) = (member("/a"), vec![0; 3 * files::BUFFER]);
    let two = [one.clone(), member("/b")].concat();
    for (packed, entries) in [
        ([&one[..], &zeros].concat(), 1),
        ([&one[..], &[0]].concat(), 1),
        ([&two[..], &zeros].concat(), 2),
        ([&one[..], &[0; 512], &two].concat(), 3),
    ] {
        std::fs::write(&file, packed).unwrap();
        let traffic = Traffic::read(&[&file], &Options::default()).unwrap();
        check(&traffic);
        assert_eq!((traffic.lines, traffic.entries, traffic.passed_over.len()), (entries, entries, 0));
    }
    for broken in [&two[..two.len() - 3], &[&one[..], &[0; 512], b"noise"].concat()] {
        std::fs::write(&file, broken).unwrap();
        assert!(matches!(Traffic::read(&[&file], &Options::default()), Err(TrafficError::Read { .. })));
    }
}

// === Applications ===

#[test]
fn a_wiki_has_the_kinds_of_mediawiki() {
    let found = kinds((0..400).flat_map(|n| {
        [
            format!("/wiki/Page_{n}"),
            format!("/wiki/File:Map_{n}.png"),
            format!("/w/index.php?title=Page_{n}&diff={n}&oldid=17"),
            format!("/w/index.php?title=Page_{n}&action=history"),
            format!("/w/index.php?title=Page_{n}&action=raw"),
            format!("/w/index.php?title=Page_{n}&oldid={n}"),
            format!("/w/index.php?title=Page_{n}&action=history&feed=atom"),
            format!("/w/index.php?search=word{n}&title=Special%3ASearch"),
            format!("/wiki/Special:WhatLinksHere/Page_{n}"),
            "/w/index.php?title=Special:RecentChanges&days=7".to_owned(),
            format!("/w/api.php?action=query&titles=Page_{n}&format=json"),
            format!("/w/load.php?modules=a{n}&only=styles"),
            format!("/images/a/ab/Map{n}.png"),
        ]
    }));
    assert_eq!(
        found,
        [
            "*/api.php?action=query",
            "*/index.php?action=history",
            "*/index.php?action=raw",
            "*/index.php?diff={revision}",
            "*/index.php?feed=atom",
            "*/index.php?oldid={revision}",
            "*/index.php?search={text}",
            "*/index.php?title=Special:RecentChanges",
            "*/load.php",
            "/wiki/Special:WhatLinksHere/{page*}",
            "/wiki/{title*}",
            "static .png",
        ]
    );
}

#[test]
fn a_blog_has_the_kinds_of_wordpress() {
    let found = kinds((0..400).flat_map(|n| {
        [
            "/".to_owned(),
            format!("/2024/05/{n}-things-about-cats/"),
            format!("/?p={n}"),
            format!("/?s=cats+{n}"),
            "/feed/".to_owned(),
            format!("/2024/05/{n}-things-about-cats/feed/"),
            "/wp-admin/admin-ajax.php?action=heartbeat".to_owned(),
            format!("/wp-json/wp/v2/posts/{n}"),
            format!("/category/cats/page/{n}/"),
            format!("/tag/cat-{n}/"),
            format!("/wp-content/themes/x/style.css?ver={n}"),
        ]
    }));
    assert_eq!(
        found,
        [
            "*/feed",
            "*/wp-admin/admin-ajax.php?action=heartbeat",
            "*/wp-json/wp/v2/posts/{path*}",
            "/",
            "/?p={n}",
            "/?s={text}",
            "/category/{name*}",
            "/tag/{name*}",
            "/{n}/{n}/{n}-things-about-cats",
            "static .css",
        ]
    );
}

#[test]
fn a_forum_a_dokuwiki_and_a_forge_have_theirs() {
    let found = kinds((0..400).flat_map(|n| {
        [
            format!("/forum/viewtopic.php?f=2&t={n}&sid={n:032x}"),
            format!("/forum/viewtopic.php?p={n}"),
            "/forum/ucp.php?mode=register".to_owned(),
            format!("/doku.php?id=wiki:page{n}"),
            format!("/doku.php?id=wiki:page{n}&do=revisions"),
            format!("/doku.php?id=wiki:page{n}&rev={n}"),
        ]
    }));
    assert_eq!(
        found,
        [
            "*/doku.php?do=revisions",
            "*/doku.php?id={title}",
            "*/doku.php?rev={n}",
            "*/ucp.php?mode=register",
            "*/viewtopic.php",
            "*/viewtopic.php?p={n}"
        ]
    );
    let found = kinds((0..400).flat_map(|n| {
        [
            format!("/user{n}/project/src/branch/main/lib/index.js"),
            format!("/user{n}/project/commit/{:040x}", n as u128 * 77_777_777_777_777_777_777_777 + 11),
            format!("/user{n}/project/blame/branch/main/a.css"),
            format!("/group/project{n}/-/blob/main/README.md"),
            format!("/group/project{n}/-/commits/main"),
            format!("/user{n}/project/issues/{n}"),
            "/explore/repos?q=&sort=newest".to_owned(),
            "/assets/js/app.js".to_owned(),
            format!("/user{n}/project.git/info/refs?service=git-upload-pack"),
            format!("/user{n}/project"),
            format!("/user{n}"),
        ]
    }));
    assert_eq!(
        found,
        [
            "*/info/refs?service=git-upload-pack",
            "/explore/repos",
            "/user{n}",
            "/user{n}/project",
            "/{group}/{project}/-/blob/{path*}",
            "/{group}/{project}/-/commits/{path*}",
            "/{owner}/{repo}/blame/{path*}",
            "/{owner}/{repo}/commit/{hash}",
            "/{owner}/{repo}/issues/{n}",
            "/{owner}/{repo}/src/branch/{path*}",
            "static .js",
        ]
    );
}

#[test]
fn every_line_of_a_preset_is_a_pattern() {
    let lines: usize = ["mediawiki", "wordpress", "forums", "dokuwiki", "forges"]
        .map(|name| format!("{}/src/presets/{name}.txt", env!("CARGO_MANIFEST_DIR")))
        .iter()
        .map(|file| KindList::read(Path::new(file)).unwrap().len())
        .sum();
    assert_eq!(KindList::presets().len(), lines);
}

// === Lists of kinds ===

#[test]
fn kinds_are_written_and_read_again() {
    let targets = (0..400).flat_map(|n| {
        [
            format!("/wiki/Page_{n}"),
            format!("/w/index.php?title=Page_{n}&action=history"),
            format!("/shop/item-{n}?page={n}"),
            format!("/shop/item-{n}"),
            "/shop/cart".to_owned(),
            format!("/posts/{}-of-the-day", "x".repeat(n % 50)),
            "/shop/style.css".to_owned(),
            "/posts/logo.png".to_owned(),
            "/".to_owned(),
        ]
    });
    let log: String = targets.map(|target| line(&target, 200)).collect();
    let first = read(&log);
    let text = first.kinds_text();
    assert!(text.contains("# 400 requests, 11.1 %, such as /wiki/Page_"), "{text}");
    let list = KindList::parse(&text, Path::new("kinds.txt")).unwrap();
    let again = Traffic::parse(log.as_bytes(), Path::new("a"), &Options { kinds: list, ..Options::default() }).unwrap();
    let counts =
        |traffic: &Traffic| traffic.kinds.iter().map(|kind| (kind.name.clone(), kind.requests)).collect::<Vec<_>>();
    assert_eq!(counts(&first), counts(&again), "{text}");
    // Others are drawn as examples.
    let patterns =
        |text: &str| text.lines().filter(|line| line.starts_with(['/', '*'])).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(patterns(&text), patterns(&again.kinds_text()));
}

#[test]
fn kinds_of_a_file_come_first_and_have_its_names() {
    let mine = KindList::parse(
        "/wiki/Main_Page  front page\n/wiki/{title*}  views\n*/index.php?title={title}  views\n",
        Path::new("k"),
    )
    .unwrap();
    let options = Options { kinds: mine.or(KindList::presets()), ..Options::default() };
    let log = line("/wiki/Main_Page", 200)
        + &line("/wiki/A", 200)
        + &line("/w/index.php?title=A", 200)
        + &line("/w/load.php?x", 200);
    let traffic = Traffic::parse(log.as_bytes(), Path::new("a"), &options).unwrap();
    let names: Vec<_> = traffic.kinds.iter().map(|kind| (kind.name.as_str(), kind.requests)).collect();
    assert_eq!(names, [("views", 2), ("*/load.php", 1), ("front page", 1)]);
    for (wrong, what) in
        [("wiki", "begins with /"), ("/a/{b", "placeholder"), ("/<each>/<each>", "one <each>"), ("/a*b", "placeholder")]
    {
        let error = KindList::parse(&format!("/a\n{wrong}\n"), Path::new("kinds.txt")).err().unwrap().to_string();
        assert!(error.starts_with("kinds.txt:2: ") && error.contains(what), "{error}");
    }
}

// === Samples ===

#[test]
fn a_sample_has_the_most_frequent_urls_and_a_uniform_part_of_the_rest() {
    // One URL has a half, another a quarter, and the rest is asked for once each.
    let targets = |n: u32| match n % 4 {
        0 | 2 => "/a/first-of-all-pages".to_owned(),
        1 => "/a/second-of-all-pages".to_owned(),
        _ => format!("/a/page-{n}-of-many-pages"),
    };
    let log: String = (0..4000).map(|n| line(&targets(n), 200)).collect();
    let mut early = 0;
    for seed in 0..40 {
        let options =
            Options { kinds: KindList::parse("/a/{title}", Path::new("k")).unwrap(), seed, ..Options::default() };
        let traffic = Traffic::parse(log.as_bytes(), Path::new("a"), &options).unwrap();
        check(&traffic);
        let kind = &traffic.kinds[0];
        let head: Vec<_> = kind.head.iter().map(|head| (head.url.as_str(), head.requests)).collect();
        assert_eq!(head, [("/a/first-of-all-pages", 2000), ("/a/second-of-all-pages", 1000)]);
        assert_eq!(kind.tail_requests, 1000);
        let number =
            |url: &String| url.trim_start_matches("/a/page-").split('-').next().unwrap().parse::<u32>().unwrap();
        let numbers: Vec<u32> = kind.tail.iter().map(number).collect();
        early += numbers.iter().filter(|number| **number < 1000).count();
        assert!(!numbers.is_empty() && numbers.len() < 24, "{numbers:?}");
    }
    // 320 on average, a quarter of them of the first quarter: five standard deviations.
    assert!((40..=120).contains(&early), "{early}");
}

#[test]
fn changes_and_secrets_are_left_out_and_told() {
    let log = line("/logout?next=/x", 200).repeat(2)
        + &line("/a?token=hunter2", 200)
        + &line("/a?mail=joe%40example.org", 200)
        + &line("/a?x=a b", 200)
        + &line("/a?x=5", 200)
        + &line("/b/s3cr3tS3ss10nK3yAbCdEf99x", 200);
    let traffic = read(&log);
    let left_out = traffic.kinds.iter().fold((0, 0, 0), |sum, kind| {
        (sum.0 + kind.left_out.changes, sum.1 + kind.left_out.secrets, sum.2 + kind.left_out.other)
    });
    assert_eq!(left_out, (3, 2, 1));
    let changes: Vec<_> =
        traffic.changes.iter().map(|change| (change.reason, change.requests, change.example.as_str())).collect();
    assert_eq!(changes, [("carries the token of a form", 1, "/a"), ("ends or begins a session", 2, "/logout")]);
    let json = serde_json::to_string(&traffic).unwrap();
    for secret in ["hunter2", "joe", "s3cr3t", "203.0.113.7"] {
        assert!(!json.contains(secret), "{secret}: {json}");
    }
}

#[test]
fn clients_are_told_apart_and_only_large_networks_are_named() {
    let mut log = String::new();
    for n in 0..1000 {
        log += &line("/a", 200).replace("203.0.113.7", &format!("198.51.{}.9", n % 250));
        log += &line("/b", 200);
        log += &line("/b", 200).replace(AGENT, "Mozilla/5.0 (compatible; bingbot/2.0)");
        log += &line("/a", 200).replace(AGENT, "NobodysBot/1.0").replace("GET", "POST");
    }
    let traffic = read(log);
    let clients: Vec<_> =
        traffic.clients.iter().map(|client| (client.name.as_str(), client.sort, client.requests)).collect();
    assert_eq!(
        clients,
        [
            ("bingbot", ClientSort::Crawler, 1000),
            ("other crawlers", ClientSort::OtherCrawlers, 1000),
            ("203.0.113.0/24", ClientSort::Network, 1000),
            ("everybody else", ClientSort::Everybody, 1000),
        ]
    );
    assert_eq!((traffic.networks, traffic.is_networks_complete), (251, true));
    let of = |name: &str| traffic.kinds.iter().find(|kind| kind.name == name).unwrap().clients.clone();
    assert_eq!((of("/a"), of("/b")), (vec![0, 1000, 0, 1000], vec![1000, 0, 1000, 0]));
}

// === Hostile logs ===

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte =
        prop_oneof![any::<u8>(), proptest::sample::select(b"GET /a#?\\xC3\"[]{}:, \n\0 200 HTTP/1.1\x1b".to_vec())];
    prop::collection::vec(byte, 0..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn counts_add_up_whatever_stands_there(before in bytes(), target in bytes(), agent in bytes(), after in bytes()) {
        let logged = [b"\n1.2.3.4 - - [t] \"GET /", &target[..], b" HTTP/1.1\" 200 5 \"-\" \"", &agent, b"\" ", &after].concat();
        let log = [&before[..], b"\n", &line("/a", 200).into_bytes().repeat(600), &logged, b"\n{\"uri\":\"/", &target, b"\",", &after].concat();
        let traffic = read(&log);
        prop_assert!(!traffic.kinds_text().contains('\x1b'));
        KindList::parse(&traffic.kinds_text(), Path::new("k")).unwrap();
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in bytes()) {
        let _ = parse(&bytes);
        let _ = parse([b"h - - [t] \"GET /", &bytes[..]].concat());
        let _ = parse([b"{", &bytes[..]].concat());
        let _ = KindList::parse(&String::from_utf8_lossy(&bytes), Path::new("k"));
    }
}
