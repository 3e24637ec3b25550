//! Of many who ask `unladen serve` for the same page at once one asks the application, and nobody waits in vain for
//! another.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use unladen_tests::site::{app, get, page};
use unladen_tests::{Answer, Ending, Seen, Site, Upstream, Wire};

const FRESH: &str = "Cache-Control: max-age=600\r\n";

/// Lets requests through to the application as a test says.
#[derive(Debug, Clone, Default)]
struct Gate(Arc<AtomicUsize>);

impl Gate {
    /// Waits for the one of this number to be let through.
    fn pass(&self, number: usize) {
        while self.0.load(Ordering::SeqCst) <= number {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Lets all through that have a lower number.
    fn open(&self, count: usize) {
        self.0.store(count, Ordering::SeqCst);
    }
}

/// Answers as this says, by the request and its number, once the gate lets it through.
fn gated(answer: impl Fn(&Seen, usize) -> String + Send + Sync + 'static) -> (Upstream, Gate) {
    let (gate, count) = (Gate::default(), AtomicUsize::new(0));
    let own = gate.clone();
    let app = app(move |request| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        own.pass(number);
        answer(request, number)
    });
    (app, gate)
}

/// Has so many ask for a page, the first of them first.
fn ask(site: &Site, app: &Upstream, count: usize, lines: impl Fn(usize) -> String) -> Vec<Wire> {
    let before = app.seen().len();
    let mut wires = Vec::new();
    for number in 0..count {
        let mut wire = site.wire();
        wire.send(get("/", &lines(number)));
        if number == 0 {
            app.wait("the first one asks", |app| app.seen().len() > before);
        }
        wires.push(wire);
    }
    wires
}

fn answers(wires: &mut [Wire]) -> Vec<Answer> {
    wires.iter_mut().map(Wire::answer).collect()
}

/// Waits for what must not come, or for what was sent to be read where nothing tells that from outside but time.
fn settle() {
    std::thread::sleep(Duration::from_millis(100));
}

#[test]
fn a_thousand_clients_for_a_cold_page_make_one_request() {
    let body = "x".repeat(200_000);
    let (app, gate) = gated({
        let body = body.clone();
        move |_, _| page(FRESH, &body)
    });
    let site = Site::of(&app, "[site.clients]\nconnections = 1001");
    let mut wires = ask(&site, &app, 1000, |_| String::new());
    site.wait_for_requests(1000);
    gate.open(1);
    let mut collapsed = 0;
    for wire in &mut wires {
        let answer = wire.answer().is(200);
        assert!(answer.body == body.as_bytes());
        collapsed += usize::from(answer.cache().contains("collapsed"));
    }
    assert_eq!(app.seen().len(), 1);
    assert!(collapsed > 500, "{collapsed}");
    site.stop();
}

#[test]
fn a_page_is_fetched_to_its_end_when_who_asked_first_has_gone() {
    let (app, gate) = gated(|_, number| page(FRESH, &number.to_string()));
    let site = Site::of(&app, "");
    let mut wires = ask(&site, &app, 5, |_| String::new());
    site.wait_for_requests(5);
    wires.remove(0).end();
    settle();
    gate.open(1);
    for answer in answers(&mut wires) {
        assert_eq!(answer.is(200).text(), "0");
    }
    assert_eq!(site.get("/").is_hit(200).text(), "0");

    // Also when nobody else has come.
    gate.open(2);
    site.wire().post("/", "changed").is(200);
    let mut alone = site.wire();
    alone.send(get("/", ""));
    app.wait("it asks", |app| app.seen().len() == 3);
    alone.end();
    settle();
    gate.open(3);
    site.get_until("/", |answer| answer.cache().starts_with("hit"));
    assert_eq!(app.seen().len(), 3);
    site.stop();
}

#[test]
fn nobody_waits_for_what_fails() {
    for failure in ["refuse", "500", "break", "timeout"] {
        let (gate, count) = (Gate::default(), AtomicUsize::new(0));
        let own = gate.clone();
        let app = Upstream::start(move |peer| {
            while peer.request().is_some() {
                let number = count.fetch_add(1, Ordering::SeqCst);
                own.pass(number);
                match failure {
                    _ if number > 0 => _ = peer.send(page(FRESH, &number.to_string())),
                    "refuse" => return,
                    "500" => _ = peer.send("HTTP/1.1 500 Sorry\r\nContent-Length: 0\r\n\r\n"),
                    "break" => {
                        peer.send(format!("HTTP/1.1 200 OK\r\n{FRESH}Content-Length: 10\r\n\r\nbroken"));
                        return;
                    }
                    _ => return peer.wait_for_end(),
                }
            }
        });
        let site = Site::of(&app, "timeouts.first_byte = \"500ms\"");
        let mut wires = ask(&site, &app, 20, |_| String::new());
        site.wait_for_requests(20);
        gate.open(1000);
        // None: the connection ends without an answer, as what began broke off at once. Who had been sent nothing of it
        // yet is told so.
        let ended = |wire: &mut Wire| {
            let mut answer = wire.try_head()?;
            wire.body(&mut answer);
            Some((answer.status, answer.ending))
        };
        let endings: Vec<_> = wires.iter_mut().map(ended).collect();
        let (first, rest) = endings.split_first().expect("twenty answers");
        let is_broken = |ending: &Option<(u16, Ending)>| {
            ending.is_none_or(|(status, ending)| status == 502 || ending != Ending::Whole)
        };
        match failure {
            "refuse" => assert_eq!(*first, Some((502, Ending::Whole))),
            // What was an answer was one for who asked.
            "500" => {
                assert_eq!(*first, Some((500, Ending::Whole)));
                assert!(rest.iter().all(|one| *one == Some((200, Ending::Whole))), "{endings:?}");
            }
            "break" => assert!(endings.iter().all(is_broken), "{endings:?}"),
            _ => assert_eq!(*first, Some((504, Ending::Whole))),
        }
        // What failed is not kept, and who comes asks anew.
        assert_eq!(site.get("/").is(200).ending, Ending::Whole, "{failure}");
        site.stop();
    }
}

#[test]
fn who_gets_an_answer_for_one_alone_does_not_hold_up_the_others() {
    for lines in ["Cache-Control: no-store\r\n", "Cache-Control: max-age=600\r\nSet-Cookie: a=1\r\n", ""] {
        let (app, gate) = gated(move |_, number| page(lines, &number.to_string()));
        let site = Site::of(&app, "");
        let mut wires = ask(&site, &app, 20, |_| String::new());
        site.wait_for_requests(20);
        gate.open(1);
        // All the others ask at once, though none is answered yet.
        app.wait("each asks for itself", |app| app.seen().len() == 20);
        gate.open(20);
        let mut bodies: Vec<_> = answers(&mut wires).into_iter().map(|answer| answer.is(200).text()).collect();
        bodies.sort_unstable();
        bodies.dedup();
        assert_eq!(bodies.len(), 20, "{lines:?}: {bodies:?}");

        // That is remembered: nobody waits for another from then on.
        let mut wires: Vec<_> = (0..20).map(|_| site.wire()).collect();
        wires.iter_mut().for_each(|wire| wire.send(get("/", "")));
        app.wait("each asks for itself", |app| app.seen().len() == 40);
        gate.open(40);
        for answer in answers(&mut wires) {
            assert!(answer.cache().contains("detail=uncacheable"), "{}", answer.cache());
        }
        site.stop();
    }
}

#[test]
fn a_stale_page_that_is_no_longer_for_all_holds_up_nobody() {
    let (app, gate) = gated(|_, number| match number {
        0 => page("Cache-Control: max-age=10\r\nAge: 20\r\nETag: \"a\"\r\n", "for all"),
        _ => page("Cache-Control: private\r\n", &number.to_string()),
    });
    let site = Site::of(&app, "");
    gate.open(2);
    site.get("/").is_asked(200);
    site.get("/").is_asked(200);
    let mut wires: Vec<_> = (0..20).map(|_| site.wire()).collect();
    wires.iter_mut().for_each(|wire| wire.send(get("/", "")));
    app.wait("each asks for itself", |app| app.seen().len() == 22);
    gate.open(22);
    answers(&mut wires).into_iter().for_each(|answer| drop(answer.is(200)));
    site.stop();
}

#[test]
fn users_do_not_share_what_is_on_its_way() {
    for (lines, is_shared) in [
        ("Cache-Control: private, max-age=600\r\n", false),
        ("Cache-Control: max-age=600\r\nVary: Cookie, Authorization\r\n", false),
        ("Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n", false),
        ("Cache-Control: public, max-age=600\r\n", true),
    ] {
        let (app, gate) = gated(move |request, _| {
            let user = request.fields.iter().rfind(|(name, _)| name == "cookie" || name == "authorization");
            page(lines, user.map_or("nobody", |(_, user)| user))
        });
        let site = Site::of(&app, "");
        let user = |number: usize| match number % 3 {
            0 => format!("Cookie: user={number}\r\n"),
            1 => format!("Authorization: Bearer {number}\r\n"),
            _ => format!("Cookie: shared=1\r\nCookie: user={number}\r\n"),
        };
        gate.open(1000);
        for round in 0..5 {
            if round == 0 {
                gate.open(0);
            }
            let mut wires: Vec<_> = (0..30).map(|_| site.wire()).collect();
            wires.iter_mut().enumerate().for_each(|(number, wire)| wire.send(get("/", &user(number))));
            settle();
            gate.open(1000);
            for (number, answer) in answers(&mut wires).into_iter().enumerate() {
                let text = answer.is(200).text();
                let is_own = text.ends_with(&format!("={number}")) || text.ends_with(&format!(" {number}"));
                assert!(is_own || is_shared, "{lines:?}: {number} gets {text}");
            }
        }
        site.stop();
    }
}

#[test]
fn who_waits_does_not_get_what_is_set_for_the_first_one() {
    for lines in [
        "Cache-Control: max-age=600, no-cache=\"set-cookie, x-user\"\r\nSet-Cookie: user=first\r\nX-User: first\r\n",
        "Cache-Control: max-age=600, private=\"set-cookie, x-user\"\r\nSet-Cookie: user=first\r\nX-User: first\r\n",
        "Cache-Control: max-age=600\r\nConnection: X-User\r\nX-User: first\r\n",
        "Cache-Control: max-age=600\r\nProxy-Authenticate: Basic realm=\"first\"\r\n",
    ] {
        let (app, gate) = gated(move |_, _| page(lines, "page"));
        let site = Site::of(&app, "");
        let mut wires = ask(&site, &app, 10, |_| String::new());
        site.wait_for_requests(10);
        gate.open(1);
        let mut answers = answers(&mut wires).into_iter();
        answers.next();
        for answer in answers.chain([site.get("/")]) {
            assert!(answer.fields.iter().all(|(_, value)| !value.contains("first")), "{lines:?}: {answer:?}");
            assert_eq!(answer.is(200).text(), "page");
        }
        assert_eq!(app.seen().len(), 1);
        site.stop();
    }
}

#[test]
fn variants_that_only_the_answer_tells_apart_go_to_who_asked_for_them() {
    let (app, gate) = gated(|request, _| {
        let language = request.field("accept-language").unwrap_or("none");
        page(&format!("{FRESH}Vary: Accept-Language\r\n"), language)
    });
    let site = Site::of(&app, "");
    let language = |number: usize| ["de", "en", "fr", "da", "pl"][number % 5];
    let mut wires = ask(&site, &app, 50, |number| format!("Accept-Language: {}\r\n", language(number)));
    site.wait_for_requests(50);
    gate.open(1);
    // One for each of the others, and no more.
    app.wait("the other variants are asked for", |app| app.seen().len() == 5);
    settle();
    gate.open(1000);
    for (number, answer) in answers(&mut wires).into_iter().enumerate() {
        assert_eq!(answer.is(200).text(), language(number));
    }
    assert_eq!(app.seen().len(), 5);
    site.stop();
}

#[test]
fn conditions_and_ranges_of_who_asks_first_are_not_the_others() {
    let (app, gate) = gated(|request, _| {
        assert_eq!((request.field("range"), request.field("if-none-match")), (None, None));
        page(&format!("{FRESH}ETag: \"a\"\r\n"), "0123456789")
    });
    let site = Site::of(&app, "");
    let lines = ["If-None-Match: \"a\"\r\n", "", "If-None-Match: \"b\"\r\n", "If-Modified-Since: x\r\n"];
    let mut wires = ask(&site, &app, lines.len(), |number| lines[number].to_owned());
    site.wait_for_requests(lines.len());
    gate.open(1);
    let statuses: Vec<_> = answers(&mut wires).into_iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [304, 200, 200, 200]);
    assert_eq!(site.get_with("/", "Range: bytes=1-2\r\n").is_hit(206).text(), "12");
    site.stop();
}
