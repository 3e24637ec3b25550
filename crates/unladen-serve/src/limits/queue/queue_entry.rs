//! The principal type is [`QueueEntry`]: for whom a request is sent to the application.

use super::flow::Flow;

/// For whom a request is sent to the application.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueEntry<'a> {
    pub(crate) flow: Flow,
    /// Of an answer that several may wait for: what is asked for. Whoever comes to wait for it lends it his turn.
    pub(crate) shared: Option<&'a [u8]>,
    /// It waits for nobody: a question that is cheap, without whose answer others could not be answered.
    pub(crate) is_question: bool,
}
