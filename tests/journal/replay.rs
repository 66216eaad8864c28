//! What was recorded, judged again by today's assessors.

use super::*;

#[tokio::test]
async fn a_replay_says_what_would_change_and_runs_nothing() {
    let home = tempfile::tempdir().unwrap();
    recorded(home.path()).await;
    let object = |words: &[&str]| lines(&journal(home.path(), &[&["replay", "--json"], words].concat())).remove(0);
    let guarded = object(&[]);
    assert_eq!((&guarded["judged"], &guarded["mode"]), (&json!(5), &json!("guarded")));
    // `ls` isn't asked any more; the denied DELETE and what a claim of high holds back still are.
    assert_eq!((&guarded["questions_fewer"], &guarded["denied_now_allowed"]), (&json!(1), &json!(0)));
    assert_eq!((&guarded["questions_more"], &guarded["same"]), (&json!(0), &json!(4)));
    assert_eq!(guarded["changed"][0]["operation"], 1);
    let smart = object(&["--mode", "smart"]);
    assert_eq!((&smart["questions_fewer"], &smart["denied_now_allowed"]), (&json!(2), &json!(1)));
    let strict = object(&["--mode", "strict", "bbbb2222"]);
    assert_eq!((&strict["judged"], &strict["questions_more"]), (&json!(2), &json!(1)));
    let one = object(&["aaaa1111#1"]);
    assert_eq!((&one["judged"], &one["questions_fewer"]), (&json!(1), &json!(1)));
    let rules = home.path().join("rules.toml");
    std::fs::write(&rules, "[[rules]]\neffect = 'deny'\ntool = 'file_operations'\n").unwrap();
    let denied = object(&["--config", rules.to_str().unwrap()]);
    assert_eq!(denied["ran_now_denied"], 1);
    let told = journal(home.path(), &["replay"]);
    insta::assert_snapshot!("journal_replay", told);
}

#[tokio::test]
async fn a_replay_asks_what_nobody_was_there_to_confirm_and_names_what_it_leaves_out() {
    let home = tempfile::tempdir().unwrap();
    let workspace = home.path().join("shop");
    std::fs::create_dir(&workspace).unwrap();
    let mut run = Writer::open(&kept(home.path()), "0003-cccc3333", &workspace).await;
    for command in ["rm a", "mkdir b", "rm c", "rm d", "rm e"] {
        let (asked, judgement) = run.proposed("execute_command", &json!({"command": command}), ApprovalMode::Guarded);
        run.propose(&asked).await;
        let deny = |reason: &str| Judgement { verdict: Verdict::Deny, reason: reason.to_owned(), ..judgement.clone() };
        let (decider, judgement) = match command {
            "rm c" => (Decider::Policy, deny("You denied exactly this before in this turn.")),
            "rm d" => (Decider::PersonAll, deny("You denied the rest of this turn.")),
            // Earlier versions said it in the sentence alone.
            "rm e" => (Decider::Policy, Judgement { unattended: false, ..judgement.unattended(&asked.assessment) }),
            _ => {
                let judgement = judgement.unattended(&asked.assessment);
                (Decider::Policy, Judgement { reason: "Whatever it says.".to_owned(), ..judgement })
            }
        };
        run.decide(asked.operation.id, judgement, (decider, false, None), None).await;
    }
    run.journal.close().await.unwrap();
    let replayed = lines(&journal(home.path(), &["replay", "--json"])).remove(0);
    assert_eq!((&replayed["judged"], &replayed["same"]), (&json!(3), &json!(3)));
    assert_eq!(replayed["left_out"], json!({"of_turns": 1, "repeated": 1, "untold": 0}));
    let told = journal(home.path(), &["replay"]);
    assert!(told.contains("1 left out: your word on the rest of a turn"), "{told}");
    assert!(told.contains("1 left out: you had denied exactly the same"), "{told}");
    let rules = home.path().join("rules.toml");
    std::fs::write(&rules, "[[rules]]\neffect = 'allow'\ntool = 'execute_command'\nmatch = { program = 'mkdir' }\n")
        .unwrap();
    let freed = lines(&journal(home.path(), &["replay", "--json", "--config", rules.to_str().unwrap()])).remove(0);
    assert_eq!((&freed["questions_fewer"], &freed["denied_now_allowed"]), (&json!(1), &json!(1)));
    // A session alone means its operations.
    assert_eq!(lines(&journal(home.path(), &["show", "cccc3333", "--json"])).len(), 5);
}
