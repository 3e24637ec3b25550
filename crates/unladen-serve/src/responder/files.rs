//! [`InboundRequest::files`]: answers a request whose path stands for a file.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use unladen_cache::{Accepted, Time};
use unladen_files::{FileAnswer, FileBody, Refusal, Resolved, Script};
use unladen_http1::{Fields, Length, Request};
use unladen_observability::{CacheResult, Cause, End, Reason};

use super::inbound_request::{ClientSide, InboundRequest};
use super::reply::Sent;
use crate::cache::cached_response::{CachedResponse, Lines};
use crate::cache::coded::{SHORTEST, is_not_to_be_transformed, joined};
use crate::message::stream::{BodySource, FileSource, Piece};
use crate::message::write_date;
use crate::site::folder::hot_files::{Contents, HotFile};
use crate::site::folder::{Folder, Looked, Sendable};
use crate::site::prepare::Who;
use crate::site::routes::ChosenRoute;

/// Longest file coded on its way: longer ones cost less uncoded, and least with a `.br`, `.zst` or `.gz` beside them.
const LONGEST_CODED: u64 = 4 * 1024 * 1024;

pub(crate) enum Filed {
    Ended(End, Instant),
    Script(Arc<Script>),
}

impl<'a> InboundRequest<'a> {
    /// Answers with what stands for the path in a folder, unless that is a program. Routes that guard it are asked
    /// first, even if another route has taken the path.
    pub(crate) async fn files(
        &mut self,
        chosen: ChosenRoute<'a>,
        folder: &Folder,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
    ) -> Filed {
        let compress = self.site.settings.compress && !is_not_to_be_transformed(&request.fields);
        let looked = folder.look(request, compress, self.now).await;
        let guards = match &looked {
            Ok(Looked::File(sendable)) => chosen.guards(folder, request, &sendable.file.name, false),
            Ok(Looked::Script(script)) => chosen.guards(folder, request, &script.name, true),
            _ => Vec::new(),
        };
        if let Some((end, now)) = self.guarded(guards, request, client_side, who).await {
            return Filed::Ended(end, now);
        }
        let (end, now) = match looked {
            Err(_) => self.own(request, client_side, Reason::BadPath, None, who).await,
            Ok(Looked::Script(script)) => return Filed::Script(script),
            Ok(Looked::Other(other)) => self.no_file(other, request, client_side, who).await,
            Ok(Looked::File(file)) => self.file(&file, compress, request, client_side, who).await,
        };
        Filed::Ended(end, now)
    }

    async fn no_file(
        &self,
        resolved: Resolved,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
    ) -> (End, Instant) {
        let reason = match resolved {
            Resolved::Redirect(path) => return self.to_folder(path, request, client_side, who).await,
            Resolved::Refused(refusal) => {
                let reason = match &refusal {
                    Refusal::Denied(_) | Refusal::Htaccess(..) => Reason::FileDenied,
                    Refusal::Exhausted(..) => Reason::OutOfFiles,
                    Refusal::Failed(..) => Reason::FileFailed,
                    _ => Reason::NotFound,
                };
                self.cause.replace(Some(Box::new(Cause { reason, endpoint: None, text: refusal.to_string() })));
                reason
            }
            Resolved::Status(status) => return self.status(status, request, client_side, who).await,
            Resolved::NotFound | Resolved::File(_) | Resolved::Script(_) => Reason::NotFound,
        };
        self.own(request, client_side, reason, None, who).await
    }

    /// Redirects to the folder's path with a slash, where relative links work.
    async fn to_folder(
        &self,
        mut path: Vec<u8>,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
    ) -> (End, Instant) {
        if let Some(query) = request.target.iter().position(|byte| *byte == b'?') {
            path.extend_from_slice(request.target.get(query..).unwrap_or_default());
        }
        let status = if matches!(&*request.method, b"GET" | b"HEAD") { 301 } else { 308 };
        self.begin_own(status, client_side, who);
        client_side.response.fields.push(b"location", &path);
        client_side.response.fields.push(b"content-length", b"0");
        self.say(request, client_side, "", (End::Answered, "redirect")).await
    }

    async fn status(
        &self,
        status: u16,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
    ) -> (End, Instant) {
        if status == 404 {
            return self.own(request, client_side, Reason::NotFound, None, who).await;
        }
        self.begin_own(status, client_side, who);
        client_side.response.fields.push(b"content-length", b"0");
        self.say(request, client_side, "", (End::Answered, "status")).await
    }

    async fn file(
        &self,
        Sendable { file, is_hot }: &Sendable,
        compress: bool,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
    ) -> (End, Instant) {
        if !matches!(&*request.method, b"GET" | b"HEAD") {
            return self.own(request, client_side, Reason::MethodNotAllowed, None, who).await;
        }
        if !client_side.body.is_done() {
            client_side.client.ends();
        }
        client_side.more.clear();
        self.site.add_own(client_side.more, who.is_https);
        let is_head = request.method == b"HEAD";
        let result = (CacheResult::File, "");
        if !has_conditions(&request.fields) {
            if compress && self.is_to_be_coded(file, request, client_side) {
                return self.coded(file, request, client_side, who).await;
            }
            let whole = Pieces::Whole;
            let from = body(file, whole, is_head, *is_hot, client_side);
            self.date(client_side);
            let memory = CachedResponse {
                status: 200,
                lines: Lines::Made(&file.fields, &file.lines),
                body: Bytes::new(),
                length: Length::Exact(file.length()),
            };
            let sent = self.send(request, client_side, from, Some(&memory), result.0).await;
            return self.sent_file(request, client_side, &sent, (200, who)).await;
        }
        let answer = FileAnswer::new(request, &file.representation(), Time::now());
        let from = body(file, Pieces::Answer(answer.body), is_head, *is_hot, client_side);
        self.date(client_side);
        let (status, length) = (answer.status, Length::Exact(answer.length));
        let length = if status == 304 { Length::None } else { length };
        let memory = CachedResponse { status, lines: Lines::Own(answer.fields), body: Bytes::new(), length };
        let sent = self.send(request, client_side, from, Some(&memory), result.0).await;
        self.sent_file(request, client_side, &sent, (status, who)).await
    }

    fn date(&self, client_side: &mut ClientSide<'_, '_>) {
        client_side.up.clear();
        write_date(client_side.up, self.now);
        client_side.more.push(b"date", client_side.up);
    }

    /// Whether it is text without a coded version, and short enough to code on the way.
    fn is_to_be_coded(&self, file: &HotFile, request: &Request, client_side: &mut ClientSide<'_, '_>) -> bool {
        let is_long_enough = (SHORTEST as u64..=LONGEST_CODED).contains(&file.length());
        if !is_long_enough || !file.varies || file.coding.is_some() || matches!(file.contents, Contents::Memory(_)) {
            return false;
        }
        let accepted = Accepted::of(joined(&request.fields, b"accept-encoding").as_deref());
        let is_wanted = accepted.by_weight().next().is_some();
        if is_wanted {
            client_side.client.set_codings(accepted);
        }
        is_wanted
    }

    async fn coded(
        &self,
        file: &HotFile,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
    ) -> (End, Instant) {
        let is_head = request.method == b"HEAD";
        let from = match (&file.contents, is_head) {
            (_, true) => BodySource::Empty,
            (Contents::Memory(bytes), _) => BodySource::Memory(bytes.clone()),
            (Contents::File(open), _) => {
                let share = client_side.client.share().cloned();
                let pieces = VecDeque::from([Piece::Part(0..file.length())]);
                let hold = |bytes| share.as_ref().and_then(|share| share.try_hold(bytes));
                BodySource::File(Box::new(FileSource::read(open.clone(), pieces, hold)))
            }
        };
        let response = &mut *client_side.response;
        response.status = 200;
        response.minor = 1;
        response.length = Length::Exact(file.length());
        response.fields.clone_from(&file.fields);
        for field in client_side.more.iter() {
            response.fields.push(field.name, field.value);
        }
        response.fields.push(b"content-length", file.length().to_string().as_bytes());
        let sent = self.send(request, client_side, from, None, CacheResult::File).await;
        self.sent_file(request, client_side, &sent, (200, who)).await
    }

    /// If reading failed before anything was sent, an error reply is sent instead.
    async fn sent_file(
        &self,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        sent: &Sent,
        (status, who): (u16, Who),
    ) -> (End, Instant) {
        match sent.unbegun() {
            Some(reason) => self.own(request, client_side, reason, None, who).await,
            None => self.sent(request, sent, status, (CacheResult::File, "")),
        }
    }
}

enum Pieces {
    Whole,
    Answer(FileBody),
}

fn body<'b>(
    file: &HotFile,
    pieces: Pieces,
    is_head: bool,
    is_hot: bool,
    client_side: &ClientSide<'_, '_>,
) -> BodySource<'b> {
    let pieces: VecDeque<Piece> = match (pieces, &file.contents) {
        _ if is_head => return BodySource::Empty,
        (Pieces::Whole, Contents::Memory(bytes)) if bytes.is_empty() => return BodySource::Empty,
        (Pieces::Whole, Contents::Memory(bytes)) => return BodySource::Memory(bytes.clone()),
        (Pieces::Answer(answer), Contents::Memory(bytes)) => return in_memory(answer, bytes),
        (Pieces::Whole, Contents::File(_)) => VecDeque::from([Piece::Part(0..file.length())]),
        (Pieces::Answer(FileBody::None), _) => return BodySource::Empty,
        (Pieces::Answer(FileBody::Part(part)), _) => VecDeque::from([Piece::Part(part)]),
        (Pieces::Answer(FileBody::Parts(parts, framed)), _) => {
            let heads = framed.heads.into_iter().map(|head| Piece::Bytes(head.into()));
            let parts = heads.zip(parts.into_iter().map(Piece::Part)).flat_map(|(head, part)| [head, part]);
            parts.chain([Piece::Bytes(framed.tail.into())]).collect()
        }
    };
    let Contents::File(open) = &file.contents else { return BodySource::Empty };
    if pieces.iter().all(Piece::is_empty) {
        return BodySource::Empty;
    }
    let open = Arc::clone(open);
    BodySource::File(Box::new(if client_side.client.takes_files() {
        FileSource::direct(open, pieces, is_hot)
    } else {
        let share = client_side.client.share();
        FileSource::read(open, pieces, |bytes| share.and_then(|share| share.try_hold(bytes)))
    }))
}

fn in_memory<'b>(answer: FileBody, bytes: &Bytes) -> BodySource<'b> {
    let part = |part: std::ops::Range<u64>| {
        let at = |byte: u64| usize::try_from(byte).unwrap_or(usize::MAX).min(bytes.len());
        bytes.slice(at(part.start)..at(part.end))
    };
    match answer {
        FileBody::None => BodySource::Empty,
        FileBody::Part(range) if range.is_empty() => BodySource::Empty,
        FileBody::Part(range) => BodySource::Memory(part(range)),
        FileBody::Parts(parts, framed) => {
            let mut body = Vec::new();
            for (head, range) in framed.heads.iter().zip(parts) {
                body.extend_from_slice(head);
                body.extend_from_slice(&part(range));
            }
            body.extend_from_slice(&framed.tail);
            BodySource::Memory(body.into())
        }
    }
}

fn has_conditions(fields: &Fields) -> bool {
    fields.iter().any(|field| {
        matches!(field.name, [b'i' | b'I', b'f' | b'F', b'-', ..]) || field.name.eq_ignore_ascii_case(b"range")
    })
}
