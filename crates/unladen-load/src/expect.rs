//! The principal type is [`Expect`]: which answers are right. A fast error is not a fast page.
//!
//! ```
//! use unladen_load::Expect;
//!
//! let expect = Expect { statuses: "200-299,304".parse()?, ..Expect::default() };
//! assert!(expect.statuses.contains(304) && !expect.statuses.contains(302));
//! # Ok::<(), unladen_load::StatusesError>(())
//! ```

use crate::body_text::BodyText;
use crate::statuses::Statuses;

/// What an answer must be to be counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    pub statuses: Statuses,
    pub body: Option<BodyText>,
    /// Whether each answer must equal the first one to the same request.
    pub same: bool,
}
