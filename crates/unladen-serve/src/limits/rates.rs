//! The principal type is [`Rates`]: a listener's rate bounds, all of which must allow a request.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use prost::Message;
use unladen_http1::Request;
use unladen_pool::{Bucket, KeyedBuckets};
use unladen_serve_config::{EntrySettings, EntryValue, RateSettings};

use super::service::{Descriptor, Entry, RateLimitRequest, RateService, Verdict};

/// Which requests a rate bound counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// All requests, before the cache is looked at.
    Coming,
    /// Those sent to the upstream.
    Going,
}

pub(super) fn value_of<'r>(request: &'r Request, header: &str) -> Option<&'r [u8]> {
    match header {
        "host" => Some(&request.authority),
        header => request.fields.find(header.as_bytes()),
    }
}

#[derive(Debug, Default)]
pub(crate) struct Rates {
    rates: Vec<Rate>,
    pub(crate) shared: Option<Box<SharedRates>>,
}

#[derive(Debug)]
struct Rate {
    by: By,
    /// Whether answers from memory count too.
    hits: bool,
}

#[derive(Debug)]
enum By {
    All(Bucket),
    /// A bucket for each value, and one for all requests without the header.
    Header(String, Box<KeyedBuckets>, Bucket),
}

impl Rates {
    pub(crate) fn new(settings: &[RateSettings]) -> Self {
        let rate = |settings: &RateSettings| {
            let bucket = Bucket::new(settings.rate, settings.burst);
            let by = match &settings.header {
                None => By::All(bucket),
                Some(header) => {
                    let buckets = KeyedBuckets::new(settings.rate, settings.burst, settings.keys);
                    By::Header(header.clone(), Box::new(buckets), bucket)
                }
            };
            Rate { by, hits: settings.hits }
        };
        let own = settings.iter().filter(|settings| settings.service.is_none());
        Self { rates: own.map(rate).collect(), shared: SharedRates::new(settings) }
    }

    /// Takes a token from each that counts these requests; the error says when there will be one.
    pub(crate) fn take(&self, request: &Request, counting: Counting, now: Instant) -> Result<(), Duration> {
        for rate in self.rates.iter().filter(|rate| rate.hits == (counting == Counting::Coming)) {
            match &rate.by {
                By::All(bucket) => bucket.take(now)?,
                By::Header(header, buckets, without) => match value_of(request, header) {
                    Some(value) => buckets.take(value, now)?,
                    None => without.take(now)?,
                },
            }
        }
        Ok(())
    }
}

/// Longest value sent, in bytes; longer ones with the same beginning count together.
const LONGEST_VALUE: usize = 1024;
/// Prefix length of an IPv6 client: one customer has all addresses below.
const NETWORK: u32 = 64;

/// Rate bounds kept by services, and substitutes for when they do not answer.
#[derive(Debug)]
pub(crate) struct SharedRates {
    questions: Vec<Question>,
}

/// Asked of one service for each request, all at once.
#[derive(Debug)]
struct Question {
    service: Arc<RateService>,
    deadline: Duration,
    /// Whether answers from memory count too.
    hits: bool,
    bounds: Vec<SharedRate>,
}

#[derive(Debug)]
struct SharedRate {
    entries: Vec<EntrySettings>,
    /// Used where the service does not answer, one for each descriptor …
    buckets: KeyedBuckets,
    /// … and one for requests that lack a descriptor's field: the service is not asked about them.
    without: Bucket,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Asker<'r> {
    pub(crate) request: &'r Request,
    pub(crate) client: Option<IpAddr>,
    pub(crate) thread: usize,
    pub(crate) now: Instant,
}

impl SharedRates {
    /// `None` if no bound has a service.
    pub(super) fn new(settings: &[RateSettings]) -> Option<Box<Self>> {
        let mut questions: Vec<Question> = Vec::new();
        for settings in settings {
            let Some(service) = &settings.service else { continue };
            let (service, deadline, hits) = (RateService::of(service), settings.deadline, settings.hits);
            let bound = SharedRate {
                entries: settings.descriptor.clone(),
                buckets: KeyedBuckets::new(settings.rate, settings.burst, settings.keys),
                without: Bucket::new(settings.rate, settings.burst),
            };
            let is_same = |question: &&mut Question| {
                Arc::ptr_eq(&question.service, &service) && (question.deadline, question.hits) == (deadline, hits)
            };
            match questions.iter_mut().find(is_same) {
                Some(question) => question.bounds.push(bound),
                None => questions.push(Question { service, deadline, hits, bounds: vec![bound] }),
            }
        }
        (!questions.is_empty()).then(|| Box::new(Self { questions }))
    }

    pub(crate) fn services(&self) -> impl Iterator<Item = &Arc<RateService>> {
        self.questions.iter().map(|question| &question.service)
    }

    /// Whether all bounds that count this request allow it; the error says when they will.
    pub(crate) async fn ask(&self, asker: Asker<'_>, counting: Counting) -> Result<(), Duration> {
        for question in self.questions.iter().filter(|question| question.hits == (counting == Counting::Coming)) {
            question.ask(asker).await?;
        }
        Ok(())
    }
}

impl Question {
    async fn ask(&self, asker: Asker<'_>) -> Result<(), Duration> {
        let mut descriptors = Vec::with_capacity(self.bounds.len());
        for bound in &self.bounds {
            match bound.descriptor(asker) {
                Some(descriptor) => descriptors.push(descriptor),
                None => bound.without.take(asker.now)?,
            }
        }
        if descriptors.is_empty() {
            return Ok(());
        }
        let domain = self.service.settings.domain.clone();
        let request = RateLimitRequest { domain, descriptors, hits_addend: 1 };
        match self.service.ask(asker.thread, &request, self.deadline).await {
            Ok(Verdict::Within) => Ok(()),
            Ok(Verdict::Over(after)) => Err(after),
            Err(_) => self.bounds.iter().try_for_each(|bound| match bound.descriptor(asker) {
                Some(descriptor) => bound.buckets.take(&descriptor.encode_to_vec(), asker.now),
                // It was counted above.
                None => Ok(()),
            }),
        }
    }
}

impl SharedRate {
    /// `None` if the request lacks a field.
    fn descriptor(&self, asker: Asker<'_>) -> Option<Descriptor> {
        let entry = |entry: &EntrySettings| {
            let value = match &entry.value {
                EntryValue::Fixed(value) => value.clone(),
                EntryValue::Client => client(asker.client?),
                EntryValue::Header(name) => {
                    let value = value_of(asker.request, name)?;
                    String::from_utf8_lossy(value.get(..LONGEST_VALUE).unwrap_or(value)).into_owned()
                }
            };
            Some(Entry { key: entry.key.clone(), value })
        };
        Some(Descriptor { entries: self.entries.iter().map(entry).collect::<Option<_>>()? })
    }
}

/// Text of an address; of IPv6, its network.
fn client(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let network = Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << (128 - NETWORK)));
            format!("{network}/{NETWORK}")
        }
    }
}

#[cfg(test)]
mod tests;
