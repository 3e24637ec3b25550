//! The principal type is [`RunPicture`].

/// A picture that a run has left, such as a flame graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunPicture {
    /// What it shows.
    pub title: String,
    /// An SVG document.
    pub svg: String,
}
