//! The trait [`Merge`]: what parts of the runs come to together.

/// What is counted in parts, each on a processor of its own, and added up.
pub trait Merge {
    /// Both together.
    #[must_use]
    fn and(self, other: Self) -> Self;
}

/// The sum of each field.
macro_rules! merge {
    ($($type:ty { $($field:ident),* })*) => {
        $(impl $crate::merge::Merge for $type {
            fn and(self, other: Self) -> Self {
                Self { $($field: $crate::merge::Merge::and(self.$field, other.$field)),* }
            }
        })*
    };
}

pub(crate) use merge;

impl Merge for u64 {
    fn and(self, other: Self) -> Self {
        self + other
    }
}

impl Merge for f64 {
    fn and(self, other: Self) -> Self {
        self + other
    }
}

impl<A: Merge, B: Merge> Merge for (A, B) {
    fn and(self, other: Self) -> Self {
        (self.0.and(other.0), self.1.and(other.1))
    }
}

impl<T: Merge + Copy, const N: usize> Merge for [T; N] {
    fn and(self, other: Self) -> Self {
        std::array::from_fn(|index| self[index].and(other[index]))
    }
}
