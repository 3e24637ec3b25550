//! The principal type is [`Made`].

use crate::frame::FrameId;
use crate::profile::Profile;
use crate::readers::sum::Sum;

pub(super) struct Made<'a> {
    pub(super) profile: &'a mut Profile,
    pub(super) frames: Vec<FrameId>,
    pub(super) sum: Sum,
}

impl Made<'_> {
    pub(super) fn frame(&self, index: u32) -> Result<FrameId, String> {
        let frame = self.frames.get(index as usize).copied();
        frame.ok_or_else(|| format!("frame {index} of {}", self.frames.len()))
    }
}
