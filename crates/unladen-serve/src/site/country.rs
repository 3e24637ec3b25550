//! The principal type is [`Country`]: looks up the country of an address in a MaxMind database (mmdb, version 2).

use std::fs::File;
use std::io;
use std::io::Read;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use maxminddb::{MaxMindDbError, PathElement, Reader, WithinOptions};

/// Country of unknown addresses: two letters that ISO 3166 never assigns.
pub(crate) const UNKNOWN: &str = "XX";

/// Largest database read, in bytes: GeoLite2-City has 60 MB.
const LARGEST: u64 = 512 << 20;

/// Layout of MaxMind's own, such as GeoLite2-Country.
const NESTED: &[PathElement<'static>] = &[PathElement::Key("country"), PathElement::Key("iso_code")];
/// Layout of ip-location-db.
const FLAT: &[PathElement<'static>] = &[PathElement::Key("country_code")];

#[derive(Debug)]
pub(crate) struct Country {
    reader: Reader<Vec<u8>>,
    path: &'static [PathElement<'static>],
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum CountryError {
    #[error("cannot read the country database {}: {source}", file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("the country database {} cannot be used: {source}", file.display())]
    Wrong { file: PathBuf, source: WrongDatabase },
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum WrongDatabase {
    #[error("it is not a database in MaxMind's format, or damaged: {0}")]
    Damaged(#[from] MaxMindDbError),
    #[error("it has neither `country.iso_code` nor `country_code`: it is not a country database ({0})")]
    NoCountries(String),
    #[error("its search tree has a loop")]
    Circles,
}

impl Country {
    /// Reads a whole database, and checks each record, so that damage is found here and not by a request.
    pub(crate) fn open(file: &Path) -> Result<Self, CountryError> {
        let bytes = read(file).map_err(|source| CountryError::Read { file: file.to_owned(), source })?;
        Self::new(bytes).map_err(|source| CountryError::Wrong { file: file.to_owned(), source })
    }

    pub(crate) fn new(bytes: Vec<u8>) -> Result<Self, WrongDatabase> {
        let reader = Reader::from_source(bytes)?;
        // A node has two ends; a proper tree has no more networks than this.
        let most = (reader.metadata().node_count as usize).saturating_mul(3);
        let mut path = None;
        for (count, record) in reader.networks(WithinOptions::default())?.enumerate() {
            if count > most {
                return Err(WrongDatabase::Circles);
            }
            let record = record?;
            match path {
                Some(path) => drop(record.decode_path::<&str>(path)?),
                // Some networks are of no country.
                None => path = layout(&record)?,
            }
        }
        let Some(path) = path else {
            return Err(WrongDatabase::NoCountries(reader.metadata().database_type.clone()));
        };
        Ok(Self { reader, path })
    }

    /// Two capital letters (ISO 3166-1), or [`UNKNOWN`].
    pub(crate) fn lookup(&self, address: IpAddr) -> &str {
        let address = address.to_canonical();
        if is_nowhere(address) || address.is_ipv6() && self.reader.metadata().ip_version == 4 {
            return UNKNOWN;
        }
        let record = self.reader.lookup(address);
        let code = record.ok().and_then(|record| record.decode_path::<&str>(self.path).ok().flatten());
        match code {
            Some(code) if code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase()) => code,
            _ => UNKNOWN,
        }
    }
}

/// Whether it is a private address, whatever a database says: ip-location-db has 192.168.0.0/16 in Australia.
fn is_nowhere(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address.is_private() || address.is_loopback() || address.is_link_local() || address.is_unspecified()
        }
        IpAddr::V6(address) => {
            address.is_unique_local()
                || address.is_loopback()
                || address.is_unicast_link_local()
                || address.is_unspecified()
        }
    }
}

fn layout(
    record: &maxminddb::LookupResult<'_, Vec<u8>>,
) -> Result<Option<&'static [PathElement<'static>]>, WrongDatabase> {
    for path in [NESTED, FLAT] {
        // Another layout may have a text where this one has a table: that is no damage.
        match record.decode_path::<&str>(path) {
            Ok(Some(_)) => return Ok(Some(path)),
            Ok(None) | Err(MaxMindDbError::Decoding { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let opened = File::open(file)?;
    if !opened.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    opened.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(io::Error::other("it is larger than 512 MiB")) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests;
