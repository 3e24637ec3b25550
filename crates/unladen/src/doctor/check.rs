//! The principal type is [`Check`].

use std::time::Duration;

use super::asked::Asked;
use super::row::{Row, Verb};

/// `unladen doctor` takes less than two seconds overall: a check without a longer limit that has not answered by then
/// hangs.
const LIMIT: Duration = Duration::from_millis(1_700);

/// One thing to check. docs/reference/doctor.md has a row for each.
pub(crate) trait Check: Sync {
    fn name(&self) -> &'static str;

    /// The commands that need it.
    fn verbs(&self) -> &'static [Verb];

    fn limit(&self) -> Duration {
        LIMIT
    }

    /// Whether it runs after the others, because one of them does the same thing.
    fn is_late(&self) -> bool {
        false
    }

    /// Looks. Without anything to say there are no rows.
    fn look(&self, asked: &Asked) -> Vec<Row>;
}
