//! Templates that pick something out of what is known of a container: which of them name fields without an
//! environment, and nothing that holds one; and which variables a text names.

use super::scope::secret_variable;

/// Fields of a container, an image, a volume, a network or a service that hold neither variables nor secrets, with all
/// that is below them.
const FIELDS: &str = " Id ID Name Created Image ImageName ImageID Driver Platform Path Args State RestartCount \
    NetworkSettings Mounts LogPath ResolvConfPath HostnamePath HostsPath SizeRw SizeRootFs GraphDriver Size RepoTags \
    RepoDigests Architecture Os RootFS Parent Pod IsInfra Namespace Mountpoint Scope Subnets IPAM Containers Labels \
    Spec.Name Spec.Mode Endpoint UpdateStatus CreatedAt UpdatedAt Version Enabled PluginReference \
    HostConfig.RestartPolicy HostConfig.NetworkMode HostConfig.PortBindings HostConfig.Memory HostConfig.MemorySwap \
    HostConfig.MemoryReservation HostConfig.NanoCpus HostConfig.CpuShares HostConfig.CpuQuota HostConfig.CpuPeriod \
    HostConfig.CpusetCpus HostConfig.PidsLimit HostConfig.Privileged HostConfig.Binds HostConfig.LogConfig.Type \
    HostConfig.AutoRemove HostConfig.CapAdd HostConfig.CapDrop HostConfig.ReadonlyRootfs HostConfig.ShmSize \
    HostConfig.Ulimits HostConfig.PidMode HostConfig.IpcMode HostConfig.UsernsMode HostConfig.SecurityOpt \
    HostConfig.Devices HostConfig.Runtime HostConfig.Dns HostConfig.ExtraHosts HostConfig.VolumesFrom HostConfig.Init \
    Config.Image Config.Hostname Config.User Config.WorkingDir Config.ExposedPorts Config.Volumes Config.Labels \
    Config.Cmd Config.Entrypoint Config.Healthcheck Config.Tty Config.StopSignal Config.StopTimeout ";

/// What a template may call.
const CALLS: &str = " json join len index slice print printf println split lower upper title truncate pad eq ne lt le \
    gt ge and or not := = ";

/// Whether text names variables and no secret one: those that `envsubst` puts in.
pub(super) fn plain_variables(text: &str) -> bool {
    let mut named = text.split('$').skip(1).map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        rest.split(|c: char| !plain(c)).next().unwrap_or_default()
    });
    text.contains('$') && named.all(|name| !name.is_empty() && !secret_variable(&name.to_ascii_uppercase()))
}

/// Whether a template of Go shows nothing but such fields.
pub(super) fn plain_fields(template: &str) -> bool {
    // Of each block that isn't closed yet, whether the dot means something else in it than outside.
    let mut blocks: Vec<bool> = Vec::new();
    let (mut rest, mut some) = (template, false);
    while let Some((_, after)) = rest.split_once("{{") {
        let Some((action, after)) = after.split_once("}}") else { return false };
        let Some(words) = words(action) else { return false };
        let mut words: Vec<&str> = words.split_whitespace().collect();
        let outer = blocks.contains(&true);
        match words.first().copied() {
            Some(block @ ("range" | "with" | "if")) => blocks.push(block != "if"),
            Some("else") => {
                // There the dot is again what it was outside.
                let Some(block) = blocks.last_mut() else { return false };
                *block = false;
                if words.get(1).is_some_and(|word| *word != "if") {
                    return false;
                }
                words.drain(..words.len().min(2) - 1);
            }
            Some("end") if words.len() == 1 && blocks.pop().is_some() => {}
            Some("end") | None => return false,
            Some(_) => words.insert(0, ""),
        }
        let below = if words.first() == Some(&"if") { blocks.contains(&true) } else { outer };
        if !words[1..].iter().all(|word| harmless(word, below)) {
            return false;
        }
        (rest, some) = (after, true);
    }
    some
}

/// Whether a field, by the names on the way to it, is harmless, or lies below one that is.
pub(super) fn plain_field(path: &str) -> bool {
    let mut ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
    !path.is_empty() && ends.any(|at| FIELDS.contains(&format!(" {} ", &path[..at])))
}

/// The words of an action without its texts. None if they can't be told.
fn words(action: &str) -> Option<String> {
    // The end of a line and a tab, as texts have them.
    let action = action.replace("\\n", "").replace("\\t", "");
    if action.contains(['\\', '`', '\'']) || action.matches('"').count() % 2 == 1 {
        return None;
    }
    let known: String = action.split('"').step_by(2).collect::<Vec<_>>().join(" 0 ");
    let known = known.trim_start_matches('-').trim_end().trim_end_matches('-');
    // What follows a bracket is a field of what is in it, which is judged by itself.
    Some(known.replace(").", ") @").replace(['(', ')', '|', ','], " "))
}

/// Whether a word of an action shows nothing but harmless fields; `below` one of them everything is.
fn harmless(word: &str, below: bool) -> bool {
    match word.as_bytes() {
        [b'.', field @ ..] => {
            let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_');
            field.iter().all(plain) && (below || plain_field(&word[1..]))
        }
        [b'$', first, ..] => first.is_ascii_alphabetic(),
        [b'@', ..] => true,
        [first, ..] if first.is_ascii_digit() => word.bytes().all(|byte| byte.is_ascii_digit()),
        _ => CALLS.contains(&format!(" {word} ")),
    }
}

#[cfg(test)]
mod tests {
    use super::plain_fields;

    #[test]
    fn fields_without_an_environment_may_be_shown() {
        for template in [
            "{{.State.Status}}",
            "{{ .Name }} {{.RestartCount}}",
            "{{json .State.Health}}",
            "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}",
            "{{range $k, $v := .NetworkSettings.Ports}}{{$k}} {{(index $v 0).HostPort}}{{end}}",
            "{{(index (index .NetworkSettings.Ports \"80/tcp\") 0).HostPort}}",
            "{{index .Config.Labels \"a.b\"}}",
            "{{if .State.Running}}up{{else}}{{.State.ExitCode}}{{end}}",
            "{{- .Config.Image | upper -}}",
            "table {{.Name}}\t{{.State}}",
            "{{range .Mounts}}{{.Source}} -> {{.Destination}}{{\"\\n\"}}{{end}}",
        ] {
            assert!(plain_fields(template), "{template}");
        }
        for template in [
            "",
            "json",
            "{{.}}",
            "{{json .}}",
            "{{.Config}}",
            "{{json .Config}}",
            "{{.Config.Env}}",
            "{{.HostConfig}}",
            "{{index .Config \"Env\"}}",
            "{{index . \"Config\"}}",
            "{{range .Mounts}}{{\"a\\\\n\"}}{{end}}",
            "{{\"a\\\"\"}}{{.Config}}",
            "{{range .Config.Env}}{{.}}{{end}}",
            "{{range .Mounts}}{{json $}}{{end}}",
            "{{range .Mounts}}{{$.Config.Env}}{{end}}",
            "{{range .Mounts}}{{else}}{{json .}}{{end}}",
            "{{with .X}}{{else}}{{.}}{{end}}",
            "{{with .Mounts}}{{else with .}}{{.}}{{end}}",
            "{{range .Mounts}}{{end}}{{json .}}",
            "{{if .State}}{{json .}}{{end}}",
            "{{$x := .}}{{json $x}}",
            "{{with $x := .}}{{json $x}}{{end}}",
            "{{(.Config).Env}}",
            "{{template \"x\" .}}",
            "{{.State",
            "{{end}}",
            "{{.NameX}}",
            "{{call .State}}",
            "{{.State}}{{`{{`}}",
            "{{\"\\\"\" }}",
        ] {
            assert!(!plain_fields(template), "{template}");
        }
    }
}
