//! What the grammar accepts, and each mistake with its sentence.

use super::*;
use crate::domain::Rule;

fn parse(text: &str) -> (Settings, Vec<String>) {
    let folders = Folders {
        config: "/home/ann/config.toml".into(),
        config_named: true,
        data: "/data".into(),
        state: "/data".into(),
        data_named: true,
        home: Some("/home/ann".into()),
    };
    let (settings, problems) = Settings::parse(text, &folders);
    (settings, problems.iter().map(ToString::to_string).map(|line| line.replace("/home/ann/", "")).collect())
}

#[test]
fn a_full_file_is_read() {
    let (settings, problems) = parse(
        r#"
mode = "smart"
model = "small"
default_connection = "shop"
sensitive = ["~/finance/**"]
hosts = ["API.example.com"]
catastrophes = "ask"
theme = "dark"
keymap = "keys.toml"

[provider]
kind = "openai"
base_url = "https://models.example/v1"
model = "large-1"
key_env = "TEAM_KEY"

[models.small]
model = "small-1"

[models.other]
kind = "anthropic"
key_command = ["pass", "show", "anthropic"]

[connections.shop]
url = "postgres://ann:hunter2@db.example/shop"

[connections.books]
url_env = "BOOKS_URL"

[[rules]]
effect = "deny"
tool = "execute_command"
match = { program = "git", subcommand = "push" }

[limits]
time_limit = 30
output = 100_000
calls = 7
tokens = 5_000
"#,
    );
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(settings.mode, ApprovalMode::Smart);
    let model = settings.provider.clone().unwrap();
    assert_eq!((model.kind, model.model.as_deref()), (ProviderName::openai(), Some("small-1")));
    assert_eq!(model.base_url.as_deref(), Some("https://models.example/v1"));
    assert_eq!(model.key, KeySource::Variable("TEAM_KEY".to_owned()));
    assert_eq!(settings.models["other"].base_url, None);
    assert!(settings.hosts.contains("api.example.com") && settings.catastrophes_ask);
    assert_eq!(settings.rules[0].parts["subcommand"], "push");
    assert_eq!(
        settings.limits,
        Limits { time_limit: 30, output: 100_000, calls: 7, tokens: Some(5_000), ..Limits::default() }
    );
    assert_eq!(settings.keymap, Some("/home/ann/keys.toml".into()));
    assert_eq!(settings.connections.len(), 2);
    assert!(!format!("{settings:?}").contains("hunter2"));
}

#[test]
fn an_empty_file_is_the_default() {
    let (settings, problems) = parse("");
    assert!(problems.is_empty() && settings.mode == ApprovalMode::Guarded && settings.provider.is_none());
}

#[test]
fn each_mistake_has_its_place_and_says_what_to_do() {
    for (text, said) in [
        ("moed = 'smart'", "config.toml:1:1: unknown key `moed`. Did you mean `mode`?"),
        ("mode = 'smrt'", "config.toml:1:8: `mode` can't be `smrt`. Did you mean `smart`?"),
        (
            "\nmode = 'allow-all'",
            "config.toml:2:8: `allow-all` can't be set here: it holds for one start only. Start with `-y` instead.",
        ),
        ("mode = 3", "config.toml:1:8: `mode` must be text in quotes, not a number."),
        ("[limits]\ntime_limit = 0", "config.toml:2:14: `time_limit` must be from 1 to 3600."),
        ("[limits]\ntimelimit = 1", "config.toml:2:1: unknown key `timelimit`. Did you mean `time_limit`?"),
        ("sensitive = 'x'", "config.toml:1:13: `sensitive` must be a list of texts, such as [\"a\", \"b\"], not text."),
        (
            "default_connection = 'shop'",
            "config.toml:1:22: there is no connection `shop`. Add it as [connections.shop].",
        ),
        (
            "[connections.a]\nurl = 'ftp://x'",
            "config.toml:2:7: `url` must start with `sqlite:`, `postgres://`, `mysql://` or `mariadb://`.",
        ),
        (
            "[provider]\nkind = 'openai'\nkey = 'sk-1'",
            "config.toml:3:1: unknown key `key`. A key isn't kept in this file: name a variable with key_env, a \
             program with key_command, or the keyring's entry with key_keyring.",
        ),
        (
            "[provider]\nkind = 'openai'\nbase_url = 'https://ann:hunter2@x.example'",
            "config.toml:3:12: `base_url` must not hold a user or password: use key_env, key_command or \
             key_keyring for the key.",
        ),
        (
            "[production]\npatterns = ['prod', '[']",
            "config.toml:2:21: this isn't a pattern of names, such as `prod`, `*.prod.example.com` or `release/*`.",
        ),
        (
            "[production]\nbranches = ['main']",
            "config.toml:2:1: unknown key `branches`. Valid here: `patterns`, `protected_branches`.",
        ),
        (
            "[[rules]]\neffect = 'deny'\ntool = 'execute_comand'",
            "config.toml:3:8: there is no tool `execute_comand`. Did you mean `execute_command`?",
        ),
    ] {
        let (settings, problems) = parse(text);
        assert_eq!(problems, [said]);
        assert_eq!(settings.mode, ApprovalMode::Strict, "{text}");
    }
}

#[test]
fn what_counts_as_production_is_replaced_list_by_list() {
    let (settings, _) = parse("");
    assert_eq!(settings.production.patterns, ["prod", "production", "prd", "live"]);
    assert_eq!(settings.production.branches, ["main", "master", "release/*"]);
    let (settings, problems) = parse("[production]\npatterns = []\n");
    assert_eq!(problems, Vec::<String>::new());
    assert!(settings.production.patterns.is_empty());
    assert_eq!(settings.production.branches, ["main", "master", "release/*"]);
}

#[test]
fn an_allow_rule_that_allows_anything_is_refused() {
    let (settings, problems) =
        parse("[[rules]]\neffect = 'allow'\ntool = 'execute_command'\nmatch = { program = 'bash' }");
    assert!(problems[0].contains("this rule can't stand: bash runs code"), "{problems:?}");
    assert!(settings.rules.is_empty());
}

#[test]
fn with_a_mistake_nothing_in_the_file_loosens_anything() {
    let (settings, problems) = parse(
        "colour = 1\ncatastrophes = 'ask'\n[[rules]]\neffect = 'allow'\ntool = 'http_request'\n\
         match = { host = 'x' }\n[[rules]]\neffect = 'deny'\ntool = 'http_request'",
    );
    assert_eq!(problems.len(), 1);
    assert!(!settings.catastrophes_ask);
    assert_eq!(settings.rules.iter().map(|rule| rule.effect).collect::<Vec<_>>(), [RuleEffect::Deny]);
}

#[test]
fn a_rule_is_brought_into_the_spelling_that_operations_have() {
    let (settings, problems) = parse(
        "[[rules]]\neffect = 'ask'\ntool = 'http_request'\nmatch = { method = 'post', host = 'API.example.com' }\n\
         [[rules]]\neffect = 'deny'\ntool = 'file_operations'\nmatch = { operation = 'Write', path = '~/notes.txt' }",
    );
    assert_eq!(problems, Vec::<String>::new());
    let parts = |rule: &Rule| rule.parts.values().cloned().collect::<Vec<_>>();
    assert_eq!(parts(&settings.rules[0]), ["api.example.com", "POST"]);
    assert_eq!(parts(&settings.rules[1]), ["write", "/home/ann/notes.txt"]);
}

#[test]
fn a_rule_that_could_never_match_is_refused_aloud() {
    for (tool, part, said) in [
        ("execute_command", "programme = 'git'", "unknown key `programme`. Did you mean `program`?"),
        ("execute_sql", "host = 'x'", "unknown key `host`. Valid here: `connection`, `statement`, `table`, `where`."),
        ("file_operations", "path = 'notes.txt'", "a rule needs the whole path, from `/` or `~/`."),
        ("execute_sql", "where = 'id'", "`where` is `yes` for statements with a condition, or `no`."),
    ] {
        let (settings, problems) = parse(&format!("[[rules]]\neffect = 'deny'\ntool = '{tool}'\nmatch = {{ {part} }}"));
        assert!(problems.len() == 1 && problems[0].ends_with(said), "{problems:?}");
        assert!(settings.rules.is_empty());
    }
}

#[test]
fn a_connection_may_be_read_by_another_role_and_keep_its_rows_here() {
    let (settings, problems) = parse(
        "[connections.a]\nurl = 'sqlite:a.db'\nread_url_env = 'A_READ'\nresults = 'local'\n[connections.b]\nurl_env = 'B'",
    );
    assert!(problems.is_empty(), "{problems:?}");
    let (a, b) = (&settings.connections["a"], &settings.connections["b"]);
    assert_eq!(a.read_url.as_ref().map(crate::config::UrlSource::shown).as_deref(), Some("$A_READ"));
    assert!(a.local_results && !b.local_results && b.read_url.is_none());
    for wrong in ["read_url = 'ftp://x'", "results = 'here'", "read_url = 'sqlite:b'\nread_url_env = 'B'"] {
        let (settings, problems) = parse(&format!("[connections.a]\nurl = 'sqlite:a.db'\n{wrong}"));
        assert!(!problems.is_empty() && settings.connections.is_empty(), "{wrong}");
    }
}

#[test]
fn hosts_are_in_the_spelling_of_requests() {
    let (settings, problems) = parse("hosts = ['API.Example.com.', 'bücher.example', 'localhost:8080', '[::1]:80']");
    assert_eq!(problems, Vec::<String>::new());
    let hosts: Vec<_> = settings.hosts.iter().map(String::as_str).collect();
    assert_eq!(hosts, ["[::1]:80", "api.example.com", "localhost:8080", "xn--bcher-kva.example"]);
    for host in ["https://x.example", "x.example/path", "", "*.example.com", "a b"] {
        assert_eq!(parse(&format!("hosts = ['{host}']")).1.len(), 1, "{host}");
    }
}

#[test]
fn hosts_of_staged_commands_have_a_port_and_hold_only_in_a_sound_file() {
    let written = "staged_hosts = ['Registry.Example.com', 'localhost:08081', '[::1]', '127.1:80']";
    let (settings, problems) = parse(written);
    assert_eq!(problems, Vec::<String>::new());
    let hosts: Vec<_> = settings.staged_hosts.iter().map(String::as_str).collect();
    assert_eq!(hosts, ["127.0.0.1:80", "[::1]:443", "localhost:8081", "registry.example.com:443"]);
    assert!(settings.hosts.is_empty() && parse("hosts = ['a.example']").0.staged_hosts.is_empty());
    let (settings, problems) = parse(&format!("{written}\nmoed = 'smart'"));
    assert!(settings.staged_hosts.is_empty() && problems.len() == 1);
}

#[test]
fn a_rule_with_a_part_that_cannot_be_read_is_left_out_whole() {
    let (settings, problems) =
        parse("[[rules]]\neffect = 'deny'\ntool = 'execute_sql'\nmatch = { statement = 'drop', table = 1 }");
    assert_eq!((settings.rules.len(), problems.len()), (0, 1));
}

#[test]
fn broken_toml_says_where() {
    let (settings, problems) = parse("mode = 'smart'\ntheme = \n[provider]\n");
    assert!(problems[0].starts_with("config.toml:2:"), "{problems:?}");
    assert!(problems[0].contains("isn't valid TOML"), "{problems:?}");
    assert_eq!(settings.mode, ApprovalMode::Strict);
    assert!(!parse("mode = '\u{1b}[2J'").1[0].contains('\u{1b}'));
    assert!(!parse("\"\\u001b[2J\" = 1").1[0].contains('\u{1b}'));
    for text in ["\0", "[[[", "a = {", "mode = 'x", "\u{feff}\u{feff}=", "a.b = 1\na = 2"] {
        assert!(!parse(text).1.is_empty(), "{text:?}");
    }
}

#[test]
fn the_example_is_valid_switched_off_and_on() {
    let example = include_str!("../../../assets/config.example.toml");
    let (settings, problems) = parse(example);
    assert!(problems.is_empty() && settings.connections.is_empty(), "{problems:?}");
    let on: String = example
        .lines()
        .map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line))
        .fold(String::new(), |text, line| text + line + "\n");
    let (settings, problems) = parse(&on);
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!((settings.connections.len(), settings.rules.len(), settings.models.len()), (3, 2, 1));
    assert_eq!(settings.limits, Limits::default());
}

proptest::proptest! {
    #[test]
    fn no_text_breaks_the_reader_and_none_with_mistakes_loosens_anything(
        text in "((mode|rules|model|limits|connections|provider|x|hosts)?[ .=\\[\\]{}'\"\n,#a-z0-9é]{0,12}){0,12}"
    ) {
        let (settings, problems) = parse(&text);
        proptest::prop_assert!(problems.len() <= PROBLEMS_SHOWN);
        proptest::prop_assert!(problems.is_empty() || settings.mode == ApprovalMode::Strict);
        proptest::prop_assert_ne!(settings.mode, ApprovalMode::AllowAll);
    }
}

/// Files with one mistake each: every key of the grammar misspelt, of the wrong type or out of its range.
const MISTAKES: &str = include_str!("mistakes.txt");

/// What is said of each, to the letter. `INSTA_UPDATE=always` takes what is said now.
#[test]
fn every_key_has_its_mistakes_told() {
    let told: Vec<String> = MISTAKES
        .split("\n---\n")
        .map(|text| {
            let (_, problems) = parse(text);
            assert!(!problems.is_empty(), "nothing is objected to in:\n{text}");
            assert!(!problems.concat().contains("hunter2"));
            format!("{}\n=> {}", text.trim_end(), problems.join("\n=> "))
        })
        .collect();
    insta::assert_snapshot!("mistakes", told.join("\n\n"));
}

#[test]
fn no_key_of_the_grammar_is_left_out_of_the_mistakes() {
    let limits = ["time_limit", "output", "kept_output", "calls", "minutes", "tokens", "cost"];
    let others = ["url", "url_env", "read_url", "read_url_env", "results", "patterns", "protected_branches"];
    let rules = ["effect", "tool", "match"];
    for key in TOP.iter().chain(&MODEL).chain(&limits).chain(&others).chain(&rules) {
        assert!(MISTAKES.contains(&format!("{key} = ")) || MISTAKES.contains(&format!("[{key}")), "{key} is missing");
    }
}
