//! The principal type is [`QueueEntry`]: for whom a request is sent to the application.

use super::flow::Flow;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueEntry<'a> {
    pub(crate) flow: Flow,
    /// Key of an answer that several may wait for; those who join lend it their turns.
    pub(crate) shared: Option<&'a [u8]>,
    /// Takes no turn: a cheap question that others' answers depend on.
    pub(crate) is_question: bool,
}
