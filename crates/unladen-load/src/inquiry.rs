//! The principal type is [`Inquiry`]: it requests one page in several ways, one request at a time.
//!
//! Answers are compared by the stable parts of the page ([`Template`]), learnt from plain answers: some at the start,
//! some more than a second later, and one more whenever a variation looks different, which is then repeated. So neither
//! a clock on the page nor a token counts as a variation.

mod template;

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use unladen_lockin::{Estimate, MIN_BLOCKS, ratio};

use crate::answers::{Answers, Ask, LeftOut, Variation, shown};
use crate::client::Client;
use crate::error::LoadError;
use crate::exchange::Fingerprint;
use crate::jar::{joined, name_of, pairs};
use crate::request::Request;
use crate::sample::{MOST, Sample, Unpacked};
use template::Template;

/// Plain requests at the start, and once more later.
const PLAIN: u32 = 5;
/// Pause between the two: a clock that shows seconds has moved on.
const LATER: Duration = Duration::from_millis(1100);
/// Limit of the plain requests, if each part had some. Ten answers are needed to say that a page is the same each time:
/// with less time, a page of one second, for which a cache would be worth most, would never be found to be.
const PLAIN_TIME: Duration = Duration::from_secs(20);
const ALL_TIME: Duration = Duration::from_secs(30);

/// Requests of each kind in a block of the cost's measurement.
const EACH: usize = 3;
/// Blocks measured unless time runs out.
const BLOCKS: usize = 8;
/// Quick pages get more blocks, and so a narrower interval, within [`QUICK_TIME`].
const MOST_BLOCKS: usize = 64;
const QUICK_TIME: Duration = Duration::from_secs(2);
const COST_TIME: Duration = Duration::from_secs(5);

/// Candidates; the first two that the user's own header does not name.
const LANGUAGES: [&str; 4] = ["de", "en", "fr", "es"];
const UNKNOWN_COOKIE: &str = "unladen=1";

struct Inquiry<'a> {
    client: &'a Client,
    index: usize,
    request: &'a Request,
    begun: Instant,
    first: Sample,
    latest: Sample,
    /// Stable parts of its body, if bodies are available.
    template: Option<Template>,
    one_location: bool,
    answers: Answers,
}

struct Why {
    text: String,
    applies: bool,
}

type Left = Option<Why>;

pub(crate) async fn inquire(client: &Client, index: usize, sample: &Sample) -> Result<Answers, LoadError> {
    let request = &client.requests[index];
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(Answers::of(request, sample));
    }
    let mut inquiry = Inquiry::begin(client, index, request).await?;
    inquiry.plain_times(PLAIN - 1).await?;
    // First, as it takes the time that must pass anyway.
    let conditional = inquiry.conditional().await;
    inquiry.note(Ask::Conditional, conditional);
    tokio::time::sleep_until((inquiry.begun + LATER).into()).await;
    inquiry.plain_times(PLAIN).await?;

    for ask in [Ask::Compressed, Ask::Language, Ask::Cookie, Ask::UnknownCookie] {
        let asked = if inquiry.begun.elapsed() > ALL_TIME {
            Err(Why::missed(format!("the page is slow, and the {} s for this were used up", ALL_TIME.as_secs())))
        } else {
            match ask {
                Ask::Compressed => inquiry.compressed().await,
                Ask::Language => inquiry.language().await,
                Ask::Cookie => inquiry.cookie().await,
                _ => inquiry.with_cookies(&[UNKNOWN_COOKIE.to_owned()], UNKNOWN_COOKIE).await,
            }
        };
        inquiry.note(ask, asked.map(|variation| (variation, None)));
    }
    Ok(inquiry.answers)
}

// === impl Why ===

impl Why {
    fn pointless(text: &str) -> Self {
        Self { text: text.to_owned(), applies: false }
    }

    fn missed(text: impl Into<String>) -> Self {
        Self { text: text.into(), applies: true }
    }
}

impl From<LoadError> for Why {
    fn from(error: LoadError) -> Self {
        Self::missed(error.to_string())
    }
}

impl<'a> Inquiry<'a> {
    async fn begin(client: &'a Client, index: usize, request: &'a Request) -> Result<Self, LoadError> {
        let begun = Instant::now();
        let first = ask(client, index, request).await?;
        let template = match Content::of(&first) {
            Content::Text(body) if *request.method() != Method::HEAD => Some(Template::new(&body)),
            _ => None,
        };
        let (answers, latest) = (Answers::of(request, &first), first.clone());
        Ok(Self { client, index, request, begun, first, latest, template, one_location: true, answers })
    }

    async fn plain_times(&mut self, times: u32) -> Result<(), LoadError> {
        for _ in 0..times {
            self.plain().await?;
            if self.begun.elapsed() > PLAIN_TIME {
                break;
            }
        }
        Ok(())
    }

    async fn plain(&mut self) -> Result<Duration, LoadError> {
        let sample = ask(self.client, self.index, self.request).await?;
        self.answers.answers += 1;
        if fingerprint(&sample) != fingerprint(&self.first) {
            self.answers.changed += 1;
        }
        self.one_location &= sample.location() == self.first.location();
        // An answer equal to the latest teaches nothing; one with another status is another page.
        if fingerprint(&sample) != fingerprint(&self.latest) && sample.status == self.first.status {
            match (&mut self.template, Content::of(&sample)) {
                (Some(template), Content::Text(body)) => template.learn(&body),
                _ => self.template = None,
            }
        }
        let latency = sample.exchange.latency();
        self.latest = sample;
        Ok(latency)
    }

    fn note(&mut self, ask: Ask, asked: Result<(Variation, Left), Why>) {
        let why = match asked {
            Ok((variation, why)) => {
                self.answers.variations.push(Variation { ask, ..variation });
                why
            }
            Err(why) => Some(why),
        };
        self.answers.left_out.extend(why.map(|Why { text, applies }| LeftOut { ask, why: text, applies }));
    }

    // --- Variations

    async fn conditional(&mut self) -> Result<(Variation, Left), Why> {
        let mut request = self.request.clone();
        let mut sent = Vec::new();
        for (validator, name) in
            [(header::ETAG, header::IF_NONE_MATCH), (header::LAST_MODIFIED, header::IF_MODIFIED_SINCE)]
        {
            if let Some(value) = self.latest.headers.get(validator) {
                sent.push(line(&name, &String::from_utf8_lossy(value.as_bytes())));
                request = request.with(name, value.clone());
            }
        }
        if sent.is_empty() {
            return Err(Why::pointless("the page has neither ETag nor Last-Modified"));
        }
        let (sample, same) = self.compared(&request).await?;
        let variation = variation(&sent.join("; "), &sample, same);
        if sample.status != StatusCode::NOT_MODIFIED {
            return Ok((variation, None));
        }
        Ok(match self.cost(&request).await {
            Ok(cost) => (Variation { cost: Some(cost), ..variation }, None),
            Err(why) => (variation, Some(Why::missed(format!("its cost is not known: {why}")))),
        })
    }

    /// Ratio of this request's latency, which is answered 304, to the plain one's. Both alternate in random order, so
    /// that disturbances affect both.
    async fn cost(&mut self, conditional: &Request) -> Result<Estimate, String> {
        let started = Instant::now();
        let (mut conditionals, mut plains) = (Vec::new(), Vec::new());
        while conditionals.len() < MOST_BLOCKS && (conditionals.len() < BLOCKS || started.elapsed() < QUICK_TIME) {
            let mut order = [[true; EACH], [false; EACH]].concat();
            fastrand::shuffle(&mut order);
            let (mut of_conditional, mut of_plain) = (0.0, 0.0);
            for is_conditional in order {
                if started.elapsed() > COST_TIME {
                    return Self::ratio(&conditionals, &plains);
                }
                if is_conditional {
                    let sample = ask(self.client, self.index, conditional).await.map_err(|error| error.to_string())?;
                    if sample.status != StatusCode::NOT_MODIFIED {
                        return Err(format!("requested again with the same validators, it answered {}", sample.status));
                    }
                    of_conditional += sample.exchange.latency().as_secs_f64();
                } else {
                    of_plain += self.plain().await.map_err(|error| error.to_string())?.as_secs_f64();
                }
            }
            conditionals.push(of_conditional);
            plains.push(of_plain);
        }
        Self::ratio(&conditionals, &plains)
    }

    fn ratio(conditionals: &[f64], plains: &[f64]) -> Result<Estimate, String> {
        ratio(conditionals, plains).map_err(|_| {
            format!(
                "the page is slow, and the {} s for this were used up after {} of {MIN_BLOCKS} blocks of {EACH} \
                 requests each",
                COST_TIME.as_secs(),
                plains.len()
            )
        })
    }

    async fn compressed(&mut self) -> Result<Variation, Why> {
        const ALL: &str = "gzip, br, zstd";
        let request = |codings| self.request.clone().with(header::ACCEPT_ENCODING, HeaderValue::from_static(codings));
        let (all, gzip) = (request(ALL), request("gzip"));
        let (sample, mut same) = self.compared(&all).await?;
        if Content::of(&sample) == Content::Packed {
            // An encoding that cannot be unpacked cannot be compared. If the gzip answer is the same page, so are the
            // others.
            same = self.compared(&gzip).await.ok().and_then(|(_, same)| same);
        }
        Ok(variation(&line(&header::ACCEPT_ENCODING, ALL), &sample, same))
    }

    async fn language(&mut self) -> Result<Variation, Why> {
        let mut first = None;
        for language in languages(self.request) {
            let request = self.request.clone().with(header::ACCEPT_LANGUAGE, HeaderValue::from_static(language));
            let (sample, same) = self.compared(&request).await?;
            let variation = variation(&line(&header::ACCEPT_LANGUAGE, language), &sample, same);
            if same == Some(false) {
                return Ok(variation);
            }
            first.get_or_insert(variation);
        }
        first.ok_or_else(|| Why::pointless("the request already names all languages that would be tried"))
    }

    async fn cookie(&mut self) -> Result<Variation, Why> {
        let set = pairs(&self.first.headers);
        if set.is_empty() {
            return Err(Why::pointless("the page sets no cookie"));
        }
        let shown: Vec<_> = set.iter().map(|pair| format!("{}=…", name_of(pair))).collect();
        self.with_cookies(&set, &shown.join("; ")).await
    }

    async fn with_cookies(&mut self, pairs: &[String], shown: &str) -> Result<Variation, Why> {
        let cookies = HeaderValue::try_from(joined(self.request.headers(), pairs))
            .map_err(|_| Why::missed("the cookies that the page sets cannot be sent back"))?;
        let request = self.request.clone().with(header::COOKIE, cookies);
        let (sample, same) = self.compared(&request).await?;
        Ok(variation(&line(&header::COOKIE, shown), &sample, same))
    }

    // --- Answers

    /// Sends this request, and compares its answer with the plain ones. If it differs, repeats it after another plain
    /// one, since the page may have changed meanwhile.
    async fn compared(&mut self, request: &Request) -> Result<(Sample, Option<bool>), Why> {
        let sample = ask(self.client, self.index, request).await?;
        let mut same = self.same(&sample);
        if same == Some(false) && sample.status == self.first.status {
            self.plain().await?;
            let again = ask(self.client, self.index, request).await?;
            self.plain().await?;
            // A page that changed at the wrong moment fits at the second time, or now that the change is known.
            same = match (self.same(&sample), self.same(&again)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
        }
        Ok((sample, same))
    }

    fn same(&self, sample: &Sample) -> Option<bool> {
        if sample.status == StatusCode::NOT_MODIFIED {
            return None;
        }
        if sample.status != self.first.status || self.one_location && sample.location() != self.first.location() {
            return Some(false);
        }
        let template = self.template.as_ref()?;
        match Content::of(sample) {
            Content::Text(body) => template.fits(&body),
            Content::Packed | Content::Unknown => None,
        }
    }
}

async fn ask(client: &Client, index: usize, request: &Request) -> Result<Sample, LoadError> {
    match client.send(request, index, Instant::now(), MOST).await {
        Err(LoadError::UnexpectedStatus { sample, .. } | LoadError::UnexpectedBody { sample, .. }) => Ok(*sample),
        answered => answered,
    }
}

fn fingerprint(sample: &Sample) -> Fingerprint {
    sample.exchange.fingerprint()
}

fn variation(header: &str, sample: &Sample, same: Option<bool>) -> Variation {
    Variation {
        header: header.to_owned(),
        status: sample.status.as_u16(),
        headers: shown(&sample.headers),
        body_bytes: sample.exchange.body_bytes,
        same,
        ..Variation::default()
    }
}

fn line(name: &HeaderName, value: &str) -> String {
    format!("{name}: {value}")
}

fn languages(request: &Request) -> Vec<&'static str> {
    let own = request.headers().get_all(header::ACCEPT_LANGUAGE).iter();
    let own: Vec<_> = own.map(|value| String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase()).collect();
    let named =
        |language: &&str| own.iter().flat_map(|line| line.split([',', ';', '-'])).any(|part| part.trim() == *language);
    LANGUAGES.into_iter().filter(|language| !named(language)).take(2).collect()
}

/// A body unpacked, as far as possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    Text(Bytes),
    Packed,
    /// Too long, or damaged.
    Unknown,
}

impl Content {
    pub(crate) fn of(sample: &Sample) -> Self {
        match sample.unpacked() {
            Some(Unpacked { content, is_whole: true }) => Self::Text(content),
            None if sample.is_all_kept() => Self::Packed,
            _ => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests;
