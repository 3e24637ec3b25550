//! The principal type is [`Tables`]: tables to which samples refer.

use std::collections::HashMap;

use super::message::{Field, Fields, Value, Wrong};
use crate::frame::{Frame, FrameId, FrameKind, Frames};

pub(super) const FORMAT: &str = "pprof";

pub(super) const SAMPLE_TYPE: u64 = 1;
pub(super) const SAMPLE: u64 = 2;
const MAPPING: u64 = 3;
const LOCATION: u64 = 4;
const FUNCTION: u64 = 5;
const STRING: u64 = 6;
const PERIOD_TYPE: u64 = 11;
const PERIOD: u64 = 12;
const COMMENT: u64 = 13;
const DEFAULT: u64 = 14;

/// Compilers inline to a depth of some dozens. More would let few bytes of a sample stand for very many frames.
const MAX_LINES: usize = 256;

#[derive(Default)]
pub(super) struct Tables<'a> {
    strings: Vec<&'a [u8]>,
    /// Types and units, as indices of strings.
    sample_types: Vec<(u64, u64)>,
    period_type: (u64, u64),
    period: u64,
    comments: Vec<u64>,
    /// The type of samples that the file prefers.
    pub(super) default: u64,
    /// Files by mapping id.
    mappings: HashMap<u64, u64>,
    functions: HashMap<u64, Function>,
    locations: HashMap<u64, Location>,
}

#[derive(Default)]
struct Function {
    name: u64,
    system_name: u64,
    file: u64,
    line: u64,
}

#[derive(Default)]
struct Location {
    mapping: u64,
    address: u64,
    /// Functions, innermost first.
    functions: Vec<u64>,
}

impl<'a> Tables<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Wrong> {
        let mut tables = Self::default();
        for field in Fields::of(bytes, 0) {
            let field = field?;
            match field.number {
                SAMPLE_TYPE => tables.sample_types.push(value_type(&field)?),
                MAPPING => {
                    let [id, file] = numbers(&field, [1, 5])?;
                    tables.mappings.insert(id, file);
                }
                LOCATION => tables.add_location(&field)?,
                FUNCTION => {
                    let [id, name, system_name, file, line] = numbers(&field, [1, 2, 3, 4, 5])?;
                    tables.functions.insert(id, Function { name, system_name, file, line });
                }
                STRING => {
                    let Value::Bytes(string) = field.value else {
                        return Err(field.bytes().err().unwrap_or(Wrong::new(field.at, "no text")));
                    };
                    tables.strings.push(string);
                }
                PERIOD_TYPE => tables.period_type = value_type(&field)?,
                PERIOD => tables.period = field.number()?,
                COMMENT => field.numbers(&mut tables.comments)?,
                DEFAULT => tables.default = field.number()?,
                _ => {}
            }
        }
        if tables.sample_types.is_empty() {
            return Err(Wrong::new(0, format!("no type of samples: this is not a {FORMAT} file")));
        }
        Ok(tables)
    }

    fn add_location(&mut self, field: &Field<'_>) -> Result<(), Wrong> {
        let [id, mapping, address] = numbers(field, [1, 2, 3])?;
        let mut functions = Vec::new();
        for line in Fields::of(field.bytes()?, field.at) {
            let line = line?;
            if line.number == 4 {
                if functions.len() == MAX_LINES {
                    return Err(Wrong::new(line.at, format!("a location of more than {MAX_LINES} inlined functions")));
                }
                let [function] = numbers(&line, [1])?;
                functions.push(function);
            }
        }
        self.locations.insert(id, Location { mapping, address, functions });
        Ok(())
    }

    pub(super) fn string(&self, index: u64) -> String {
        // A missing one counts as empty: pprof itself writes 0 for unknown strings.
        let string = usize::try_from(index).ok().and_then(|index| self.strings.get(index));
        String::from_utf8_lossy(string.copied().unwrap_or_default()).into_owned()
    }

    /// Types and units of samples: `cpu`, `nanoseconds`.
    pub(super) fn sample_types(&self) -> Vec<(String, String)> {
        self.sample_types.iter().map(|(kind, unit)| (self.string(*kind), self.string(*unit))).collect()
    }

    pub(super) fn period(&self) -> Option<(String, u64)> {
        (self.period > 0 && self.period <= i64::MAX as u64).then(|| (self.string(self.period_type.1), self.period))
    }

    pub(super) fn comments(&self) -> impl Iterator<Item = String> {
        self.comments.iter().map(|index| self.string(*index))
    }

    /// Outermost first; `None` if there is no such location.
    pub(super) fn frames(&self, id: u64, frames: &mut Frames) -> Option<Vec<FrameId>> {
        let location = self.locations.get(&id)?;
        let module = self.mappings.get(&location.mapping).map(|file| self.string(*file)).unwrap_or_default();
        if location.functions.is_empty() {
            let name = format!("{:#x}", location.address);
            let frame = Frame { name: &name, file: &module, line: 0, kind: native(&module) };
            return Some(vec![frames.intern(frame)]);
        }
        let frame = |id: &u64| {
            let unknown = Function::default();
            let function = self.functions.get(id).unwrap_or(&unknown);
            let (name, file) = (self.string(function.name), self.string(function.file));
            let name = if name.is_empty() { self.string(function.system_name) } else { name };
            // Without a source file, the module says more.
            let (file, kind) = if file.is_empty() && !module.is_empty() {
                (module.as_str(), native(&module))
            } else {
                (file.as_str(), FrameKind::Function)
            };
            frames.intern(Frame { name: &name, file, line: u32::try_from(function.line).unwrap_or(0), kind })
        };
        Some(location.functions.iter().rev().map(frame).collect())
    }
}

fn native(module: &str) -> FrameKind {
    match module {
        "" => FrameKind::Function,
        _ if module.starts_with("[kernel") || module.ends_with(".ko") || module.ends_with("vmlinux") => {
            FrameKind::Kernel
        }
        _ => FrameKind::Native,
    }
}

fn value_type(field: &Field<'_>) -> Result<(u64, u64), Wrong> {
    let [kind, unit] = numbers(field, [1, 2])?;
    Ok((kind, unit))
}

/// The numbers of some fields of a message; missing ones are 0, as always in protocol buffers.
fn numbers<const N: usize>(field: &Field<'_>, wanted: [u64; N]) -> Result<[u64; N], Wrong> {
    let mut found = [0; N];
    for field in Fields::of(field.bytes()?, field.at) {
        let field = field?;
        if let Some(at) = wanted.iter().position(|number| *number == field.number) {
            found[at] = field.number()?;
        }
    }
    Ok(found)
}
