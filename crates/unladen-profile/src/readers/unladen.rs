//! The principal type is [`Unladen`]: our own format, which preserves all of a profile.

use std::fmt;
use std::io::{self, Read};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::frame::{Frame, FrameKind, Frames};
use crate::input::Input;
use crate::profile::{About, CallCount, Cluster, Profile};
use crate::readers::{MAX_DEPTH, ProfileReader, ReadError};
use crate::stack::{StackId, Stacks};
use crate::writers::unladen::SCHEMA;

pub(crate) struct Unladen;

/// Beginning of a document, without spaces; its version follows.
const BEGINNING: [&[u8]; 4] = [b"{", b"\"schema\"", b":", b"\"unladen.stacks/"];

impl ProfileReader for Unladen {
    fn name(&self) -> &'static str {
        "unladen"
    }

    fn about(&self) -> &'static str {
        "Unladen's own format: nothing is lost"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let mut rest = head;
        BEGINNING.iter().all(|part| {
            let found = rest.trim_ascii_start().strip_prefix(*part);
            rest = found.unwrap_or_default();
            found.is_some()
        })
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        let mut source = ProfileText { input, buffer: vec![0; BUFFER], at: 0, end: 0 };
        let mut profile = Profile::default();
        let mut json = serde_json::Deserializer::from_reader(&mut source);
        let read = Document(&mut profile).deserialize(&mut json).and_then(|()| json.end());
        match read {
            Ok(()) => Ok(profile),
            Err(error) => {
                // The place is given as a byte: such a document may be one line.
                let text = error.to_string();
                let what = text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]);
                Err(ReadError::at_byte(self.name(), source.offset(), what))
            }
        }
    }
}

const BUFFER: usize = 64 << 10;

/// Bytes one by one, as the parser asks for them, without a call into the input for each.
struct ProfileText<'a, 'b> {
    input: &'a mut Input<'b>,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
}

// === impl ProfileText ===

impl ProfileText<'_, '_> {
    fn offset(&self) -> u64 {
        self.input.offset().saturating_sub((self.end - self.at) as u64)
    }
}

impl Read for ProfileText<'_, '_> {
    #[inline]
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.end {
            self.end = self.input.read(&mut self.buffer)?;
            self.at = 0;
        }
        let length = into.len().min(self.end - self.at);
        into[..length].copy_from_slice(&self.buffer[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

/// Parses a document as a stream, so that nothing is stored twice.
struct Document<'a>(&'a mut Profile);

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
    Schema,
    About,
    Frames,
    Stacks,
    Clusters,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameIn {
    name: String,
    #[serde(default)]
    file: String,
    #[serde(default)]
    line: u32,
    #[serde(default)]
    kind: FrameKind,
}

struct List<F>(F, &'static str);

trait Item<'de> {
    fn next<A: SeqAccess<'de>>(&mut self, list: &mut A) -> Result<bool, A::Error>;
}

struct FrameItem<'a>(&'a mut Frames);

struct StackItem<'a> {
    profile: &'a mut Profile,
    depths: Vec<u32>,
}

struct ClusterItem<'a>(&'a mut Profile);

struct ClusterSeed<'a>(&'a Profile);

struct WeightItem<'a>(&'a Stacks, Vec<(StackId, u64)>);

struct CallItem<'a>(&'a Frames, Vec<CallCount>);

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum ClusterKey {
    Weights,
    Calls,
}

// === impl Document ===

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a profile in Unladen's format")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let profile = self.0;
        match map.next_key()? {
            Some(Key::Schema) => {
                let schema: String = map.next_value()?;
                if schema != SCHEMA {
                    return Err(A::Error::custom(format_args!("its schema is `{schema}`, not `{SCHEMA}`")));
                }
            }
            _ => return Err(A::Error::custom("expected `schema` first")),
        }
        while let Some(key) = map.next_key()? {
            match key {
                Key::Schema => return Err(A::Error::duplicate_field("schema")),
                Key::About => profile.about = map.next_value::<About>()?,
                Key::Frames => {
                    map.next_value_seed(List(FrameItem(&mut profile.frames), "frames"))?;
                }
                Key::Stacks => {
                    let depths = vec![0];
                    if !profile.stacks.is_empty() {
                        return Err(A::Error::duplicate_field("stacks"));
                    }
                    map.next_value_seed(List(StackItem { profile, depths }, "pairs of numbers"))?;
                }
                Key::Clusters => {
                    map.next_value_seed(List(ClusterItem(profile), "clusters"))?;
                }
            }
        }
        Ok(())
    }
}

// === impl List ===

impl<'de, F: Item<'de>> DeserializeSeed<'de> for List<F> {
    type Value = F;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<F, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: Item<'de>> Visitor<'de> for List<F> {
    type Value = F;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of {}", self.1)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<F, A::Error> {
        while self.0.next(&mut list)? {}
        Ok(self.0)
    }
}

// === impl FrameItem ===

impl<'de> Item<'de> for FrameItem<'_> {
    fn next<A: SeqAccess<'de>>(&mut self, list: &mut A) -> Result<bool, A::Error> {
        let Some(FrameIn { name, file, line, kind }) = list.next_element()? else { return Ok(false) };
        let known = self.0.len();
        if self.0.intern(Frame { name: &name, file: &file, line, kind }).index() != known {
            return Err(A::Error::custom(format_args!("frame {known}, `{name}`, is repeated")));
        }
        Ok(true)
    }
}

impl<'de> Item<'de> for StackItem<'_> {
    fn next<A: SeqAccess<'de>>(&mut self, list: &mut A) -> Result<bool, A::Error> {
        let Some((below, frame)) = list.next_element::<(u32, u32)>()? else { return Ok(false) };
        let known = self.profile.stacks.len();
        let (Some(below), Some(frame)) = (self.profile.stacks.id(below), self.profile.frames.id(frame)) else {
            return Err(A::Error::custom(format_args!(
                "stack {known} refers to stack {below} of {known} and frame {frame} of {}",
                self.profile.frames.len()
            )));
        };
        let depth = self.depths[below.index()] + 1;
        if depth as usize > MAX_DEPTH {
            return Err(A::Error::custom(format_args!("stack {known} has more frames than any stack has")));
        }
        if self.profile.stacks.push(below, frame).index() != known {
            return Err(A::Error::custom(format_args!("stack {known} is repeated")));
        }
        self.depths.push(depth);
        Ok(true)
    }
}

impl<'de> Item<'de> for ClusterItem<'_> {
    fn next<A: SeqAccess<'de>>(&mut self, list: &mut A) -> Result<bool, A::Error> {
        let Some(cluster) = list.next_element_seed(ClusterSeed(self.0))? else { return Ok(false) };
        self.0.clusters.push(cluster);
        Ok(true)
    }
}

impl<'de> Item<'de> for WeightItem<'_> {
    fn next<A: SeqAccess<'de>>(&mut self, list: &mut A) -> Result<bool, A::Error> {
        let Some(stack) = list.next_element::<u32>()? else { return Ok(false) };
        let found =
            self.0.id(stack).ok_or_else(|| A::Error::custom(format_args!("stack {stack} of {}", self.0.len())))?;
        let weight = list.next_element()?.ok_or_else(|| A::Error::custom("a stack without a weight"))?;
        self.1.push((found, weight));
        Ok(true)
    }
}

impl<'de> Item<'de> for CallItem<'_> {
    fn next<A: SeqAccess<'de>>(&mut self, list: &mut A) -> Result<bool, A::Error> {
        let Some(caller) = list.next_element::<Option<u32>>()? else { return Ok(false) };
        let frame = |index: u32| {
            self.0.id(index).ok_or_else(|| A::Error::custom(format_args!("frame {index} of {}", self.0.len())))
        };
        let cut_off = || A::Error::custom("calls are a caller, a callee and a number");
        let caller = caller.map(frame).transpose()?;
        let callee = frame(list.next_element()?.ok_or_else(cut_off)?)?;
        let calls = list.next_element()?.ok_or_else(cut_off)?;
        self.1.push(CallCount { caller, callee, calls });
        Ok(true)
    }
}

// === impl ClusterSeed ===

impl<'de> DeserializeSeed<'de> for ClusterSeed<'_> {
    type Value = Cluster;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cluster, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ClusterSeed<'_> {
    type Value = Cluster;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a cluster: its weights and calls")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cluster, A::Error> {
        let mut cluster = Cluster::default();
        while let Some(key) = map.next_key()? {
            match key {
                ClusterKey::Weights => {
                    let item = WeightItem(&self.0.stacks, std::mem::take(&mut cluster.weights));
                    cluster.weights = map.next_value_seed(List(item, "stacks and weights"))?.1;
                }
                ClusterKey::Calls => {
                    let item = CallItem(&self.0.frames, std::mem::take(&mut cluster.calls));
                    cluster.calls = map.next_value_seed(List(item, "callers, callees and calls"))?.1;
                }
            }
        }
        Ok(cluster)
    }
}

#[cfg(test)]
mod tests;
