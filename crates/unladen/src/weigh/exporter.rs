//! Prometheus exporters as sources of counters: [`open`]. The principal type is [`Exporter`]: one that was named.

mod fetch;
mod named;
mod source;

use std::collections::BTreeSet;
use std::time::Duration;

use unladen_load::TlsOptions;

use crate::weigh::edge::EdgeSource;
use crate::weigh::exporter::source::ExporterSource;

pub(crate) use named::{Exporter, ExporterError};

const MOST: usize = 32;

/// Checked before anything is contacted. Fails if there are too many, or one has the name of another, or of one of
/// these hosts.
pub(crate) fn check<'a>(
    exporters: &'a [Exporter],
    hosts: impl IntoIterator<Item = &'a str>,
) -> Result<(), ExporterError> {
    if exporters.len() > MOST {
        return Err(ExporterError::TooMany { given: exporters.len(), most: MOST });
    }
    let mut names: BTreeSet<&str> = hosts.into_iter().collect();
    match exporters.iter().find(|exporter| !names.insert(&exporter.name)) {
        Some(twice) => Err(ExporterError::Twice { name: twice.name.clone() }),
        None => Ok(()),
    }
}

/// Asks each exporter once, so that an unusable one is known before anything else is done. `settle` is the gap that
/// there is anyway. Fails if one does not answer with metrics.
pub(crate) fn open(
    exporters: &[Exporter],
    tls: &TlsOptions,
    settle: Duration,
) -> Result<Vec<Box<dyn EdgeSource>>, ExporterError> {
    // Accepting any certificate of the site does not extend to the exporters, and the client's identity is only for the
    // site.
    let tls = TlsOptions { insecure: false, identity: None, ..tls.clone() };
    let open = |exporter| Ok(Box::new(ExporterSource::open(exporter, &tls, settle)?) as Box<dyn EdgeSource>);
    exporters.iter().map(open).collect()
}

#[cfg(test)]
mod tests;
