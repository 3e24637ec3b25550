//! The principal type is [`Rates`]: the bounds of rates of a listener.

use std::time::{Duration, Instant};

use unladen_http1::Request;
use unladen_pool::{Bucket, KeyedBuckets};

use crate::settings::RateSettings;

/// The bounds of rates of a listener; all of them must allow a request.
#[derive(Debug, Default)]
pub struct Rates {
    rates: Vec<Rate>,
}

#[derive(Debug)]
enum Rate {
    ForAll(Bucket),
    ByHeader(String, Box<KeyedBuckets>),
}

// === impl Rates ===

impl Rates {
    /// Full buckets.
    pub(crate) fn new(settings: &[RateSettings]) -> Self {
        let rate = |settings: &RateSettings| match &settings.header {
            None => Rate::ForAll(Bucket::new(settings.rate, settings.burst)),
            Some(header) => Rate::ByHeader(
                header.clone(),
                Box::new(KeyedBuckets::new(settings.rate, settings.burst, settings.keys)),
            ),
        };
        Self { rates: settings.iter().map(rate).collect() }
    }

    /// Takes a token from each, or tells when there will be one. A request without the header is bound by the others alone.
    pub(crate) fn take(&self, request: &Request, now: Instant) -> Result<(), Duration> {
        for rate in &self.rates {
            match rate {
                Rate::ForAll(bucket) => bucket.take(now)?,
                Rate::ByHeader(header, buckets) => {
                    let value = match header.as_str() {
                        "host" => Some(&*request.authority),
                        header => request.fields.find(header.as_bytes()),
                    };
                    if let Some(value) = value {
                        buckets.take(value, now)?;
                    }
                }
            }
        }
        Ok(())
    }
}
