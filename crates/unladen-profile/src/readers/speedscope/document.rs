//! The principal type is [`File`]: the part of a Speedscope file that is read.

use serde::Deserialize;

use crate::readers::json::Number;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct File {
    pub(super) exporter: Option<String>,
    pub(super) name: Option<String>,
    pub(super) active_profile_index: Option<Number>,
    pub(super) shared: Shared,
    pub(super) profiles: Vec<Part>,
}

#[derive(Deserialize)]
pub(super) struct Shared {
    pub(super) frames: Vec<SharedFrame>,
}

#[derive(Deserialize)]
pub(super) struct SharedFrame {
    pub(super) name: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<Number>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) name: Option<String>,
    pub(super) unit: String,
    pub(super) start_value: Option<Number>,
    #[serde(default)]
    pub(super) samples: Vec<Vec<u32>>,
    #[serde(default)]
    pub(super) weights: Vec<Number>,
    #[serde(default)]
    pub(super) events: Vec<Event>,
}

#[derive(Deserialize)]
pub(super) struct Event {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) at: Number,
    pub(super) frame: u32,
}
