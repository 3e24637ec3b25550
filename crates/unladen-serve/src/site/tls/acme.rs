//! The principal type is [`Acme`]: the certificates that authorities issue, by what is wanted.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use unladen_acme::{Answers, Authority, ChallengeKind, ExternalAccount, Held, Wanted, WantedError};
use unladen_serve_config::{AcmeSettings, Challenge, HostName, ListenAddress, SiteSettings};

/// Kept over a reload: a certificate that is still wanted goes on.
#[derive(Debug, Default)]
pub(crate) struct Acme {
    pub(crate) answers: Arc<Answers>,
    held: Mutex<HashMap<Wanted, Arc<Held>>>,
    /// A check, which touches no disk.
    is_trial: bool,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum AcmeProblem {
    #[error(transparent)]
    Wanted(#[from] WantedError),
    #[error(
        "its certificate and another site's would be in the same file, because both begin with `{0}`, but they \
         differ: give both the same `hosts` and `acme`, or let them begin with different hosts"
    )]
    Clash(String),
}

impl Acme {
    pub(crate) fn trial() -> Self {
        Self { is_trial: true, ..Self::default() }
    }

    /// A site's certificate, which sites may share; `None` if it wants none from an authority.
    pub(crate) fn held(&self, settings: &SiteSettings) -> Result<Option<Arc<Held>>, AcmeProblem> {
        let Some(wanted) = wanted(settings)? else { return Ok(None) };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || if self.is_trial { Held::none(&wanted) } else { Held::new(&wanted) };
        Ok(Some(held.entry(wanted.clone()).or_insert_with(make).clone()))
    }

    /// Certificates of these sites, each once; others are forgotten.
    pub(crate) fn follow<'s>(&self, sites: impl Iterator<Item = &'s SiteSettings>) -> Vec<(Wanted, Arc<Held>)> {
        let all: Vec<Wanted> = sites.filter_map(|site| wanted(site).ok().flatten()).collect();
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|wanted, _| all.contains(wanted));
        held.iter().map(|(wanted, held)| (wanted.clone(), held.clone())).collect()
    }
}

/// Checks that the certificates of these sites do not conflict on disk.
///
/// # Errors
/// If one cannot be had at all, or two would be in one file: the name of the second site.
pub(crate) fn check<'s>(sites: impl Iterator<Item = &'s SiteSettings>) -> Result<(), (String, AcmeProblem)> {
    let mut files: HashMap<(PathBuf, String, String), Wanted> = HashMap::new();
    for site in sites {
        let of_site = |problem| (site.proxy.upstream.name.clone(), problem);
        let Some(wanted) = wanted(site).map_err(|error| of_site(error.into()))? else { continue };
        let authority = wanted.authority();
        let file = (authority.state.clone(), authority.directory.clone(), wanted.name().to_owned());
        if files.insert(file, wanted.clone()).is_some_and(|other| other != wanted) {
            return Err(of_site(AcmeProblem::Clash(wanted.name().to_owned())));
        }
    }
    Ok(())
}

pub(crate) fn wanted(settings: &SiteSettings) -> Result<Option<Wanted>, WantedError> {
    let Some(acme) = &settings.acme else { return Ok(None) };
    let names = settings.hosts.iter().map(HostName::to_string).collect();
    Wanted::new(authority(acme), names, kinds(acme.challenge, settings)).map(Some)
}

pub(crate) fn authority(acme: &AcmeSettings) -> Authority {
    Authority {
        directory: acme.directory.clone(),
        email: acme.email.clone(),
        ca: acme.ca.clone(),
        eab: acme.eab.as_ref().map(|eab| ExternalAccount { kid: eab.kid.clone(), key: eab.key.clone() }),
        state: acme.state.clone(),
    }
}

/// The likelier way first; the other's turn is after a failure. Ports may be mapped: a site without plain HTTP is
/// checked by TLS, whatever its port is here.
fn kinds(challenge: Challenge, settings: &SiteSettings) -> Vec<ChallengeKind> {
    let is_tcp = |address: &ListenAddress| matches!(address, ListenAddress::Tcp(_));
    match challenge {
        Challenge::Http01 => vec![ChallengeKind::Http01],
        Challenge::TlsAlpn01 => vec![ChallengeKind::TlsAlpn01],
        Challenge::Auto if settings.redirect.is_empty() && settings.proxy.listen.iter().any(is_tcp) => {
            vec![ChallengeKind::TlsAlpn01, ChallengeKind::Http01]
        }
        Challenge::Auto => vec![ChallengeKind::Http01, ChallengeKind::TlsAlpn01],
    }
}
