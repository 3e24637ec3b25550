//! For whom a request is, and from which country, `unladen serve` tells an application as it knows it itself, or by
//! those who are trusted: never as a client says.
//!
//! The countries are those of the npm package `@ip-location-db/geo-whois-asn-country-mmdb` (CC0-1.0).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;
use unladen_tests::site::{app, get, page};
use unladen_tests::{Answer, Site, Upstream};

const TRUSTED: &str = "[site.trusted]\nproxies = [\"127.0.0.1\", \"10.0.0.0/8\", \"unix\"]\n";

/// An application that says all of what it is told of who asks, and lets it be kept by the country.
fn telling() -> Upstream {
    app(|request| {
        let told = request.fields.iter().filter(|(name, _)| {
            let name = name.replace(|byte: char| !byte.is_ascii_alphanumeric(), "-");
            name.starts_with("x-forwarded") || name == "forwarded" || name == "x-geoip-country"
        });
        let told: Vec<_> = told.map(|(name, value)| format!("{name}: {value}")).collect();
        page("Cache-Control: max-age=600\r\nVary: X-GeoIP-Country\r\n", &told.join("\n"))
    })
}

/// What the application was told in this field.
fn told(answer: &Answer, name: &str) -> String {
    let text = answer.text();
    let values: Vec<_> = text.lines().filter_map(|line| line.strip_prefix(&format!("{name}: "))).collect();
    values.join(" and ")
}

/// The database, installed once.
fn database() -> PathBuf {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let package = "@ip-location-db/geo-whois-asn-country-mmdb@2";
        let npm = Command::new("npm")
            .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", package])
            .current_dir(folder.path())
            .output()
            .expect("npm starts (scripts/need npm)");
        assert!(npm.status.success(), "{}", String::from_utf8_lossy(&npm.stderr));
        folder
    });
    let package = FOLDER.path().join("node_modules/@ip-location-db/geo-whois-asn-country-mmdb");
    let files = std::fs::read_dir(&package).expect("its folder").flatten().map(|entry| entry.path());
    let is_database = |file: &PathBuf| file.extension().is_some_and(|end| end == "mmdb");
    let mut databases: Vec<_> = files.filter(is_database).collect();
    databases.sort();
    databases.pop().expect("a database")
}

fn country(file: &Path) -> String {
    format!("[site.cache]\ncountry = {{ database = \"{}\" }}\n", file.display())
}

#[test]
fn what_a_client_says_of_itself_is_not_believed() {
    let app = telling();
    for settings in ["", "[site.trusted]\nproxies = [\"10.0.0.0/8\"]\n"] {
        let site = Site::of(&app, settings);
        for lines in [
            "",
            "X-Forwarded-For: 10.1.2.3\r\n",
            "X-Forwarded-For: 10.1.2.3, 10.1.2.4\r\nX-Forwarded-For: 10.1.2.5\r\n",
            "Forwarded: for=10.1.2.3;proto=https;host=evil\r\n",
            "X-Forwarded-Proto: https\r\nX-Forwarded-Host: evil\r\n",
        ] {
            let answer = site.get_with("/", &format!("{lines}Cache-Control: no-cache\r\n")).is(200);
            let fields = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded"];
            let expected = ["127.0.0.1", "test", "http", ""].map(str::to_owned);
            assert_eq!(fields.map(|field| told(&answer, field)), expected, "{lines:?}");
        }
        site.stop();
    }
}

#[test]
fn proxies_that_are_trusted_say_for_whom_they_ask_and_nothing_else() {
    let app = telling();
    for (header, cases) in [
        (
            "x-forwarded-for",
            &[
                ("X-Forwarded-For: 8.8.8.8\r\n", "8.8.8.8, 127.0.0.1", "http"),
                ("X-Forwarded-For: 1.1.1.1, 8.8.8.8\r\n", "8.8.8.8, 127.0.0.1", "http"),
                ("X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 8.8.8.8, 10.0.0.7\r\n", "8.8.8.8, 127.0.0.1", "http"),
                ("X-Forwarded-For: 8.8.8.8\r\nX-Forwarded-Proto: https\r\n", "8.8.8.8, 127.0.0.1", "https"),
                ("X-Forwarded-For: 8.8.8.8\r\nX-Forwarded-Proto: evil\r\n", "8.8.8.8, 127.0.0.1", "http"),
                ("X-Forwarded-For: 8.8.8.8, unknown\r\n", "127.0.0.1", "http"),
                ("X-Forwarded-For: <script>\r\n", "127.0.0.1", "http"),
                ("X-Forwarded-For: \r\n", "127.0.0.1", "http"),
                ("X-Forwarded-For: 2001:db8::1\r\n", "2001:db8::1, 127.0.0.1", "http"),
                ("Forwarded: for=8.8.8.8;proto=https\r\n", "127.0.0.1", "http"),
                ("", "127.0.0.1", "http"),
            ][..],
        ),
        (
            "forwarded",
            &[
                ("Forwarded: for=8.8.8.8\r\n", "8.8.8.8, 127.0.0.1", "http"),
                ("Forwarded: for=1.1.1.1, for=\"8.8.8.8:1234\";proto=https\r\n", "8.8.8.8, 127.0.0.1", "https"),
                ("Forwarded: for=\"[2001:db8::1]:80\";host=evil\r\n", "2001:db8::1, 127.0.0.1", "http"),
                ("Forwarded: for=8.8.8.8, for=_hidden\r\n", "127.0.0.1", "http"),
                ("Forwarded: for=\"8.8.8.8\r\n", "127.0.0.1", "http"),
                ("X-Forwarded-For: 8.8.8.8\r\nX-Forwarded-Proto: https\r\n", "127.0.0.1", "http"),
            ],
        ),
    ] {
        let site = Site::of(&app, &format!("{TRUSTED}header = \"{header}\""));
        for (lines, client, scheme) in cases {
            // What the client has sent through it is not what it says.
            let evil = "X-Forwarded-Host: evil\r\nX-Forwarded-Prefix: /evil\r\nCache-Control: no-cache\r\n";
            let answer = site.get_with("/", &format!("{lines}{evil}")).is(200);
            let fields =
                ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-prefix", "forwarded"];
            let expected = [*client, "test", scheme, "", ""].map(str::to_owned);
            assert_eq!(fields.map(|field| told(&answer, field)), expected, "{header} {lines:?}");
        }
        site.stop();
    }
}

#[test]
fn pages_by_https_and_by_http_are_two() {
    let app = telling();
    let site = Site::of(&app, TRUSTED);
    let ask =
        |scheme: &str| site.get_with("/", &format!("X-Forwarded-For: 8.8.8.8\r\nX-Forwarded-Proto: {scheme}\r\n"));
    for (scheme, told_scheme, is_hit) in [
        ("https", "https", false),
        ("http", "http", false),
        ("https", "https", true),
        ("evil", "http", true),
        ("http", "http", true),
    ] {
        let answer = ask(scheme);
        assert_eq!(
            (told(&answer, "x-forwarded-proto").as_str(), answer.cache().starts_with("hit")),
            (told_scheme, is_hit)
        );
    }
    site.stop();
}

#[test]
fn connections_from_trusted_proxies_begin_with_proxy() {
    let app = telling();
    let site = Site::of(&app, &format!("{TRUSTED}proxy_protocol = true\n"));
    let request = get("/", "Cache-Control: no-cache\r\nX-Forwarded-For: 6.6.6.6\r\n");
    let mut v2 = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c".to_vec();
    v2.extend([8, 8, 8, 8, 127, 0, 0, 1, 0x12, 0x34, 0, 80]);
    let mut v2_six = b"\r\n\r\n\0\r\nQUIT\n\x21\x21\0\x24".to_vec();
    v2_six.extend([0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    v2_six.extend([0; 20]);
    for (begin, client) in [
        (b"PROXY TCP4 8.8.8.8 127.0.0.1 1234 80\r\n".to_vec(), "8.8.8.8"),
        (b"PROXY TCP6 2001:db8::1 ::1 1234 80\r\n".to_vec(), "2001:db8::1"),
        (v2, "8.8.8.8"),
        (v2_six, "2001:db8::1"),
    ] {
        let mut wire = site.wire();
        wire.send(&begin);
        for _ in 0..2 {
            let answer = wire.ask(&request).is(200);
            assert_eq!(told(&answer, "x-forwarded-for"), client, "{}", begin.escape_ascii());
        }
    }
    // Health checks of the proxy itself.
    for begin in [&b"PROXY UNKNOWN\r\n"[..], b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0"] {
        let mut wire = site.wire();
        wire.send(begin);
        wire.ask(&request).is(200);
    }
    for wrong in [
        request.as_bytes(),
        b"PROXY TCP4 8.8.8.8\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"PROXY TCP4 evil 127.0.0.1 1234 80\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"PROXY TCP4 8.8.8.8 127.0.0.1 1234 80\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"\r\n\r\n\0\r\nQUIT\n\x31\x11\0\x0c____________",
        b"\r\n\r\n\0\r\nQUIT\n\x21\x11\xff\xff____________",
    ] {
        let mut wire = site.wire();
        let _ = wire.try_send(wrong);
        let (rest, _) = wire.rest();
        assert!(!rest.starts_with(b"HTTP/1.1 200"), "{}", wrong.escape_ascii());
    }
    site.stop();

    // From others it must not be there.
    let site = Site::of(&app, "[site.trusted]\nproxies = [\"10.0.0.0/8\"]\nproxy_protocol = true\n");
    let answer = site.wire().ask(format!("PROXY TCP4 10.0.0.1 127.0.0.1 1234 80\r\n{request}"));
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_eq!(told(&site.wire().ask(&request).is(200), "x-forwarded-for"), "127.0.0.1");
    site.stop();
}

#[test]
fn each_country_has_pages_of_its_own_and_nobody_says_which_is_his() {
    let app = telling();
    let site = Site::of(&app, &format!("{TRUSTED}{}", country(&database())));
    let ask = |address: &str, lines: &str| {
        let answer = site.get_with("/", &format!("X-Forwarded-For: {address}\r\n{lines}")).is(200);
        (told(&answer, "x-geoip-country"), answer.cache().starts_with("hit"))
    };
    // Networks of long standing: of a German registry, of MIT, of WIDE, of RIPE; and those that are nowhere.
    let addresses = ["194.246.96.1", "18.9.22.69", "203.178.141.194", "193.0.6.139", "2001:6b0::1"];
    let mut seen = Vec::new();
    for address in addresses {
        let (country, _) = ask(address, "");
        assert!(
            country.len() == 2 && country != "XX" && country.bytes().all(|byte| byte.is_ascii_uppercase()),
            "{address}: {country}"
        );
        for lie in [
            "X-GeoIP-Country: EV\r\n",
            "x_geoip_country: EV\r\n",
            "X-GeoIP_Country: EV\r\n",
            "X.GeoIP.Country: EV\r\n",
            "Connection: X-GeoIP-Country\r\n",
        ] {
            assert_eq!(ask(address, lie), (country.clone(), true), "{address} {lie}");
        }
        seen.push(country);
    }
    assert_eq!(seen[..3], ["DE", "US", "JP"]);
    for nowhere in ["10.0.0.1", "127.0.0.1", "192.168.1.1", "fd00::1", "240.0.0.1", "unknown", "0.0.0.0"] {
        let (country, _) = ask(nowhere, "X-GeoIP-Country: EV\r\n");
        assert_eq!(country, "XX", "{nowhere}");
    }
    // Who comes first with it takes nobody's page away.
    let fresh = |lines: &str| told(&site.get_with("/fresh", lines).is(200), "x-geoip-country");
    assert_eq!(
        fresh("X-Forwarded-For: 18.9.22.69\r\nConnection: close, x-geoip-country\r\nX-GeoIP-Country: DE\r\n"),
        "US"
    );
    assert_eq!(fresh("X-Forwarded-For: 194.246.96.1\r\n"), "DE");
    site.stop();
}

#[test]
fn without_a_database_nobody_says_a_country() {
    let app = telling();
    for settings in ["", TRUSTED] {
        let site = Site::of(&app, settings);
        for lines in ["X-GeoIP-Country: EV\r\n", "x_geoip_country: EV\r\n"] {
            assert_eq!(told(&site.get_with("/", lines).is(200), "x-geoip-country"), "");
        }
        site.stop();
    }
}
