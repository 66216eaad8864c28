//! What programs print beside the names that they find: with these flags nothing, so that each line is a path that was
//! found. By any other flag words of the command, columns or texts of links may be among them.

use super::flags::{Flags, is_flag};
use super::judge::Judge;
use super::table::Entry;
use super::word::Word;

/// Programs, and the flags with which they print names alone. One with its value has that value alone.
const LISTERS: [(&str, &str); 10] = [
    (
        "ls gls",
        "-1 -t -r -S -U -d -A -a -u -c -v -X -R -L -p -f -h -k -I -- --all --almost-all --reverse --recursive --directory \
            --sort --time --ignore --hide --ignore-backups --human-readable --group-directories-first --color=never \
            --color=auto",
    ),
    ("which", "-a --all"),
    (
        "fd fdfind",
        "-H -I -u -s -i -g -F -a -L -p -0 -1 -q -t -e -E -d -S -o -j --hidden --no-ignore --no-ignore-vcs --unrestricted \
            --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --follow --full-path --print0 \
            --max-results --quiet --type --extension --exclude --max-depth --min-depth --exact-depth --size \
            --changed-within --changed-before --newer --older --owner --threads --prune --show-errors --strip-cwd-prefix \
            --one-file-system --and --color=never --color=auto",
    ),
    (
        "exa eza lsd lsx",
        "-1 -a -A -r --all --almost-all --oneline --reverse --sort --only-dirs --only-files --group-directories-first \
            --ignore-glob --color=never --color=auto",
    ),
    (
        "grep egrep fgrep ggrep rgrep zgrep zegrep zfgrep bzgrep bzegrep bzfgrep xzgrep xzegrep xzfgrep",
        "-r -R -i -y -v -w -x -E -F -G -P -l -L -s -a -I -U -n -H -h -z -Z -m -e -f -d -D --recursive \
            --dereference-recursive --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp \
            --extended-regexp --fixed-strings --basic-regexp --perl-regexp --files-with-matches --files-without-match \
            --no-messages --text --line-number --null --null-data --max-count --regexp --file --include --exclude \
            --exclude-dir --exclude-from --binary-files --directories --devices --color=never --color=auto \
            --colour=never --colour=auto",
    ),
    (
        "rg",
        "-i -n -N -l -v -w -x -s -S -F -P -U -u -uu -uuu -a -0 -H -I -L -z -. -e -f -g -m -M -t -T -j -d -E --regexp \
            --file --glob --iglob --max-count --max-columns --type --type-not --type-add --type-clear --threads \
            --max-depth --maxdepth --encoding --sort --sortr --sort-files --files --files-with-matches \
            --files-without-match --invert-match --word-regexp --line-regexp --case-sensitive --ignore-case --smart-case \
            --fixed-strings --pcre2 --multiline --multiline-dotall --text --null --null-data --no-heading --line-number \
            --no-line-number --follow --no-follow --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent \
            --no-ignore-dot --no-ignore-global --no-ignore-files --no-ignore-exclude --ignore --unrestricted --crlf \
            --no-messages --no-config --one-file-system --search-zip --no-search-zip --engine --max-filesize \
            --ignore-file --ignore-file-case-insensitive --glob-case-insensitive --no-require-git --require-git --binary \
            --no-binary --color=never --color=auto",
    ),
    (
        "ag",
        "-i -l -L -v -w -s -S -Q -F -a -t -u -U -f -r -R -n -z -0 -g -G -m -p --ignore-case --files-with-matches \
            --files-without-matches --literal --fixed-strings --smart-case --case-sensitive --hidden --all-text \
            --all-types --unrestricted --skip-vcs-ignores --nocolor --nogroup --noheading --depth --ignore --ignore-dir \
            --file-search-regex --word-regexp --invert-match --max-count --null --norecurse --recurse --silent --follow \
            --nofollow --path-to-ignore",
    ),
    (
        "ack ack-grep",
        "-i -I -S -w -v -Q -l -L -n -r -R -s -f -g -1 -k -m --ignore-case --no-ignore-case --smart-case --word-regexp \
            --invert-match --literal --files-with-matches --files-without-matches --recurse --no-recurse --max-count \
            --nocolor --nocolour --nogroup --noheading --nobreak --sort-files --follow --nofollow --print0 --noenv \
            --nofilter --ignore-dir --ignore-directory --ignore-file --type",
    ),
    (
        "ugrep ug ugrep+ ug+",
        "-r -R -S -i -j -v -w -x -E -F -G -P -l -L -s -a -I -U -n -H -h -0 -. -e -g -t -O -m -d -D --hidden --include \
            --exclude --include-dir --exclude-dir --glob --iglob --ignore-files --ignore-case --smart-case \
            --invert-match --word-regexp --line-regexp --extended-regexp --fixed-strings --perl-regexp --file-type \
            --file-extension --recursive --dereference-recursive --files-with-matches --files-without-match \
            --no-messages --null --regexp --max-count --line-number",
    ),
    (
        "pt sift",
        "-i -l -L -w -v -s -S -Q -e -r -G -g -t -T -0 --ignore-case --smart-case --word-regexp --invert-match --literal \
            --files-with-matches --files-without-match --hidden --follow --depth --ignore --nocolor --nogroup --no-color \
            --no-group --file-search-regexp --type --no-type --ext --exclude-ext --files --exclude-files --path --dirs \
            --exclude-dirs --no-conf",
    ),
];
/// The same of `git ls-files`.
const FILES: &str = "-c -d -m -o -i -z -x -X --cached --deleted --modified --others --ignored --directory \
    --no-empty-directory --exclude --exclude-standard --exclude-from --exclude-per-directory --error-unmatch \
    --deduplicate --recurse-submodules --sparse";
/// And of `git grep`, in the files that it tracks.
const GREP: &str = "-i -I -v -w -E -G -P -F -l -L -n -e -H --ignore-case --invert-match --word-regexp --extended-regexp \
    --basic-regexp --perl-regexp --fixed-strings --files-with-matches --name-only --files-without-match --line-number \
    --cached --and --or --not --all-match --no-color --color=never";
/// And of `git ls-tree`, which prints more than names without one of the last two.
const TREE: &str = "-r -d -t -z --name-only --name-status";

impl Judge<'_> {
    /// Whether a program of an entry prints names that it finds, and nothing else.
    pub(super) fn lists_alone(&mut self, entry: &Entry, name: &str, words: &[Word]) -> bool {
        let flags = match name {
            "git ls-files" => Some(FILES),
            "git ls-tree" => Some(TREE),
            "git grep" => Some(GREP),
            _ => LISTERS.iter().find(|(names, _)| listed(name, names)).map(|(_, flags)| *flags),
        };
        let Some(flags) = flags else { return false };
        let given = Flags::of(entry, words);
        let known = given.all().all(|(flag, value)| {
            let valued = |value: &str| listed(&format!("{flag}={value}"), flags);
            listed(flag, flags) || value.and_then(Word::text).is_some_and(valued)
        });
        // By these it begins with the root.
        self.climbs |= listed(name, "fd fdfind") && (given.has("-a") || given.has("--absolute-path"));
        let names_alone = name != "git ls-tree" || given.has("--name-only") || given.has("--name-status");
        // Of what lies outside it names paths that lead there.
        let outside = |word: &Word| {
            let text = word.pattern();
            text.starts_with(['/', '~', ':']) || text.split('/').any(|part| part == "..")
        };
        let inside = name != "git grep" || !words.iter().any(outside);
        known && names_alone && inside && words.iter().all(|word| self.stays_one_word(word))
    }

    /// Whether a word is a flag that is written out, or an operand which can't become one.
    fn stays_one_word(&mut self, word: &Word) -> bool {
        if is_flag(word) {
            return word.prefix().contains('=') && !word.several() || word.text().is_some();
        }
        !word.open() && (!word.may_be_flag() || !self.folder_may_have_flags(word))
    }
}

/// Whether a name is one of some that blanks part.
fn listed(name: &str, among: &str) -> bool {
    among.split_whitespace().any(|one| one == name)
}
