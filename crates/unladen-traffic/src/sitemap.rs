//! The principal type is [`Sitemap`]: the pages that a site says it has (sitemaps.org, protocol 0.9).

use std::io::{self, Read};

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;

use crate::gzip::Gzip;

/// In bytes, unpacked, by the protocol.
const LONGEST: usize = 50 << 20;
/// Pages, or further sitemaps, of one file, by the protocol.
const MOST: usize = 50_000;
const LONGEST_URL: usize = 2_048;

/// URLs as the file has them, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sitemap {
    pub pages: Vec<String>,
    /// Further sitemaps, if this is an index of them.
    pub sitemaps: Vec<String>,
    /// Entries that are no URL, or too long for one.
    pub passed_over: u64,
}

/// Why a file is no sitemap.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SitemapError {
    #[error("cannot be unpacked: {0}")]
    Packed(io::Error),
    #[error("is longer than {} MB, or has more than {MOST} URLs: the protocol allows no more", LONGEST >> 20)]
    Long,
    #[error("is not XML at byte {at}: {source}")]
    Xml { at: u64, source: quick_xml::Error },
    #[error("ends before its last element does: it was cut off")]
    Cut,
    #[error("is no sitemap: expected a text of URLs, or XML with <urlset> or <sitemapindex>")]
    Other,
}

impl Sitemap {
    /// Reads XML or plain text, also in gzip.
    pub fn parse(bytes: &[u8]) -> Result<Self, SitemapError> {
        let mut unpacked = Vec::new();
        let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut reader = Gzip::new(bytes).take(LONGEST as u64 + 1);
            reader.read_to_end(&mut unpacked).map_err(SitemapError::Packed)?;
            &unpacked
        } else {
            bytes
        };
        if bytes.len() > LONGEST {
            return Err(SitemapError::Long);
        }
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        if text.starts_with(b"<") { Self::of_xml(text) } else { Self::of_text(text) }
    }

    fn of_text(text: &[u8]) -> Result<Self, SitemapError> {
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        let mut sitemap = Self::default();
        for line in lines {
            sitemap.add(std::str::from_utf8(line).unwrap_or_default(), false)?;
        }
        if sitemap.pages.is_empty() { Err(SitemapError::Other) } else { Ok(sitemap) }
    }

    fn of_xml(text: &[u8]) -> Result<Self, SitemapError> {
        let mut sitemap = Self::default();
        let mut reader = Reader::from_reader(text);
        // Whether it is an index; the URL that is read; the name of addresses, with the prefix of the root.
        let (mut is_index, mut url) = (None, None::<String>);
        let (mut depth, mut loc) = (0_usize, b"loc".to_vec());
        loop {
            let event = reader.read_event();
            match event.map_err(|source| SitemapError::Xml { at: reader.error_position(), source })? {
                Event::Start(tag) => {
                    depth += 1;
                    match tag.local_name().as_ref() {
                        name @ (b"urlset" | b"sitemapindex") => {
                            is_index = Some(name == b"sitemapindex");
                            if let Some(prefix) = tag.name().prefix() {
                                loc = [prefix.as_ref(), b":loc"].concat();
                            }
                        }
                        // Those of pictures and films have another prefix.
                        _ if tag.name().as_ref() == loc => url = Some(String::new()),
                        _ if is_index.is_none() => return Err(SitemapError::Other),
                        _ => {}
                    }
                }
                Event::End(tag) => {
                    depth = depth.saturating_sub(1);
                    if tag.name().as_ref() != loc {
                        continue;
                    }
                    if let (Some(url), Some(is_index)) = (url.take(), is_index) {
                        sitemap.add(url.trim(), is_index)?;
                    }
                }
                event => {
                    if let Some(url) = url.as_mut().filter(|url| url.len() <= LONGEST_URL) {
                        *url += &text_of(&event).unwrap_or_default();
                    }
                    if let Event::Eof = event {
                        break;
                    }
                }
            }
        }
        match is_index {
            Some(_) if depth > 0 => Err(SitemapError::Cut),
            Some(_) => Ok(sitemap),
            None => Err(SitemapError::Other),
        }
    }

    fn add(&mut self, url: &str, is_index: bool) -> Result<(), SitemapError> {
        let list = if is_index { &mut self.sitemaps } else { &mut self.pages };
        if list.len() == MOST {
            return Err(SitemapError::Long);
        }
        match url.starts_with("http") && url.len() <= LONGEST_URL {
            true => list.push(url.to_owned()),
            false => self.passed_over += 1,
        }
        Ok(())
    }
}

/// The text that an event adds to its element.
fn text_of(event: &Event<'_>) -> Option<String> {
    match event {
        Event::Text(text) => Some(text.decode().ok()?.into_owned()),
        Event::CData(text) => Some(text.decode().ok()?.into_owned()),
        Event::GeneralRef(entity) => match entity.resolve_char_ref() {
            Ok(Some(character)) => Some(character.to_string()),
            _ => resolve_predefined_entity(&entity.decode().ok()?).map(str::to_owned),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests;
