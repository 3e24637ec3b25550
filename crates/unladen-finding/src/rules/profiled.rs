//! Shared by rules that read profiles.

use unladen_trace::{Evidence, FunctionSeen, Interval, ProfileSeen};

use crate::again;
use crate::finding::{Figure, Finding, Item, Rule, Share, Whole};
use crate::fix::Fix;
use crate::words::{percent, plain};

const CALLERS: usize = 3;

pub(super) fn profile(evidence: &Evidence) -> Option<&ProfileSeen> {
    evidence.profile.as_ref()
}

pub(super) fn share(profile: &ProfileSeen, part: Interval) -> Share {
    let of = if profile.of_cpu { Whole::Cpu } else { Whole::Latency };
    // Only the part's own width counts: that of the whole is far smaller.
    let whole = profile.whole.map(|Interval { value, .. }| Interval { value, low: value, high: value });
    let time = part.scaled(whole.map_or(0.0, |whole| whole.value));
    Share::of(of, time, whole, "how long a request takes is not known")
}

/// The largest matching function, if its part is at least `least`, lower end included.
pub(super) fn largest(
    profile: &ProfileSeen,
    least: f64,
    is_one: impl Fn(&FunctionSeen) -> bool,
) -> Option<&FunctionSeen> {
    let of_kind = profile.functions.iter().filter(|function| is_one(function));
    of_kind.max_by(|a, b| a.all.value.total_cmp(&b.all.value)).filter(|function| function.all.low >= least)
}

pub(super) fn finding(
    rule: &Rule,
    evidence: &Evidence,
    profile: &ProfileSeen,
    function: &FunctionSeen,
    fix: Fix,
) -> Finding {
    let part = percent(function.all);
    let summary = match function.calls {
        Some(calls) => format!("{} calls per request of {} take {part} of a request", plain(calls), function.name),
        None => format!("{} takes {part} of a request", function.name),
    };
    let callers = function.callers.iter().take(CALLERS);
    let mut figures = vec![
        Figure { name: "self_share", unit: "1", value: function.own },
        Figure { name: "total_share", unit: "1", value: function.all },
    ];
    if let Some(calls) = function.calls {
        // Counted, not sampled, hence without uncertainty.
        figures.push(Figure { name: "calls", unit: "1", value: Interval { value: calls, low: calls, high: calls } });
    }
    let takes = share(profile, function.all);
    Finding {
        summary,
        figures,
        items: callers
            .filter_map(|caller| Some(Item { name: format!("called by {}", caller.name), per_request: caller.calls? }))
            .collect(),
        check_again: again::profile(evidence),
        ..Finding::of(rule, evidence, Some(profile.group), takes, fix)
    }
}

/// The last part of a qualified name: `dup_var` for `Sympa::Tools::Data::dup_var`.
pub(super) fn own_name(name: &str) -> &str {
    name.rsplit(['\\', ':', '>']).next().unwrap_or(name)
}
