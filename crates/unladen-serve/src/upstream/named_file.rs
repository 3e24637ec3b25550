//! [`Exchange::pass_named_on`]: sends a file that a FastCGI application names in place of its body (`X-Sendfile`,
//! `X-Accel-Redirect`).

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;

use unladen_cache::Time;
use unladen_files::{FileAnswer, FileBody, OpenFile, Representation, media_type};
use unladen_http1::{Length, Name, Response};
use unladen_observability::{Cause, Reason};

use super::attempt::{Carried, Rest, is_unbuffered, keep_alive};
use super::{Exchange, Failure, Work};
use crate::message::downstream::ResponseOptions;
use crate::message::stream::{BodySource, Piece, Sink};
use crate::proxy::named_files::{Named, NotSent};

/// Fields about the application's own body, which is not sent.
const OF_ITS_BODY: [&[u8]; 9] = [
    b"etag",
    b"last-modified",
    b"accept-ranges",
    b"content-range",
    b"content-encoding",
    b"content-md5",
    b"digest",
    b"content-digest",
    b"repr-digest",
];

/// Fields about how long the answer may be kept.
const FOR_CACHES: [&[u8]; 3] = [b"cache-control", b"expires", b"cdn-cache-control"];

/// Fields for the web server alone: the file, and how to send it.
fn is_for_us(name: &[u8]) -> bool {
    matches!(name, [b'x' | b'X', b'-', ..])
        && (name.eq_ignore_ascii_case(b"x-sendfile")
            || name.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"x-accel-")))
}

impl<'u> Exchange<'_, 'u> {
    /// Removes from an answer's head what is for us alone, and opens the file it names, if any.
    pub(super) fn named(&self, response: &mut Response) -> Result<Option<OpenFile>, Failure> {
        let fields = &mut response.fields;
        if !fields.iter().any(|field| is_for_us(field.name)) {
            return Ok(None);
        }
        let opened = {
            let file = fields.find(b"x-sendfile").map(Named::File);
            let named = file.or_else(|| fields.find(b"x-accel-redirect").map(Named::Location));
            let files = self.proxy.named_files.as_deref();
            named.zip(files).map(|(named, files)| files.open(named, self.deadline.now()))
        };
        self.state.fastcgi.is_stream.set(is_unbuffered(fields));
        fields.retain(|field| !is_for_us(field.name));
        // These have no body, whatever is named (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5).
        if matches!(response.status, 204 | 205 | 304) {
            return Ok(None);
        }
        let (reason, text) = match opened {
            None => return Ok(None),
            Some(Ok(file)) => return Ok(Some(file)),
            Some(Err(NotSent::Denied(text))) => (Reason::FileDenied, text),
            Some(Err(NotSent::Missing(text))) => (Reason::NotFound, text),
        };
        let endpoint = self.state.endpoint.borrow().clone();
        *self.state.cause.borrow_mut() = Some(Box::new(Cause { reason, endpoint, text }));
        Err(Failure::Upstream(reason, None))
    }

    /// Passes on an answer that names a file. The application is awaited and released before the first byte of the file
    /// goes: a slow client holds up nobody else. `rest`: of its own body, which is dropped.
    pub(super) async fn pass_named_on<'w, 'c>(
        &self,
        (mut sink, mut uploading): (Sink<'_>, bool),
        mut rest: BodySource<'_>,
        file: OpenFile,
        work: &'w mut Work<'_, 'c, 'u>,
        is_early: bool,
    ) -> Result<Carried<'w, 'c, 'u>, Failure> {
        let limit = self.proxy.settings.client.body_bytes;
        self.deadline.set(self.proxy.upstream.settings().timeouts.idle);
        let has_ended = poll_fn(|cx| {
            if uploading {
                // It may wait for the rest of the request before it ends.
                let body = work.received.as_mut().unwrap_or(work.body);
                uploading = work.upload.poll(cx, body, &mut sink, limit).is_pending();
            }
            rest.poll_fill(cx).map(|ended| ended.is_ok())
        })
        .await;
        self.deadline.look();
        self.state.bytes_in.set(work.upload.bytes);
        let keeps = has_ended && !is_early && work.response.keeps_alive();
        let keep = keeps.then(|| keep_alive(work.response));
        let pieces = self.with_file(&file, work);
        let file = Arc::new(file.file);
        let is_head = self.request.method == b"HEAD";
        let options = ResponseOptions { head: is_head, close: is_early, via: self.proxy.settings.via };
        let Work { body, client, response, .. } = work;
        Ok(Carried::Whole(keep, Some(Rest::File { file, pieces, client, response, options, body })))
    }

    /// Puts the file in place of the body: conditions and ranges are the file's, and fields not about the body stay.
    /// Returns the parts to send.
    fn with_file(&self, file: &OpenFile, work: &mut Work<'_, '_, '_>) -> VecDeque<Piece> {
        let representation = Representation {
            meta: file.meta,
            length: file.meta.length,
            content_type: &media_type(&file.path),
            coding: None,
            varies: false,
            cache_control: None,
        };
        let response = &mut *work.response;
        let is_whole = response.status != 200;
        let answer = FileAnswer::new(self.request, &representation, Time::now());
        let own_kind = response.fields.find(b"content-type").is_some();
        response.fields.retain(|field| !OF_ITS_BODY.iter().any(|name| field.name.eq_ignore_ascii_case(name)));
        response.fields.remove(Name::ContentLength);
        let is_multipart = matches!(answer.body, FileBody::Parts(..));
        let (body, length) = if is_whole {
            (FileBody::Part(0..file.meta.length), file.meta.length)
        } else {
            response.status = answer.status;
            // The file's age says nothing of how long it may be served without the application.
            let says_how_long = |name: &[u8]| FOR_CACHES.iter().any(|own| name.eq_ignore_ascii_case(own));
            if !response.fields.iter().any(|field| says_how_long(field.name)) {
                response.fields.push(b"cache-control", b"no-cache");
            }
            for field in answer.fields.iter() {
                let is_kind = field.name.eq_ignore_ascii_case(b"content-type");
                if is_kind && own_kind && !is_multipart {
                    continue;
                }
                if is_kind {
                    response.fields.set(field.name, field.value);
                } else {
                    response.fields.push(field.name, field.value);
                }
            }
            (answer.body, answer.length)
        };
        if response.status == 304 || self.request.method == b"HEAD" {
            response.length = Length::None;
        } else {
            response.length = Length::Exact(length);
        }
        if response.status != 304 {
            response.fields.push(b"content-length", length.to_string().as_bytes());
        }
        if response.length == Length::None { VecDeque::new() } else { Piece::of(body) }
    }
}
