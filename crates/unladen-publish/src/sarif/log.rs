//! The parts of SARIF in use; names and nesting are the standard's. The principal type is [`Log`].

use std::collections::BTreeMap;

use serde::Serialize;

use crate::visible::{shortened, visible};

/// Maximum characters of a message.
const MOST: usize = 2_000;

/// sarifLog (section 3.13).
#[derive(Debug, Serialize)]
pub(super) struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

/// run (3.14)
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run {
    pub(super) tool: Tool,
    pub(super) automation_details: AutomationDetails,
    pub(super) invocations: Vec<Invocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) version_control_provenance: Vec<VersionControl>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) original_uri_base_ids: BTreeMap<String, ArtifactLocation>,
    pub(super) column_kind: &'static str,
    pub(super) results: Vec<Finding>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) properties: BTreeMap<String, String>,
}

/// tool (3.18)
#[derive(Debug, Serialize)]
pub(super) struct Tool {
    pub(super) driver: Driver,
}

/// toolComponent (3.19)
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    pub(super) name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
    pub(super) rules: Vec<Rule>,
}

/// reportingDescriptor (3.49)
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) short_description: Text,
    pub(super) full_description: Text,
    pub(super) help: Text,
    pub(super) default_configuration: Configuration,
    pub(super) properties: Tags,
}

/// reportingConfiguration (3.50)
#[derive(Debug, Serialize)]
pub(super) struct Configuration {
    pub(super) level: Level,
}

/// propertyBag (3.8)
#[derive(Debug, Serialize)]
pub(super) struct Tags {
    pub(super) tags: Vec<&'static str>,
}

/// message (3.11), multiformatMessageString (3.12)
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Text {
    pub(super) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) markdown: Option<String>,
}

/// runAutomationDetails (3.17)
#[derive(Debug, Serialize)]
pub(super) struct AutomationDetails {
    pub(super) id: String,
}

/// invocation (3.20)
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) command_line: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) arguments: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_time_utc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_time_utc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) machine: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) working_directory: Option<ArtifactLocation>,
    pub(super) execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_execution_notifications: Vec<Notification>,
}

/// notification (3.58)
#[derive(Debug, Serialize)]
pub(super) struct Notification {
    pub(super) level: Level,
    pub(super) message: Text,
}

/// versionControlDetails (3.23)
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct VersionControl {
    pub(super) repository_uri: String,
    pub(super) revision_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) branch: Option<String>,
}

/// result (3.27)
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Finding {
    pub(super) rule_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule_index: Option<usize>,
    pub(super) level: Level,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) baseline_state: Option<&'static str>,
    pub(super) message: Text,
    pub(super) locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<Location>,
    pub(super) partial_fingerprints: BTreeMap<&'static str, String>,
}

/// result.level (3.27.10)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Level {
    Note,
    Warning,
    Error,
}

/// location (3.28)
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
    pub(super) physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Text>,
}

/// physicalLocation (3.29)
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

/// artifactLocation (3.4)
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri_base_id: Option<&'static str>,
}

/// region (3.30)
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
}

/// logicalLocation (3.33)
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation {
    pub(super) fully_qualified_name: String,
    pub(super) kind: &'static str,
}

impl Log {
    pub(super) fn of(run: Run) -> Self {
        Self {
            schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            version: "2.1.0",
            runs: [run],
        }
    }
}

/// A plain message: `[text](1)` would be a link, and braces a placeholder (sections 3.11.5 and 3.11.6).
pub(super) fn message(text: &str) -> Text {
    Text { text: escaped(text), markdown: None }
}

pub(super) fn escaped(text: &str) -> String {
    let text = shortened(&visible(text), MOST);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '{' | '}' => out.extend([c, c]),
            '[' | ']' | '\\' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}
