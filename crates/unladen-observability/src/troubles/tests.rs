//! Tests of [`Troubles`].

use super::*;

fn trouble<'a>(place: &'a str, cause: &'a str) -> Trouble<'a> {
    Trouble { whom: "search", place: Some(place), reason: "tls_failed", cause }
}

/// Those whom a test tells at times of its own.
struct Lab {
    shared: Shared,
    began: Instant,
}

impl Lab {
    fn new() -> Self {
        Self { shared: Shared::default(), began: Instant::now() }
    }

    fn at(&self, seconds: u64) -> Instant {
        self.began + Duration::from_secs(seconds)
    }

    fn tell(&self, seconds: u64, trouble: &Trouble<'_>) -> bool {
        let hash = self.shared.hash(trouble);
        self.shared.locked().add(trouble, b"", hash, self.at(seconds))
    }

    fn due(&self, seconds: u64) -> String {
        self.shared.locked().due(self.at(seconds), false)
    }
}

#[test]
fn the_first_is_told_at_once_and_the_others_once_a_minute_with_their_number() {
    let lab = Lab::new();
    let one = trouble("10.0.0.1:443", "its certificate expired 2 days ago");
    assert!(lab.tell(0, &one));
    let line = "unladen: `search` (10.0.0.1:443): its certificate expired 2 days ago [tls_failed]\n";
    assert_eq!(lab.due(0), line);
    for second in 1..38 {
        assert!(!lab.tell(second, &one));
        assert_eq!(lab.due(second), "");
    }
    assert_eq!(lab.due(59), "");
    assert_eq!(lab.due(60), line.replace('\n', " (37 more in the last minute)\n"));
    assert_eq!(lab.due(200), "");
    // After a quiet time it is told at once again.
    assert!(lab.tell(300, &one));
    assert_eq!(lab.due(300), line.replace('\n', " (1 more in the last 4 minutes)\n"));
}

#[test]
fn kinds_differ_by_place_reason_and_cause_and_not_by_digits() {
    let lab = Lab::new();
    assert!(lab.tell(0, &trouble("10.0.0.1:443", "expired 59 seconds ago")));
    lab.due(0);
    assert!(!lab.tell(1, &trouble("10.0.0.1:443", "expired 60 seconds ago")));
    assert!(lab.tell(1, &trouble("10.0.0.2:443", "expired 60 seconds ago")));
    assert!(lab.tell(1, &trouble("10.0.0.1:443", "it is for another name")));
    assert!(lab.tell(1, &Trouble { reason: "connect_failed", ..trouble("10.0.0.1:443", "expired 60 seconds ago") }));
    assert_eq!(lab.due(1).lines().count(), 3);
}

#[test]
fn whoever_chooses_causes_fills_neither_memory_nor_standard_error() {
    let lab = Lab::new();
    let mut lines = 0;
    for number in 0..2000_u32 {
        // No digits: each is a kind of its own.
        let cause: String = number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
        lab.tell(u64::from(number) / 100, &trouble("a", &cause));
        lines += lab.due(u64::from(number) / 100).lines().count();
    }
    assert_eq!(lines, usize::try_from(LINES).unwrap());
    assert_eq!(lab.shared.locked().all.len(), KINDS);
    let lab = Lab::new();
    let long = "x".repeat(10_000);
    lab.tell(100, &trouble("a", &format!("a\u{1b}[31m\nb{long}")));
    let line = lab.due(100).lines().find(|line| line.contains("[31m")).unwrap().to_owned();
    assert!(line.contains("a [31m bx") && line.contains("x… [tls_failed]") && line.len() < 700, "{line}");
}

#[test]
fn what_was_not_told_is_told_at_the_end() {
    let lab = Lab::new();
    lab.tell(0, &trouble("a", "b"));
    lab.due(0);
    lab.tell(1, &trouble("a", "b"));
    lab.tell(2, &trouble("a", "b"));
    let mut written = Vec::new();
    lab.shared.locked().is_over = true;
    lab.shared.write(&mut written);
    assert_eq!(
        String::from_utf8(written).unwrap(),
        "unladen: `search` (a): b [tls_failed] (2 more in the last minute)\n"
    );
}

#[test]
fn what_was_told_can_be_looked_at_the_latest_first() {
    let troubles = Troubles::default();
    let now = Instant::now();
    for (second, place) in [(0, "a"), (1, "b"), (2, "a")] {
        let one = trouble(place, "c");
        let hash = troubles.0.hash(&one);
        troubles.0.locked().add(&one, place.as_bytes(), hash, now + Duration::from_secs(second));
    }
    let told = troubles.of("search", now + Duration::from_secs(5));
    let told: Vec<_> =
        told.iter().map(|one| (one.place.as_deref(), one.request.as_deref(), one.count, one.ago.as_secs())).collect();
    assert_eq!(told, [(Some("a"), Some("a"), 2, 3), (Some("b"), Some("b"), 1, 4)]);
    assert_eq!(troubles.of("mail", now), []);
}

#[test]
fn the_latest_request_is_named_as_one_line() {
    let lab = Lab::new();
    let one = trouble("a", "b");
    let hash = lab.shared.hash(&one);
    let add = |second, id: &str| lab.shared.locked().add(&one, id.as_bytes(), hash, lab.at(second));
    add(0, "first");
    assert_eq!(lab.due(0), "unladen: `search` (a): b [tls_failed], request first\n");
    add(1, "second");
    add(2, &format!("third\n{}", "x".repeat(100)));
    let line = lab.due(60);
    assert!(line.starts_with("unladen: `search` (a): b [tls_failed], request third x") && line.len() < 160, "{line}");
    assert!(line.ends_with("… (2 more in the last minute)\n"), "{line}");
}
