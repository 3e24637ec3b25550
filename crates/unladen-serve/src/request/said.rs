//! The principal type is [`Said`]: what an application of FastCGI has said besides its answer.

use std::cell::{Cell, RefCell};

use unladen_fastcgi::{Fault, Refusal, Stderr};
use unladen_observability::Reason;

/// What PHP-FPM says when it finds no file by `SCRIPT_FILENAME`; its answer is a plain 404.
const NO_SCRIPT: &[u8] = b"Primary script unknown";
/// What it says when its `security.limit_extensions` does not list how the script's name ends; its answer is a 403.
const NO_ACCESS: &[u8] = b"Access to the script";

/// Of a connection that ended too early.
const CLOSED: &str = "it closed the connection before its answer was whole: a process that died (a segmentation fault, no \
                      memory, `request_terminate_timeout` of PHP-FPM) is told of in its manager's log";

/// What an application of FastCGI has said besides its answer, or instead of it.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// On standard error.
    pub(crate) stderr: RefCell<Stderr>,
    /// That it does not take the request.
    pub(crate) refusal: Cell<Option<Refusal>>,
    /// What of its answer is no FastCGI.
    pub(crate) fault: Cell<Option<Fault>>,
}

impl Said {
    /// For the next attempt.
    pub(crate) fn clear(&self) {
        self.stderr.borrow_mut().clear();
        self.refusal.set(None);
        self.fault.set(None);
    }

    /// What it wrote to standard error, and what to do about it where that is known; none: nothing.
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

    /// Why there is no answer, or none that is whole: `usual` is what is said of that reason elsewhere.
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
