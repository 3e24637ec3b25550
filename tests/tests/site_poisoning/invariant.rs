//! Many random pairs of an attacker's request and a victim's: what the victim gets is what it would have got without
//! the attacker. Each pair goes to one site, and the victim's request alone to another, in front of the same
//! application.

use unladen_tests::site::{app, page};
use unladen_tests::{Seen, Site, Upstream};

/// A generator of numbers (xorshift), seeded: what fails can be run again.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        dice.below(7);
        dice
    }

    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn happens(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const STATUSES: [u16; 12] = [301, 302, 400, 401, 403, 404, 405, 410, 431, 500, 502, 503];

/// As CGI and WSGI hand a field over.
fn as_cgi<'s>(request: &'s Seen, name: &str) -> Option<&'s str> {
    let is = |own: &str| own.replace(|mark: char| !mark.is_ascii_alphanumeric(), "-") == name;
    request.fields.iter().rfind(|(own, _)| is(own)).map(|(_, value)| value.as_str())
}

/// An application that is no more careful than most: it believes what proxies say, takes underscores for hyphens and
/// `;` for `&`, has errors of its own for what is odd, and says `public` of pages that it writes for who has a cookie.
/// What its pages are made of in plain view, it names in `Vary`.
fn application() -> Upstream {
    app(|request| {
        let path = request.target.split('?').next().unwrap_or_default();
        let number: u64 = path.trim_start_matches(|byte: char| !byte.is_ascii_digit()).parse().unwrap_or(0);
        let mut dice = Dice::new(number + 1);
        let status = STATUSES[dice.below(STATUSES.len())];
        let odd_lines = dice.one(&["", "ETag: \"odd\"\r\n", "Vary: *\r\n"]);
        let size: usize = request.fields.iter().map(|(name, value)| name.len() + value.len()).sum();
        let is_odd = size > 4000
            || request
                .fields
                .iter()
                .any(|(name, value)| name.starts_with("x-odd") || !value.is_ascii() || name == "expect")
            || as_cgi(request, "x-http-method-override").is_some()
            || (request.method != "GET" && request.method != "HEAD");
        if is_odd {
            // An error that says how long it may be kept, says that it may be shared.
            return format!("HTTP/1.1 {status} Odd\r\n{odd_lines}Location: /evil\r\nContent-Length: 0\r\n\r\n");
        }
        if as_cgi(request, "if-none-match").is_some_and(|tags| tags.contains("\"a\"")) {
            return "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n".to_owned();
        }
        let by =
            ["host", "x-forwarded-host", "x-real-ip", "client-ip", "x-original-url", "x-forwarded-port", "forwarded"];
        let by: Vec<_> = by.iter().map(|name| as_cgi(request, name).unwrap_or_default()).collect();
        let language = as_cgi(request, "accept-language").unwrap_or("none");
        let mut query: Vec<&str> = request.target.split(['?', '&', ';']).skip(1).collect();
        query.sort_unstable();
        // One that means nothing goes along with what is not kept.
        let cookie = as_cgi(request, "cookie").filter(|cookie| *cookie != "_ga=1").unwrap_or("none");
        let lines = dice.one(&[
            "Cache-Control: public, max-age=600\r\nVary: Accept-Language\r\n",
            "Cache-Control: max-age=600\r\nVary: accept-language\r\nETag: \"a\"\r\n",
            "Cache-Control: s-maxage=600\r\nVary: Accept-Language, Cookie\r\n",
            "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nVary: Accept-Language\r\n",
            "Vary: Accept-Language\r\nETag: \"a\"\r\n",
            "Cache-Control: no-store\r\n",
        ]);
        let body = format!("{path} {query:?} {by:?} {language} {cookie}");
        page(lines, if request.method == "HEAD" { "" } else { &body })
    })
}

/// What an attacker adds to a victim's request, or has in place of a part of it.
fn attack(dice: &mut Dice, path: &str) -> String {
    let (mut method, mut target, mut host) = ("GET", path.to_owned(), "site.test");
    let mut lines = String::new();
    for _ in 0..1 + dice.below(3) {
        match dice.below(9) {
            0 => method = dice.one(&["HEAD", "GET", "OPTIONS", "TRACE"]),
            1 => {
                let more = dice.one(&["utm_a=EVIL", "%75tm_a=EVIL", "utm_a=1;gclid=2", "gclid=EVIL", "b=2"]);
                let mark = if target.contains('?') { dice.one(&["&", ";"]) } else { "?" };
                target = format!("{target}{mark}{more}");
            }
            2 => host = dice.one(&["SITE.TEST", "site.test:80", "site.test.", "Site.test.:80", "evil.test"]),
            3 => {
                lines +=
                    dice.one(&["Cache-Control: no-cache\r\n", "Cache-Control: max-age=0\r\n", "Pragma: no-cache\r\n"]);
            }
            4 => lines += &format!("X-Big: {}\r\n", "x".repeat(5000)),
            5 => {
                lines += dice.one(&[
                    "X-Odd: 1\r\n",
                    "X-Odd-Other: 2\r\n",
                    "X_Odd: 1\r\n",
                    "X-Meta: \u{e9}\r\n",
                    "Expect: odd\r\n",
                    "X-HTTP-Method-Override: POST\r\n",
                    "X_HTTP_Method_Override: POST\r\n",
                ]);
            }
            6 => {
                lines += dice.one(&[
                    "Accept_Language: EVIL\r\n",
                    "Accept.Language: EVIL\r\n",
                    "If_None_Match: \"a\"\r\n",
                    "If-None-Match: \"a\"\r\n",
                    "Range: bytes=0-0\r\n",
                    "Cookie: user=EVIL\r\n",
                    "Connection: Accept-Language\r\n",
                ]);
            }
            7 => {
                lines += dice.one(&[
                    "X-Forwarded-Host: evil\r\n",
                    "X-Forwarded-Port: 666\r\n",
                    "X-Real-IP: 6.6.6.6\r\n",
                    "X.Real.IP: 6.6.6.6\r\n",
                    "Client-IP: 6.6.6.6\r\n",
                    "Forwarded: for=6.6.6.6;host=evil\r\n",
                    "X-Original-URL: /evil\r\n",
                    "X_Original_URL: /evil\r\n",
                ]);
            }
            _ => lines += dice.one(&["Accept-Language: EVIL\r\n", "Accept-Language: en\r\n"]),
        }
    }
    format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\n{lines}\r\n")
}

fn victim(dice: &mut Dice, path: &str) -> String {
    let mut lines = String::new();
    if dice.happens(60) {
        lines += dice.one(&["Accept-Language: en\r\n", "Accept-Language: de\r\n"]);
    }
    if dice.happens(30) {
        lines += dice.one(&["Cookie: user=ada\r\n", "Cookie: _ga=1\r\n"]);
    }
    let query = if dice.happens(30) { "?a=1" } else { "" };
    format!("GET {path}{query} HTTP/1.1\r\nHost: site.test\r\n{lines}\r\n")
}

#[test]
fn what_a_victim_gets_is_what_it_would_get_without_an_attacker() {
    let app = application();
    let settings = "per_client = 1000
         [site.cache]
         ignore_query = [\"utm_*\", \"gclid\"]
         ignore_cookies = [\"_ga*\"]
         [[site.validator]]
         path = \"/v/{page}\"
         file = \"DIR/version\"";
    for sites in Site::each(&app, settings).zip(Site::each(&app, settings)) {
        let sites = <[Site; 2]>::from(sites);
        for site in &sites {
            crate::status::touch(site, 1_000_000_000);
        }
        let mut hits = 0;
        for seed in 0..600 {
            let mut dice = Dice::new(seed + 1000);
            let path = if dice.happens(50) { format!("/v/{seed}") } else { format!("/p/{seed}") };
            let mut attacks = Vec::new();
            for _ in 0..1 + dice.below(3) {
                attacks.push(attack(&mut dice, &path));
            }
            let victim = victim(&mut dice, &path);
            // Perhaps the page is there before.
            if dice.happens(30) {
                sites[0].wire().ask(&victim);
            }
            for attack in &attacks {
                let mut wire = sites[0].wire();
                wire.send(attack);
                wire.next(attack.starts_with("HEAD"));
            }
            let got = sites[0].wire().ask(&victim);
            let alone = sites[1].wire().ask(&victim);
            let seen = |answer: &unladen_tests::Answer| {
                (answer.status, answer.text(), answer.field("location").map(str::to_owned))
            };
            assert_eq!(seen(&got), seen(&alone), "{seed}\nattacks: {attacks:#?}\nvictim: {victim}\n{got:?}");
            hits += usize::from(got.cache().starts_with("hit"));
        }
        // It is a cache: or this would prove nothing.
        assert!(hits > 60, "{hits}");
        sites.into_iter().for_each(Site::stop);
    }
}
