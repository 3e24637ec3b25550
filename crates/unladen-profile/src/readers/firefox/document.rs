//! The principal type is [`Document`]: the part of the JSON that stacks are made of.
//!
//! Everything may be missing: tables have moved between threads and what they share, and a file of another kind or
//! version is recognised by its version alone.

use serde::Deserialize;

use crate::readers::json::Number;

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Document {
    pub(super) meta: Meta,
    pub(super) libs: Vec<Lib>,
    /// From version 56.
    pub(super) shared: Tables,
    pub(super) threads: Vec<Thread>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Meta {
    pub(super) preprocessed_profile_version: Option<Number>,
    /// ms.
    pub(super) interval: Option<Number>,
    pub(super) product: Option<String>,
    pub(super) categories: Vec<Category>,
    /// The profile's origin, in our own files.
    pub(super) unladen: Option<serde_json::Value>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Category {
    pub(super) name: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Lib {
    pub(super) name: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Tables {
    pub(super) stack_table: Option<StackTable>,
    pub(super) frame_table: Option<FrameTable>,
    pub(super) func_table: Option<FuncTable>,
    pub(super) resource_table: Option<ResourceTable>,
    pub(super) string_array: Option<Vec<String>>,
    /// From version 58.
    pub(super) sources: Option<SourceTable>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Thread {
    pub(super) samples: Samples,
    pub(super) markers: Markers,
    pub(super) stack_table: Option<StackTable>,
    pub(super) frame_table: Option<FrameTable>,
    pub(super) func_table: Option<FuncTable>,
    pub(super) resource_table: Option<ResourceTable>,
    pub(super) string_array: Option<Vec<String>>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Samples {
    pub(super) stack: Vec<Option<Number>>,
    pub(super) weight: Option<Vec<Number>>,
    pub(super) weight_type: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Markers {
    pub(super) data: Vec<Option<Marker>>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Marker {
    /// Number of samples of a request, in our own files.
    pub(super) unladen_samples: Option<Number>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct StackTable {
    pub(super) frame: Vec<Number>,
    /// Until version 65.
    pub(super) prefix: Vec<Option<Number>>,
    /// From version 66: distance back to the stack below; 0 for none.
    pub(super) prefix_offset: Vec<Number>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct FrameTable {
    pub(super) func: Vec<Number>,
    pub(super) category: Vec<Option<Number>>,
    /// From version 70.
    pub(super) lib: Vec<Number>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct FuncTable {
    pub(super) name: Vec<Number>,
    pub(super) resource: Vec<Number>,
    /// Until version 57.
    pub(super) file_name: Vec<Option<Number>>,
    /// From version 58.
    pub(super) source: Vec<Option<Number>>,
    pub(super) line_number: Vec<Option<Number>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ResourceTable {
    pub(super) name: Vec<Number>,
    #[serde(rename = "type")]
    pub(super) kind: Vec<Number>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct SourceTable {
    pub(super) filename: Vec<Number>,
}
