use unladen_finding::{Figure, Fix, Share};

use super::*;

fn locks(group: &str, low: f64, high: f64) -> Finding {
    Finding {
        rule: "lock-churn",
        group: group.into(),
        summary: String::new(),
        figures: vec![Figure { name: "locks", unit: "1", value: Interval { value: low.midpoint(high), low, high } }],
        items: Vec::new(),
        share: Share::NotKnown(String::new()),
        fix: Fix::default(),
        check_again: String::new(),
    }
}

/// Each request of Sympa took some ten locks, and the first one of a process seven for each list: of these nothing was
/// said.
#[test]
fn ten_locks_of_every_request_hid_the_hundreds_of_a_first_one() {
    let warm = locks("sympa", 10.0, 12.0);
    assert!(!is_as_much(&warm, &locks("sympa", 420.0, 424.0)));
    assert!(is_as_much(&warm, &locks("sympa", 11.0, 13.0)), "every request has them");
    assert!(is_as_much(&warm, &locks("sympa", 20.0, 40.0)), "perhaps twice as many");
    assert!(!is_as_much(&warm, &locks("www-data", 11.0, 13.0)), "somebody else's");
    let none = Finding { figures: Vec::new(), ..warm.clone() };
    assert!(is_as_much(&none, &warm), "nothing tells that it is more");
}
