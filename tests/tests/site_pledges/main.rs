//! A real application behind `unladen serve`, with a validator that asks its database: pages from memory that are never
//! old.
//!
//! Long: what is kept is looked at until it is old, under load and with a database that is silent.

mod cookies;
mod countries;
mod experiment;
mod linearizable;
mod memory;
mod silence;
mod sql;

use std::path::{Path, PathBuf};
use std::time::Duration;

use unladen_tests::{Answer, Serve, Subject, Wire, wait};

/// The subject's page without its layout: how many have signed, as it says by itself.
fn signed(page: &str) -> u64 {
    let (_, progress) =
        page.split_once("class=\"progress\">").unwrap_or_else(|| panic!("no page of a pledge:\n{page}"));
    let digits = progress.split(|letter: char| !letter.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or_else(|_| panic!("no number of signers:\n{page}"))
}

/// `unladen serve` in front of the pledges, with two threads.
struct Site {
    serve: Serve,
}

impl Site {
    /// With these lines in the cache's table and in the validator's, which may begin other tables.
    fn of(pledges: &Subject, of_cache: &str, of_validator: &str) -> Self {
        let app = pledges.url().split("/pledge.php").next().expect("it has a path");
        let (socket, database) = (pledges.get("DATABASE_SOCKET"), pledges.get("DATABASE"));
        let serve = Serve::start(&format!(
            "threads = 2
             drain = \"1s\"

             [[site]]
             listen = \"unix:DIR/front.sock\"
             upstream = \"{app}\"
             trusted.proxies = [\"unix\"]

             [site.cache]
             languages = [\"en\", \"de\"]
             ignore_cookies = [\"_ga*\"]

             {of_cache}

             [[site.validator]]
             path = \"/{{ref}}\"
             database = \"postgres:///{database}?host={socket}&user=validator\"
             query = \"select extract(epoch from pledge_last_change_time(id)) from pledge where lower(ref) = lower($1)\"
             {of_validator}
             "
        ));
        Self { serve }
    }

    fn socket(&self) -> PathBuf {
        self.serve.path("front.sock")
    }

    /// A new connection.
    fn wire(&self) -> Wire {
        Wire::unix(&self.socket())
    }

    /// GET with these lines, each with its end, on a connection of its own.
    #[track_caller]
    fn get(&self, path: &str, lines: &str) -> Answer {
        self.wire().ask(get(path, lines))
    }

    fn stop(self) {
        self.serve.stop();
    }
}

fn get(path: &str, lines: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: pledges.example\r\n{lines}\r\n")
}

/// What the cache says that it did, without its name.
#[track_caller]
fn cache(answer: &Answer) -> &str {
    let said = answer.field("cache-status").unwrap_or_else(|| panic!("no Cache-Status: {answer:?}"));
    said.strip_prefix("unladen; ").unwrap_or_else(|| panic!("not ours: {said}"))
}

/// Signs a pledge by its form, and waits until that is done.
#[track_caller]
fn sign(wire: &mut Wire, pledge: &str, name: &str) {
    let form = format!("ref={pledge}&name={name}");
    wire.send(format!(
        "POST /sign.php HTTP/1.1\r\nHost: pledges.example\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {}\r\n\r\n{form}",
        form.len()
    ));
    let answer = wire.answer();
    assert_eq!(answer.status, 303, "{}", answer.text());
}

/// How often the application was asked for a path: lines of its web server's log, which has one for each.
fn asked(pledges: &Subject, path: &str) -> usize {
    // A line is written when the answer has gone out.
    std::thread::sleep(Duration::from_millis(200));
    let log = std::fs::read_to_string(Path::new(pledges.get("STATE")).join("log/nginx.access.log")).expect("a log");
    log.lines().filter(|line| line.contains(&format!(" {path} HTTP/"))).count()
}

/// Waits until the application was asked so often.
#[track_caller]
fn is_asked(pledges: &Subject, path: &str, times: usize) {
    wait::until(&format!("{path} was asked for {times} times"), || asked(pledges, path) >= times);
    assert_eq!(asked(pledges, path), times, "{path}");
}

/// Puts a page of the test's own into the application.
fn add_page(pledges: &Subject, name: &str, php: &str) {
    let page = Path::new(pledges.get("STATE")).join("app/web").join(name);
    std::fs::write(page, format!("<?php\n{php}\n")).expect("the application's folder can be written to");
}
