//! What the module beside this says of itself, held.
