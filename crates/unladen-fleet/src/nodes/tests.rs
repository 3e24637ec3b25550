use super::*;

fn members(all: &[(&str, &str, u64)]) -> Vec<Member> {
    all.iter().map(|(node, epoch, n)| Member::new(node, Position::new(epoch, *n).unwrap()).unwrap()).collect()
}

#[test]
fn who_is_furthest_behind_is_first() {
    let mut nodes = Nodes::default();
    let now = Instant::now();
    let end = Position::new("a", 10).unwrap();
    nodes.look(&end, &members(&[("c", "a", 10), ("b", "a", 12), ("a", "a", 3), ("d", "z", 9)]), now);
    let told: Vec<_> = nodes.nodes.iter().map(|node| (&*node.node, node.behind)).collect();
    assert_eq!(told, [("d", None), ("a", Some(7)), ("b", Some(0)), ("c", Some(0))]);
    assert_eq!((nodes.all, nodes.looked), (4, Some(now)));
    // Not many times a second.
    nodes.look(&end, &[], now + EVERY / 2);
    assert_eq!(nodes.all, 4);
    nodes.look(&end, &[], now + EVERY);
    assert_eq!((nodes.all, nodes.nodes.len()), (0, 0));
}

#[test]
fn of_thousands_those_are_kept_that_matter() {
    let names: Vec<String> = (0..1000).map(|n| format!("n{n}")).collect();
    let all: Vec<_> = names.iter().zip(0..).map(|(name, n)| (name.as_str(), "a", n)).collect();
    let mut nodes = Nodes::default();
    nodes.look(&Position::new("a", 1000).unwrap(), &members(&all), Instant::now());
    assert_eq!((nodes.all, nodes.nodes.len()), (1000, KEPT));
    assert_eq!((&*nodes.nodes[0].node, nodes.nodes[0].behind), ("n0", Some(1000)));
    assert_eq!(nodes.nodes[KEPT - 1].behind, Some(1000 - KEPT as u64 + 1));
}

/// Names went into the answers of PURGE as the engine gave them, of any length and with line ends.
#[test]
fn what_is_no_name_of_a_node_is_refused_and_shown_on_one_line() {
    let position = Position::new("a", 1).unwrap();
    for good in ["a", "web-1.5f3a90c2", &"x".repeat(96)] {
        assert_eq!(Member::new(good, position.clone()).unwrap().node(), good);
    }
    for bad in ["", "web-9\nweb-2 has confirmed it after 1.0 ms", "\u{1b}[2J", "a b", &"x".repeat(97), "=mark"] {
        let error = Member::new(bad, position.clone()).unwrap_err().to_string();
        assert!(!error.contains(['\n', '\u{1b}']) && error.len() < 400, "{error:?}");
    }
    let long = Member::new(&"x".repeat(60_000), position).unwrap_err().to_string();
    assert!(long.len() < 400, "{long}");
}
