//! The principal type is [`Asked`]: what the application says of a page when a front asks it with HEAD.

use std::net::IpAddr;
use std::pin::pin;
use std::time::{Duration, Instant};

use unladen_cache::make_conditional;
use unladen_http1::{Length, Name, Request, Response};

use super::Call;
use super::inquiry::Known;
use crate::client::Client;
use crate::errand::Errand;
use crate::record::Version;
use crate::stream::Source;
use crate::watch::{Deadline, Watch};

/// What the application says of a page.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// For whom it is asked.
    pub(crate) address: Option<IpAddr>,
    /// None: it has not answered yet.
    said: Option<Said>,
}

#[derive(Debug)]
enum Said {
    Version(Box<[u8]>),
    Nothing,
    Failure,
}

// === impl Asked ===

impl Asked {
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

impl Call<'_> {
    /// Asks the application with HEAD, each time anew: nothing but an answer to a question that was sent after the request came would
    /// do for it.
    pub(crate) async fn ask_head(&self, request: &Request, within: Duration, stale: Option<Duration>) -> Known {
        let mut request = Request { method: b"HEAD".to_vec(), length: Length::None, ..request.clone() };
        make_conditional(&mut request.fields, &unladen_cache::Validators::default());
        request.fields.remove(Name::Upgrade);
        let began = Instant::now();
        let mut client = Client::Front(Asked { address: self.peer.address, said: None });
        let errand = Errand {
            context: self.context,
            beside: &self.front.app,
            index: self.index,
            request: &request,
            version: Version::Http11,
            began,
            now: began,
            cache: None,
        };
        let (mut response, mut up, mut id) = (Response::default(), Vec::new(), Vec::new());
        let (mut watch, mut own_watch) = (Watch::new(), Watch::new());
        let deadline = Deadline::new(began, within, None);
        let mut none = Source::Empty;
        let asking = errand.run(&mut own_watch, &mut none, &mut client, &mut response, &mut up, &mut id);
        let _ = watch.over(&deadline, pin!(asking)).await;
        match client {
            Client::Front(Asked { said: Some(Said::Version(version)), .. }) => Known::Version(version),
            Client::Front(Asked { said: Some(Said::Nothing), .. }) => Known::Nothing,
            _ => Known::Silent(stale),
        }
    }
}
