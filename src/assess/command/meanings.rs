//! Texts that mean nothing but what a rule lets them: a repository at a forge, a queue, this machine, a file and no address.
//! `kind` asks, for each meaning of a word.

use super::selectors::forge;
use super::word::{Piece, Word};

/// Whether something is a number, `owner/name`, or an address at github.com.
pub(super) fn own_repository(text: &str) -> bool {
    let path = text.strip_prefix("https://github.com/").unwrap_or(text);
    !path.contains(':') && (path != text || path.matches('/').count() < 2)
}

/// Whether text is not the name of a file or an address that a client of a cloud would read instead.
pub(super) fn inline(text: &str) -> bool {
    let address = text.contains("://") && !text.starts_with("s3://") && !text.starts_with("gs://");
    !text.starts_with('@') && !text.contains("=@") && !address
}

/// Whether text is the address of a queue at AWS: `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME`.
pub(super) fn queue(text: &str) -> bool {
    let parts = text.strip_prefix("https://sqs.").map(|rest| rest.split('/').collect::<Vec<_>>());
    let Some([host, account, name]) = parts.as_deref() else { return false };
    let named = |text: &str, more: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || more.contains(c))
    };
    let region = host.strip_suffix(".amazonaws.com").or_else(|| host.strip_suffix(".amazonaws.com.cn"));
    region.is_some_and(|region| named(region, ""))
        && account.bytes().all(|byte| byte.is_ascii_digit())
        && named(name, "_.")
}

/// Whether a name, maybe with a port, is this machine's own.
pub(super) fn this_machine(text: &str) -> bool {
    let port = |(_, port): &(&str, &str)| port.bytes().all(|byte| byte.is_ascii_digit());
    let host = text.split_once(':').filter(port).map_or(text, |(host, _)| host);
    let number = |part: &str| part.parse::<u8>().is_ok();
    ["localhost", "::1"].contains(&host) || host.starts_with("127.") && host.split('.').all(number)
}

/// Whether text names a database of this machine's own server for libpq: by its name, or by an address without
/// parameters. Of those the user's name ends at the first `@`.
pub(super) fn own_database(text: &str) -> bool {
    let Some(rest) = ["postgres://", "postgresql://"].iter().find_map(|scheme| text.strip_prefix(scheme)) else {
        return !text.contains(['=', '/']);
    };
    let (server, name) = rest.split_once('/').unwrap_or((rest, ""));
    let host = server.split_once('@').map_or(server, |(_, host)| host);
    let plain = name.bytes().all(plain_byte) && !server.contains(['?', '#', '%', ',', '[', ' ']);
    plain && !host.contains('@') && (host.is_empty() || this_machine(host))
}

/// Whether a template of what a server knows of a container picks out its environment.
pub(super) fn shows_environment(template: &str) -> bool {
    let template: String = template.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    template.contains("env") || template.contains(".config}") || template.contains("index")
}

/// Whether a word is an address where a file is meant: many programs open what is behind it.
pub(super) fn address(word: &Word) -> bool {
    let scheme = word.prefix().split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            // Java has schemes within schemes: `jar:http`.
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-:".contains(&byte))
    })
}

/// Whether a word is a command where a file is meant: Perl's own way of opening files runs it.
pub(super) fn piped(word: &Word) -> bool {
    word.text().is_some_and(|text| text.trim_start().starts_with('|') || text.trim_end().ends_with('|'))
}

/// Whether a path found by a search begins with a folder, and so not with what reads like `https:` or `@file`.
pub(super) fn below_a_folder(word: &Word, led: bool) -> bool {
    let whole = || led && word.only_found() && word.pieces().iter().any(|piece| matches!(piece, Piece::Whole(_)));
    word.found().is_some() && word.prefix().contains('/') && !word.prefix().contains(':') || whole()
}

/// Whether text isn't the name of a file here: an address, one of GDAL's, a list of files, a command or a text of XML.
pub(super) fn archived_elsewhere(name: &str, text: &str) -> bool {
    text.contains([':', '<'])
        || text.starts_with(['@', '|'])
        || text.starts_with("/vsi")
        || name == "glow" && forge(text)
        || ["gdalinfo", "ogrinfo"].contains(&name) && ends(text, &[".vrt", ".xml", ".wms", ".ovf"])
        || name.ends_with("identify") && ends(text, &[".msl", ".mvg"])
        || ["sox", "soxi"].contains(&name) && ends(text, &[".m3u", ".m3u8", ".pls"])
        || ["ffprobe", "ffmpeg"].contains(&name)
            && ends(text, &[".m3u8", ".m3u", ".mpd", ".sdp", ".concat", ".ffconcat", ".avs", ".avsi", ".vpy"])
}

/// Whether a file's name ends so: one of pictures, maps or films that names others, or addresses, of which it is made, or that is
/// a script.
fn ends(text: &str, endings: &[&str]) -> bool {
    let text = text.to_ascii_lowercase();
    endings.iter().any(|ending| text.ends_with(ending))
}

/// Whether text names a file of a form that takes in no other: Markdown, and documents that are one archive.
pub(super) fn document(text: &str) -> bool {
    [".md", ".markdown", ".docx", ".odt"].iter().any(|ending| text.ends_with(ending)) && !text.contains(':')
}

/// Whether a path leads to one of the system's folders of programs and libraries.
pub(super) fn installed(path: &str) -> bool {
    let folders = ["/bin/", "/sbin/", "/lib/", "/lib64/", "/usr/bin/", "/usr/sbin/", "/usr/lib/", "/usr/lib64/"];
    folders.iter().any(|folder| path.starts_with(folder)) && !path.split('/').any(|part| part == "..")
}

pub(super) fn plain_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// Whether a word of `ps` lists columns: in another place it would be a mistake.
pub(super) fn columns(text: &str) -> bool {
    const KNOWN: &str = " pid ppid pgid sid tid user euser ruser uid gid group comm cmd command args %cpu %mem pcpu pmem \
        vsz rss sz size stat state start start_time lstart time etime etimes cputime tty tname nice ni pri nlwp psr wchan ";
    text.contains(',') && text.split(',').all(|part| !part.is_empty() && KNOWN.contains(&format!(" {part} ")))
}
