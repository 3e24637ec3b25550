//! The principal type is [`Comment`]: data without a field in the format, as readable text.

use std::fmt;

/// `unladen 0.1.0; 120 requests, labelled; excimer`.
#[derive(Debug, PartialEq)]
pub(crate) struct Comment {
    pub(crate) requests: Option<u64>,
    pub(crate) are_labelled: bool,
    pub(crate) profiler: String,
}

pub(crate) fn parse(comment: &str) -> Option<Comment> {
    let mut parts = comment.strip_prefix("unladen ")?.splitn(3, "; ").skip(1);
    let (requests, profiler) = (parts.next()?, parts.next()?.to_owned());
    let (requests, are_labelled) = match requests.strip_suffix(", labelled") {
        Some(requests) => (requests, true),
        None => (requests, false),
    };
    let requests = requests.strip_suffix(" requests").and_then(|count| count.parse().ok());
    Some(Comment { requests, are_labelled, profiler })
}

impl fmt::Display for Comment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labelled = if self.are_labelled { ", labelled" } else { "" };
        write!(formatter, "unladen {}; ", env!("CARGO_PKG_VERSION"))?;
        match self.requests {
            Some(requests) => write!(formatter, "{requests} requests{labelled}; {}", self.profiler),
            None => write!(formatter, "requests unknown{labelled}; {}", self.profiler),
        }
    }
}
