//! The principal type is [`Said`]: what a FastCGI application said besides its answer.

use std::cell::{Cell, RefCell};

use unladen_fastcgi::{Fault, Refusal, Stderr};
use unladen_observability::Reason;

/// PHP-FPM's message when it finds no file by `SCRIPT_FILENAME`; its answer is a plain 404.
const NO_SCRIPT: &[u8] = b"Primary script unknown";
/// Its message when `security.limit_extensions` does not list the script's ending; its answer is a 403.
const NO_ACCESS: &[u8] = b"Access to the script";

/// Advice for a connection that ended too early.
const CLOSED: &str = "it closed the connection before its answer was whole: a process that died (a segmentation fault, no \
                      memory, `request_terminate_timeout` of PHP-FPM) is told of in its manager's log";

#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) stderr: RefCell<Stderr>,
    pub(crate) refusal: Cell<Option<Refusal>>,
    pub(crate) fault: Cell<Option<Fault>>,
}

impl Said {
    pub(crate) fn clear(&self) {
        self.stderr.borrow_mut().clear();
        self.refusal.set(None);
        self.fault.set(None);
    }

    /// Its standard error, with advice where known; `None` if it wrote nothing.
    pub(crate) fn on_stderr(&self) -> Option<String> {
        let stderr = self.stderr.borrow();
        if stderr.is_empty() {
            return None;
        }
        let advice = if stderr.says(NO_SCRIPT) {
            "; PHP-FPM finds no file there: is `root` the same folder for it (a container, a chroot), and may it read it?"
        } else if stderr.says(NO_ACCESS) {
            "; see `security.limit_extensions` of PHP-FPM, and the file's mode"
        } else {
            ""
        };
        Some(format!("{}{advice}", stderr.line()))
    }

    /// Why there is no complete answer; `usual` is the common text for the reason.
    pub(crate) fn cause(&self, usual: Option<String>, reason: Reason) -> String {
        let words = match (self.refusal.get(), self.fault.get()) {
            (Some(refusal), _) => refusal.to_string(),
            (None, Some(fault)) => fault.to_string(),
            (None, None) if reason == Reason::UpstreamClosed => CLOSED.to_owned(),
            (None, None) => usual.unwrap_or_default(),
        };
        match self.on_stderr() {
            Some(stderr) => format!("{words}; on standard error: {stderr}"),
            None => words,
        }
    }
}

#[cfg(test)]
mod tests;
