//! Local replies. The principal type is [`ErrorPage`], a page of the site's own for them; [`local_reply`] writes an
//! error answer in the form its reader wants.

use std::fs::File;
use std::io;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use unladen_http1::{Fields, Length, Request, Response};
use unladen_observability::Reason;

use super::compose;

/// Longest page in bytes: it is kept in memory, and sent with each error.
const LONGEST: u64 = 256 * 1024;
/// Longest request identifier shown; clients may choose theirs.
const LONGEST_ID: usize = 128;

/// HTML in which `{status}`, `{reason}` and `{request_id}` are replaced.
#[derive(Debug)]
pub(crate) struct ErrorPage {
    pieces: Vec<Piece>,
}

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Status,
    Reason,
    RequestId,
}

/// Why a page cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorPageError {
    #[error("error_page = {path:?}: {source}")]
    NotRead { path: PathBuf, source: io::Error },
    #[error("error_page = {0:?}: it is longer than 256 KiB; link its images and styles instead of embedding them")]
    TooLong(PathBuf),
    #[error("error_page = {0:?}: it is not UTF-8 text")]
    NotUtf8(PathBuf),
}

impl ErrorPage {
    pub(crate) fn of(path: Option<&Path>) -> Result<Option<Arc<Self>>, ErrorPageError> {
        path.map(|path| Self::read(path).map(Arc::new)).transpose()
    }

    pub(crate) fn read(path: &Path) -> Result<Self, ErrorPageError> {
        let not_read = |source| ErrorPageError::NotRead { path: path.to_owned(), source };
        let mut bytes = Vec::new();
        File::open(path).map_err(not_read)?.take(LONGEST + 1).read_to_end(&mut bytes).map_err(not_read)?;
        if bytes.len() as u64 > LONGEST {
            return Err(ErrorPageError::TooLong(path.to_owned()));
        }
        let text = String::from_utf8(bytes).map_err(|_| ErrorPageError::NotUtf8(path.to_owned()))?;
        Ok(Self::parse(&text))
    }

    fn parse(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find('{') {
            let (before, from) = rest.split_at(start);
            let known = [("{status}", Piece::Status), ("{reason}", Piece::Reason), ("{request_id}", Piece::RequestId)]
                .into_iter()
                .find_map(|(word, piece)| Some((piece, from.strip_prefix(word)?)));
            match known {
                Some((piece, after)) => {
                    push(&mut pieces, before);
                    pieces.push(piece);
                    rest = after;
                }
                // Styles have braces of their own.
                None => {
                    let (with_brace, after) = rest.split_at(start + 1);
                    push(&mut pieces, with_brace);
                    rest = after;
                }
            }
        }
        push(&mut pieces, rest);
        Self { pieces }
    }

    pub(crate) fn write(&self, status: u16, reason: Reason, request_id: &[u8]) -> String {
        let mut page = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => page.push_str(text),
                Piece::Status => page.push_str(&status.to_string()),
                Piece::Reason => escape(reason.as_str(), &mut page),
                Piece::RequestId => escape(&shown(request_id), &mut page),
            }
        }
        page
    }
}

fn push(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        Some(Piece::Text(before)) => before.push_str(text),
        _ if text.is_empty() => (),
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}

/// A printable form of an identifier, which a client may have chosen.
pub(crate) fn shown(request_id: &[u8]) -> String {
    let start = request_id.get(..LONGEST_ID).unwrap_or(request_id);
    String::from_utf8_lossy(start).chars().filter(|c| !c.is_control()).collect()
}

fn escape(text: &str, into: &mut String) {
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '"' => into.push_str("&quot;"),
            '\'' => into.push_str("&#39;"),
            c => into.push(c),
        }
    }
}

/// Whether `Accept` names HTML (RFC 9110, section 12.5.1), as browsers do for pages. Clients that take anything get
/// plain text.
pub(crate) fn takes_html(fields: &Fields) -> bool {
    let lines = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(b"accept"));
    lines.flat_map(|line| line.value.split(|byte| *byte == b',')).any(|range| {
        let mut parts = range.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
        let is_html = parts
            .next()
            .is_some_and(|name| [&b"text/html"[..], b"application/xhtml+xml"].iter().any(|html| name.eq_ignore_ascii_case(html)));
        let is_refused = |part: &[u8]| matches!(part, [b'q' | b'Q', b'=', b'0', rest @ ..] if rest.iter().all(|byte| matches!(byte, b'.' | b'0')));
        is_html && !parts.any(is_refused)
    })
}

/// Makes a site's local reply: its own page for clients that take HTML; else text with the request identifier, which
/// finds the log line.
pub(crate) fn local_reply(
    response: &mut Response,
    (reason, retry_after): (Reason, Option<Duration>),
    page: Option<&ErrorPage>,
    request: &Request,
    id: &[u8],
) -> String {
    let words = compose::local(response, reason, retry_after);
    let body = match page {
        Some(page) if takes_html(&request.fields) => {
            response.fields.set(b"content-type", b"text/html; charset=utf-8");
            page.write(response.status, reason, id)
        }
        _ if id.is_empty() => words,
        _ => format!("{words}request {}\n", shown(id)),
    };
    if page.is_some() {
        response.fields.push(b"vary", b"accept");
    }
    if reason == Reason::MethodNotAllowed {
        response.fields.push(b"allow", b"GET, HEAD");
    }
    response.length = Length::Exact(body.len() as u64);
    response.fields.set(b"content-length", body.len().to_string().as_bytes());
    body
}

#[cfg(test)]
mod tests;
