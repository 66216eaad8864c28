//! The imperative shell: the loop that joins state, tools, models, journal and terminal.
