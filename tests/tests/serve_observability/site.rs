//! What is seen of a site, and what it is told to forget.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use unladen_tests::{Call, Chromium, Reply, Serve, Server};

use crate::helping::{Admin, ask, eventually, free_port, lines};

/// Pages below `/kept` are for all, with a tag by their last letter; others are not. Each answer has another number.
fn application() -> Server {
    let rendered = AtomicUsize::new(1);
    Server::replying(move |asked| {
        let target = asked.request.line.split(' ').nth(1).unwrap_or_default();
        let (control, tag) = match target.strip_prefix("/kept/") {
            Some(rest) => ("max-age=600", format!("Cache-Tag: of-{}\r\n", rest.chars().last().unwrap_or('-'))),
            None => ("private", String::new()),
        };
        let body = format!("rendered {:06}", rendered.fetch_add(1, Ordering::Relaxed));
        let length = body.len();
        let fields =
            format!("Cache-Control: {control}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n{tag}");
        Reply::Answer(format!("HTTP/1.1 200 OK\r\n{fields}\r\n{body}"))
    })
}

fn config(admin: &str, application: &Server, more: &str) -> String {
    let app = application.url("");
    format!(
        r#"
threads = 2
[log]
file = "DIR/access.json"
sample = 1.0
[admin]
listen = "{admin}"

[[site]]
name = "site"
listen = "unix:DIR/site.sock"
upstream = "{app}"
[site.cache]
memory = "16MiB"
{more}
"#
    )
}

fn page(serve: &Serve, target: &str) -> String {
    let (status, body) = ask(serve.connect("site.sock"), "GET", target);
    assert_eq!(status, 200, "{target}");
    body
}

#[test]
fn what_a_site_did_is_counted_logged_and_shown() {
    let application = application();
    let validator = "[[site.validator]]\npath = \"/kept/by-file/{name}\"\nfile = \"DIR/{name}\"\n";
    let serve = Serve::start(&config("unix:DIR/admin.sock", &application, validator));
    std::fs::write(serve.path("x"), "1").unwrap();
    let admin = Admin::Unix(serve.path("admin.sock"));
    let first = page(&serve, "/kept/a");
    for _ in 0..4 {
        assert_eq!(page(&serve, "/kept/a"), first);
    }
    for n in 0..3 {
        page(&serve, &format!("/own/{n}"));
    }
    let of_file = page(&serve, "/kept/by-file/x");
    assert_eq!(page(&serve, "/kept/by-file/x"), of_file);
    ask(serve.connect("site.sock"), "POST", "/kept/a");
    assert_eq!(ask(serve.connect("site.sock"), "PURGE", "/kept/a").0, 403);
    let count = |name: &str| admin.sample(name);
    eventually(|| {
        count(r#"unladen_requests_total{upstream="site",end="local_reply",reason="purge_forbidden"}"#) == Some(1.0)
    });
    for (sample, expected) in [
        (r#"unladen_site_requests_total{site="site",result="hit"}"#, 4.0),
        (r#"unladen_site_requests_total{site="site",result="miss"}"#, 2.0),
        (r#"unladen_site_requests_total{site="site",result="validated"}"#, 1.0),
        (r#"unladen_site_requests_total{site="site",result="miss",reason="private"}"#, 3.0),
        (r#"unladen_site_requests_total{site="site",result="local_reply",reason="purge_forbidden"}"#, 1.0),
        (r#"unladen_site_response_body_bytes_total{site="site",result="hit"}"#, 4.0 * 15.0),
        (r#"unladen_site_upstream_duration_seconds_count{site="site",by="fetch",result="whole"}"#, 5.0),
        (r#"unladen_site_upstream_duration_seconds_count{site="site",by="pass",result="whole"}"#, 1.0),
        (r#"unladen_site_upstream_body_bytes_total{site="site"}"#, 6.0 * 15.0),
        (r#"unladen_cache_limit_bytes{site="site"}"#, 16.0 * 1024.0 * 1024.0),
        (r#"unladen_cache_stored_total{site="site"}"#, 2.0),
        (r#"unladen_cache_fetches_in_flight{site="site"}"#, 0.0),
        (r#"unladen_validator_asked_total{site="site",validator="/kept/by-file/{name}"}"#, 2.0),
        (r#"unladen_requests_total{upstream="site",end="answered"}"#, 11.0),
        (r#"unladen_attempts_total{upstream="site"}"#, 6.0),
    ] {
        assert_eq!(count(sample), Some(expected), "{sample}");
    }
    assert!(count(r#"unladen_site_upstream_saved_estimate_seconds{site="site"}"#) > Some(0.0));
    assert!(count(r#"unladen_cache_size_bytes{site="site"}"#) > Some(30.0));

    let stats: Value = serde_json::from_str(&admin.get("/stats").1).unwrap();
    let site = &stats["upstreams"][0]["site"];
    assert_eq!(site["application"]["fetches"]["whole"]["buckets"].as_array().unwrap().len(), 16, "{site:#}");
    let misses = site["misses"].as_array().unwrap();
    let own = misses.iter().find(|miss| miss["target"] == "/own/0").unwrap();
    assert_eq!(
        (&own["authority"], &own["requests"], &own["reason"]),
        (&"a.example".into(), &1.into(), &"private".into())
    );

    let file = serve.path("access.json");
    eventually(|| lines(&file).len() == 12);
    let told: Vec<_> = lines(&file)
        .iter()
        .map(|line| [&line["method"], &line["target"], &line["cache"], &line["cache_reason"]].map(Value::clone))
        .collect();
    let line = |method: &str, target: &str, cache: &str, why: Value| [method.into(), target.into(), cache.into(), why];
    for expected in [
        line("GET", "/kept/a", "hit", Value::Null),
        line("GET", "/own/1", "miss", "private".into()),
        line("GET", "/kept/by-file/x", "validated", Value::Null),
        line("POST", "/kept/a", "pass", Value::Null),
        line("PURGE", "/kept/a", "local_reply", "purge_forbidden".into()),
    ] {
        assert!(told.contains(&expected), "{expected:?} is not in {told:?}");
    }
    serve.stop();
}

/// Time that is waited for the application is time of the request, whoever asked for it.
#[test]
fn how_long_a_request_took_has_the_applications_time_in_it() {
    const TIME: Duration = Duration::from_millis(300);
    let application = Server::replying(|_| {
        std::thread::sleep(TIME);
        let fields = "Cache-Control: max-age=600\r\nContent-Length: 2\r\n";
        Reply::Answer(format!("HTTP/1.1 200 OK\r\n{fields}\r\nok"))
    });
    let serve = Serve::start(&config("unix:DIR/admin.sock", &application, ""));
    // Two together, and one after them.
    std::thread::scope(|scope| {
        scope.spawn(|| page(&serve, "/a"));
        scope.spawn(|| page(&serve, "/a"));
    });
    page(&serve, "/a");
    let file = serve.path("access.json");
    eventually(|| lines(&file).len() == 3);
    for line in lines(&file) {
        let [total, first_byte] = ["total_ns", "first_byte_ns"].map(|key| line[key].as_u64().unwrap());
        let [most, least] = [total, first_byte].map(Duration::from_nanos);
        match line["cache"].as_str() {
            Some("hit") => assert!(most < TIME, "{line}"),
            // The second one may have come a little later.
            _ => assert!(least > TIME / 2 && most >= least, "{line}"),
        }
    }
    let admin = Admin::Unix(serve.path("admin.sock"));
    let stats: Value = serde_json::from_str(&admin.get("/stats").1).unwrap();
    let took = stats["upstreams"][0]["site"]["misses"][0]["mean_ns"].as_u64().unwrap();
    assert!(took >= u64::try_from(TIME.as_nanos()).unwrap(), "{took}");
    serve.stop();
}

/// A validator that does not answer is told with what went wrong, and nowhere with its password.
#[test]
fn a_validator_that_fails_is_shown_without_its_password() {
    let application = application();
    let validator = format!(
        "[[site.validator]]\npath = \"/kept/{{name}}\"\ndatabase = \"postgres://reader:s3cret@127.0.0.1:{}/pledges\"\n\
         query = \"select changed from pledges where name = $1\"\n",
        free_port()
    );
    let serve = Serve::start(&config("unix:DIR/admin.sock", &application, &validator));
    assert_ne!(page(&serve, "/kept/a"), page(&serve, "/kept/a"));
    let admin = Admin::Unix(serve.path("admin.sock"));
    let count = |name: &str| admin.sample(name).unwrap_or_default();
    let failed = |why: &str| {
        count(&format!(r#"unladen_validator_failed_total{{site="site",validator="/kept/{{name}}",reason="{why}"}}"#))
    };
    eventually(|| failed("error") + failed("timeout") >= 1.0);
    eventually(|| count(r#"unladen_site_requests_total{site="site",result="pass",reason="validator-silent"}"#) == 2.0);
    let stats: Value = serde_json::from_str(&admin.get("/stats").1).unwrap();
    let validator = &stats["upstreams"][0]["site"]["validators"][0];
    assert!(validator["path"] == "/kept/{name}" && validator["last_error"].is_string(), "{validator:#}");
    for path in ["/stats", "/config", "/metrics"] {
        let (status, text) = admin.get(path);
        assert!(status == 200 && text.contains("/kept/{name}") && !text.contains("s3cret"), "{path}: {text}");
    }
    serve.stop();
}

#[test]
fn what_is_kept_is_forgotten_before_that_is_answered() {
    let application = application();
    let serve = Serve::start(&config("unix:DIR/admin.sock", &application, ""));
    let admin = Admin::Unix(serve.path("admin.sock"));
    let pages = ["/kept/a", "/kept/deep/a", "/kept/deep/b"];
    let all = || pages.map(|target| page(&serve, target));
    for (what, is_gone) in [
        (json!({ "url": "http://a.example/kept/a" }), [true, false, false]),
        // By either scheme, and whatever letters the host is written with.
        (json!({ "url": "A.example/kept/deep/b" }), [false, false, true]),
        (json!({ "url": "https://a.example/kept/a" }), [false; 3]),
        (json!({ "url": "http://b.example/kept/a" }), [false; 3]),
        (json!({ "prefix": "//a.example/kept/deep/" }), [false, true, true]),
        (json!({ "tag": "of-a" }), [true, true, false]),
        (json!({ "tag": "of-" }), [false; 3]),
        (json!({ "all": true, "site": "site" }), [true; 3]),
        (json!({ "url": "a.example/kept/a", "soft": true }), [true, false, false]),
        (json!({ "all": true, "soft": true }), [true; 3]),
    ] {
        let before = all();
        assert_eq!(all(), before, "they are not kept");
        let (status, answer) = admin.post("/purge", &[("Content-Type", "application/json")], &what.to_string());
        let purged = is_gone.iter().filter(|is| **is).count();
        assert_eq!((status, answer), (200, format!("{{\"purged\":{purged}}}\n")), "{what}");
        let after = all();
        let found: Vec<bool> = before.iter().zip(&after).map(|(before, after)| before != after).collect();
        assert_eq!(found, is_gone, "{what}");
    }
    let purged = admin.sample(r#"unladen_cache_purged_total{site="site"}"#);
    assert_eq!(purged, Some(13.0));
    let (status, answer) = admin.post("/purge", &[("Content-Type", "application/json")], r#"{"all":true,"site":"no"}"#);
    assert!(status == 404 && answer.contains("error"), "{status} {answer}");
    let (status, _) = admin.post("/purge", &[("Content-Type", "text/plain")], r#"{"all":true}"#);
    assert_eq!(status, 415);
    serve.stop();
}

/// A connection that is open when another process takes over has one more answer of the process before, which nobody
/// tells what to forget any more.
#[test]
fn what_is_forgotten_after_a_handover_is_not_in_the_process_before() {
    let application = application();
    let serve = Serve::start(&config("unix:DIR/admin.sock", &application, ""));
    let admin = Admin::Unix(serve.path("admin.sock"));
    let pid = || serde_json::from_str::<Value>(&admin.get("/stats").1).unwrap()["pid"].as_i64().unwrap();
    let mut kept = Vec::new();
    for _ in 0..4 {
        let mut open = BufReader::new(serve.connect("site.sock"));
        kept.push((on(&mut open, "/kept/a").1, open));
    }
    assert!(kept.iter().all(|(body, _)| *body == kept[0].0), "{kept:?}");
    let before = pid();
    serve.running().signal(Signal::SIGUSR2);
    // Both answer there for a moment.
    let now = Cell::new(before);
    eventually(|| {
        now.set(pid());
        now.get() != before
    });
    let successor = Pid::from_raw(now.get().try_into().unwrap());
    // Each of its threads is told a moment after the other listens, and says so to its clients.
    let (_, mut open) = kept.remove(0);
    let is_told = std::iter::repeat_with(|| on(&mut open, "/kept/a").0)
        .take(10_000)
        .any(|head| head.contains("connection: close"));
    assert!(is_told);
    let (status, _) = admin.post("/purge", &[("Content-Type", "application/json")], r#"{"all":true}"#);
    assert_eq!(status, 200);
    for (old, mut open) in kept {
        let is_told = std::iter::repeat_with(|| on(&mut open, "/kept/a")).take(10_000).any(|(head, body)| {
            let is_last = head.contains("connection: close");
            assert!(body != old || !is_last, "{head}{body}");
            is_last
        });
        assert!(is_told);
    }
    kill(successor, Signal::SIGTERM).unwrap();
    serve.wait();
}

/// Asks on a connection that is kept; the head, in lower case, and the body.
fn on(open: &mut BufReader<UnixStream>, target: &str) -> (String, String) {
    write!(open.get_mut(), "GET {target} HTTP/1.1\r\nHost: a.example\r\n\r\n").unwrap();
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let start = head.len();
        assert!(open.read_line(&mut head).unwrap() > 0, "closed without an answer: {head}");
        head.make_ascii_lowercase();
        if let Some(value) = head[start..].strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    open.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

#[test]
fn what_is_kept_is_forgotten_by_a_command() {
    let application = application();
    let serve = Serve::start(&config("unix:DIR/admin.sock", &application, ""));
    let pages = ["/kept/a", "/kept/b", "/kept/c"];
    let all = || pages.map(|target| page(&serve, target));
    let (socket, file) = (format!("unix:{}", serve.path("admin.sock").display()), serve.path("unladen.toml"));
    let purge = |args: &[&str]| Call::new(["purge"]).args(args).run();
    let by_file = ["--config", file.to_str().unwrap()];
    let before = all();
    let done =
        purge(&[&by_file[..], &["--url", "a.example/kept/a", "--url", "//a.example/kept/b"]].concat()).succeeded();
    assert_eq!(done.stdout, "2 responses purged\n");
    let after = all();
    assert!(before[0] != after[0] && before[1] != after[1] && before[2] == after[2], "{before:?} {after:?}");
    let done = purge(&["--admin", &socket, "--tag", "of-c", "--soft", "--json"]).succeeded();
    let document: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!((&document["schema"], &document["purged"]), (&"unladen.purge/1".into(), &1.into()));
    assert_ne!(all()[2], after[2]);
    let done = purge(&["--admin", &socket, "--prefix", "http://a.example/none"]).succeeded();
    assert_eq!(done.stdout, "0 responses purged\n");
    purge(&["--admin", &socket, "--all", "--site", "site"]).succeeded().shows(["3 responses"]);

    purge(&["--admin", &socket, "--all", "--site", "shop"]).ended_with(2).says(["shop"]);
    purge(&["--admin", &socket, "--url", "/kept/a"]).ended_with(2).says(["host"]);
    purge(&["--admin", &socket]).ended_with(2).says(["--url"]);
    purge(&["--all"]).ended_with(2).says(["--admin"]);
    purge(&["--admin", &socket, "--all", "--tag", "a"]).ended_with(2).says(["cannot be used"]);
    let none = format!("unix:{}", serve.path("none.sock").display());
    purge(&["--admin", &none, "--all"]).ended_with(3).says(["none.sock"]);
    purge(&["--admin", "127.0.0.1:1", "--all"]).ended_with(3).says(["127.0.0.1:1"]);
    // What listens there is none.
    let other = format!("unix:{}", serve.path("site.sock").display());
    purge(&["--admin", &other, "--all"]).ended_with(4).says(["not an admin address"]);
    let without = serve.path("without.toml");
    let outbound = "[[outbound]]\nname = \"a\"\nlisten = \"unix:a.sock\"\nupstream = \"http://127.0.0.1:1\"\n";
    std::fs::write(&without, outbound).unwrap();
    purge(&["--config", without.to_str().unwrap(), "--all"]).ended_with(2).says(["[admin]"]);
    serve.stop();
}

#[test]
fn a_command_purges_by_tcp_too() {
    let application = application();
    let port = free_port();
    let serve = Serve::start(&config(&format!("127.0.0.1:{port}"), &application, ""));
    eventually(|| Admin::Tcp(port).is_up());
    let before = page(&serve, "/kept/a");
    let done = Call::new(["purge", "--admin", &format!("localhost:{port}"), "--all"]).run().succeeded();
    assert_eq!(done.stdout, "1 response purged\n");
    assert_ne!(page(&serve, "/kept/a"), before);
    serve.stop();
}

#[test]
fn the_page_shows_what_the_cache_did() {
    let application = application();
    let port = free_port();
    let serve = Serve::start(&config(&format!("127.0.0.1:{port}"), &application, ""));
    eventually(|| Admin::Tcp(port).is_up());
    let browser = Chromium::start();
    browser.go_to(&format!("http://127.0.0.1:{port}/"));
    browser.wait_for("document.getElementById('chip').textContent === 'serving'");
    browser.wait_for("!document.getElementById('sites').hidden");
    // Something to compare with.
    browser.wait_for("document.getElementById('t-store-more').textContent.startsWith('0 URLs')");
    for _ in 0..30 {
        page(&serve, "/kept/a");
    }
    let evil = "/own?%3Cimg%20src=x%20onerror=alert(1)%3E&a='\"&quot;";
    for _ in 0..10 {
        page(&serve, evil);
    }
    let row = |body: &str, start: &str| {
        format!(
            "([...document.querySelectorAll('#{body} tr')].find(row => row.innerText.startsWith({start:?})) || {{ innerText: '' }}).innerText.replace(/\\s+/g, ' ')"
        )
    };
    browser.wait_for(&format!("{} === 'hit 29 72.5 % 435 B'", row("reasons", "hit")));
    assert_eq!(browser.text(&row("reasons", "miss\tprivate")), "miss private 1 2.5 % 15 B");
    assert_eq!(browser.text(&row("reasons", "pass")), "pass uncacheable 9 22.5 % 135 B");
    assert_eq!(browser.text("document.getElementById('t-memory').textContent"), "72.5 %");
    assert_eq!(browser.text("document.getElementById('t-bytes').textContent"), "72.5 %");
    browser.wait_for("document.getElementById('t-store-more').textContent.startsWith('1 URLs; evicted 0')");
    browser.wait_for("/ (µs|ms|s) per second$/.test(document.getElementById('t-saved').textContent)");
    browser.wait_for("/ [mµ]s$/.test(document.getElementById('t-asked').textContent)");
    // What peers chose is text.
    let first = browser.text("document.querySelector('#misses tr').innerText.replace(/\\s+/g, ' ')");
    assert!(first.starts_with(&format!("a.example{evil} 10 ")) && first.ends_with(" pass: uncacheable"), "{first}");
    assert_eq!(browser.text("String(document.querySelectorAll('#misses img').length)"), "0");
    let told = browser.text("document.querySelector('#results canvas').getAttribute('aria-label')");
    assert!(told.starts_with("Requests per second by what the cache did. "), "{told}");
    assert_eq!(browser.take_problems(), [""; 0]);
    let unnamed = browser.unnamed();
    assert!(unnamed.is_empty(), "a screen reader has nothing to say of {unnamed:?}");
    serve.stop();
}

/// A page of the web that knows where the admin address is cannot make the browser purge.
#[test]
fn no_page_of_the_web_purges() {
    let application = application();
    let port = free_port();
    let serve = Serve::start(&config(&format!("127.0.0.1:{port}"), &application, ""));
    let admin = Admin::Tcp(port);
    eventually(|| admin.is_up());
    let kept = page(&serve, "/kept/a");
    let web = Server::replying(|_| {
        let body = "<!doctype html><title>evil</title><p>evil";
        let length = body.len();
        Reply::Last(format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{body}"))
    });
    let browser = Chromium::start();
    browser.go_to(&web.url("/"));
    browser.wait_for("document.title === 'evil'");
    let to = format!("http://127.0.0.1:{port}/purge");
    let all = "{\\\"all\\\":true}";
    for options in [
        format!("{{ method: 'POST', mode: 'no-cors', body: \"{all}\" }}"),
        format!(
            "{{ method: 'POST', mode: 'no-cors', headers: {{ 'Content-Type': 'application/json' }}, body: \"{all}\" }}"
        ),
        format!("{{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }}, body: \"{all}\" }}"),
        format!("{{ method: 'POST', mode: 'no-cors', body: new Blob([\"{all}\"], {{ type: 'application/json' }}) }}"),
    ] {
        browser.text(&format!("fetch('{to}', {options}).then(() => 'sent', () => 'refused')"));
        assert_eq!(page(&serve, "/kept/a"), kept, "{options}");
    }
    // A page of its own may.
    browser.go_to(&format!("http://127.0.0.1:{port}/"));
    browser.wait_for("document.getElementById('chip')?.textContent === 'serving'");
    let options = format!("{{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }}, body: \"{all}\" }}");
    assert_eq!(
        browser.text(&format!("fetch('/purge', {options}).then(a => a.text()).then(t => t.trim())")),
        r#"{"purged":1}"#
    );
    assert_ne!(page(&serve, "/kept/a"), kept);
    serve.stop();
}
