//! [`document`]: the checks as JSON, `unladen.doctor/1`.

use serde_json::{Value, json};

use super::checked::{Checked, worst};

/// `unladen schema doctor` describes the fields.
pub(crate) fn document(checked: &[Checked]) -> Value {
    let rows = |checked: &Checked| {
        let name = checked.name;
        checked
            .rows
            .iter()
            .map(move |row| {
                let mut row = json!(row);
                row["check"] = name.into();
                row
            })
            .collect::<Vec<_>>()
    };
    let checks: Vec<Value> = checked.iter().flat_map(rows).collect();
    json!({ "schema": "unladen.doctor/1", "verdict": worst(checked), "checks": checks })
}
