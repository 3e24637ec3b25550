//! How results write the probes' counters.

use unladen_probe::{PROBES, Unit};
use unladen_report::Kind;

pub(crate) fn title_of(name: &str) -> Option<&'static str> {
    let mut counters = PROBES.iter().flat_map(|probe| probe.counters);
    counters.find(|counter| counter.name == name).map(|counter| counter.title)
}

pub(crate) fn kind_of(unit: Unit) -> Kind {
    match unit {
        Unit::Nanoseconds => Kind::Time,
        Unit::Bytes => Kind::Bytes,
        Unit::Count => Kind::Count,
    }
}
