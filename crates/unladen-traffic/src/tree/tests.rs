use proptest::prelude::*;

use super::*;

/// Kinds of targets, each asked for so often, in turns, with their requests.
fn learn<'a>(targets: impl IntoIterator<Item = (&'a str, u16)>) -> Vec<(String, u64)> {
    let mut tree = Tree::new();
    let mut sampler = Sampler::new(0);
    let kinds = KindList::default();
    for (text, status) in targets {
        let (id, _) = tree.place(&Target::parse(text.as_bytes()), Some(status), &kinds, &mut sampler);
        tree.tally(id).requests += 1;
    }
    let (kinds, _) = tree.kinds(&mut sampler);
    kinds.into_iter().map(|(name, tally)| (name, tally.requests)).collect()
}

fn names<'a>(targets: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut names: Vec<_> =
        learn(targets.into_iter().map(|text| (text.as_str(), 200))).into_iter().map(|(name, _)| name).collect();
    names.sort();
    names
}

#[test]
fn what_varies_becomes_a_placeholder_and_what_recurs_stays() {
    let mut targets = Vec::new();
    for n in 0..2000 {
        targets.push(format!("/article/{n}"));
        targets.push(format!("/blog/2024/05/{n:02}-a-story-of-{}-people", n % 977));
        targets
            .push(format!("/user/{}/photos", ["anna", "bob", "carol", "dave"][n % 4].to_owned() + &"x".repeat(n % 90)));
        targets.push(format!("/commit/{:040x}", (n as u128 + 1) * 0xabc_def0_1234_5678_9abc));
        targets.push(format!("/list?sort={}&page={n}", ["name", "date"][n % 2]));
        targets.push(format!("/search?q=word{}x{n}", n * 7919));
        targets.push("/about".to_owned());
        targets.push("/contact/".to_owned());
    }
    assert_eq!(
        names(&targets),
        [
            "/about",
            "/article/{n}",
            "/blog/{n}/{n}/{n}-a-story-of-{n}-people",
            "/commit/{hash}",
            "/contact",
            "/list?page={n}&sort=date",
            "/list?page={n}&sort=name",
            "/search?q={text}",
            "/user/{title}/photos"
        ]
    );
}

#[test]
fn the_order_of_keys_and_where_visitors_came_from_do_not_matter() {
    let targets: Vec<String> = (0..100)
        .flat_map(|n| {
            [
                format!("/a?x={n}&y=5"),
                format!("/a?y=7&x={n}"),
                format!("/a/?y=7&utm_source=mail&x={n}&fbclid=q{n}"),
                format!("/a?y=7&amp;x={n}"),
                format!("/a?y[]=7&y[]=8&x={n}"),
            ]
        })
        .collect();
    assert_eq!(names(&targets), ["/a?x={n}&y={n}"]);
}

#[test]
fn secrets_are_no_kinds() {
    let targets: Vec<String> = (0..100).map(|_| "/a?token=hunter&view=list".to_owned()).collect();
    assert_eq!(names(&targets), ["/a?token={secret}&view=list"]);
}

#[test]
fn scanners_make_no_kinds() {
    let mut targets: Vec<(String, u16)> = (0..3000).map(|n| (format!("/{n}-admin/x{n}.php"), 404)).collect();
    targets.extend((0..100).map(|_| ("/about".to_owned(), 200)));
    targets.push(("/about".to_owned(), 404));
    let found = learn(targets.iter().map(|(text, status)| (text.as_str(), *status)));
    assert_eq!(found, [("not found".to_owned(), 3001), ("/about".to_owned(), 100)]);
}

#[test]
fn rare_combinations_of_keys_are_one_kind() {
    let mut targets = Vec::new();
    for n in 0..4096_u32 {
        targets.extend((0..8).map(|_| format!("/shop?page={n}")));
        let keys: String = (0..12).filter(|bit| n >> bit & 1 == 1).map(|bit| format!("&f{bit}=1")).collect();
        targets.push(format!("/shop?f{}", keys.trim_start_matches("&f")));
    }
    let names = names(&targets);
    assert!(names.contains(&"/shop?{keys}".to_owned()) && names.len() < 20, "{names:?}");
}

/// A log of a site with posts at its root, one of which is asked for far more than the others.
fn site(lines: usize, seed: u64) -> Vec<String> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let zipf = |rng: &mut fastrand::Rng| (rng.f64() * 20_000_f64.ln()).exp() as u32;
    let lines = (0..lines).map(|_| match rng.u32(0..100) {
        0..40 => format!("/the-{}-post-of-{}", zipf(&mut rng), zipf(&mut rng) % 7),
        40..55 => format!("/product/{}?color={}", zipf(&mut rng), ["red", "green", "blue"][rng.usize(0..3)]),
        55..65 => format!("/user{}/profile", zipf(&mut rng)),
        65..80 => "/".to_owned(),
        80..90 => format!("/{}", ["about", "contact", "imprint", "search", "cart"][rng.usize(0..5)]),
        _ => format!("/api/v1/{}/{}", ["items", "stock", "prices"][rng.usize(0..3)], zipf(&mut rng)),
    });
    lines.collect()
}

#[test]
fn more_traffic_leaves_the_kinds_as_they_are() {
    for seed in 0..3 {
        let log = site(40_000, seed);
        let whole = names(&log);
        assert!(whole.len() < 25, "{whole:?}");
        for part in [&log[..20_000], &log[20_000..], &log[..10_000]] {
            assert_eq!(names(part), whole, "seed {seed}");
        }
        // Whatever the order in which it comes.
        let mut shuffled = log.clone();
        fastrand::Rng::with_seed(seed).shuffle(&mut shuffled);
        assert_eq!(names(&shuffled), whole);
    }
}

/// Millions of targets of many depths are bounded, and what is frequent is found among them.
#[test]
fn a_tree_that_is_full_is_settled_and_goes_on() {
    let mut tree = Tree::new();
    let mut sampler = Sampler::new(0);
    let kinds = KindList::default();
    let mut rng = fastrand::Rng::with_seed(3);
    let mut word = || (0..6).map(|_| char::from(rng.u8(b'a'..=b'z'))).collect::<String>();
    for n in 0..100_000 {
        let text = if n % 4 == 0 {
            "/export/pdf".to_owned()
        } else {
            format!("/{}/{}/{}?{}={}", word(), word(), word(), word(), word())
        };
        let (id, _) = tree.place(&Target::parse(text.as_bytes()), Some(200), &kinds, &mut sampler);
        tree.tally(id).requests += 1;
        assert!(tree.nodes.len() <= MOST_NODES + 16);
    }
    let (kinds, _) = tree.kinds(&mut sampler);
    assert_eq!(kinds.iter().map(|(_, tally)| tally.requests).sum::<u64>(), 100_000);
    assert!(kinds.iter().any(|(name, tally)| name == "/export/pdf" && tally.requests == 25_000), "{}", kinds[0].0);
    assert!(kinds.len() <= MOST_KINDS);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn counts_add_up_and_names_can_be_shown(parts in prop::collection::vec("(/[a-c\\PC]{0,3}){0,4}(\\?[a-c=&;%\\PC]{0,12})?", 1..80)) {
        let found = learn(parts.iter().map(|text| (text.as_str(), 200)));
        prop_assert_eq!(found.iter().map(|(_, requests)| requests).sum::<u64>(), parts.len() as u64);
        for (name, _) in &found {
            prop_assert!(name.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' '), "{}", name);
        }
        prop_assert_eq!(found, learn(parts.iter().map(|text| (text.as_str(), 200))), "the same log, the same kinds");
    }
}
