//! `unladen.profile/1`: the time of a request, and the shares of functions.

use unladen_document::{Function, OpenSpan, ProfileDocument};

use crate::key::Key;
use crate::measured::Measured;
use crate::row::Kind;

/// Functions with less of the whole in both runs are ignored.
const LEAST_SHARE: f64 = 0.01;

pub(super) fn figures(document: &ProfileDocument) -> Vec<(Key, Measured)> {
    let plain = document.setup.as_ref().map(|setup| setup.plain_ns);
    let time = plain.and_then(|plain| Some((plain.value as f64, plain.low? as f64, plain.high? as f64)));
    let time = time.map(|(value, low, high)| {
        let key = Key::new(Kind::Latency, &document.target, "latency.mean", "ns");
        (key, Measured { headline: true, ..Measured::spanned(value, low, high) })
    });
    let shares = document.functions.iter().flat_map(|function| {
        [("self", function.self_share), ("total", function.total_share)]
            .into_iter()
            .filter_map(|(of, part)| share(&document.target, function, of, part))
    });
    time.into_iter().chain(shares).collect()
}

fn share(url: &str, function: &Function, of: &str, part: OpenSpan) -> Option<(Key, Measured)> {
    let key = Key::new(Kind::Function, url, format!("function.{of} {}", function.name), "1");
    let measured = Measured::spanned(part.value, part.low?, part.high?);
    Some((
        Key { group: Some(function.file.clone()), counter: Some(of.to_owned()), ..key },
        Measured { shown: part.value >= LEAST_SHARE, ..measured },
    ))
}
