//! [`bounds`]: how old a served page may be, where that is more than its validator or lifetime says.

use std::time::Duration;

use humantime::format_duration;
use unladen_fleet::WhenCutOff;
use unladen_serve_config::FleetSettings;
use unladen_validator::ValidatorSettings;

/// A sentence for each bound. `validator`: the one that decides; `None` if the lifetime does.
pub(super) fn bounds(validator: Option<&ValidatorSettings>, fleet: Option<&FleetSettings>) -> Vec<String> {
    match (validator, fleet) {
        (Some(validator), _) => of_validator(validator).into_iter().collect(),
        (None, Some(fleet)) => vec![of_fleet(fleet)],
        (None, None) => Vec::new(),
    }
}

fn of_validator(validator: &ValidatorSettings) -> Option<String> {
    let (listen, shared) = (validator.listen.as_ref(), validator.shared.as_ref());
    let oldest = validator.oldest()?;
    if validator.bound().is_none() {
        return Some(of_stale(oldest));
    }
    let mut why = Vec::new();
    if let Some(listen) = listen {
        let heartbeat = format_duration(listen.heartbeat);
        why.push(format!(
            "the database tells of changes (`listen`), and each request is asked about once it was not heard for {heartbeat}"
        ));
    }
    if let Some(shared) = shared {
        why.push(format!("nodes share answers for {} (`shared`)", format_duration(shared.within)));
    }
    if let Some(stale) = validator.stale {
        why.push(format!(
            "while it does not answer, a page is served for {} after it was last known to be current (`stale`)",
            format_duration(stale)
        ));
    }
    // A new request gets no answer either while there is none.
    let whoever = match validator.stale {
        Some(_) => "whoever makes a change by way of this site sees it at once, while the validator answers",
        None => "whoever makes a change by way of this site sees it at once",
    };
    Some(format!(
        "no request gets a page that was changed more than {} before it came: {}; {whoever}",
        format_duration(oldest),
        why.join(", and ")
    ))
}

/// Only `stale` makes it old.
fn of_stale(stale: Duration) -> String {
    let stale = format_duration(stale);
    format!(
        "while the validator does not answer, a page is served that was changed up to {stale} before the request came (`stale`); \
         while it does, none that was changed before it"
    )
}

fn of_fleet(fleet: &FleetSettings) -> String {
    let lease = format_duration(fleet.lease);
    match fleet.when_cut_off {
        WhenCutOff::Revalidate => format!(
            "a purge that is confirmed by all nodes holds on this one; one that nobody waits for is heard of here within {lease}, \
             or the node is cut off, and asks the application about each request (`when_cut_off = \"revalidate\"`)"
        ),
        WhenCutOff::Serve => {
            "while this node is cut off from the fleet, the page is served for its whole lifetime, even \
                              if it is purged elsewhere (`when_cut_off = \"serve\"`)"
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests;
