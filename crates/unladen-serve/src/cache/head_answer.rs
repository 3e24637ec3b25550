//! The principal type is [`HeadAnswer`]: what the application says of a page when a site asks it with HEAD.

use std::net::IpAddr;

use unladen_http1::Response;

/// What the application says of a page.
#[derive(Debug, Default)]
pub(crate) struct HeadAnswer {
    /// For whom it is asked.
    pub(crate) address: Option<IpAddr>,
    /// None: it has not answered yet.
    pub(crate) said: Option<Said>,
}

#[derive(Debug)]
pub(crate) enum Said {
    Version(Box<[u8]>),
    Nothing,
    Failure,
}

impl HeadAnswer {
    /// Its answer's head is there.
    pub(crate) fn answered(&mut self, response: &Response) {
        let version = response.fields.find(b"etag").or_else(|| response.fields.find(b"last-modified"));
        self.said = Some(match version {
            _ if response.status >= 500 => Said::Failure,
            Some(version) if response.status == 200 => Said::Version(version.into()),
            _ => Said::Nothing,
        });
    }
}
