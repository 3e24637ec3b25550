//! [`VERSION`].

/// The version of the pieces. Figures of different versions are of different work, and cannot be compared.
pub const VERSION: u32 = 1;
