//! [`Exchange::send_named`]: an application of FastCGI has a file sent in place of its own body, by naming it
//! (`X-Sendfile`, `X-Accel-Redirect`).

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use unladen_cache::Time;
use unladen_files::{FileAnswer, FileBody, OpenFile, Representation, media_type};
use unladen_http1::{Length, Name, Response};
use unladen_observability::{Cause, Reason};

use crate::message::stream::{BodySource, FileSource, Piece};
use crate::proxy::named_files::{Named, NotSent};
use crate::upstream::exchange::{Exchange, Failure, Work};

/// Fields of an answer that are for the web server alone: the file that it names, how it is to be sent, where it is.
fn is_for_us(name: &[u8]) -> bool {
    matches!(name, [b'x' | b'X', b'-', ..])
        && (name.eq_ignore_ascii_case(b"x-sendfile")
            || name.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"x-accel-")))
}

impl Exchange<'_, '_> {
    /// Takes from an answer's head what is for us alone. The file that it names, if it names one.
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
        fields.retain(|field| !is_for_us(field.name));
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

    /// Waits for the end of an answer whose body is not wanted.
    pub(super) async fn drained(&self, mut rest: BodySource<'_>) -> bool {
        self.deadline.set(self.proxy.upstream.settings().timeouts.idle);
        poll_fn(|cx| match rest.poll_fill(cx) {
            Poll::Ready(ended) => Poll::Ready(ended.is_ok()),
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    /// Puts the file into the answer's place: its conditions and ranges are those of the file, and of the application's
    /// head stays what does not tell of the body.
    pub(super) fn with_file<'s>(&self, file: OpenFile, work: &mut Work<'_, '_, '_>) -> BodySource<'s> {
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
        for name in [&b"etag"[..], b"last-modified", b"accept-ranges", b"content-range"] {
            response.fields.retain(|field| !field.name.eq_ignore_ascii_case(name));
        }
        response.fields.remove(Name::ContentLength);
        let is_multipart = matches!(answer.body, FileBody::Parts(..));
        let (body, length) = if is_whole {
            (FileBody::Part(0..file.meta.length), file.meta.length)
        } else {
            response.status = answer.status;
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
        let pieces: VecDeque<Piece> = match body {
            _ if response.length == Length::None => return BodySource::Empty,
            FileBody::None => return BodySource::Empty,
            FileBody::Part(part) => VecDeque::from([Piece::Part(part)]),
            FileBody::Parts(parts, framed) => {
                let heads = framed.heads.into_iter().map(|head| Piece::Bytes(head.into()));
                let parts = heads.zip(parts.into_iter().map(Piece::Part)).flat_map(|(head, part)| [head, part]);
                parts.chain([Piece::Bytes(framed.tail.into())]).collect()
            }
        };
        if pieces.iter().all(Piece::is_empty) {
            return BodySource::Empty;
        }
        let share = work.client.share();
        let hold = |bytes| share.and_then(|share| share.try_hold(bytes));
        BodySource::File(Box::new(FileSource::read(Arc::new(file.file), pieces, hold)))
    }
}
