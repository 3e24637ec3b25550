//! [`model`]: the name of the processor.

use crate::root::Root;

/// The model of the first processor; other kinds in the same machine are ignored.
pub(crate) fn model(root: &Root) -> Option<String> {
    root.read("proc/cpuinfo")
        .and_then(|content| named(&content))
        // Boards have a name if the processor does not.
        .or_else(|| root.line("proc/device-tree/model"))
}

/// `/proc/cpuinfo` is a list of `key : value`, whose keys differ by architecture. Hypervisors give many processors the
/// same name, so the numbers of family and model are added.
fn named(cpuinfo: &str) -> Option<String> {
    let value = |key: &str| {
        cpuinfo.lines().filter_map(|line| line.split_once(':')).find(|(name, _)| name.trim() == key).and_then(
            |(_, value)| {
                let value = value.trim();
                (!value.is_empty()).then_some(value)
            },
        )
    };
    if let Some(name) = value("model name").or_else(|| value("cpu model")).or_else(|| value("cpu")) {
        return Some(match (value("cpu family"), value("model")) {
            (Some(family), Some(model)) => format!("{name}, family {family} model {model}"),
            _ => name.to_owned(),
        });
    }
    let (implementer, part) = (value("CPU implementer")?, value("CPU part")?);
    Some(format!("ARM implementer {implementer} part {part}"))
}

#[cfg(test)]
mod tests;
