//! The pure state: one `update` over events.
