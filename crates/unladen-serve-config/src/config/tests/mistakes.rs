use super::*;

/// A good file with lines at its top, in its `[[outbound]]`, and after that.
fn with(top: &str, outbound: &str, rest: &str) -> String {
    let join = |text: &str| if text.is_empty() { String::new() } else { format!("{text}\n") };
    format!("{}{LEAST}{}{}", join(top), join(outbound), join(rest))
}

/// A good file with another line for one of its keys.
fn instead(key: &str, line: &str) -> String {
    LEAST.lines().map(|old| if old.starts_with(key) { format!("{line}\n") } else { format!("{old}\n") }).collect()
}

#[test]
fn errors_point_at_the_place_and_say_what_was_meant() {
    let upstream = |url: &str| instead("upstream", &format!("upstream = {url}"));
    let listen = |address: &str| instead("listen", &format!("listen = {address}"));
    let second = LEAST.replace("search'", "other'");
    let files = [
        ("no TOML", with("threads =", "", "")),
        ("a key twice", with("", "name = 'x'", "")),
        ("nothing", String::new()),
        ("none", "outbound = []\n".into()),
        ("one in single brackets", LEAST.replace("[[outbound]]", "[outbound]")),
        ("in front, and nowhere to go", with("", "", "[[site]]\nlisten = '0.0.0.0:443'")),
        ("nothing said of one", "[[outbound]]\n".into()),
        ("a key misspelt", with("thread = 2", "", "")),
        ("a key in the wrong table", with("", "idle = '4s'", "")),
        ("a table in the wrong table", with("[pool]\nidle = '4s'", "", "")),
        ("an unknown key", with("", "colour = 'red'", "")),
        ("an unknown key in a table", with("", "pool.idel = '4s'", "")),
        ("what no default can be", with("", "", "[defaults]\nname = 'x'\ninsecure = true")),
        ("a default that nobody uses", with("", "pool.idle = '4s'", "[defaults]\npool.idle = 4")),
        ("a text for a number", with("threads = '2'", "", "")),
        ("no threads", with("threads = 0", "", "")),
        ("a duration as a number", with("drain = 30", "", "")),
        ("a duration without a unit", with("", "pool.idle = '4'", "")),
        ("a duration out of bounds", with("", "timeouts.connect = '2days'", "")),
        ("bytes of no unit", with("", "client.head_bytes = '64K'", "")),
        ("bytes out of bounds", with("", "client.head_bytes = '10B'", "")),
        ("a share as a percentage", with("", "retry.budget = 20", "")),
        ("a number for a table", with("", "pool = 4", "")),
        ("what cannot be switched off", with("", "pool = false", "")),
        ("a breaker that is a number", with("", "breaker = 4", "")),
        ("a breaker that opens for nothing", with("", "breaker.failures = 0", "")),
        ("health without a path", with("", "health = true", "")),
        ("a path that is none", with("", "health.path = 'up'", "")),
        ("a status that is none", with("", "retry.statuses = [200]", "")),
        ("a name with a blank", instead("name", "name = 'the search'")),
        ("a port alone", listen("6102")),
        ("no address", listen("':6102'")),
        ("a name for an address", listen("'localhost:6102'")),
        ("an address without a port", listen("'127.0.0.1'")),
        ("port 0", listen("'127.0.0.1:0'")),
        ("a path without unix:", listen("'/run/search.sock'")),
        ("an abstract socket", listen("'unix:@search'")),
        ("a path too long", listen(&format!("'unix:/{}'", "x".repeat(120)))),
        ("no address at all", listen("[]")),
        ("a host without a scheme", upstream("'search.example'")),
        ("a scheme misspelt", upstream("'htps://search.example'")),
        ("another scheme", upstream("'ftp://search.example'")),
        ("a path", upstream("'https://search.example/v1'")),
        ("a query", upstream("'https://search.example/?a=1'")),
        ("a password", upstream("'https://me:secret@search.example'")),
        ("a port that is none", upstream("'https://search.example:99999'")),
        ("one endpoint twice", upstream("['http://127.0.0.1:80', { url = 'http://127.0.0.1' }]")),
        ("a weight of nothing", upstream("[{ url = 'http://127.0.0.1:80', weight = 0 }]")),
        ("a weight without a URL", upstream("[{ weight = 2 }]")),
        ("endpoints of no kind", upstream("{ url = 'http://app', endpoints = '/etc/app.json' }")),
        ("endpoints of a kind misspelt", upstream("{ url = 'http://app', endpoints = 'srw:_http._tcp.app' }")),
        ("endpoints of a name that is none", upstream("{ url = 'http://app', endpoints = 'srv:http://app' }")),
        ("endpoints of a file's URL", upstream("{ url = 'http://app', endpoints = 'file:///etc/app.json' }")),
        ("a control plane without a port", upstream("{ url = 'http://app', endpoints = 'xds://plane/app?node=web' }")),
        ("a control plane without a node", upstream("{ url = 'http://app', endpoints = 'xds://plane:18000/app' }")),
        ("a control plane of nothing", upstream("{ url = 'http://app', endpoints = 'xdss://plane:18000/?node=web' }")),
        ("endpoints and others", upstream("['http://other', { url = 'http://app', endpoints = 'file:app.json' }]")),
        ("endpoints with a weight", upstream("{ url = 'http://app', endpoints = 'file:app.json', weight = 2 }")),
        ("endpoints of a socket", upstream("{ url = 'unix:/run/app.sock', endpoints = 'file:app.json' }")),
        ("a DNS server without a port", with("", "resolve.servers = ['127.0.0.1']", "")),
        ("a zone of nothing", with("zone = ''", "", "")),
        ("a number for a URL", upstream("9243")),
        ("itself", upstream("'http://localhost:6102'")),
        ("an http that there is not", with("", "http = '3'", "")),
        ("an http as a number", with("", "http = 2", "")),
        ("a host misspelt", with("", "host = 'upstraem'", "")),
        ("a host that is none", with("", "host = 'a/b'", "")),
        ("a mode as a number", with("", "socket_mode = 660", "")),
        ("a mode that is none", with("", "socket_mode = '0888'", "")),
        ("a file that is not there", with("", "ca = 'none.pem'", "")),
        ("a file that is no certificate", with("", "ca = 'own.key'", "")),
        ("a certificate without a key", with("", "certificate = 'own.pem'", "")),
        ("TLS where there is none", format!("{}ca = 'ca.pem'\n", upstream("'http://127.0.0.1:80'"))),
        ("a server_name that is a URL", with("", "server_name = 'https://search.example'", "")),
        ("idle for less than fresh", with("", "pool.idle = '500ms'", "")),
        ("more warm ones than idle ones", with("", "pool = { warm = 9, max_idle = 8 }", "")),
        ("a backoff above its bound", with("", "retry.backoff = '1s'", "")),
        ("an ejection above its bound", with("", "outlier.ejection = '10m'", "")),
        ("a TTL above its bound", with("", "resolve.min_ttl = '10m'", "")),
        ("a default that does not fit", with("", "pool.fresh = '3s'", "[defaults]\npool.idle = '2s'")),
        ("a rate of nothing", with("", "", "[[outbound.rate]]\nrate = 0")),
        ("a rate without its number", with("", "", "[[outbound.rate]]\nheader = 'X-Key'")),
        ("a header that is none", with("", "", "[[outbound.rate]]\nheader = 'X Key'\nrate = 1")),
        ("one table for a list", with("", "", "[outbound.rate]\nrate = 1")),
        ("two of one name", format!("{LEAST}{}", LEAST.replace("6102", "6103"))),
        ("two at one address", format!("{LEAST}{second}")),
        (
            "one at a port that another has at all addresses",
            format!("{LEAST}{}", second.replace("127.0.0.1", "0.0.0.0")),
        ),
        ("one at the address where it shows itself", with("[admin]\nlisten = '127.0.0.1:6102'", "", "")),
        ("showing itself to all", with("[admin]\nlisten = '0.0.0.0:6190'", "", "")),
        ("showing itself nowhere", with("[admin]", "", "")),
        ("a collector without a scheme", with("[otlp]\nendpoint = '127.0.0.1:4318'", "", "")),
        ("a collector over TLS", with("[otlp]\nendpoint = 'https://collector.example'", "", "")),
    ];
    insta::assert_snapshot!(refused(&files));
}

fn refused(files: &[(&str, String)]) -> String {
    let texts = files.iter().map(|(what, text)| {
        let error = parse(text).map(|_| what).expect_err(what);
        format!("# {what}\n{error}\n")
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The same in front of an application.
#[test]
fn errors_in_site() {
    let with = |lines: &str| format!("{SITE}{lines}\n");
    let instead = |key: &str, line: &str| -> String {
        SITE.lines().map(|old| format!("{}\n", if old.starts_with(key) { line } else { old })).collect()
    };
    let validator = |lines: &str| format!("{SITE}[[site.validator]]\n{lines}\n");
    let postgres = |query: &str| validator(&format!("path = '/{{a}}/{{b}}'\ndatabase = 'postgres://db/shop'\n{query}"));
    let files = [
        ("one in single brackets", SITE.replace("[[site]]", "[site]")),
        ("a key misspelt", with("upstraem = 'x'")),
        ("what belongs at the top", with("threads = 2")),
        ("what belongs in front", format!("{LEAST}cache = false\n")),
        ("a key of the cache", with("memory = '1GiB'")),
        ("a key of a group", with("pool.idel = '4s'")),
        ("FastCGI", instead("upstream", "upstream = 'fastcgi://127.0.0.1:9000'")),
        ("itself", instead("upstream", "upstream = 'https://127.0.0.1'")),
        ("an application nowhere", instead("upstream", "")),
        ("two of one name", format!("{SITE}{}", SITE.replace("443", "444"))),
        ("a name that is taken beside", format!("{SITE}name = 'search'\n{LEAST}")),
        ("an address that is taken", format!("{LEAST}{}", SITE.replace("0.0.0.0:443", "127.0.0.1:6102"))),
        ("redirected to itself", with("redirect = '0.0.0.0:443'")),
        ("a certificate alone", instead("tls", "tls = { cert = 'site.pem' }")),
        ("a certificate as a text", instead("tls", "tls = 'site.pem'")),
        ("no certificates", instead("tls", "tls = []")),
        ("a key for a certificate", instead("tls", "tls = { cert = 'site.key', key = 'none.key' }")),
        ("a word in tls", instead("tls", "tls = { cert = 'site.pem', key = 'site.key', http2 = true }")),
        ("no TLS", instead("tls", "tls12 = false\nredirect = '0.0.0.0:80'\nhsts = true")),
        ("hsts without an age", with("hsts = 'includeSubDomains'")),
        ("hsts misspelt", with("hsts = 'max-age=1; includeSubdomain'")),
        ("hsts with a line's end", with("hsts = \"max-age=1\\r\\nX: y\"")),
        ("whatever clients say", with("forwarded = 'pass'")),
        ("nobody trusted", with("trusted.proxy_protocol = true")),
        ("a net that is none", with("trusted.proxies = ['10.0.0.1/8', '10.0.0.0/33', 'example.org', 4]")),
        ("a body larger than all", with("cache = { memory = '1MiB', largest = '2MiB' }")),
        ("a cookie told apart and ignored", with("cache = { vary_cookies = ['a'], ignore_cookies = ['a'] }")),
        ("cookies that are none", with("cache.ignore_cookies = ['*', 'a b', 'a*b']")),
        ("a language that is none", with("cache.languages = ['en', 'en_US', '']")),
        ("parameters that are none", with("cache.ignore_query = ['a=b', '*']")),
        ("a failure for a page", with("cache.statuses = [404, 503]")),
        ("a status that no cache keeps", with("cache.statuses = [401]")),
        ("a rate by what is taken off", with("[[site.rate]]\nheader = 'X-Real-IP'\nrate = 5")),
        ("a rate by what is written anew", with("[[site.rate]]\nheader = 'X-Forwarded-For'\nrate = 5")),
        ("a rate by a country that is not known", with("[[site.rate]]\nheader = 'X-GeoIP-Country'\nrate = 5")),
        ("a rate by what is dropped", with("[[site.rate]]\nheader = 'api_key'\nrate = 5")),
        ("a rate by what the cache answers", with("[[site.rate]]\nheader = 'If-None-Match'\nrate = 5")),
        ("hits of what keeps nothing", format!("{LEAST}[[outbound.rate]]\nrate = 1\nhits = true\n")),
        ("no country database", with("cache.country.database = 'none.mmdb'")),
        ("a country as a text", with("cache.country = 'country.mmdb'")),
        ("purge as a text", with("cache.purge = '127.0.0.1'")),
        ("a validator of nothing", validator("path = '/'")),
        ("a validator of two", validator("path = '/'\nhead = true\nfile = 'x'")),
        ("a validator nowhere", validator("head = true")),
        ("a path that is none", validator("path = '/{a'\nhead = true")),
        ("a query of no database", validator("path = '/'\nhead = true\nquery = 'select 1'")),
        ("a database without a query", postgres("")),
        ("more parameters than names", postgres("query = 'select $1, $2, $3'")),
        ("parameters of no name", postgres("query = 'select $1'\nparameters = ['c']")),
        ("other parameters than the query's", postgres("query = 'select $1'\nparameters = ['a', 'b']")),
        ("another's parameters", validator("path = '/{a}'\ndatabase = 'mysql://db/shop'\nquery = 'select $1'")),
        ("a database that there is not", validator("path = '/'\ndatabase = 'oracle://me:secret@db/x'\nquery = 'x'")),
        ("a database without a name", validator("path = '/'\ndatabase = 'postgres://db'\nquery = 'x'")),
        ("what does something with a query", with("effects = ['/cart?add', 'a/b', '*']")),
        ("what does something and nothing", with("effects = ['export']\nno_effects = ['Export']")),
        ("a file of no name", validator("path = '/{page}'\nfile = 'pages/{pgae}'")),
        ("a brace alone", validator("path = '/{page}'\nfile = 'pages/{page'")),
    ];
    insta::assert_snapshot!(refused(&files));
}

#[test]
fn all_mistakes_are_told_at_once() {
    let text =
        "threads = 0\ncolour = 1\n[[outbound]]\nlisten = 'x'\nupstream = 'y'\npool.idle = 4\n[[outbound]]\nname = ''\n";
    insta::assert_snapshot!(parse(text).unwrap_err());
    let syntax = "threads = \n[[outbound]\nname = 'x'\n";
    insta::assert_snapshot!(parse(syntax).unwrap_err());
    let many: String = (0..50).map(|n| format!("key{n} = 1\n")).collect();
    assert!(parse(&many).unwrap_err().to_string().ends_with("and 31 more"));
}

#[test]
fn warnings_say_what_comes_of_it() {
    let files = [
        ("many threads", with("threads = 100", "", "")),
        ("long idle", with("", "pool.idle = '2m'", "")),
        ("insecure", with("", "insecure = true", "")),
        ("a key for all", with("", "certificate = 'own.pem'\nkey = 'open.key'", "")),
        ("for all to call", instead("listen", "listen = '0.0.0.0:6102'")),
        ("nothing encrypted", instead("upstream", "upstream = 'http://search.example'")),
        ("an address for a name", instead("upstream", "upstream = 'https://10.0.0.1'")),
        ("pending above requests", with("", "limits = { pending = 20, requests = 10 }", "")),
        ("a request shorter than its connection", with("", "timeouts.request = '1s'", "")),
        ("a status that says no", with("", "retry.statuses = [404, 503]", "")),
        ("statuses without attempts", with("", "retry = { attempts = 0, statuses = [503] }", "")),
        ("slow health", with("", "health = { path = '/', every = '1s' }", "")),
        ("plain in front", SITE.replace("tls = ", "# ")),
        ("all trusted", format!("{SITE}trusted.proxies = ['0.0.0.0/0']\n")),
        ("all may purge", format!("{SITE}cache.purge = ['::/0']\n")),
        ("cookies that share", format!("{SITE}cache.share_with_cookies = true\n")),
        ("a proxy that may purge", format!("{SITE}trusted.proxies = ['10.0.0.0/8']\ncache.purge = ['10.1.2.3']\n")),
        ("a key in front for all", SITE.replace("site.key", "open.key")),
        ("a validator of nothing kept", format!("{SITE}cache = false\n[[site.validator]]\npath = '/'\nhead = true\n")),
        (
            "only for a maximum",
            format!(
                "{SITE}[[site.validator]]\npath = '/{{page*}}'\ndatabase = 'sqlite:site.db'\nquery = 'select max(changed) from pages'\n"
            ),
        ),
        ("keys of no header", with("", "", "[[outbound.rate]]\nrate = 1\nkeys = 5")),
    ];
    let texts = files.map(|(what, text)| {
        let warnings = parse(&text).expect(what).warnings;
        assert_eq!(warnings.len(), 1, "{what}: {warnings:?}");
        format!("# {what}\n{}\n", warnings[0])
    });
    insta::assert_snapshot!(texts.join("\n"));
}

/// What has values to be counted by may be counted by.
#[test]
fn rates_by_what_reaches_the_application_are_taken() {
    for (settings, header) in [
        ("", "Authorization"),
        ("", "X-Api-Key"),
        ("underscores = true", "api_key"),
        ("cache = false", "If-None-Match"),
        ("trusted.proxies = ['10.0.0.1']", "X-Forwarded-For"),
        ("cache.country.database = 'country.mmdb'", "X-GeoIP-Country"),
    ] {
        let text = format!("{SITE}{settings}\n[[site.rate]]\nheader = '{header}'\nrate = 5\nhits = true\n");
        let rates =
            parse(&text).unwrap_or_else(|error| panic!("{header}: {error}")).settings.site[0].proxy.rates.clone();
        assert!(rates[0].hits, "{header}");
    }
}

/// A default that is wrong is told once, and not for each that it is a default of.
#[test]
fn a_mistake_in_the_defaults_is_told_once() {
    let text = format!("[defaults]\npool.idle = 4\n{LEAST}{}", LEAST.replace("search'", "b'").replace("6102", "6103"));
    let error = parse(&text).unwrap_err().to_string();
    assert_eq!(error.matches("unladen.toml:").count(), 1, "{error}");
    let text = text.replace("pool.idle = 4", "pool.idle = '5m'");
    assert_eq!(parse(&text).unwrap().warnings.len(), 1);
}

#[test]
fn the_caret_stays_below_its_word_on_long_lines() {
    let text = format!("x = ['{}\tä'], nonsense", "x".repeat(500));
    let error = parse(&text).unwrap_err().to_string();
    assert!(error.lines().skip(1).all(|line| line.chars().count() < 200), "{error}");
}

#[test]
fn a_password_is_not_repeated() {
    let error = parse(&instead("upstream", "upstream = 'https://me:secret@search.example'")).unwrap_err();
    let ConfigError::Bad(Mistakes { places, .. }) = error else { panic!() };
    assert!(!places[0].problem.to_string().contains("secret"));
}

#[test]
fn who_may_purge_by_htcp_is_named() {
    let with = |lines: &str| format!("[fleet]\npurges = 'valkey://127.0.0.1'\n{lines}\n{LEAST}");
    for (wrong, says) in [
        ("htcp = '0.0.0.0:4827'", "htcp_from"),
        ("htcp = '10.0.0.1:4827'", "htcp_from"),
        ("htcp_from = ['10.0.0.0/8']", "htcp"),
        ("htcp = 'wiki.example:4827'", "an address and a port"),
        ("htcp = '127.0.0.1:0'", "an address and a port"),
        ("htcp = '127.0.0.1:4827'\nhtcp_from = ['unix']", "Unix socket"),
        ("htcp = '127.0.0.1:4827'\nhtcp_groups = ['10.0.0.1']", "multicast"),
        ("htcp = '[::1]:4827'\nhtcp_groups = ['239.128.0.112']", "IPv4"),
    ] {
        let error = parse(&with(wrong)).unwrap_err().to_string();
        assert!(error.contains(says), "{wrong}: {error}");
    }
    let config = parse(&with("htcp = '127.0.0.1:4827'")).unwrap();
    assert!(config.warnings.iter().any(|warning| warning.to_string().contains("UDP")), "{:?}", config.warnings);
}

/// Pages of a validator are vouched for, whether or not the engine is reached.
#[test]
fn pages_that_are_served_though_they_may_have_been_purged_are_warned_of() {
    let warned = |lines: &str, site: &str| {
        let config = parse(&format!("[fleet]\npurges = 'valkey://127.0.0.1'\n{lines}\n{SITE}{site}")).unwrap();
        config.warnings.iter().any(|warning| warning.to_string().contains("purged on another node"))
    };
    let serve = "when_cut_off = 'serve'";
    assert!(warned(serve, ""));
    assert!(!warned("", "") && !warned("when_cut_off = 'revalidate'", ""));
    assert!(!warned(serve, "cache = false"));
    assert!(!warned(serve, "[[site.validator]]\npath = '/{page*}'\nhead = true"));
}

/// Neither in what is explained nor in a message.
#[test]
fn the_password_of_an_engine_is_not_told() {
    let with = |url: &str| format!("[fleet]\npurges = '{url}'\n{LEAST}");
    let config = parse(&with("valkey://me:s3cret@cache.example/1")).unwrap();
    let shown = format!("{} {:?} {:?}", config.told(), config.explained, config.settings);
    assert!(shown.contains("valkey://cache.example/1") && !shown.contains("s3cret"), "{shown}");
    assert!(!serde_json::to_string(&config.settings).unwrap().contains("s3cret"));
    for url in ["valkey://me:s3cret@cache.example:port", "redi://me:s3cret@cache.example"] {
        let error = parse(&with(url)).unwrap_err().to_string();
        // Nor in the line, which is shown below: it goes to a journal, as at a reload.
        assert!(!error.contains("s3cret"), "{error}");
    }
}

/// The key of an account is called as other keys are, which are files.
#[test]
fn the_key_of_an_account_is_not_told() {
    let site = "[[site]]\nhosts = 'a.example'\nlisten = '0.0.0.0:443'\nupstream = 'http://127.0.0.1:1'\n";
    for eab in ["eab = { kid = 'a', key = 's3cret!' }", "eab = { kid = 'a', key = 's3cret', x = 1 }"] {
        let error = parse(&format!("{site}[site.acme]\n{eab}\n")).unwrap_err().to_string();
        assert!(error.contains("eab") && !error.contains("s3cret"), "{error}");
    }
    let table = "[site.acme]\n[site.acme.eab]\nkid = 'a'\nkey = 's3cret!'\n";
    let error = parse(&format!("{site}{table}")).unwrap_err().to_string();
    assert!(error.contains("base64url") && !error.contains("s3cret"), "{error}");
}

#[test]
fn a_service_of_limits_is_told_what_is_meant() {
    let with = |lines: &str| format!("{LEAST}[[outbound.rate]]\nrate = 1\n{lines}\n");
    const SERVICE: &str = "service = 'grpc://limits.example:8081/shop'";
    for (wrong, says) in [
        (SERVICE, "add `descriptor`"),
        ("descriptor = ['a=b']", "add `service`"),
        ("service = 'http://limits.example:8081/shop'", "grpc://limits.example:8081/DOMAIN"),
        ("service = 'grpc://limits.example:8081'", "grpc://limits.example:8081/DOMAIN"),
        ("service = 'grpc://limits.example/shop'", "grpc://limits.example:8081/DOMAIN"),
        ("service = 'grpc://me:secret@limits.example:8081/shop'", "a URL with a user"),
        (&format!("{SERVICE}\ndescriptor = ['a=$client']"), "only a [[site]]"),
        (&format!("{SERVICE}\ndescriptor = ['a=$method']"), "does not begin with `$`"),
        (&format!("{SERVICE}\ndescriptor = ['a=$header:a b']"), "the name of a header field"),
        (&format!("{SERVICE}\ndescriptor = ['=b']"), "generic_key=login"),
        (&format!("{SERVICE}\ndescriptor = []"), "0 entries"),
        (&format!("{SERVICE}\ndescriptor = ['a=b']\nheader = 'x'"), "$header:NAME"),
        (&format!("{SERVICE}\ndescriptor = ['a=b']\ndeadline = '2s'"), "deadline"),
    ] {
        let error = parse(&with(wrong)).unwrap_err().to_string();
        assert!(error.contains(says) && !error.contains("secret"), "{wrong}: {error}");
    }
    let rates =
        &parse(&with(&format!("{SERVICE}\ndescriptor = ['a=b', 'k=$header:X-Key']"))).unwrap().settings.outbound[0]
            .rates;
    assert_eq!(rates[0].service.as_ref().unwrap().to_string(), "grpc://limits.example:8081/shop");
    assert_eq!(rates[0].descriptor.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a=b", "k=$header:x-key"]);
    let rates = parse(&with("deadline = '30ms'")).unwrap().warnings;
    assert!(rates[0].to_string().contains("no effect without `service`"), "{rates:?}");
}
