//! A key in a real keyring: a Secret Service in a session bus of its own, with a home of its own.

use std::process::{Command, Stdio};

use super::World;
use super::left_out::not_here;
use super::model::{Model, Reply};

/// Opens a keyring, asks, puts the key there, asks again. The first argument is the program.
const SESSION: &str = r#"
mkdir -m 700 "$HOME/run"; export XDG_RUNTIME_DIR="$HOME/run"
printf 'word' | gnome-keyring-daemon --unlock --components=secrets >"$HOME/run/started" 2>&1 || exit 77
for try in 1 2 3 4 5 6 7 8 9 10; do
    printf 'sk-kept-in-a-keyring' | secret-tool store --label=Countersign service elsewhere && break
    sleep 0.5
done
"$1" run "ping"; echo "ended with $?"
printf 'sk-kept-in-a-keyring' | secret-tool store --label=Countersign service team || exit 77
"$1" run "ping"; echo "ended with $?"
"$1" config show
"#;

#[test]
fn a_key_in_the_systems_keyring_reaches_the_model_and_nothing_else() {
    let there = |program: &str| Command::new(program).arg("--help").output().is_ok();
    if !["dbus-run-session", "gnome-keyring-daemon", "secret-tool"].into_iter().all(there) {
        return not_here("a key in a real keyring", "dbus, gnome-keyring and libsecret-tools aren't installed");
    }
    let world = World::new();
    let model = Model::start(vec![Reply::Text("pong")]);
    let config = world.home.path().join(".config/countersign");
    std::fs::create_dir_all(&config).unwrap();
    let text = format!("[provider]\nkind = 'openai'\nbase_url = '{}'\nmodel = 'm'\nkey_keyring = 'team'\n", model.url);
    std::fs::write(config.join("config.toml"), text).unwrap();
    let output = Command::new("dbus-run-session")
        .args(["--", "bash", "-c", SESSION, "bash", env!("CARGO_BIN_EXE_countersign")])
        .env_clear()
        .env("HOME", world.home.path())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("LANG", "C.UTF-8")
        .current_dir(world.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (told, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.code() == Some(77) {
        return not_here("a key in a real keyring", &format!("no keyring could be opened: {said}"));
    }
    assert!(said.contains("the keyring has no key for `team`") && said.contains("service team"), "{said}");
    assert!(told.contains("ended with 2\npong") && told.contains("ended with 0"), "{told}\n{said}");
    let keys = model.keys();
    assert!(!keys.is_empty() && keys.iter().all(|key| key == "Bearer sk-kept-in-a-keyring"), "{keys:?}");
    assert!(told.contains("key_keyring = \"team\"") && !told.contains("sk-kept"), "{told}");
    let kept = Command::new("grep").args(["-rl", "sk-kept"]).arg(world.home.path()).output().unwrap();
    assert!(kept.stdout.is_empty(), "it stands in {}", String::from_utf8_lossy(&kept.stdout));
}
