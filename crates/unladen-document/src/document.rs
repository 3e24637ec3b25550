//! The principal type is [`Document`].

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use unladen_quantity::{Kind, Quantity, Span, percent, plain};

use crate::about::About;
use crate::answer::Answer;
use crate::bill::{BillDocument, bill_time};
use crate::classmap_check::ClassmapCheckDocument;
use crate::load::LoadDocument;
use crate::profile::{ProfileDiffDocument, ProfileDocument};
use crate::prove::{Arm, ProveDocument};
use crate::weigh::WeighDocument;

/// Maximum size of a document to read, in bytes. One with a hundred groups and a thousand functions has 1 MB.
pub const MOST_BYTES: usize = 64 << 20;

const WEIGH: &str = WeighDocument::SCHEMA;
const LOAD: &str = LoadDocument::SCHEMA;
const PROVE: &str = ProveDocument::SCHEMA;
const PROFILE: &str = ProfileDocument::SCHEMA;
const PROFILE_DIFF: &str = ProfileDiffDocument::SCHEMA;
const BILL: &str = BillDocument::SCHEMA;
const CLASSMAP_CHECK: &str = "unladen.classmap-check/1";
const SCHEMAS: [&str; 7] = [WEIGH, LOAD, PROVE, PROFILE, PROFILE_DIFF, BILL, CLASSMAP_CHECK];

/// Why a file is not a result document.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    #[error("the document has {bytes} bytes; at most {most} are read")]
    TooLarge { bytes: u64, most: u64 },
    #[error("not JSON at line {line}, column {column}: {what}")]
    NotJson {
        line: usize,
        /// From 1; 0 at the end of a line.
        column: usize,
        what: String,
    },
    #[error("no `schema`: not a document that Unladen's `--json` wrote")]
    NoSchema,
    #[error("the schema is `{schema}`; results of measurements are {known}")]
    UnknownSchema { schema: String, known: String },
    #[error("the schema is `{schema}`, newer than `{known}`, which this version of Unladen reads; update Unladen")]
    Newer { schema: String, known: &'static str },
    /// A field does not match its schema.
    #[error("not a document of `{schema}`, at line {line}, column {column}: {what}")]
    Shape {
        schema: &'static str,
        line: usize,
        /// From 1; 0 at the end of a line.
        column: usize,
        what: String,
    },
}

/// How a run ended, as documents say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Ended {
    Complete,
    /// By the user; the blocks until then count.
    Interrupted,
    /// By a failed request; the blocks until then count.
    Failed,
}

/// The result of a measuring command, or of a check of a class map. Serialising gives the document again.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Document {
    Weigh(Box<WeighDocument>),
    Load(Box<LoadDocument>),
    Prove(Box<ProveDocument>),
    Profile(Box<ProfileDocument>),
    ProfileDiff(Box<ProfileDiffDocument>),
    Bill(Box<BillDocument>),
    /// `unladen classmap --check`, which measures nothing.
    ClassmapCheck(Box<ClassmapCheckDocument>),
}

/// The field that determines the kind of document.
#[derive(Deserialize)]
struct Head {
    schema: Option<String>,
}

impl Document {
    /// Reads a document of this version or an earlier one.
    ///
    /// # Errors
    /// [`DocumentError`] says what the text is instead, and where it is wrong.
    pub fn read(bytes: &[u8]) -> Result<Self, DocumentError> {
        if bytes.len() > MOST_BYTES {
            return Err(DocumentError::TooLarge { bytes: bytes.len() as u64, most: MOST_BYTES as u64 });
        }
        // Arrays, numbers and a `schema` that is no text are JSON without a schema.
        let head = match serde_json::from_slice::<Head>(bytes) {
            Ok(head) => head,
            Err(error) if error.is_data() => return Err(DocumentError::NoSchema),
            Err(error) => {
                return Err(DocumentError::NotJson {
                    line: error.line(),
                    column: error.column(),
                    what: without_place(&error),
                });
            }
        };
        let schema = head.schema.ok_or(DocumentError::NoSchema)?;
        Ok(match schema.as_str() {
            WEIGH => Self::Weigh(parse(WEIGH, bytes)?),
            LOAD => Self::Load(parse(LOAD, bytes)?),
            PROVE => Self::Prove(parse(PROVE, bytes)?),
            PROFILE => Self::Profile(parse(PROFILE, bytes)?),
            PROFILE_DIFF => Self::ProfileDiff(parse(PROFILE_DIFF, bytes)?),
            BILL => Self::Bill(parse(BILL, bytes)?),
            CLASSMAP_CHECK => Self::ClassmapCheck(parse(CLASSMAP_CHECK, bytes)?),
            _ => return Err(refused(&schema)),
        })
    }

    /// The command that wrote it: `weigh`, `load`, `prove`, `profile`, `profile-diff`, `bill` or `classmap-check`.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Weigh(_) => "weigh",
            Self::Load(_) => "load",
            Self::Prove(_) => "prove",
            Self::Profile(_) => "profile",
            Self::ProfileDiff(_) => "profile-diff",
            Self::Bill(_) => "bill",
            Self::ClassmapCheck(_) => "classmap-check",
        }
    }

    /// What was measured: the URLs, or the title of a file; for a comparison of profiles, the second; for a class map,
    /// the application's folder.
    pub fn target(&self) -> &str {
        match self {
            Self::Weigh(document) => &document.target,
            Self::Load(document) => &document.target,
            Self::Prove(document) => &document.target,
            Self::Profile(document) => &document.target,
            Self::ProfileDiff(document) => {
                document.setups.as_ref().map_or(document.candidate.as_str(), |[_, after]| after.url.as_str())
            }
            Self::Bill(document) => &document.target,
            Self::ClassmapCheck(document) => &document.root,
        }
    }

    /// Answers with their arms: the baseline's, and doubtful ones of other arms.
    pub fn answers(&self) -> Vec<(&str, &Answer)> {
        match self {
            Self::Weigh(document) => document.urls.iter().filter_map(|url| Some(("", url.answer.as_ref()?))).collect(),
            Self::Load(document) => document.answers.iter().map(|answer| ("", answer)).collect(),
            Self::Prove(document) => {
                fn of(arm: &Arm) -> impl Iterator<Item = (&str, &Answer)> {
                    arm.answers.iter().map(move |answer| (arm.name.as_str(), answer))
                }
                let (baseline, others) = document.arms.split_at(document.arms.len().min(1));
                let all = baseline.iter().flat_map(of);
                all.chain(others.iter().flat_map(of).filter(|(_, answer)| !answer.doubts.is_empty())).collect()
            }
            Self::Profile(document) => {
                document.setup.iter().filter_map(|setup| Some(("", setup.answer.as_ref()?))).collect()
            }
            Self::ProfileDiff(_) | Self::Bill(_) | Self::ClassmapCheck(_) => Vec::new(),
        }
    }

    /// Where, when and how it was made.
    pub fn about(&self) -> &About {
        match self {
            Self::Weigh(document) => &document.about,
            Self::Load(document) => &document.about,
            Self::Prove(document) => &document.about,
            Self::Profile(document) => &document.about,
            Self::ProfileDiff(document) => &document.about,
            Self::Bill(document) => &document.about,
            Self::ClassmapCheck(document) => &document.about,
        }
    }

    /// Gives counters the titles that a document of version 0.1 lacks: as the probes call them today, or by their names.
    pub fn fill_titles(&mut self, titles: fn(&str) -> Option<&'static str>) {
        let fill = |title: &mut String, counter: &str| {
            if title.is_empty() {
                *title = titles(counter).map_or_else(|| counter.replace('_', " "), str::to_owned);
            }
        };
        match self {
            Self::Weigh(document) => {
                document.weights.iter_mut().for_each(|weight| fill(&mut weight.title, &weight.counter));
            }
            Self::Prove(document) => {
                for comparison in &mut document.comparisons {
                    comparison.counter.iter().for_each(|counter| fill(&mut comparison.title, counter));
                }
            }
            _ => {}
        }
    }

    /// `complete`, `interrupted` or `failed`; `None` for results from files.
    pub fn ended(&self) -> Option<&str> {
        match self {
            Self::Weigh(document) => Some(&document.ended),
            Self::Load(document) => Some(&document.ended),
            Self::Prove(document) => Some(&document.ended),
            Self::Profile(document) => document.setup.as_ref().map(|setup| setup.ended.as_str()),
            Self::ProfileDiff(document) => document.setups.as_ref().map(|[before, after]| {
                if after.ended == "complete" { before.ended.as_str() } else { after.ended.as_str() }
            }),
            Self::Bill(document) => Some(&document.ended),
            Self::ClassmapCheck(_) => None,
        }
    }

    /// What came out, in a few words: `24.3 ± 0.5 ms CPU, 2 findings`; empty where there is no figure.
    pub fn result_text(&self) -> String {
        let time = |span: Span| Quantity { kind: Kind::Time, value: span.value, margin: span.margin() }.to_string();
        let text = match self {
            Self::Weigh(document) => {
                let findings = document.findings.len();
                let found = if findings == 1 { "1 finding".to_owned() } else { format!("{findings} findings") };
                let cpu = document.urls.first().and_then(|url| url.total_cpu_ns);
                cpu.map(|cpu| format!("{} CPU, {found}", time(cpu)))
            }
            Self::Load(document) => {
                let [p50, p95] = ["p50", "p95"].map(|name| document.latency_ns.get(name));
                let text = |ns: &u64| plain(Kind::Time, *ns as f64);
                p50.zip(p95)
                    .map(|(p50, p95)| format!("p50 {}, p95 {}, {} failed", text(p50), text(p95), document.failed()))
            }
            Self::Prove(document) => document.changed_arm().and_then(|arm| {
                let median = document.of_arm(&arm.name).find(|one| one.metric == "latency.p50")?;
                Some(format!("p50 {}", median.change_text()))
            }),
            Self::Profile(document) => document
                .by_self()
                .first()
                .map(|function| format!("{} % in {}", percent(function.self_share.value), function.name)),
            Self::Bill(document) => document.cpu_ns.map(|cpu| format!("{} of CPU", bill_time(cpu))),
            Self::ClassmapCheck(document) => {
                Some(if document.current { "up to date" } else { "out of date" }.to_owned())
            }
            Self::ProfileDiff(_) => None,
        };
        text.unwrap_or_default()
    }

    /// Sentences on the limits of the result.
    pub fn warnings(&self) -> &[String] {
        match self {
            Self::Weigh(document) => &document.warnings,
            Self::Load(document) => &document.warnings,
            Self::Prove(document) => &document.warnings,
            Self::Profile(document) => &document.notes,
            Self::ProfileDiff(document) => &document.notes,
            Self::Bill(document) => &document.warnings,
            Self::ClassmapCheck(_) => &[],
        }
    }
}

fn parse<T: DeserializeOwned>(schema: &'static str, bytes: &[u8]) -> Result<Box<T>, DocumentError> {
    serde_json::from_slice(bytes).map_err(|error| DocumentError::Shape {
        schema,
        line: error.line(),
        column: error.column(),
        what: without_place(&error),
    })
}

/// Without the place, which the message has elsewhere.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

fn refused(schema: &str) -> DocumentError {
    let parts = |schema: &str| {
        let (name, number) = schema.rsplit_once('/')?;
        Some((name.to_owned(), number.parse::<u32>().ok()?))
    };
    let newer = parts(schema).and_then(|(name, number)| {
        SCHEMAS.into_iter().find(|known| {
            parts(known).is_some_and(|(known_name, known_number)| known_name == name && known_number < number)
        })
    });
    // A file's text may be long, or contain control characters.
    let schema: String = schema.chars().filter(|c| !c.is_control()).take(80).collect();
    match newer {
        Some(known) => DocumentError::Newer { schema, known },
        None => DocumentError::UnknownSchema { schema, known: SCHEMAS.map(|known| format!("`{known}`")).join(", ") },
    }
}

#[cfg(test)]
mod tests;
