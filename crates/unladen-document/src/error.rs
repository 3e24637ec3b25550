//! The principal type is [`DocumentError`].

/// Why a file is no result document.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// More than is read.
    #[error("the document has {bytes} bytes; at most {most} are read")]
    TooLarge {
        /// Of the document.
        bytes: u64,
        /// Of any document.
        most: u64,
    },
    /// No JSON.
    #[error("not JSON at line {line}, column {column}: {what}")]
    NotJson {
        /// From 1.
        line: usize,
        /// From 1; 0 at the end of a line.
        column: usize,
        /// What is wrong there.
        what: String,
    },
    /// JSON of something else.
    #[error("no `schema`: not a document that `--json` of Unladen wrote")]
    NoSchema,
    /// Another document, perhaps Unladen's.
    #[error("the schema is `{schema}`; results of measurements are {known}")]
    UnknownSchema {
        /// As the document has it.
        schema: String,
        /// Those that are read.
        known: String,
    },
    /// A later version's document.
    #[error("the schema is `{schema}`, newer than `{known}`, which this version of Unladen reads; update Unladen")]
    Newer {
        /// As the document has it.
        schema: String,
        /// The newest that is read.
        known: &'static str,
    },
    /// A field that is not what its schema says.
    #[error("not a document of `{schema}`, at line {line}, column {column}: {what}")]
    Shape {
        /// As the document has it.
        schema: &'static str,
        /// From 1.
        line: usize,
        /// From 1; 0 at the end of a line.
        column: usize,
        /// What is wrong there.
        what: String,
    },
}
