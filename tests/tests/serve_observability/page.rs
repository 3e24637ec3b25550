//! The live page, in a real browser.

use unladen_tests::{Chromium, Reply, Serve, Server};

use crate::helping::{Admin, ask, config, eventually, free_port};

/// Pixels of a chart that have a colour of the theme.
const PIXELS: &str = "(chart, name) => {
    const pen = document.createElement('canvas').getContext('2d');
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = pen.getImageData(0, 0, 1, 1).data;
    const canvas = document.querySelector(`#${chart} canvas`);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let i = 0; i < data.length; i += 4) found += data[i] === r && data[i + 1] === g && data[i + 2] === b;
    return found;
}";

/// A serve with its admin address, and the page of that. With a first figure, to which others are compared.
fn shown(upstream: &Server) -> (Serve, Chromium, u16) {
    let port = free_port();
    let serve = Serve::start(&config(&format!("127.0.0.1:{port}"), upstream, ""));
    eventually(|| Admin::Tcp(port).is_up());
    let page = Chromium::start();
    page.go_to(&format!("http://127.0.0.1:{port}/"));
    page.wait_for("document.getElementById('chip').textContent === 'serving'");
    page.wait_for("document.querySelectorAll('#upstreams tr').length === 4");
    (serve, page, port)
}

#[test]
fn it_shows_what_happens() {
    let upstream = Server::good();
    let (serve, page, port) = shown(&upstream);
    for _ in 0..40 {
        assert_eq!(ask(serve.connect("good.sock"), "GET", "/").0, 200);
    }
    for _ in 0..30 {
        assert!(ask(serve.connect("broken.sock"), "GET", "/").0 >= 502);
    }
    page.wait_for("document.getElementById('t-rate-more').textContent === '0 in flight, 70 in total'");
    page.wait_for("/; \\d+ avoided in total$/.test(document.getElementById('t-shakes-more').textContent)");

    // Each upstream's row, in words.
    let row = |name: &str| {
        let rows = "[...document.querySelectorAll('#upstreams tr')]";
        page.text(&format!("{rows}.find(row => row.innerText.startsWith('{name}')).innerText.replace(/\\s+/g, ' ')"))
    };
    page.wait_for("document.getElementById('upstreams').innerText.includes('○ open')");
    let (good, broken) = (row("good"), row("broken"));
    assert!(good.contains("● closed") && good.contains("1 of 1 in use") && good.contains("idle of 1,024"), "{good}");
    assert!(broken.contains("○ open") && broken.contains("100 %"), "{broken}");

    // What went wrong, in words.
    page.wait_for("!document.getElementById('causes-card').hidden");
    page.wait_for("document.getElementById('causes').innerText.includes('cannot connect to')");
    page.wait_for("document.getElementById('causes').innerText.includes('connect_failed')");

    // Nothing went wrong with the page; of what comes next, reading pixels, a browser warns.
    assert_eq!(page.take_problems(), [""; 0]);

    // The charts hold what came: the colours of what was answered, by the upstream and not by it.
    for (chart, color) in [("ends", "--good"), ("ends", "--own"), ("connections", "--good")] {
        page.wait_for(&format!("({PIXELS})('{chart}', '{color}') > 5"));
    }
    let ramp = (0..8).map(|n| format!("({PIXELS})('latency', '--l{n}')")).collect::<Vec<_>>().join(" + ");
    page.wait_for(&format!("{ramp} > 20"));
    let told = page.text("document.querySelector('#ends canvas').getAttribute('aria-label')");
    assert!(told.starts_with("Requests per second by how they ended. 0 s ago: "), "{told}");

    // Nothing came from elsewhere.
    let own = format!("http://127.0.0.1:{port}/");
    let elsewhere = |url: &String| !url.starts_with(&own) && !url.starts_with("data:image/svg+xml,");
    let elsewhere: Vec<String> = page.asked().into_iter().filter(elsewhere).collect();
    assert_eq!(elsewhere, [""; 0]);
    serve.stop();
}

/// Whoever looks after something happened saw an empty page.
#[test]
fn a_page_that_is_opened_shows_what_was_before() {
    let upstream = Server::good();
    let port = free_port();
    let serve = Serve::start(&config(&format!("127.0.0.1:{port}"), &upstream, ""));
    eventually(|| Admin::Tcp(port).is_up());
    let past = || serde_json::from_str::<serde_json::Value>(&Admin::Tcp(port).get("/history").1).unwrap();
    let moments = || past()["moments"].as_array().unwrap().len();
    eventually(|| moments() > 0);
    for _ in 0..30 {
        assert_eq!(ask(serve.connect("good.sock"), "GET", "/").0, 200);
        assert!(ask(serve.connect("broken.sock"), "GET", "/").0 >= 502);
    }
    // All of them are in moments that are over.
    let counted = || -> u64 {
        let past = past();
        let moments = past["moments"].as_array().unwrap().iter();
        let of_good =
            moments.flat_map(|moment| moment["upstreams"]["good"]["latency"].as_array().into_iter().flatten());
        of_good.filter_map(serde_json::Value::as_u64).sum()
    };
    eventually(|| counted() == 30);
    let page = Chromium::start();
    page.go_to(&format!("http://127.0.0.1:{port}/"));
    page.wait_for("document.getElementById('chip').textContent === 'serving'");
    page.wait_for(&format!("({PIXELS})('ends', '--good') > 5"));
    page.wait_for(&format!("({PIXELS})('ends', '--own') > 5"));
    // Also by the keyboard, moment by moment: one of them has what was answered.
    page.wait_for("document.getElementById('causes').innerText.includes('cannot connect to')");
    assert_eq!(page.text("document.getElementById('t-rate-more').textContent"), "0 in flight, 60 in total");
    serve.stop();
}

#[test]
fn its_tables_can_be_read_on_a_phone_and_on_a_small_screen() {
    let upstream = Server::good();
    let (serve, page, _) = shown(&upstream);
    for _ in 0..10 {
        ask(serve.connect("good.sock"), "GET", "/");
        ask(serve.connect("broken.sock"), "GET", "/");
    }
    page.wait_for("document.getElementById('causes').innerText.includes('connect_failed')");
    for width in [390, 1280] {
        page.resize(width, 900);
        page.wait_for(&format!("innerWidth === {width}"));
        page.wait_for("document.documentElement.scrollWidth <= innerWidth");
        // Nothing has to be pushed from side to side.
        let wider =
            "[...document.querySelectorAll('.scroll')].filter(table => table.scrollWidth > table.clientWidth + 1)
            .map(table => `${table.ariaLabel}: ${table.scrollWidth} in ${table.clientWidth}`).join('; ')";
        assert_eq!(page.text(wider), "", "{width} points");
        // Who, what, when and why; on a phone each says what it is.
        let failure = page.text("document.querySelector('#causes tr').innerText.replace(/\\s+/g, ' ')");
        assert!(
            failure.contains(" ago") && failure.contains("broken") && failure.contains("connect_failed"),
            "{failure}"
        );
        let label = page.text("getComputedStyle(document.querySelector('#upstreams td'), '::before').content");
        assert_eq!(label.contains("Breaker"), width == 390, "{label}");
    }
    let said = page.text("document.querySelector('main').innerText");
    assert!(["p50", "p95", "p99"].iter().all(|quantile| said.contains(quantile)), "{said}");
    assert_eq!(page.take_problems(), [""; 0]);
    serve.stop();
}

#[test]
fn it_can_be_used_by_the_keyboard_alone_and_be_told() {
    let upstream = Server::good();
    let (serve, page, _) = shown(&upstream);
    for _ in 0..3 {
        ask(serve.connect("good.sock"), "GET", "/");
    }
    page.wait_for("document.getElementById('t-rate-more').textContent === '0 in flight, 3 in total'");
    page.evaluate("document.querySelector('#ends canvas').focus()");
    page.key("Home");
    page.wait_for("document.querySelector('#ends .tip').innerText.length > 0");
    page.wait_for("/^\\d+ s ago: /.test(document.getElementById('told').textContent)");
    page.key("Escape");
    page.wait_for("document.querySelector('#ends .tip').hidden");
    page.key("s");
    page.wait_for("document.getElementById('share').getAttribute('aria-pressed') === 'true'");
    page.key("]");
    page.wait_for("document.getElementById('which').value === 'good' && document.querySelector('tr.chosen') !== null");
    page.key("]");
    page.wait_for("document.getElementById('t-rate-more').textContent === '0 in flight, 0 in total'");
    page.key("3");
    page.wait_for("document.querySelector('[data-range=\"900\"]').getAttribute('aria-pressed') === 'true'");
    page.key("p");
    page.wait_for("document.getElementById('chip').textContent === 'paused'");
    page.key("p");
    page.key("?");
    page.wait_for("document.getElementById('keys').open");
    page.key("Escape");
    page.wait_for("!document.getElementById('keys').open");
    // Tab reaches all there is, and what it reaches shows that.
    page.evaluate("document.activeElement.blur()");
    for _ in 0..40 {
        page.key("Tab");
        let reached = page.text("document.activeElement.getAttribute('aria-expanded') ?? ''");
        if !reached.is_empty() {
            break;
        }
    }
    assert_eq!(page.text("getComputedStyle(document.activeElement).outlineStyle"), "solid");
    page.key("Enter");
    page.wait_for("document.activeElement.getAttribute('aria-expanded') === 'true'");
    page.wait_for("document.getElementById('upstreams').innerText.includes('✓ healthy')");
    let unnamed = page.unnamed();
    assert!(unnamed.is_empty(), "a screen reader has nothing to say of {unnamed:?}");

    // Either theme: by the system, and by hand.
    let ground = || page.text("getComputedStyle(document.body).backgroundColor");
    page.prefer("light");
    let light = ground();
    page.prefer("dark");
    assert_ne!(ground(), light);
    page.key("t");
    assert_eq!(ground(), light, "{}", page.text("document.getElementById('theme').textContent"));
    assert_eq!(page.take_problems(), [""; 0]);
    serve.stop();
}

#[test]
fn it_goes_on_with_a_process_that_is_started_anew() {
    let upstream = Server::good();
    let (serve, page, port) = shown(&upstream);
    ask(serve.connect("good.sock"), "GET", "/");
    page.wait_for("document.getElementById('t-rate-more').textContent === '0 in flight, 1 in total'");
    serve.stop();
    page.wait_for("!document.getElementById('trouble').hidden");
    page.wait_for("document.getElementById('chip').textContent === 'no answer'");
    let serve = Serve::start(&config(&format!("127.0.0.1:{port}"), &upstream, ""));
    page.wait_for("document.getElementById('trouble').hidden");
    page.wait_for("document.getElementById('t-rate-more').textContent === '0 in flight, 0 in total'");
    serve.stop();
}

/// A page of the web that knows where the admin address is can neither read it nor run what is there.
#[test]
fn no_page_of_the_web_sees_it() {
    let upstream = Server::good();
    let (serve, page, port) = shown(&upstream);
    let web = Server::replying(|_| {
        let body = "<!doctype html><title>evil</title><p>evil";
        let length = body.len();
        Reply::Last(format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{body}"))
    });
    page.go_to(&web.url("/"));
    page.wait_for("document.title === 'evil'");
    let admin = format!("http://127.0.0.1:{port}");
    for way in [
        format!("fetch('{admin}/config').then(answer => answer.text())"),
        format!(
            "fetch('{admin}/config', {{ mode: 'no-cors' }}).then(a => a.text()).then(text => text || Promise.reject())"
        ),
        format!("import('{admin}/stats')"),
        format!(
            "new Promise((yes, no) => {{ const frame = document.createElement('iframe'); frame.src = '{admin}/'; \
             frame.onload = () => {{ try {{ frame.contentDocument.title === 'unladen serve' ? yes() : no(); }} catch {{ no(); }} }}; \
             document.body.append(frame); }})"
        ),
    ] {
        assert_eq!(page.text(&format!("{way}.then(() => 'read', () => 'refused')")), "refused", "{way}");
    }
    let problems = page.take_problems().join("\n");
    assert!(problems.contains("frame-ancestors"), "{problems}");
    serve.stop();
}

/// Latencies of 20 to 75 ms, whose p50 of 34.5 ms was shown as 40 and whose p99 of 73.1 ms as 97: linear within buckets of
/// 25 to 50 and 50 to 100 ms.
#[test]
fn quantiles_within_coarse_buckets_were_guessed() {
    const ASK: &str = "
        const bounds = [1e5, 2.5e5, 5e5, 1e6, 5e6, 1e7, 2.5e7, 5e7, 1e8, 2.5e8, 5e8, 1e9, 2.5e9, 5e9, 1e10];
        const shown = (latencies, share) => {
          const buckets = new Array(bounds.length + 1).fill(0);
          for (const ns of latencies) buckets[bounds.filter((bound) => ns > bound).length] += 1;
          return between(quantile(buckets, bounds, share));
        };
        const slow = Array.from({ length: 1000 }, (_, i) => (i < 960 ? 20e6 + i * 29e6 / 960 : 72e6 + i * 1e3));
        console.log([shown(slow, 0.5), shown(slow, 0.99), shown([8e4], 0.5), shown([7e5], 0.5), shown([9e8], 0.5),
          shown([2e9], 0.5), shown([6e10], 0.99), shown([], 0.5)].join('\\n'));";
    let data = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../crates/unladen-observability/src/page/data.js"
    ));
    let script = data.unwrap() + ASK;
    let node = std::process::Command::new("node").args(["-e", &script]).output().unwrap();
    assert!(node.status.success(), "{}", String::from_utf8_lossy(&node.stderr));
    let said = String::from_utf8(node.stdout).unwrap();
    let expected = ["25–50 ms", "50–100 ms", "≤ 100 µs", "500 µs–1 ms", "500 ms–1 s", "1–2.5 s", "> 10 s", "–"];
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}
