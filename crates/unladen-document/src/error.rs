//! The principal type is [`DocumentError`].

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
    #[error("no `schema`: not a document that `--json` of Unladen wrote")]
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
