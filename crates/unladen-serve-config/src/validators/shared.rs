//! Reads how a fleet's nodes share answers: `shared`.

use std::time::Duration;

use unladen_toml::{MILLISECOND, Problem};
use unladen_validator::{SharedSettings, ValidatorSource};

use crate::explain::Shown;
use crate::groups::or_none;
use crate::level::Level;
use crate::reading::Reading;

/// Sites that can bear more are better off with a lifetime.
const LONGEST: Duration = Duration::from_secs(10);
const SCHEMES: [&str; 4] = ["valkey", "valkeys", "redis", "rediss"];

/// `None` if each node asks for itself.
pub(super) fn read(level: &Level<'_>, source: Option<&ValidatorSource>, r: &mut Reading<'_>) -> Option<SharedSettings> {
    let within = level.take(
        "shared",
        None,
        r,
        |value, _| or_none(value, |value| value.duration(MILLISECOND..=LONGEST)),
        |value: &Option<Duration>| value.map_or(Shown::None, Shown::Duration),
    );
    let within = within?;
    let mut alone = |without| r.refuse(level.at(&["shared"]), Problem::Alone { key: "shared", without });
    let is_same =
        |source: &ValidatorSource| matches!(source, ValidatorSource::Postgres { .. } | ValidatorSource::MySql { .. });
    if !source.is_none_or(is_same) {
        alone("needs a `database` that all nodes ask, of PostgreSQL, MariaDB or MySQL: remove this key");
    }
    let fleet = r.fleet.clone().filter(|fleet| SCHEMES.contains(&fleet.purges.scheme()));
    let Some(fleet) = fleet else {
        let without = "needs Valkey or Redis, which keeps the answers: set `purges = \"valkey://…\"` in [fleet], or remove this key";
        r.refuse(level.at(&["shared"]), Problem::Alone { key: "shared", without });
        return None;
    };
    let site = level.whose.site().unwrap_or_default().to_owned();
    Some(SharedSettings { within, url: fleet.purges, ca: fleet.ca, stamp: fleet.stamp, fleet: fleet.name, site })
}
