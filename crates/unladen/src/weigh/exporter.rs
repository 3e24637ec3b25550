//! Exporters of Prometheus as sources of counters: [`open`]. The principal type is [`Exporter`]: one that was named.

mod error;
mod fetch;
mod named;
mod poll;
mod source;

use std::collections::BTreeSet;
use std::time::Duration;

use unladen_load::TlsOptions;

pub(crate) use error::ExporterError;
pub(crate) use named::Exporter;

use crate::weigh::edge::EdgeSource;
use source::ExporterSource;

/// The most exporters of a run.
const MOST: usize = 32;

/// Asks each exporter once, so that one that cannot be used is known before anything else is done. `settle` is the gap
/// that there is anyway.
///
/// # Errors
/// If two have one name, or one does not answer with metrics.
pub(crate) fn open(
    exporters: &[Exporter],
    tls: &TlsOptions,
    settle: Duration,
) -> Result<Vec<Box<dyn EdgeSource>>, ExporterError> {
    if exporters.len() > MOST {
        return Err(ExporterError::TooMany { given: exporters.len(), most: MOST });
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = exporters.iter().find(|exporter| !names.insert(exporter.name())) {
        return Err(ExporterError::Twice { name: twice.name().to_owned() });
    }
    // Whoever accepts any certificate of the site has said nothing of these.
    let tls = TlsOptions { insecure: false, ..tls.clone() };
    let open = |exporter| Ok(Box::new(ExporterSource::open(exporter, &tls, settle)?) as Box<dyn EdgeSource>);
    exporters.iter().map(open).collect()
}
