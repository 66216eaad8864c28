//! Finds and reads the configuration file and the environment into `Settings`.
