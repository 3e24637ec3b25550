use std::os::unix::fs::PermissionsExt;

use unladen_finding::{Fix, KnobService, Part, Saves, Share};
use unladen_load::Request;
use unladen_prove::Experiment;

use super::*;

fn finding(group: &str, fix: Fix) -> Finding {
    Finding {
        rule: "recompile",
        group: group.into(),
        summary: "4 PHP files compiled per request".into(),
        figures: Vec::new(),
        items: Vec::new(),
        takes: Share::NotKnown(String::new()),
        saves: Saves::NotKnown(String::new()),
        removes: None,
        fix,
        check_again: String::new(),
    }
}

fn knob(file: &Path, restart: Option<&str>) -> Knob {
    let part = Part { file: file.display().to_string(), lines: vec!["opcache.enable=1".into()], group: None };
    let restart = restart.map(str::to_owned);
    let service = KnobService { name: "php".into(), restart, is_application: true };
    Knob { name: "opcode cache".into(), files: vec![part], service: Some(service), ..Knob::default() }
}

fn experiments(folder: &Path, restart: Option<&str>) -> Experiments {
    let request = Request::get("http://127.0.0.1:8080/a?b=c")
        .and_then(|builder| builder.header("Accept-Encoding: br".parse().unwrap()).cookie("session=it's \"1\""))
        .and_then(unladen_load::RequestBuilder::build)
        .unwrap();
    let driver = DriverConfig { rate: Some(12.5), ..DriverConfig::new(vec![request]) };
    Experiments { folder: folder.to_owned(), driver, restart: restart.map(from_here) }
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let ini = folder.path().join("zz-unladen.ini");
    std::fs::write(&ini, "memory_limit=1G\n").unwrap();
    let all = experiments(folder.path(), Some("./restart"));
    let found = finding("www-data php-fpm8.2", Fix { knob: Some(knob(&ini, None)), ..Fix::advice("switch it\non") });
    let made = all.made(7, &found, all.sent(0).unwrap());
    all.tell(&found, made).unwrap();

    let file = folder.path().join("07-recompile-www-data-php-fpm8.2.toml");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "it holds a cookie");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("# It contains the header cookie of the weighed request, perhaps secrets"), "{text}");
    let read = Experiment::read(&file).unwrap();
    let headers: Vec<(&str, &str)> =
        read.load.headers.iter().map(|header| (header.name().as_str(), header.value().to_str().unwrap())).collect();
    assert_eq!(headers, [("accept-encoding", "br"), ("cookie", "session=it's \"1\"")]);
    let sent = read.requests(&read.arms()[0]).unwrap().remove(0);
    let weighed = &all.driver.requests[0];
    assert_eq!((sent.url(), sent.method(), sent.body()), (weighed.url(), weighed.method(), weighed.body()));
    assert!(sent.given_headers().eq(weighed.given_headers()));
    assert_eq!(read.load.pace, unladen_prove::Pace::Open { rate: 12.5, arrivals: Default::default() });
    // What other fixes have put there is in force on both sides.
    assert!(text.contains("memory_limit=1G\nopcache.enable=1\n"), "{text}");
    let here = std::env::current_dir().unwrap();
    let unladen_prove::Restart::Command(restart) = &read.services[0].restart else { panic!("{read:?}") };
    assert_eq!(*restart, format!("cd '{}' && {{ ./restart\n}}", here.display()));
}

#[test]
fn nothing_is_written_over_and_the_reason_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let all = experiments(folder.path(), None);
    let ini = folder.path().join("zz-unladen.ini");
    let found = finding("", Fix { knob: Some(knob(&ini, Some("true"))), ..Fix::default() });
    let made = || all.made(1, &found, all.sent(0).unwrap());
    std::fs::write(folder.path().join("01-recompile.toml"), "mine").unwrap();
    assert!(all.tell(&found, made()).is_err());
    assert_eq!(std::fs::read_to_string(folder.path().join("01-recompile.toml")).unwrap(), "mine");

    let none = |fix: Fix| match all.made(1, &finding("", fix), all.sent(0).unwrap()) {
        Err(why) => why,
        made => panic!("{made:?}"),
    };
    assert!(none(Fix { knob: Some(knob(&ini, None)), ..Fix::default() }).contains("give one with --restart"));
    assert!(none(Fix::advice("cache it")).contains("advice"));
    assert!(none(Fix::advice("x").lines("/etc/php/pool.d/www.conf", ["pm = static"])).contains("www.conf"));
    assert!(none(Fix::advice("x").command("apt install nscd")).contains("cannot be undone"));
}

#[test]
fn a_folder_of_an_earlier_run_is_refused() {
    for (name, is_one) in
        [("01-a.toml", true), ("123-a-b.toml", true), ("1-a.toml", false), ("01a.toml", false), ("01-a.serve", false)]
    {
        assert_eq!(is_ours(name), is_one, "{name}");
    }
}

#[test]
fn names_are_safe() {
    let name = |group: &str| name_of(3, &finding(group, Fix::default()));
    assert_eq!(name(""), "03-recompile");
    assert_eq!(name("www-data php-fpm8.2"), "03-recompile-www-data-php-fpm8.2");
    assert_eq!(name("../../etc/passwd"), "03-recompile-etc-passwd");
    assert_eq!(name("é;\u{7}\n'$(x)'"), "03-recompile-x");
    assert_eq!(name(&"a".repeat(200)).len(), LONGEST_NAME);
    assert!(is_ours(&format!("{}.toml", name("x"))));
}
