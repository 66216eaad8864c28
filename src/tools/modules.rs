//! Whether a folder holds what Python would load in place of its own modules: `python -m` looks into the folder that it
//! runs in first. Reads names only.

use std::path::Path;

/// Most names of the folder that are looked through.
const LISTED: usize = 20_000;
/// The modules of Python's own library in any version still in use, and those that pip brings or looks for.
const OWN: &str = " \
    __future__ _abc _aix_support _android_support _apple_support _ast _asyncio _bisect _blake2 _bootlocale \
    _bootsubprocess _bz2 _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw \
    _collections _collections_abc _colorize _compat_pickle _compression _contextvars _crypt _csv _ctypes _curses \
    _curses_panel _datetime _dbm _decimal _distutils_hack _elementtree _frozen_importlib \
    _frozen_importlib_external _functools _gdbm _hashlib _heapq _imp _interpchannels _interpqueues _interpreters \
    _io _ios_support _json _locale _lsprof _lzma _markupbase _md5 _missing_stdlib_info _msi _multibytecodec \
    _multiprocessing _opcode _opcode_metadata _operator _osx_support _overlapped _pickle _posixshmem \
    _posixsubprocess _py_abc _py_warnings _pydecimal _pyio _pyrepl _queue _random _scproxy _sha1 _sha256 _sha3 \
    _sha512 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics _string _strptime _struct \
    _suggestions _symtable _sysconfig _thread _threading_local _tkinter _tokenize _tracemalloc _typing _uuid \
    _warnings _weakref _weakrefset _winapi _zoneinfo _zstd abc aifc annotationlib antigravity argparse array ast \
    asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect builtins bz2 cProfile \
    cachecontrol calendar certifi cgi cgitb chardet chunk cmath cmd code codecs codeop collections colorama \
    colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes \
    curses dataclasses datetime dbm decimal dependency_groups difflib dis distlib distro distutils doctest \
    dummy_threading email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter \
    fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac \
    html html5lib http idlelib idna imaplib imghdr imp importlib inspect io ipaddress itertools json keyring \
    keyword lib2to3 linecache locale logging lzma macpath mailbox mailcap marshal math mimetypes mmap \
    modulefinder msgpack msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode \
    operator optparse os ossaudiodev packaging parser pathlib pdb pep517 pickle pickletools pip pipes \
    pkg_resources pkgutil platform platformdirs plistlib poplib posix posixpath pprint profile progress pstats \
    pty pwd py_compile pyclbr pydoc pydoc_data pyexpat pygments pyparsing pyproject_hooks queue quopri random re \
    readline reprlib requests resolvelib resource rich rlcompleter runpy sched secrets select selectors \
    setuptools shelve shlex shutil signal site sitecustomize six smtpd smtplib sndhdr socket socketserver spwd \
    sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau \
    symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile tenacity termios textwrap this \
    threading time timeit tkinter token tokenize toml tomli tomli_w tomllib trace traceback tracemalloc \
    truststore tty turtle turtledemo types typing typing_extensions unicodedata unittest urllib urllib3 \
    usercustomize uu uuid venv warnings wave weakref webbrowser webencodings wheel winreg winsound wsgiref \
    xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo ";

/// Modules that programs load most, of those that are no part of Python.
const USED: &str = " \
    PIL aiohttp attr attrs black boto3 botocore bs4 celery click cryptography cv2 dateutil django dotenv fastapi flask \
    google gunicorn httpx isort jinja2 jwt lxml markdown markupsafe matplotlib mypy numpy pandas paramiko pluggy psycopg \
    psycopg2 pydantic pymongo pymysql pytest pytz redis scipy sklearn sqlalchemy starlette tensorflow torch tqdm uvicorn \
    werkzeug yaml ";

/// Whether some name in a folder is that of a module that Python has itself; so too where that can't be told.
pub(super) fn shadowed(folder: &Path) -> bool {
    let Ok(mut names) = std::fs::read_dir(folder) else { return true };
    let taken = |entry: std::io::Result<std::fs::DirEntry>| entry.map_or(true, |entry| shadows(&entry));
    names.by_ref().take(LISTED).any(taken) || names.next().is_some()
}

/// Whether a file, or a folder that is a package, has the name of a module.
fn shadows(entry: &std::fs::DirEntry) -> bool {
    let name = entry.file_name();
    let Some(name) = name.to_str() else { return false };
    let package = || {
        let mut inside = std::fs::read_dir(entry.path()).into_iter().flatten().flatten();
        inside.any(|file| file.file_name().to_str().is_some_and(begins_package))
    };
    module(name, own) || own(name) && package()
}

/// Whether a new file would be loaded in place of a module that is loaded by that name elsewhere: for a script in the same
/// folder, that is the first place to look. `package` says whether a folder is part of a package, in which such names are
/// usual.
pub(super) fn stands_for(path: &Path, folder: bool, package: impl Fn(&Path) -> bool) -> bool {
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let loaded = |stem: &str| own(stem) || USED.contains(&format!(" {stem} "));
    let (last, within) = (name(path), path.parent().unwrap_or(Path::new("")));
    // A link may lead to a package.
    let file = module(&last, loaded) || !folder && loaded(&last);
    let begins = begins_package(&last) && loaded(&name(within));
    file && !package(within) || begins && !within.parent().is_some_and(package)
}

fn own(stem: &str) -> bool {
    OWN.contains(&format!(" {stem} "))
}

fn module(name: &str, named: impl Fn(&str) -> bool) -> bool {
    let loaded = |ending: &str| {
        ["py", "pyc", "so", "pyd"].iter().any(|kind| ending == *kind || ending.ends_with(&format!(".{kind}")))
    };
    name.split_once('.').is_some_and(|(stem, ending)| named(stem) && loaded(ending))
}

fn begins_package(name: &str) -> bool {
    name.starts_with("__init__.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_of_the_folder_that_python_has_too_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        };
        for name in ["app.py", "json.txt", "types/a.ts", "test.md", "jsonschema.py", "README"] {
            put(name);
        }
        assert!(!shadowed(folder.path()));
        for name in
            ["json.py", "argparse.pyc", "zlib.cpython-311-x86_64-linux-gnu.so", "re/__init__.py", "pip/__init__.py"]
        {
            put(name);
            assert!(shadowed(folder.path()), "{name}");
            assert!(stands_for(Path::new(name), false, |_| false), "{name}");
            std::fs::remove_file(folder.path().join(name)).unwrap();
        }
        assert!(shadowed(&folder.path().join("missing")));
        assert!(stands_for(Path::new("re"), false, |_| false) && !stands_for(Path::new("re"), true, |_| false));
        // A script's own folder is looked at first, but what is in a package goes by another name.
        for name in ["app/json.py", "tests/re/__init__.py", "yaml.py", "app/numpy/__init__.py"] {
            assert!(stands_for(Path::new(name), false, |_| false), "{name}");
        }
        assert!(!stands_for(Path::new("app/json.py"), false, |folder| folder == Path::new("app")));
        for name in ["app.py", "re/search.py", "app/jsonschema.py", ""] {
            assert!(!stands_for(Path::new(name), false, |_| false), "{name}");
        }
    }
}
