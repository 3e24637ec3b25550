//! The rules, on recordings of real runs in which any value was replaced: whatever a file says, no rule panics.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its recordings fails")]

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};
use unladen_finding::{Saves, look, unlooked};
use unladen_trace::Recording;

/// All recordings, parsed.
fn recordings() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.map(|path| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()).collect()
}

/// Leaves of the document, counted.
fn leaves(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(leaves).sum::<usize>() + 1,
        Value::Object(object) => object.values().map(leaves).sum(),
        _ => 1,
    }
}

/// Replaces the leaf of that number by something odd of its kind.
fn replace(value: &mut Value, number: &mut usize, choice: usize) {
    match value {
        Value::Object(object) => object.values_mut().for_each(|value| replace(value, number, choice)),
        Value::Array(values) => {
            values.iter_mut().for_each(|value| replace(value, number, choice));
            if *number == 0 {
                match choice % 3 {
                    0 => values.clear(),
                    1 => drop(values.pop()),
                    _ => values.extend(values.first().cloned()),
                }
            }
            *number = number.wrapping_sub(1);
        }
        leaf => {
            if *number == 0 {
                *leaf = match leaf {
                    Value::Number(_) => {
                        [json!(0), json!(u64::MAX), json!(1), json!(1e308), json!(1u64 << 62)][choice % 5].clone()
                    }
                    Value::String(_) => {
                        [json!(""), json!("/"), json!("\u{0}é…"), json!("a b"), json!("%")][choice % 5].clone()
                    }
                    Value::Bool(on) => json!(!*on),
                    _ => json!(3),
                };
            }
            *number = number.wrapping_sub(1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_file_makes_a_rule_panic(file in 0_usize..64, edits in proptest::collection::vec((0.0_f64..1.0, 0_usize..5), 1..12)) {
        let mut recordings = recordings();
        let file = file % recordings.len();
        let mut document = recordings.swap_remove(file);
        for (place, choice) in edits {
            let mut number = (place * leaves(&document) as f64) as usize;
            replace(&mut document, &mut number, choice);
        }
        let Ok(record) = Recording::parse(document.to_string().as_bytes()) else { return Ok(()) };
        for page in &record.pages {
            let findings = look(&page.warm);
            prop_assert!(findings.windows(2).all(|pair| pair[0].takes.rank() >= pair[1].takes.rank()));
            for finding in &findings {
                if let Saves::AtMost { time, part, .. } = finding.saves {
                    prop_assert!(time >= 0.0 && (0.0..=1.0).contains(&part), "{finding:?}");
                }
                if let Some(removes) = &finding.removes {
                    prop_assert!(removes.calls <= removes.of, "{finding:?}");
                }
            }
            // A rule that could not look everywhere may have found something where it could.
            let mut blind = unlooked(&page.warm).filter(|missing| missing.rule.needs().contains(&missing.source));
            prop_assert!(blind.all(|missing| findings.iter().all(|found| found.rule != missing.rule.name())));
            let _ = page.warm.totals();
        }
    }
}
