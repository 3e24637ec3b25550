//! The principal type is [`Rates`]: a listener's rate bounds, all of which must allow a request.

use std::time::{Duration, Instant};

use unladen_http1::Request;
use unladen_pool::{Bucket, KeyedBuckets};
use unladen_serve_config::RateSettings;

use super::counting::{Counting, value_of};
use super::shared_rates::SharedRates;

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
