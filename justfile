# Everyday commands. `just` lists them.

default:
    @just --list

# Open the program.
run *ARGUMENTS:
    cargo run --release -- {{ARGUMENTS}}

# The tests; those that need a server say so when it isn't there.
test *ARGUMENTS:
    cargo test {{ARGUMENTS}}

# Formatting and lints, as CI has them.
lint:
    cargo fmt --check
    cargo clippy --all-targets --locked -- -D warnings

# Licences, advisories and sources of everything that is linked.
deny:
    cargo deny check

# All that CI does.
ci:
    .ci/run
