//! How the counters of the probes are written in results.

use unladen_probe::Unit;
use unladen_report::Kind;

/// How numbers of a unit are written.
pub(crate) fn kind_of(unit: Unit) -> Kind {
    match unit {
        Unit::Nanoseconds => Kind::Time,
        Unit::Bytes => Kind::Bytes,
        Unit::Count => Kind::Count,
    }
}
