//! The principal type is [`Queue`]: requests that wait for the application, in front of which it stands. As many are at
//! the application at a time as it has workers; the others wait here, where they can be told apart.
//!
//! ```text
//! QueueEntry   for whom a request is sent (flow.rs: a client), and who else waits for its answer
//!   │ Queue::enter
//!   ├─ a place is free: one atomic addition, nothing else
//!   └─ none is: a Ticket. It is given a Place, or a Refusal; or its client leaves
//! Place    at the application, until it is dropped: then the next one has it
//! ```
//!
//! `discipline` decides who is next, and who waits no longer, without I/O and without a clock: `fair` keeps a line for
//! each client, `standing` sees whether there is overload.

mod admission;
mod counts;
mod discipline;
mod fair;
mod flow;
mod gate;
mod queue_entry;
mod refusal;
mod standing;
mod waiter;

pub(crate) use self::admission::{Entered, Place, Ticket};
pub(crate) use self::flow::{Flow, cookie};
pub(crate) use self::gate::Queue;
pub(crate) use self::queue_entry::QueueEntry;
pub(crate) use self::refusal::Refusal;

#[cfg(test)]
mod tests;
