//! [`VERSION`].

/// The version of the pieces. Figures of different versions cannot be compared.
pub const VERSION: u32 = 1;
