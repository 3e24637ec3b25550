use std::time::Duration;

use super::*;
use crate::doctor::row::{Verb, Verdict};

struct Quick;
struct Patient;
struct Hanging;

impl Check for Quick {
    fn name(&self) -> &'static str {
        "quick"
    }
    fn verbs(&self) -> &'static [Verb] {
        Verb::ALL
    }
    fn look(&self, _: &Asked) -> Vec<Row> {
        vec![Row::ok(Verb::ALL, "it works")]
    }
}

impl Check for Patient {
    fn name(&self) -> &'static str {
        "patient"
    }
    fn verbs(&self) -> &'static [Verb] {
        Verb::ALL
    }
    fn limit(&self) -> Duration {
        Duration::from_secs(3_600)
    }
    fn look(&self, _: &Asked) -> Vec<Row> {
        Quick.look(&Asked::of_this_machine(None))
    }
}

impl Check for Hanging {
    fn name(&self) -> &'static str {
        "hanging"
    }
    fn verbs(&self) -> &'static [Verb] {
        &[Verb::Load]
    }
    fn limit(&self) -> Duration {
        Duration::from_millis(20)
    }
    fn look(&self, _: &Asked) -> Vec<Row> {
        std::thread::sleep(Duration::from_secs(3_600));
        Vec::new()
    }
}

#[test]
fn one_that_hangs_is_told_and_holds_up_nobody() {
    let found = run(&[&Hanging, &Quick, &Patient], Asked::of_this_machine(None));
    let verdicts: Vec<_> = found.iter().map(|checked| checked.rows[0].verdict).collect();
    assert_eq!(verdicts, [Verdict::Limited, Verdict::Ok, Verdict::Ok]);
    assert_eq!(found[0].rows[0].what, "no answer within 0.02 s");
}
