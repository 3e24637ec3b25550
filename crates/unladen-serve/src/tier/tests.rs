use std::collections::HashMap;

use unladen_pool::{EndpointAddress, Origin, UpstreamSettings};

use super::peers::hash;
use super::*;

const SECRET_TEXT: &str = "0123456789abcdef0123456789abcdef";

/// As the node at this port of five.
fn tier(node: u16, hot: u8) -> Tier {
    let origin = |port: u16| Origin {
        at: EndpointAddress::Tcp("127.0.0.1".to_owned(), port),
        tls: false,
        weight: 1,
        authority: format!("127.0.0.1:{port}"),
        discovery: None,
    };
    let settings = TierSettings {
        upstream: UpstreamSettings::new("tier", (1..=5).map(origin).collect()),
        stamp: 0,
        secret: TierSecret::new(SECRET_TEXT).unwrap(),
        secret_file: "secret".into(),
        node: Some(([127, 0, 0, 1], node).into()),
        deadline: std::time::Duration::from_millis(500),
        hot,
    };
    Tier::new(settings, vec![node], 1, None).unwrap()
}

fn request(fields: &[(&[u8], &[u8])]) -> Request {
    let mut request = Request { method: b"GET".to_vec(), ..Request::default() };
    fields.iter().for_each(|(name, value)| request.fields.push(name, value));
    request
}

#[test]
fn all_nodes_ask_the_same_one_and_it_asks_nobody() {
    let tiers: Vec<Tier> = (1..=5).map(|node| tier(node, 3)).collect();
    let now = Instant::now();
    let mut owned: HashMap<String, usize> = HashMap::new();
    for n in 0..200 {
        let key = format!("http://a.example/{n}").into_bytes();
        let asked: Vec<Option<String>> = tiers
            .iter()
            .map(|tier| tier.turns(&key, now).map(|(turns, _)| turns[0].endpoint.address.to_string()))
            .collect();
        let owners: Vec<usize> = (0..5).filter(|node| asked[*node].is_none()).collect();
        let [owner] = owners[..] else { panic!("{asked:?}") };
        let address = format!("127.0.0.1:{}", owner + 1);
        assert!(asked.iter().flatten().all(|asked| *asked == address), "{asked:?}");
        *owned.entry(address).or_default() += 1;
    }
    assert_eq!(owned.len(), 5, "{owned:?}");
}

#[test]
fn one_that_failed_is_left_out_and_the_next_is_asked() {
    let tier = tier(1, 3);
    let upstream = tier.proxy.upstream.clone();
    let mut outliers = upstream.settings().clone();
    outliers.outlier = Some(unladen_pool::OutlierSettings {
        consecutive: 1,
        ejection: std::time::Duration::from_secs(3600),
        max_ejection: std::time::Duration::from_secs(3600),
        max_share: 1.0,
    });
    let tier = Tier::new(TierSettings { upstream: outliers, ..tier.settings.clone() }, vec![1], 1, None).unwrap();
    let now = Instant::now();
    let asked = |key: &[u8]| tier.turns(key, now).map(|(turns, _)| turns[0].endpoint.clone());
    let keys: Vec<Vec<u8>> = (0..200).map(|n| format!("http://a.example/{n}").into_bytes()).collect();
    let before: Vec<_> = keys.iter().map(|key| asked(key)).collect();
    let gone = before.iter().flatten().next().unwrap().clone();
    tier.proxy.upstream.report(&gone, false);
    for (key, before) in keys.iter().zip(before) {
        let after = asked(key);
        match before {
            Some(before) if !Arc::ptr_eq(&before, &gone) => assert!(Arc::ptr_eq(&before, &after.unwrap())),
            Some(_) => assert!(after.is_none_or(|after| !Arc::ptr_eq(&after, &gone))),
            None => assert!(after.is_none()),
        }
    }
}

#[test]
fn a_hot_page_is_kept_and_asked_for_where_less_is_under_way() {
    let tier = tier(1, 3);
    let now = Instant::now();
    let key = (0..).map(|n| format!("http://a.example/{n}").into_bytes()).find(|key| {
        // Neither the first nor the second is this node.
        let peers = tier.peers.now(&tier.proxy.upstream);
        let of = peers.iter().enumerate().map(|(place, peer)| (place, peer.hash));
        let (first, second) = highest_two(hash(key), of).unwrap();
        !peers[first].is_self && !peers[second.unwrap()].is_self
    });
    let key = key.unwrap();
    let [first, second, third] = [1, 2, 3].map(|_| tier.turns(&key, now).unwrap());
    assert!(!first.1 && !second.1 && third.1);
    assert_eq!((third.0.len(), third.0[0].only_stored), (1, false), "the owner has no more to do than the other");
    let _busy = third.0[0].endpoint.busy();
    let (turns, keeps) = tier.turns(&key, now).unwrap();
    assert!(keeps);
    assert_eq!(turns.iter().map(|turn| turn.only_stored).collect::<Vec<_>>(), [true, false]);
    assert!(Arc::ptr_eq(&turns[1].endpoint, &third.0[0].endpoint));
}

#[test]
fn who_has_no_secret_is_no_peer() {
    let tier = tier(1, 3);
    let question = Question { address: None, is_https: true, position: None, only_stored: false };
    let mut asked = request(&[]);
    tier.write(&question, &mut asked.fields);
    assert_eq!(tier.question(&asked), Some(question));
    assert_eq!(tier.question(&Request { method: b"PURGE".to_vec(), ..asked }), None, "it would purge for anybody");
    assert_eq!(tier.question(&request(&[(b"x-unladen-tier", b"https")])), None);
    assert_eq!(tier.counts.state().strangers, 0);
    assert_eq!(tier.question(&request(&[(b"x-unladen-tier", b"https"), (SECRET, b"wrong")])), None);
    assert_eq!(tier.counts.state().strangers, 1);
}

#[test]
fn loops_are_seen_in_whatever_list() {
    let tier = tier(1, 3);
    let mut signed = request(&[(b"cdn-loop", b"other.example; v=1")]);
    assert_eq!(tier.passed(&signed.fields), 0);
    tier.sign(&mut signed.fields);
    assert_eq!(tier.passed(&signed.fields), 1);
    let id = tier.id.to_uppercase();
    let list = format!("a, {id} ;x=y,{id}");
    assert_eq!(tier.passed(&request(&[(b"CDN-Loop", list.as_bytes())]).fields), 2);
    assert!(!tier.id.contains(SECRET_TEXT) && tier.id.len() == 24, "{}", tier.id);
}

#[test]
fn what_is_asked_for_often_is_hot_until_it_is_not() {
    let now = Instant::now();
    let heat = Heat::new(now);
    let page = hash(b"http://a.example/");
    assert_eq!([1, 2, 3, 4].map(|_| heat.count(page, now)), [1, 2, 3, 4]);
    assert_eq!(heat.count(page, now + HALF), 3);
    assert_eq!(heat.count(page, now + 20 * HALF), 1);
    for _ in 0..1000 {
        heat.count(page, now + 20 * HALF);
    }
    assert_eq!(heat.count(page, now + 20 * HALF), u8::MAX);
}

#[test]
fn others_do_not_make_a_page_hot() {
    let now = Instant::now();
    let heat = Heat::new(now);
    let hot = (0..5000_u32).filter(|n| heat.count(hash(&n.to_be_bytes()), now) > 1).count();
    // In both rows by chance: 5,000 of 32,768 twice, at the end.
    assert!(hot < 5000 / 20, "{hot}");
}
