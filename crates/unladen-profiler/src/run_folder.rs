//! The folder that a run shares with the processes it profiles.
