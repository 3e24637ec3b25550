use super::*;

fn who(agent: &str, address: &str) -> Who {
    Clients::default().who(agent.as_bytes(), address.parse().ok())
}

#[test]
fn crawlers_that_say_so_are_named() {
    for (agent, name, tag) in [
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot", "search-engine"),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.2; +https://openai.com/gptbot",
            "GPTBot",
            "ai-crawler",
        ),
        ("Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)", "ClaudeBot", "ai-crawler"),
        ("curl/8.5.0", "curl", "http-library"),
        ("AcmeSpecialBot/1.0 (+https://acme.example)", "crawlers of no list", "unlisted"),
    ] {
        let who = who(agent, "203.0.113.7");
        assert_eq!((who.name().as_str(), who.tag()), (name, Some(tag)), "{agent}");
    }
}

#[test]
fn browsers_are_no_crawlers() {
    for agent in [
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
        "Mozilla/5.0 (Linux; Android 9; CUBOT X18 Plus) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36",
        "",
        "-",
    ] {
        assert!(!who(agent, "203.0.113.7").is_crawler(), "{agent}");
    }
}

#[test]
fn addresses_are_prefixes() {
    assert_eq!(who("x", "203.0.113.7").name(), "203.0.113.0/24");
    assert_eq!(who("x", "::ffff:203.0.113.7").name(), "203.0.113.0/24");
    assert_eq!(who("x", "2001:db8:1:2:3:4:5:6").name(), "2001:db8:1::/48");
    assert_eq!(who("x", "?").name(), "");
    assert!(!who("x", "?").is_network());
}

/// With more clients than are kept, those that matter keep their counts.
#[test]
fn rare_clients_are_dropped_and_frequent_ones_stay() {
    let mut clients = Clients::default();
    let heavy = clients.who(b"x", "192.0.2.1".parse().ok());
    for n in 0..1_200_000_u32 {
        let address = IpAddr::V4(Ipv4Addr::from_bits(n << 8));
        let who = clients.who(b"x", Some(address));
        clients.add(who, 0);
        if n % 10 == 0 {
            clients.add(heavy, 0);
        }
    }
    assert!(clients.is_incomplete && clients.cells.len() <= MOST_CELLS);
    let kept = clients.cells().find(|(who, ..)| *who == heavy).unwrap().2;
    assert!((120_000..=120_001).contains(&kept), "{kept}");
}
