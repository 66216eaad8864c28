//! What is kept on disk: the journal.
