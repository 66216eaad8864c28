//! What `git push` changes there: read from its words, the repository's settings and the branch that is checked out.
//! Nothing is asked of the other side. What depends on what is there can't be told, and may be every branch.

use super::gitconfig::{Settings, last};

/// One branch that is sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sent {
    /// What is sent; empty to delete there.
    pub(super) from: String,
    /// The name it gets there.
    pub(super) to: String,
    pub(super) forced: bool,
}

/// How a push was called.
pub(super) struct Push<'a> {
    pub(super) remote: &'a str,
    pub(super) refspecs: &'a [String],
    /// The branch that is checked out.
    pub(super) branch: Option<&'a str>,
    pub(super) settings: &'a Settings,
}

/// Where a push goes that names this remote, or none.
pub(super) fn remote(named: Option<String>, branch: Option<&str>, settings: &Settings) -> String {
    let of_branch = |key| branch.and_then(|branch| last(settings, &format!("branch.{branch}.{key}")));
    named
        .or_else(|| of_branch("pushremote"))
        .or_else(|| last(settings, "remote.pushdefault"))
        .or_else(|| of_branch("remote"))
        .unwrap_or_else(|| "origin".to_owned())
}

/// The refspecs of what `--delete` names: `tag v1` is one tag there, anything else a branch or a tag.
pub(super) fn deleting(named: &[String]) -> Vec<String> {
    let mut named = named.iter();
    let mut refspecs = Vec::new();
    while let Some(name) = named.next() {
        let tag = if name == "tag" { named.next() } else { None };
        refspecs.push(tag.map_or_else(|| format!(":{name}"), |tag| format!(":refs/tags/{tag}")));
    }
    refspecs
}

/// Whether every push to a remote makes it the same as this repository.
pub(super) fn mirrors(remote: &str, settings: &Settings) -> bool {
    last(settings, &format!("remote.{remote}.mirror"))
        .is_some_and(|mirror| !["", "0", "false", "no", "off"].iter().any(|off| mirror.eq_ignore_ascii_case(off)))
}

/// Where a push to a remote goes: all its addresses, after what the configuration puts in their place
/// (<https://git-scm.com/docs/git-config#Documentation/git-config.txt-urlbasepushInsteadOf>). None for a name without one.
pub(super) fn address(remote: &str, settings: &Settings) -> Option<String> {
    let of_remote = |key| settings.get(&format!("remote.{remote}.{key}")).cloned();
    let addresses: Vec<String> = match (of_remote("pushurl"), of_remote("url")) {
        (Some(own), _) => own.iter().map(|url| replaced(url, ".insteadof", settings)).collect(),
        (None, Some(urls)) => urls.iter().map(|url| pushed(url, settings)).collect(),
        (None, None) => Some(pushed(remote, settings)).filter(|address| address != remote).into_iter().collect(),
    };
    (!addresses.is_empty()).then(|| addresses.iter().map(|address| plain(address)).collect::<Vec<_>>().join(", "))
}

fn pushed(url: &str, settings: &Settings) -> String {
    let elsewhere = replaced(url, ".pushinsteadof", settings);
    if elsewhere == url { replaced(url, ".insteadof", settings) } else { elsewhere }
}

/// An address with its beginning replaced, where a setting of this kind names that. The longest one counts.
fn replaced(url: &str, kind: &str, settings: &Settings) -> String {
    let bases =
        settings.iter().filter_map(|(key, starts)| Some((key.strip_prefix("url.")?.strip_suffix(kind)?, starts)));
    let fits = bases.flat_map(|(base, starts)| starts.iter().map(move |start| (base, start)));
    let longest = fits.filter(|(_, start)| url.starts_with(*start)).max_by_key(|(_, start)| start.len());
    longest.map_or_else(|| url.to_owned(), |(base, start)| format!("{base}{}", &url[start.len()..]))
}

/// An address without the user's name and password.
pub(super) fn plain(address: &str) -> String {
    match address.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?))) {
        Some((scheme, (user, host))) if !user.contains('/') => format!("{scheme}://{host}"),
        Some(_) | None => address.to_owned(),
    }
}

/// The name of a branch, however it is written.
fn name(text: &str) -> &str {
    let text = text.strip_prefix("refs/").filter(|text| text.starts_with("heads/")).unwrap_or(text);
    text.strip_prefix("heads/").unwrap_or(text)
}

impl Push<'_> {
    /// What is sent where: by the refspecs, by those of the configuration, or by the branch that is checked out.
    ///
    /// # Errors
    /// It depends on what is there, or on all that is here. Why, in a sentence without its end.
    pub(super) fn sent(&self) -> Result<Vec<Sent>, String> {
        if let Some(key) = self.settings.keys().find(|key| key.starts_with("include")) {
            return Err(format!("the configuration reads other files by `{key}`"));
        }
        let configured = self.configured();
        if self.refspecs.is_empty() && configured.is_empty() {
            return self.usual();
        }
        let refspecs = if self.refspecs.is_empty() { configured } else { self.refspecs };
        let (mut sent, mut refspecs) = (Vec::new(), refspecs.iter());
        while let Some(refspec) = refspecs.next() {
            if refspec == "tag" {
                let tag = refspecs.next().map(|tag| format!("refs/tags/{tag}")).ok_or("a tag has no name")?;
                sent.push(Sent { from: tag.clone(), to: tag, forced: false });
            } else {
                sent.push(self.one(refspec)?);
            }
        }
        Ok(sent)
    }

    fn configured(&self) -> &[String] {
        self.settings.get(&format!("remote.{}.push", self.remote)).map_or(&[], Vec::as_slice)
    }

    /// What goes without any refspec.
    fn usual(&self) -> Result<Vec<Sent>, String> {
        let way = last(self.settings, "push.default");
        if way.as_deref() == Some("matching") {
            return Err("`push.default` is `matching`: every branch goes that is there by the same name".to_owned());
        }
        let Some(branch) = self.branch else { return Ok(Vec::new()) };
        let of_branch = |key| last(self.settings, &format!("branch.{branch}.{key}"));
        let elsewhere = of_branch("remote").unwrap_or_else(|| "origin".to_owned()) != self.remote;
        let upstream = of_branch("merge").filter(|_| way.as_deref() != Some("current") && !elsewhere);
        let to = upstream.as_deref().map_or(branch, name).to_owned();
        Ok(vec![Sent { from: branch.to_owned(), to, forced: false }])
    }

    /// Whether git refuses, as the branch belongs to none there and nothing says where it goes.
    pub(super) fn refused(&self) -> bool {
        let of_branch = |key| self.branch.and_then(|branch| last(self.settings, &format!("branch.{branch}.{key}")));
        let simple = last(self.settings, "push.default").is_none_or(|way| way == "simple");
        let makes = last(self.settings, "push.autosetupremote").is_some_and(|makes| makes != "false");
        let other = of_branch("remote").is_some_and(|remote| remote != self.remote);
        self.refspecs.is_empty()
            && self.configured().is_empty()
            && simple
            && !makes
            && !other
            && self.remote == "origin"
            && self.branch.is_some()
            && of_branch("merge").is_none()
    }

    /// What one refspec sends.
    fn one(&self, written: &str) -> Result<Sent, String> {
        let (forced, refspec) = written.strip_prefix('+').map_or((false, written), |rest| (true, rest));
        if refspec == ":" || refspec.is_empty() {
            return Err(format!("`{written}` is every branch that is there by the same name"));
        }
        if refspec.starts_with('^') || refspec.contains(['*', '…', '$']) {
            return Err(format!("`{written}` may be any branch"));
        }
        let (from, (to, too)) = match refspec.split_once(':') {
            Some((from, to)) => (from, (to.to_owned(), false)),
            None => (refspec, self.mapped(refspec)?),
        };
        let forced = forced || too;
        let to = match (to.as_str(), self.branch) {
            ("HEAD" | "@", Some(branch)) => branch.to_owned(),
            (to, _) => name(to).to_owned(),
        };
        Ok(Sent { from: from.to_owned(), to, forced })
    }

    /// Where a branch goes that is named alone, and whether by force: the configuration may give it another name there.
    fn mapped(&self, from: &str) -> Result<(String, bool), String> {
        for configured in self.configured() {
            let refspec = configured.trim_start_matches('+');
            let forced = refspec.len() < configured.len();
            match refspec.split_once(':') {
                Some((source, to)) if source == to => {
                    if forced && (source.contains('*') || name(source) == name(from)) {
                        return Ok((from.to_owned(), true));
                    }
                }
                Some((source, _)) if source.contains('*') => {
                    return Err(format!("the configuration sends `{configured}`"));
                }
                Some((source, to)) if name(source) == name(from) => {
                    return Ok((to.to_owned(), forced));
                }
                Some(_) | None => {}
            }
        }
        let upstream = matches!(last(self.settings, "push.default").as_deref(), Some("upstream" | "tracking"));
        let merge = last(self.settings, &format!("branch.{}.merge", name(from))).filter(|_| upstream);
        Ok((merge.unwrap_or_else(|| from.to_owned()), false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is sent from `feature` with these settings, as `from>to`, with a `+` if forced.
    fn told(settings: &[(&str, &str)], refspecs: &[&str]) -> String {
        let mut known = Settings::new();
        for (key, value) in settings {
            known.entry((*key).to_owned()).or_default().push((*value).to_owned());
        }
        let refspecs: Vec<String> = refspecs.iter().map(|text| (*text).to_owned()).collect();
        let push = Push { remote: "origin", refspecs: &refspecs, branch: Some("feature"), settings: &known };
        let one = |sent: &Sent| format!("{}{}>{}", if sent.forced { "+" } else { "" }, sent.from, sent.to);
        push.sent().map_or_else(|why| format!("? {why}"), |sent| sent.iter().map(one).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn refspecs_say_what_goes_where() {
        for (refspecs, sent) in [
            (&[][..], "feature>feature"),
            (&["+main"], "+main>main"),
            (&["HEAD"], "HEAD>feature"),
            (&["@:heads/main", ":refs/heads/old"], "@>main >old"),
            (&["tag", "v1", "main"], "refs/tags/v1>refs/tags/v1 main>main"),
            (&[":"], "? `:` is every branch that is there by the same name"),
            (&["main", "+:"], "? `+:` is every branch that is there by the same name"),
            (&["refs/heads/*"], "? `refs/heads/*` may be any branch"),
            (&["+refs/heads/*:refs/heads/*"], "? `+refs/heads/*:refs/heads/*` may be any branch"),
            (&["^main"], "? `^main` may be any branch"),
            (&["$branch"], "? `$branch` may be any branch"),
        ] {
            assert_eq!(told(&[], refspecs), sent, "{refspecs:?}");
        }
    }

    #[test]
    fn the_configuration_says_what_goes_where() {
        let push = "remote.origin.push";
        let merge = ("branch.feature.merge", "refs/heads/main");
        for (settings, refspecs, sent) in [
            (&[(push, "feature:main"), (push, "+x")][..], &[][..], "feature>main +x>x"),
            (&[(push, "refs/heads/feature:refs/heads/main")], &["feature"], "feature>main"),
            (&[(push, "feature:main")], &["other"], "other>other"),
            (&[(push, "+other:main")], &["other"], "+other>main"),
            (&[(push, "+refs/heads/*:refs/heads/*")], &[], "? `+refs/heads/*:refs/heads/*` may be any branch"),
            (&[(push, "+refs/heads/*:refs/heads/*")], &["x"], "+x>x"),
            (
                &[(push, "refs/heads/*:refs/heads/a/*")],
                &["x"],
                "? the configuration sends `refs/heads/*:refs/heads/a/*`",
            ),
            (
                &[("push.default", "matching")],
                &[],
                "? `push.default` is `matching`: every branch goes that is there by the same name",
            ),
            (&[merge], &[], "feature>main"),
            (&[merge], &["feature"], "feature>feature"),
            (&[merge, ("push.default", "upstream")], &["feature"], "feature>main"),
            (&[merge, ("push.default", "current")], &[], "feature>feature"),
            (&[merge, ("branch.feature.remote", "other")], &[], "feature>feature"),
            (&[("include.path", "x")], &[], "? the configuration reads other files by `include.path`"),
        ] {
            assert_eq!(told(settings, refspecs), sent, "{settings:?} {refspecs:?}");
        }
    }

    #[test]
    fn a_push_goes_where_the_configuration_puts_its_address() {
        for (settings, remote, address) in [
            (&[][..], "o", None),
            (&[("remote.o.url", "https://me:pw@a/x")], "o", Some("https://a/x")),
            (&[("remote.o.url", "a"), ("remote.o.url", "b")], "o", Some("a, b")),
            (&[("remote.o.url", "a"), ("remote.o.pushurl", "b")], "o", Some("b")),
            (
                &[("remote.o.url", "gh:x"), ("url.https://github.com/.insteadof", "gh:")],
                "o",
                Some("https://github.com/x"),
            ),
            (
                &[("remote.o.url", "gh:x"), ("url.A/.pushinsteadof", "gh:"), ("url.B/.insteadof", "gh:x")],
                "o",
                Some("A/x"),
            ),
            (&[("remote.o.pushurl", "gh:x"), ("url.A/.pushinsteadof", "gh:")], "o", Some("gh:x")),
            (&[("url.prod:.insteadof", "https://a/"), ("url.c:.insteadof", "https:")], "https://a/x", Some("prod:x")),
        ] {
            let mut known = Settings::new();
            for (key, value) in settings {
                known.entry((*key).to_owned()).or_default().push((*value).to_owned());
            }
            assert_eq!(super::address(remote, &known).as_deref(), address, "{settings:?} {remote}");
        }
    }

    #[test]
    fn a_remote_is_a_mirror_as_git_reads_it() {
        for (value, is) in [("true", true), ("Yes", true), ("1", true), ("false", false), ("Off", false), ("0", false)]
        {
            let settings = Settings::from([("remote.o.mirror".to_owned(), vec![value.to_owned()])]);
            assert_eq!(mirrors("o", &settings), is, "{value}");
        }
        assert!(!mirrors("o", &Settings::new()));
    }
}
