//! Golden lines of what is refused in every mode, however it is spelled, and of what is less than that.

use super::*;

#[test]
fn catastrophes_are_known_in_every_spelling() {
    for command in [
        "rm -rf /",
        "rm -rf /*",
        "rm -fr ~",
        "rm -r \"$HOME\"",
        "rm -rf .",
        "rm -rf ..",
        "rm --recursive --force /home/me/project",
        "sudo rm -rf /",
        "ls; rm -rf \"$x/\"",
        "cd / && rm -rf *",
        "dd if=a of=/dev/sda",
        "echo x > /dev/nvme0n1",
        "mkfs.ext4 /dev/sda1",
        "chmod -R 777 /",
        "find / -delete",
        "find . -delete -name a.txt",
        "find . -type f -delete",
        ":(){ :|:& };:",
    ] {
        assert_eq!(judged(command).class(), Class::Catastrophe, "{command}");
    }
    for command in ["rm -rf build", "rm x", "dd if=a of=b", "chmod -R 755 src", "find . -type l -delete"] {
        assert_eq!(judged(command).class(), Class::Declared(crate::domain::Danger::Destructive), "{command}");
    }
}

#[test]
fn a_catastrophe_behind_a_wrapper_is_still_one() {
    for command in [
        "sudo -u root rm -rf /",
        "sudo --user=root -n -- rm -rf /",
        "sudo -u root A=1 rm -rf /",
        "sudo --unheard-of root rm -rf /",
        "sudo sh -c 'rm -rf /'",
        "doas -u root rm -rf ~",
        "time -- rm -rf ~",
        "time -p -- rm -rf /",
        "rm -rf ${HOME:?}",
        "rm -rf ${HOME:-x}",
        "bash <<< 'rm -rf /'",
        "echo / | xargs rm -rf",
        "shred -u /dev/sda",
        "badblocks -w /dev/sda",
        "sgdisk --zap-all /dev/sda",
        "parted /dev/sda mklabel gpt",
        "hdparm --security-erase x /dev/sda",
        "pkexec --user root rm -rf /",
        "gosu root rm -rf /",
        "su -c 'rm -rf /' root",
        "su - root -c 'rm -rf /'",
        "runuser -u root -- rm -rf /",
        "env rm -rf /",
        "env -i A=1 rm -rf /",
        "env -S 'rm -rf /'",
        "/usr/bin/env --unheard-of rm -rf /",
        "nice -n 19 rm -rf /",
        "nice -n 19 ionice -c 3 nohup rm -rf /",
        "timeout -s KILL 60 rm -rf /",
        "timeout --unheard-of 60 rm -rf /",
        "time rm -rf /",
        "setsid stdbuf -oL rm -rf /",
        "command -p rm -rf /",
        "sh -c 'rm -rf /'",
        "bash -lc 'rm -rf /'",
        "bash -x -c 'rm -rf /'",
        "bash -o pipefail -c 'ls; rm -rf /'",
        "sh -c '{ rm -rf /; }'",
        "sh -c 'sh -c \"rm -rf /\"'",
        "echo a | xargs rm -rf /",
        "xargs -I{} sh -c 'rm -rf /'",
        "xargs --unheard-of rm -rf /",
        "exec rm -rf /",
        "eval 'rm -rf /'",
        "eval rm -rf /",
        "strace -f rm -rf /",
        "watch 'rm -rf /'",
        "flock lock -c 'rm -rf /'",
        "busybox rm -rf /",
        "find / -exec rm -rf {} +",
        "find . -type f -exec rm {} \\;",
        "find -delete",
        "find ~ -exec sudo chmod -R 777 {} \\;",
    ] {
        assert_eq!(judged(command).class(), Class::Catastrophe, "{command}");
    }
}

#[test]
fn what_is_assigned_to_a_computing_variable_is_not_understood() {
    for command in ["declare -i n='a[$(touch p)]'", "local -n r='a[$(touch p)]'; echo $r", "typeset -ir n=1"] {
        assert_eq!(judged(command).class(), Class::Unreadable, "{command}");
    }
    allowed("echo $((5 & ~2)) $(( ~1 ))");
    asks("echo $((1)) ~1");
}

#[test]
fn a_wrapper_around_less_than_a_catastrophe_only_asks() {
    for command in [
        "find . -exec grep -q x {} \\; -delete",
        "find . -type f -exec test -s {} \\; -exec rm {} \\;",
        "sudo -u root rm -rf build",
        "sudo echo rm -rf /",
        "watch echo rm -rf /",
        "su -c 'rm -rf build'",
        "bash -lc 'rm -rf build'",
        "eval 'echo rm -rf /'",
        "strace ls /",
        "python tool.py rm -rf .",
        "docker run -it alpine rm -rf /",
        "find . -name '*.o' -exec rm {} +",
        "find . -type d -empty -delete",
        "find build -delete",
        "find . -exec grep rm {} +",
    ] {
        assert!(!matches!(judged(command).class(), Class::Catastrophe), "{command}");
    }
    asks("sudo -u root ls");
    asks("eval ls");
    allowed("find . -exec grep rm {} +");
}
