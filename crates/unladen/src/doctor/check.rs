//! The principal type is [`Check`].

use std::time::Duration;

use super::asked::Asked;
use super::row::{Row, Verb};

/// The whole of `unladen doctor` takes less than two seconds: whoever has not answered by then hangs, if it may take no longer.
const LIMIT: Duration = Duration::from_millis(1_700);

/// One thing that is looked at. docs/reference/doctor.md has a row for each.
pub(crate) trait Check: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// The commands that it is for.
    fn verbs(&self) -> &'static [Verb];

    /// How long it may take.
    fn limit(&self) -> Duration {
        LIMIT
    }

    /// Whether it runs after the others: it does what one of them does, too.
    fn is_late(&self) -> bool {
        false
    }

    /// Looks. What there is nothing to say of has no row.
    fn look(&self, asked: &Asked) -> Vec<Row>;
}
