//! What came is named above all figures, and so is why it may not be what was meant.

use unladen_tests::advice::Ground;
use unladen_tests::{Asked, Call, Lab, Reply, SHORT_LOAD, Server, Subject};

fn reply(headers: &str, body: &str) -> Reply {
    Reply::Answer(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{headers}\r\n\r\n{body}", body.len()))
}

/// Pages that are not what they seem to be.
fn server() -> Server {
    Server::replying(|Asked { request, .. }| {
        let is_browser = request.header("user-agent").is_some_and(|agent| agent.contains("Firefox"));
        let path = request.line.split(' ').nth(1).unwrap_or_default();
        match path {
            "/api" => reply("Content-Type: text/json", r#"{"error":{"code":6,"message":"Unauth\u001b[31morised"}}"#),
            "/shop" if is_browser => {
                reply("Content-Type: text/html", &format!("<title>Shop</title>{}", "x".repeat(9_000)))
            }
            "/shop" => reply("Content-Type: text/html", "<title>Shop</title>"),
            "/private" => reply("Content-Type: text/html", "<title>Anmelden – Wiki</title><input type=password>"),
            "/kept" => reply("Content-Type: text/html\r\nAge: 7", &format!("<title>Page</title>{}", "x".repeat(900))),
            _ => reply("Content-Type: text/html", &format!("<title>Page</title>{}", "x".repeat(900))),
        }
    })
}

/// 67 bytes of JSON with status 200 were weighed 1,691 times, with pride.
#[test]
fn an_error_with_status_200_was_weighed_as_the_page() {
    let server = server();
    let url = server.url("/api");
    let quick = ["--requests", "24", "--no-findings", "-d", "a=b"];
    let done = Call::weigh(quick).args([&url]).run().succeeded();
    let head: Vec<&str> = done.stdout.lines().take(3).collect();
    assert_eq!(head[1], r#"{"error"}, 200, 55 B of JSON"#, "{done}");
    assert!(head[2].starts_with("! the answer reports a failure (\"error\": \"Unauth [31morised\")"), "{done}");
    assert!(!done.stdout.contains('\u{1b}'), "{done}");
    let document = Call::load(["-n", "20", "-c", "1", "-d", "a=b", &url]).document();
    let answer = &document["answers"][0];
    assert_eq!((&answer["status"], &answer["bytes"]), (&200.into(), &55.into()), "{document}");
    assert!(answer["doubts"][0].as_str().unwrap().contains("--expect-body"), "{document}");
    // Who says what the right answer holds has no doubt, and nobody asks a POST again by another name.
    let sure = Call::load(["-n", "20", "-c", "1", "-d", "a=b", "--expect-body", "error", &url]).document();
    assert!(sure["answers"][0].get("doubts").is_none(), "{sure}");
    let agents = server.received().into_iter().filter_map(|request| request.header("user-agent").map(str::to_owned));
    assert_eq!(agents.filter(|agent| agent.contains("Firefox")).count(), 0);
}

#[test]
fn a_login_and_a_page_for_robots_were_weighed_as_the_page() {
    let server = server();
    let load =
        |more: &[&str], path: &str| Call::load(["-n", "20", "-c", "1"]).args(more).args([&server.url(path)]).run();
    let told = |more: &[&str], path: &str, words: &[&str]| {
        let done = load(more, path).succeeded();
        // Sentences are broken where a line ends.
        let text = done.stdout.replace("\n  ", " ");
        words.iter().for_each(|words| assert!(text.contains(words), "{words}: {done}"));
    };
    told(&["-b", "sid=1"], "/private", &["\"Anmelden – Wiki\", 200", "belong to another browser", "(-A 'NAME')"]);
    told(&[], "/private", &["-b 'NAME=VALUE'"]);
    // `load` sends what it was asked to alone.
    assert!(!load(&[], "/shop").succeeded().stdout.contains("browser"));
    let weigh = |more: &[&str]| Call::quick(more).args([&server.url("/shop")]).run().succeeded();
    let text = weigh(&[]).stdout.replace("\n  ", " ");
    for words in ["a browser gets a different answer: \"Shop\", 200, 9.02 kB of HTML", "(-A 'Mozilla/"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let named = weigh(&["-A", "me"]);
    assert!(!named.stdout.contains("browser"), "{named}");
    let plain = load(&[], "/page").succeeded().shows(["\"Page\", 200, 919 B of HTML 20 requests in"]);
    assert!(!plain.stdout.contains("\n! "), "{plain}");
}

/// Bodies had the same size on both sides, and a cache in one of them was told as the gain of compression.
#[test]
fn a_cache_was_proved_in_place_of_the_change() {
    let server = server();
    let text = format!(
        "url = \"{}\"\nexpect_change = [\"size\", \"Content-Encoding\"]\n{SHORT_LOAD}headers = [\"Accept-Encoding: gzip\"]\n\
         [[knob]]\nname = \"compressed\"\non = {{ url = \"{}\" }}\n",
        server.url("/page"),
        server.url("/kept")
    );
    let lab = Lab::of(&text);
    let prove = |more: &[&str]| lab.prove().args(["--no-weights"]).args(more);
    let done = prove(&[]).run().succeeded();
    let told = done.stdout.replace("\n  ", " ");
    for words in [
        "\"Page\", 200, 919 B of HTML\n",
        "compressed: \"Page\", 200, 919 B of HTML, from a cache (Age: 7)\n",
        "what the knob should change has not changed: size of the body (919 B), header content-encoding (absent)",
        "a cache answers here (Age: 7), but the application answers the baseline",
    ] {
        assert!(told.contains(words), "{words}: {done}");
    }
    let document = prove(&[]).document();
    let arms = document.list("arms");
    assert!(arms[0]["answers"][0].get("cache").is_none() && arms[1]["answers"][0]["cache"] == "Age: 7", "{document}");
    assert_eq!(arms[1]["answers"][0]["doubts"].as_array().unwrap().len(), 2, "{document}");
    let wrong = Call::prove(["--a", "http://a.test/", "--b", "http://b.test/", "--expect-change", "two words"]);
    wrong.run().ended_with(2).says(["`two words` is not a part of an answer", "size, status, body, cache"]);
}

/// Over nginx and PHP-FPM: the printed experiment asks for gzip, and says what it is to change.
#[test]
fn the_printed_experiment_says_what_it_is_to_change() {
    let ground = Ground::of(|| Subject::up("pledges"));
    let subject = ground.subject();
    subject.run(["fault", "uncompressed", "on"]);
    let call =
        |more: &[&str]| Call::weigh(["--requests", "24", subject.url()]).args(more).env("PATH", ground.programs());
    let done = call(&[]).run().succeeded();
    let second = done.stdout.lines().nth(1).unwrap();
    assert!(second.contains(", 200, ") && second.contains(" of HTML") && second.starts_with('"'), "{done}");
    done.shows(["uncompressed"]);
    let document = call(&["--json"]).run().succeeded().document();
    let found = document.list("findings").iter().find(|finding| finding["rule"] == "uncompressed").expect("a finding");
    let printed = found["check_again"].as_str().unwrap();
    for line in ["expect_change = [\"size\"]", "headers = [\"Accept-Encoding: gzip\"]"] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
}
