//! Databases with traps in them, and statements that lead to these: each must ask and be refused by the wall; plain
//! ones run.

#![allow(dead_code, clippy::unwrap_used)] // each test binary uses its own part

use countersign::domain::{Class, Prepared};

use crate::databases::{Desk, within};

pub fn reads(judged: &Prepared) -> bool {
    judged.assessment.class() == Class::Whitelisted
}

pub fn sentences(judged: &Prepared) -> String {
    judged.assessment.findings.iter().map(|finding| finding.sentence.as_str()).collect::<Vec<_>>().join(" ")
}

/// Each must ask, and say what it is about; the wall of the session refuses it, too.
pub async fn all_ask(desk: &Desk, cases: &[(&str, &str)]) {
    for (sql, named) in cases {
        let judged = desk.judged(sql).await;
        let said = sentences(&judged);
        assert!(!reads(&judged) && said.contains(named), "{sql}: {said}");
        let reason = desk.refused(sql).await;
        assert!(reason.contains("nobody was asked"), "{sql}: {reason}");
    }
}

pub async fn all_run(desk: &Desk, cases: &[&str]) {
    for sql in cases {
        let judged = desk.judged(sql).await;
        assert!(reads(&judged), "{sql}: {}", sentences(&judged));
        let report = desk.read(sql).await.1;
        assert!(!report.result.starts_with("error"), "{sql}: {}", report.result);
    }
}

/// A database of our own, with traps in it; the URL to it and the desk that drops it.
pub async fn trapped(url: &str, name: &str) -> (String, Desk) {
    let name = format!("{name}_{}", std::process::id());
    let admin = Desk::new(url);
    admin.approved(&format!("DROP DATABASE IF EXISTS {name}")).await;
    admin.approved(&format!("CREATE DATABASE {name}")).await;
    (within(url, &name), admin)
}

pub async fn dropped(admin: &Desk, url: &str) {
    let name = url.rsplit('/').next().unwrap();
    admin.approved(&format!("DROP DATABASE {name} WITH (FORCE)")).await;
}
