use proptest::prelude::*;
use unladen_trace::{Carried, HeaderCarried, OptionCarried};

use super::*;
use crate::knob::Once;
use crate::rules::tests::testing::read_back;

fn sent() -> Sent {
    Sent { url: "http://127.0.0.1:8080/page".into(), ..Sent::default() }
}

fn service(restart: Option<&str>) -> KnobService {
    KnobService { name: "php".into(), restart: restart.map(str::to_owned), is_application: true }
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn of_file(service: Option<KnobService>) -> Knob {
    Knob::of_file("cache", "/etc/php/zz-unladen.ini", &lines(&["a=1", "b='2'"]), service)
}

#[test]
fn a_whole_file() {
    let knob = of_file(Some(service(Some("systemctl reload php"))));
    let text = experiment(&lines(&["stat-storm, www-data php-fpm8.2"]), "stat-storm", "01-stat-storm", &knob, &sent());
    let expected = "# stat-storm, www-data php-fpm8.2\n\
        title = \"stat-storm\"\n\
        url = \"http://127.0.0.1:8080/page\"\n\n\
        [load]\nconcurrency = 1\nrequests = 400\n\n\
        [[service]]\nname = \"php\"\nrestart = \"systemctl reload php\"\n\
        ready = { url = \"http://127.0.0.1:8080/page\", status = \"100-501,505-599\" }\n\n\
        [[knob]]\nname = \"cache\"\n\
        on = { file = \"/etc/php/zz-unladen.ini\", text = '''\na=1\nb='2'\n''' }\n\
        restart = \"php\"";
    assert_eq!(text.as_deref(), Some(expected));
}

#[test]
fn the_users_command_restarts_the_application_alone() {
    let users = Sent { restart: Some("./restart".into()), ..sent() };
    let of = |service: KnobService| experiment(&[], "", "x", &of_file(Some(service)), &users);
    let php = of(service(None)).unwrap();
    assert!(php.contains("restart = \"./restart\"\nready = { url = "), "{php}");
    let nginx = of(KnobService { is_application: false, ..service(Some("nginx -s reload")) }).unwrap();
    assert!(nginx.contains("restart = \"nginx -s reload\""), "{nginx}");
    assert_eq!(experiment(&[], "", "x", &of_file(Some(service(None))), &sent()), None, "nobody knows one");
    // A page that takes forms is not sent one to see whether it is there.
    let posted = Sent { method: "POST".into(), ..users };
    let posted = experiment(&[], "", "x", &of_file(Some(service(None))), &posted).unwrap();
    assert!(!posted.contains("ready"), "{posted}");
}

#[test]
fn what_is_made_once_is_made_once() {
    let once = Once {
        makes: "/srv/a b/map.php".into(),
        command: "unladen classmap -o '/srv/a b/map.php' /srv".into(),
        undo: None,
    };
    let knob = Knob { once: vec![once], ..of_file(Some(service(Some("reload")))) };
    let text = experiment(&[], "", "x", &knob, &sent()).unwrap();
    let made = "on = [\n  { makes = \"/srv/a b/map.php\", by = \"unladen classmap -o '/srv/a b/map.php' /srv\" },\n";
    assert!(text.contains(made), "{text}");
    read_back(&knob, &sent());
}

#[test]
fn slow_pages_have_a_time_and_first_requests_a_restart() {
    let slow = Sent { latency_ns: Some(2_000_000_000), is_fresh: true, restart: Some("./restart".into()), ..sent() };
    let read = read_back(&of_file(Some(service(None))), &slow);
    assert_eq!(read.cold.map(|cold| cold.command).as_deref(), Some("./restart"));
    assert_eq!(read.load.budget, unladen_prove::Budget::Time(std::time::Duration::from_secs(180)));
}

#[test]
fn a_site_in_front_is_started_and_ended() {
    let site = KnobSite {
        lines: lines(&["[[site]]", "listen = \"127.0.0.1:17080\"", "upstream = \"http://127.0.0.1:8080\""]),
        port: 17_080,
        url: "http://127.0.0.1:17080/page".into(),
        host: "127.0.0.1:8080".into(),
    };
    let knob = Knob { site: Some(site), name: "cache".into(), ..of_file(None) };
    let read = read_back(&knob, &sent());
    assert!(read.knobs[0].ready.is_some());
    let arms = read.arms();
    let port = |arm: usize| read.requests(&arms[arm]).unwrap()[0].url().port();
    assert_eq!((port(0), port(2)), (Some(8080), Some(17_080)));
    let text = experiment(&[], "", "x", &knob, &sent()).unwrap();
    assert!(text.contains("grep -q ':42B8 00000000:0000 0A' /proc/net/tcp"), "{text}");
}

#[test]
fn how_it_is_sent_stands_in_load() {
    let option = |name: &str, value: Option<&str>| OptionCarried { name: name.into(), value: value.map(str::to_owned) };
    let carried = Carried {
        headers: vec![HeaderCarried { name: "cookie".into(), value: Some("a=\"1\"; b='2'".into()) }],
        options: vec![
            option("--insecure", None),
            option("--no-keepalive", None),
            option("--no-cookies", None),
            option("--http", Some("2")),
            option("--timeout", Some("5000ms")),
            option("--expect-status", Some("200,304")),
            option("--expect-same", None),
        ],
        ..Carried::default()
    };
    let sent = Sent::carrying("http://127.0.0.1/", "GET", &carried);
    assert_eq!(sent.missing, ["the weighed request had --expect-same, which an experiment cannot have"]);
    let read = read_back(&of_file(None), &sent);
    assert!(read.load.tls.insecure && !read.load.keep_alive && !read.load.keep_cookies);
    assert_eq!(read.load.timeout, std::time::Duration::from_secs(5));
    assert_eq!(read.load.expect.statuses.to_string(), "200,304");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the request and the fix hold, the file holds it too, and nothing else.
    #[test]
    fn what_is_written_is_read(
        query in "[ -~é]{0,16}",
        method in "GET|HEAD|POST|PUT|X-Y",
        values in proptest::collection::vec("[!-~é]([ -~é]{0,12}[!-~])?", 0..3),
        body in proptest::option::of("[^\\x00]{1,32}"),
        text in proptest::collection::vec("[^\\x00\r\n]{0,20}", 1..4),
        command in "[ -~\n]{0,16}x",
        makes in "/[^\\x00]{1,12}",
    ) {
        let mut url = url::Url::parse("http://127.0.0.1/").unwrap();
        url.set_query(Some(&query));
        let sent = Sent {
            url: url.into(),
            method,
            headers: values.iter().enumerate().map(|(index, value)| format!("x-{index}: {value}")).collect(),
            body,
            missing: vec![command.clone()],
            restart: Some(command.clone()),
            ..Sent::default()
        };
        let knob = Knob {
            commands: Some((command.clone(), format!("{command} off"))),
            once: vec![Once { makes, command, undo: None }],
            header: Some(("X-0".into(), "another".into())),
            ..of_file(Some(service(None)))
        };
        let file = Part { lines: text.clone(), ..knob.files[0].clone() };
        let knob = Knob { files: vec![file], ..knob };
        let read = read_back(&knob, &sent);
        let content: String = text.iter().flat_map(|line| [line, "\n"]).collect();
        let changes = format!("{:?}", read.knobs[0].changes);
        prop_assert!(changes.contains(&format!("{:?}", content.as_bytes())), "{}", changes);
    }
}
