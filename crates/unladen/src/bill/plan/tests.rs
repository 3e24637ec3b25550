use super::*;
use unladen_traffic::Options;

fn traffic(lines: &[(&str, usize)]) -> Traffic {
    let mut log = String::new();
    for (request, times) in lines {
        for at in 0..*times {
            let request = request.replace('#', &at.to_string());
            log += &format!("203.0.113.7 - - [10/Oct/2026:13:55:36 +0000] \"{request} HTTP/1.1\" 200 9 \"-\" \"x\"\n");
        }
    }
    Traffic::parse(log.as_bytes(), "access.log".as_ref(), &Options::default()).unwrap()
}

#[test]
fn requests_are_planned_or_told_and_add_up() {
    let traffic =
        traffic(&[("GET /wiki/Page_#", 500), ("POST /wiki/Page_#", 20), ("POST /api", 30), ("GET /logout", 7)]);
    let plan = Plan::of(&traffic, 24, false);
    let weighed: u64 = plan.kinds.iter().map(|kind| kind.requests).sum();
    let left: u64 = plan.not_weighed.iter().map(|row| row.requests).sum();
    assert_eq!(weighed + left, traffic.entries, "{plan:?}");
    assert!(plan.kinds.iter().all(|kind| !kind.urls.iter().any(|(url, _)| url.contains("logout"))), "{plan:?}");
    let (wiki, requests) = (&plan.kinds[0], 500.0);
    let sum: f64 = wiki.urls.iter().map(|(_, weight)| weight).sum();
    assert!((sum - requests).abs() < 1e-6, "{wiki:?}");
    assert!(wiki.urls.len() <= HEAD + TAIL);
}

#[test]
fn no_more_kinds_than_asked_for_and_the_rest_is_told() {
    let traffic = traffic(&[("GET /a.php?x=1", 50), ("GET /b.php", 40), ("GET /c.php", 30)]);
    let plan = Plan::of(&traffic, 2, false);
    assert_eq!(plan.kinds.len(), 2, "{plan:?}");
    assert_eq!(plan.not_weighed[0].requests, 30, "{plan:?}");
}

/// A log's own mix of hits and misses was nobody's.
#[test]
fn hits_and_misses_are_planned_apart() {
    let line = |path: &str, status: &str| {
        format!("203.0.113.7 - - [10/Oct/2026:13:55:36 +0000] \"GET {path} HTTP/1.1\" 200 9 \"-\" \"x\" {status}\n")
    };
    let log: String = [("/a", "HIT", 60), ("/a", "MISS", 20), ("/b", "MISS", 15), ("/style.css", "-", 50)]
        .iter()
        .map(|(path, status, times)| line(path, status).repeat(*times))
        .collect();
    let traffic = Traffic::parse(log.as_bytes(), "access.log".as_ref(), &Options::default()).unwrap();
    let plan = Plan::of(&traffic, 24, true);
    let mut rows: Vec<_> = plan.kinds.iter().map(|kind| (kind.name.as_str(), kind.requests, kind.way)).collect();
    rows.sort_unstable_by_key(|row| row.0);
    assert_eq!(
        rows,
        [
            ("/a, from the cache", 60, Way::FromCache),
            ("/a, past the cache", 20, Way::PastCache),
            ("/b, past the cache", 15, Way::PastCache),
            ("static .css", 50, Way::All),
        ]
    );
    let numbered = plan.kinds.iter().flat_map(|kind| kind.first..kind.first + kind.urls.len());
    assert!(numbered.eq(0..plan.kinds.iter().map(|kind| kind.urls.len()).sum()), "{plan:?}");
}
