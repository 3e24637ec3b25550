//! [`statuses_text`]: answers by status, as every text writes them.

use unladen_quantity::grouped;

/// `116 × 200, 34 × 503`
pub(crate) fn statuses_text(statuses: &[(u16, u64)]) -> String {
    let one = |(status, count): &(u16, u64)| format!("{} × {status}", grouped(*count as f64, 0));
    statuses.iter().map(one).collect::<Vec<_>>().join(", ")
}
