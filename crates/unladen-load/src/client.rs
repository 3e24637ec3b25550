//! The principal type is [`Client`]: it sends one request and reads its response, independent of how connections are
//! opened.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http::header;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::time::timeout_at;
use xxhash_rust::xxh3::Xxh3Default;

use crate::config::DriverConfig;
use crate::connection::{Connection, Unanswered};
use crate::error::{LoadError, Stage};
use crate::exchange::{Digest, Exchange, Fingerprint, Verdict};
use crate::expect::{BodyText, Expect};
use crate::failure::{Failure, Scene};
use crate::jar::Jars;
use crate::origin::{OpenError, Origin, Origins, Taken};
use crate::request::Request;
use crate::sample::Sample;
use crate::wire::Counts;

pub(crate) struct Client {
    pub(crate) requests: Vec<Request>,
    origins: Origins,
    timeout: Duration,
    expect: Expect,
    max_body: u64,
    /// First answer to each request: without cookies, and to a client that sends cookies back.
    first: RefCell<Vec<[Option<Fingerprint>; 2]>>,
    /// Cookies of simulated users; `None` if every request is a stranger's.
    jars: Option<Jars>,
    pub(crate) counts: Counts,
}

struct Progress {
    stage: Cell<Stage>,
    version: Cell<&'static str>,
}

struct Begun {
    connection: Connection,
    response: http::Response<hyper::body::Incoming>,
    reused: bool,
    retried: bool,
    sent: Instant,
}

impl Client {
    pub(crate) fn new(config: DriverConfig, origins: Origins, counts: Counts) -> Self {
        let first = vec![[None; 2]; config.requests.len()].into();
        let requests = config.requests.into_iter();
        Self {
            requests: requests.map(|request| if config.keep_alive { request } else { request.closing() }).collect(),
            origins,
            timeout: config.timeout,
            expect: config.expect,
            max_body: config.max_body,
            first,
            jars: config.keep_cookies.then(Jars::default),
            counts,
        }
    }

    /// Sends the request at this index, reads the response, and checks it.
    ///
    /// Takes the jar of a user without a request under way, and sends that user's cookies. Also returns the head, the
    /// first `keep` bytes of the body, and the comparison with the first answer.
    pub(crate) async fn exchange(
        &self,
        index: usize,
        planned: Instant,
        keep: usize,
    ) -> Result<(Sample, Verdict), LoadError> {
        let request = &self.requests[index];
        let Some(jars) = &self.jars else {
            let sample = self.send(request, index, planned, keep).await?;
            let verdict = self.verdict(index, &sample.exchange, false);
            return Ok((sample, verdict));
        };
        let origin = self.origins.number_of(index);
        let mut jar = jars.take();
        let dressed = jar.dress(index, origin, request);
        let done = self.send(dressed.as_deref().unwrap_or(request), index, planned, keep).await;
        if let Ok(sample) = &done {
            jar.keep(origin, request, &sample.headers);
        }
        jars.give_back(jar);
        let sample = done?;
        let verdict = self.verdict(index, &sample.exchange, dressed.is_some());
        Ok((sample, verdict))
    }

    /// Sends this request to the target of the one at this index, with its own cookies only; nothing is compared.
    pub(crate) async fn send(
        &self,
        request: &Request,
        index: usize,
        planned: Instant,
        keep: usize,
    ) -> Result<Sample, LoadError> {
        let origin = self.origins.of(index);
        let progress = Progress { stage: Cell::new(Stage::Connecting), version: Cell::new("HTTP/1.1") };
        // One limit for all attempts: a second one must not double it.
        let deadline = tokio::time::Instant::now() + self.timeout;
        match timeout_at(deadline, self.unbounded(request, origin, planned, keep, &progress)).await {
            Ok(done) => done,
            Err(_) => Err(LoadError::Timeout {
                request: request.name().to_owned(),
                after: self.timeout,
                stage: progress.stage.get(),
            }),
        }
    }

    pub(crate) async fn checked(&self, index: usize, planned: Instant) -> Result<(Exchange, Verdict), LoadError> {
        let (sample, verdict) = self.exchange(index, planned, 0).await?;
        if self.expect.same && verdict == Verdict::Changed {
            return Err(LoadError::UnexpectedBody {
                request: self.requests[index].name().to_owned(),
                expected: "the same as the first answer's".to_owned(),
                sample: Box::new(sample),
            });
        }
        Ok((sample.exchange, verdict))
    }

    /// Compares an answer with the first one to the same request. The page of a known user is compared separately from
    /// a stranger's.
    fn verdict(&self, index: usize, exchange: &Exchange, is_known: bool) -> Verdict {
        let fingerprint = exchange.fingerprint();
        let mut first = self.first.borrow_mut();
        fingerprint.verdict(first[index][usize::from(is_known)].get_or_insert(fingerprint))
    }

    async fn unbounded(
        &self,
        request: &Request,
        origin: &Origin,
        planned: Instant,
        keep: usize,
        progress: &Progress,
    ) -> Result<Sample, LoadError> {
        let explain = |failure: Failure| {
            let scene = Scene {
                request,
                target: origin.connector.target.to_string(),
                stage: progress.stage.get(),
                version: progress.version.get(),
                max_body: self.max_body,
            };
            scene.explain(failure)
        };
        let begun = match self.begin(request, origin, progress).await {
            Ok(begun) => begun,
            Err(OpenError::Connect(error)) => return Err(error),
            Err(OpenError::Start(failure)) => return Err(explain(failure)),
        };
        let first_byte = Instant::now();
        let Begun { connection, response, reused, retried, sent } = begun;
        let connect = (!reused).then_some(connection.times);
        let (head, body) = response.into_parts();
        let status = head.status.as_u16();
        self.counts.met(request.headers().contains_key(header::COOKIE), &head.headers);
        let fine = self.expect.statuses.contains(status);
        let text = self.expect.body.as_ref();
        // Unexpected answers are shown.
        let keep = if fine && text.is_none() { keep } else { keep.max(KEPT) };
        let body = match read_body(body, self.max_body, keep, text).await {
            Ok(body) => {
                origin.give_back(connection);
                body
            }
            // The status says more than that its body was also cut short.
            Err(_) if !fine => ReadBody::default(),
            Err(failure) => return Err(explain(failure)),
        };
        let done = Instant::now();
        let ReadBody { length: body_bytes, digest, start: body_start, has_text } = body;
        let exchange = Exchange { planned, sent, first_byte, done, status, body_bytes, digest, connect, retried };
        let name = if keep > 0 { request.name().to_owned() } else { String::new() };
        let sample = Sample {
            request: name,
            exchange,
            version: head.version,
            status: head.status,
            headers: head.headers,
            body_start,
        };
        if fine && has_text {
            return Ok(sample);
        }
        if fine {
            return Err(LoadError::UnexpectedBody {
                request: request.name().to_owned(),
                expected: self.expect.body.as_ref().map(ToString::to_string).unwrap_or_default(),
                sample: Box::new(sample),
            });
        }
        Err(LoadError::UnexpectedStatus { sample: Box::new(sample), expected: self.expect.statuses.clone() })
    }

    /// Sends the request and waits for the head of the response.
    ///
    /// A server may close an idle connection just as a request is sent over it (RFC 9112, section 9.3.1). That is not a
    /// failure: the request is repeated over a new connection, if nothing of it was sent, or if nothing came back and
    /// it is idempotent.
    async fn begin(&self, request: &Request, origin: &Origin, progress: &Progress) -> Result<Begun, OpenError> {
        let mut retried = false;
        loop {
            progress.stage.set(Stage::Connecting);
            let Taken { mut connection, reused } = origin.take(retried, &self.counts).await?;
            progress.version.set(connection.protocol().into_str());
            progress.stage.set(Stage::Waiting);
            let sent = Instant::now();
            let Unanswered { failure, unsent, silent } = match connection.send(request).await {
                Ok(response) => {
                    let sent = connection.written().unwrap_or(sent);
                    progress.stage.set(Stage::Reading);
                    return Ok(Begun { connection, response, reused, retried, sent });
                }
                Err(unanswered) => unanswered,
            };
            let harmless = unsent || (silent && request.is_idempotent());
            if retried || !reused || !harmless || !failure.is_closed() {
                return Err(OpenError::Start(failure));
            }
            retried = true;
            self.counts.retried();
        }
    }
}

/// Bytes of a body that are kept for display.
pub(crate) const KEPT: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct ReadBody {
    pub(crate) length: u64,
    pub(crate) digest: Digest,
    /// First bytes, as many as requested.
    pub(crate) start: Bytes,
    /// Whether it holds the expected text; true if there is none.
    pub(crate) has_text: bool,
}

/// Reads a body to its end, at most `limit` bytes of it, and keeps the first `keep`.
pub(crate) async fn read_body(
    mut body: Incoming,
    limit: u64,
    keep: usize,
    text: Option<&BodyText>,
) -> Result<ReadBody, Failure> {
    if let Some(length) = body.size_hint().exact().filter(|length| *length > limit) {
        return Err(Failure::BodyTooLarge { announced: Some(length) });
    }
    let mut length = 0;
    let mut kept = BytesMut::new();
    // Most pages come in one piece: hashed at once, without the 0.5 KiB of state that streaming needs.
    let mut whole: Option<Bytes> = None;
    let mut hash: Option<Box<Xxh3Default>> = None;
    let mut look = text.map(BodyText::look);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(Failure::Hyper)?.into_data() else { continue };
        length += data.len() as u64;
        if length > limit {
            return Err(Failure::BodyTooLarge { announced: None });
        }
        if kept.len() < keep {
            kept.extend_from_slice(&data[..data.len().min(keep - kept.len())]);
        }
        if let Some(look) = &mut look {
            look.through(&data);
        }
        match (&mut hash, whole.take()) {
            (Some(hash), _) => hash.update(&data),
            (None, None) => whole = Some(data),
            (None, Some(first)) => {
                let streaming = hash.insert(Box::default());
                streaming.update(&first);
                streaming.update(&data);
            }
        }
    }
    let digest = match hash {
        Some(hash) => Digest(hash.digest()),
        None => Digest::of(&whole.unwrap_or_default()),
    };
    Ok(ReadBody { length, digest, start: kept.freeze(), has_text: look.is_none_or(|look| look.found) })
}
