//! The principal type is [`RunPicture`].

/// A picture from a run, such as a flame graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunPicture {
    pub title: String,
    /// An SVG document.
    pub svg: String,
}
