//! [`InboundRequest::files`]: answers a request whose path stands for a file.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use unladen_cache::{Accepted, Time};
use unladen_files::{FileAnswer, FileBody, Refusal, Resolved, Script};
use unladen_http1::{Fields, Length, Request};
use unladen_observability::{CacheResult, Cause, End, Reason};

use super::admit::InboundRequest;
use super::respond::Sent;
use crate::cache::cached_response::{CachedResponse, Lines, in_parts, slice};
use crate::cache::coded::{SHORTEST, is_not_to_be_transformed, joined};
use crate::message::downstream::ClientSide;
use crate::message::stream::{BodySource, FileSource, Piece};
use crate::message::write_date;
use crate::request::Finished;
use crate::site::folder::hot_files::{Contents, HotFile};
use crate::site::folder::{Folder, Looked, Sendable};
use crate::site::routes::ChosenRoute;

/// Longest file coded on its way: longer ones cost less uncoded, and least with a `.br`, `.zst` or `.gz` beside them.
const LONGEST_CODED: u64 = 4 * 1024 * 1024;

pub(super) enum Filed {
    Finished(Finished),
    Script(Arc<Script>),
}

impl<'a> InboundRequest<'a> {
    /// Answers with what stands for the path in a folder, unless that is a program. Routes that guard it are asked
    /// first, even if another route has taken the path.
    pub(super) async fn files(
        &mut self,
        chosen: ChosenRoute<'a>,
        folder: &Folder,
        request: &Request,
        to: &mut ClientSide<'_, '_>,
    ) -> Filed {
        let compress = self.site.settings.compress && !is_not_to_be_transformed(&request.fields);
        let looked = folder.look(request, compress, self.now).await;
        let guards = match &looked {
            Ok(Looked::File(sendable)) => chosen.guards(folder, request, &sendable.file.name, false),
            Ok(Looked::Script(script)) => chosen.guards(folder, request, &script.name, true),
            _ => Vec::new(),
        };
        if let Some(finished) = self.guarded(guards, request, to).await {
            return Filed::Finished(finished);
        }
        Filed::Finished(match looked {
            Err(_) => self.send_local_reply(request, to, Reason::BadPath, None).await,
            Ok(Looked::Script(script)) => return Filed::Script(script),
            Ok(Looked::Other(other)) => self.no_file(other, request, to).await,
            Ok(Looked::File(file)) => self.send_file(&file, compress, request, to).await,
        })
    }

    async fn no_file(&self, resolved: Resolved, request: &Request, to: &mut ClientSide<'_, '_>) -> Finished {
        let reason = match resolved {
            Resolved::Redirect(path) => return self.to_folder(path, request, to).await,
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
            Resolved::Status(404) | Resolved::NotFound | Resolved::File(_) | Resolved::Script(_) => Reason::NotFound,
            Resolved::Status(status) => {
                self.begin_reply(status, to);
                to.response.fields.push(b"content-length", b"0");
                return self.send_text(request, to, "", (End::Answered, "status")).await;
            }
        };
        self.send_local_reply(request, to, reason, None).await
    }

    /// Redirects to the folder's path with a slash, where relative links work.
    async fn to_folder(&self, mut path: Vec<u8>, request: &Request, to: &mut ClientSide<'_, '_>) -> Finished {
        if let Some(query) = request.target.iter().position(|byte| *byte == b'?') {
            path.extend_from_slice(request.target.get(query..).unwrap_or_default());
        }
        let status = if matches!(&*request.method, b"GET" | b"HEAD") { 301 } else { 308 };
        self.send_redirect(status, &path, request, to).await
    }

    async fn send_file(
        &self,
        Sendable { file, is_hot }: &Sendable,
        compress: bool,
        request: &Request,
        to: &mut ClientSide<'_, '_>,
    ) -> Finished {
        if !matches!(&*request.method, b"GET" | b"HEAD") {
            return self.send_local_reply(request, to, Reason::MethodNotAllowed, None).await;
        }
        if !to.body.is_done() {
            to.client.ends();
        }
        to.more.clear();
        self.site.add_own(to.more, self.who.get().is_https);
        let (status, lines, parts, length) = if has_conditions(&request.fields) {
            let FileAnswer { status, fields, body, length } =
                FileAnswer::new(request, &file.representation(), Time::now());
            let length = if status == 304 { Length::None } else { Length::Exact(length) };
            (status, Lines::Own(fields), body, length)
        } else {
            if compress && self.is_to_be_coded(file, request, to) {
                return self.send_coded(file, request, to).await;
            }
            let lines = Lines::Made(&file.fields, &file.lines);
            (200, lines, FileBody::Part(0..file.length()), Length::Exact(file.length()))
        };
        let from = match request.method == b"HEAD" {
            true => BodySource::Empty,
            false => body(file, parts, *is_hot, to),
        };
        to.up.clear();
        write_date(to.up, self.now);
        to.more.push(b"date", to.up);
        let cached = CachedResponse { status, lines, body: Bytes::new(), length };
        let sent = self.send(request, to, from, Some(&cached), CacheResult::File).await;
        self.report_file(request, to, &sent).await
    }

    /// Whether it is text without a coded version, and short enough to code on the way.
    fn is_to_be_coded(&self, file: &HotFile, request: &Request, to: &mut ClientSide<'_, '_>) -> bool {
        let is_long_enough = (SHORTEST as u64..=LONGEST_CODED).contains(&file.length());
        if !is_long_enough || !file.varies || file.coding.is_some() || matches!(file.contents, Contents::Memory(_)) {
            return false;
        }
        let accepted = Accepted::of(joined(&request.fields, b"accept-encoding").as_deref());
        let is_wanted = accepted.by_weight().next().is_some();
        if is_wanted {
            to.client.set_codings(accepted);
        }
        is_wanted
    }

    async fn send_coded(&self, file: &HotFile, request: &Request, to: &mut ClientSide<'_, '_>) -> Finished {
        let from = match &file.contents {
            Contents::File(open) if request.method != b"HEAD" => {
                let pieces = VecDeque::from([Piece::Part(0..file.length())]);
                BodySource::File(Box::new(FileSource::read(open.clone(), pieces, to.client.share())))
            }
            _ => BodySource::Empty,
        };
        let response = &mut *to.response;
        response.status = 200;
        response.minor = 1;
        response.length = Length::Exact(file.length());
        response.fields.clone_from(&file.fields);
        for field in to.more.iter() {
            response.fields.push(field.name, field.value);
        }
        response.fields.push(b"content-length", file.length().to_string().as_bytes());
        let sent = self.send(request, to, from, None, CacheResult::File).await;
        self.report_file(request, to, &sent).await
    }

    /// If reading failed before anything was sent, an error reply is sent instead.
    async fn report_file(&self, request: &Request, to: &mut ClientSide<'_, '_>, sent: &Sent) -> Finished {
        match sent.unbegun() {
            Some(reason) => self.send_local_reply(request, to, reason, None).await,
            None => self.report(request, sent, (CacheResult::File, "")),
        }
    }
}

fn body<'b>(file: &HotFile, answer: FileBody, is_hot: bool, to: &ClientSide<'_, '_>) -> BodySource<'b> {
    let open = match &file.contents {
        Contents::Memory(bytes) => return in_memory(answer, bytes),
        Contents::File(open) => open.clone(),
    };
    let pieces = Piece::of(answer);
    if pieces.iter().all(Piece::is_empty) {
        return BodySource::Empty;
    }
    BodySource::File(Box::new(match to.client.takes_files() {
        true => FileSource::direct(open, pieces, is_hot),
        false => FileSource::read(open, pieces, to.client.share()),
    }))
}

fn in_memory<'b>(answer: FileBody, bytes: &Bytes) -> BodySource<'b> {
    match answer {
        FileBody::None => BodySource::Empty,
        FileBody::Part(range) if range.is_empty() => BodySource::Empty,
        FileBody::Part(range) => BodySource::Memory(slice(bytes, &range)),
        FileBody::Parts(parts, framed) => BodySource::Memory(in_parts(&framed, &parts, bytes)),
    }
}

fn has_conditions(fields: &Fields) -> bool {
    fields.iter().any(|field| {
        matches!(field.name, [b'i' | b'I', b'f' | b'F', b'-', ..]) || field.name.eq_ignore_ascii_case(b"range")
    })
}
