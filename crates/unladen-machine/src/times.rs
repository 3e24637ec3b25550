//! What the machine's processors did, and what was taken from them.
