//! Trials of what a validator asks, listens to and shares: [`ask`], [`share`].

use unladen_validator::{AskError, Validator, ValidatorSettings, ValidatorSource};

use super::outcome::{Failed, Trial};

/// The validators of one database, each with its site's name.
pub(super) type Database<'a> = Vec<(&'a str, &'a ValidatorSettings)>;

pub(super) fn databases<'a>(all: impl Iterator<Item = (&'a str, &'a ValidatorSettings)>) -> Vec<Database<'a>> {
    let mut databases: Vec<(String, Database<'a>)> = Vec::new();
    for (name, validator) in all {
        let key = match &validator.source {
            ValidatorSource::Postgres { url, .. } | ValidatorSource::MySql { url, .. } => url.clone(),
            ValidatorSource::Sqlite { file, .. } => file.display().to_string(),
            ValidatorSource::File { .. } | ValidatorSource::Head => continue,
        };
        match databases.iter_mut().find(|(known, _)| *known == key) {
            Some((_, validators)) => validators.push((name, validator)),
            None => databases.push((key, vec![(name, validator)])),
        }
    }
    databases.into_iter().map(|(_, validators)| validators).collect()
}

/// Asks one after the other, so that a check takes no more of a database's connections than serving does; a database
/// that refuses the login is not asked again.
pub(super) fn ask(database: &Database<'_>) -> Vec<Trial> {
    let mut out: Option<AskError> = None;
    let mut trials = Vec::new();
    for (name, settings) in database {
        let tried = match &out {
            Some(error) => Err(error.clone()),
            None => made(settings).and_then(|validator| validator.try_once().and_then(|()| validator.doubt())),
        };
        if let Err(error @ (AskError::Unreachable(_) | AskError::Refused(_) | AskError::Timeout)) = &tried {
            out = Some(error.clone());
        }
        let (place, is_answered) = (settings.source.place(), tried.is_ok());
        let (doubt, error) = match tried {
            Ok(doubt) => (doubt, None),
            Err(error) => (None, Some(error)),
        };
        let asked = trial(name, settings, "validator", place.clone(), "the query is prepared", error);
        trials.push(Trial { doubt, ..asked });
        if is_answered && settings.listen.is_some() {
            let listened = made(settings).and_then(|validator| validator.try_to_listen());
            let told = "what another session notifies is told";
            trials.push(trial(name, settings, "channel", place, told, listened.err()));
        }
    }
    trials
}

pub(super) fn share(name: &str, settings: &ValidatorSettings) -> Option<Trial> {
    let shared = settings.shared.as_ref()?;
    let tried = made(settings).and_then(|validator| validator.try_to_share());
    let told = "answers are looked for and told";
    Some(trial(name, settings, "shared answers", shared.url.to_string(), told, tried.err()))
}

fn trial(
    name: &str,
    settings: &ValidatorSettings,
    what: &'static str,
    place: String,
    spoken: &'static str,
    error: Option<AskError>,
) -> Trial {
    let failed = error.map(|error| Failed { reason: error.as_str(), cause: error.to_string() });
    Trial {
        path: Some(settings.path.clone()),
        spoken: failed.is_none().then_some(spoken),
        failed,
        ..Trial::of("site", name, what, place)
    }
}

fn made(settings: &ValidatorSettings) -> Result<Validator, AskError> {
    Validator::new(settings.clone(), 1).map_err(|error| AskError::Query(error.to_string().into()))
}
