//! What the login set: the name of an account or a machine in words and scripts.

use super::{allowed, asks};

#[test]
fn the_name_of_an_account_is_one_word_of_a_pattern_or_a_script() {
    for command in [
        "grep \"^$USER:\" a.txt",
        "grep \"$USER\" a.txt",
        "grep $USER a.txt",
        "rg \"$USER\"",
        "ps aux | grep $USER",
        "ps aux | grep \"^$LOGNAME\" | grep -v grep",
        "sed -n \"/^$USER/p\" a.txt",
        "sed \"s/$HOSTNAME/host/g\" a.txt",
        "sed \"s|/home/$USER|~|\" a.txt",
        "awk \"/^$USER/\" a.txt",
        "awk -F: \"\\$1 == \\\"$USER\\\" {print \\$3}\" a.txt",
        "awk -v u=\"$USER\" '$1 == u' a.txt",
        "find . -user $USER",
        "find . -user \"$USER\" -name '*.log' -type f",
        "find . -user $USER -exec ls -ld {} +",
        "ls /home/$USER/notes",
        "id $USER",
        "echo $USER@$HOSTNAME",
    ] {
        allowed(command);
    }
}

#[test]
fn it_is_no_path_flag_or_script_of_its_own() {
    for command in [
        "sed \"$USER\" a.txt",
        "sed -n \"${USER}p\" a.txt",
        "sed \"s/a/b/$USER\" a.txt",
        "sed \"s@a@$USER@\" a.txt",
        "sed \"s${USER}a${USER}b${USER}\" a.txt",
        "sed \"r $USER\" a.txt",
        "sed \"w $USER\" a.txt",
        "awk \"$USER\" a.txt",
        "awk \"BEGIN{\\\"cat $USER\\\" | getline}\"",
        "awk \"BEGIN{getline < \\\"$USER\\\"}\"",
        "cat /home/$USER/.ssh/id_rsa",
        "cat ~/../$USER/.aws/credentials",
        "rm -rf /home/$USER",
        "rm -rf \"/$USER\"",
        "find . -user $USER -delete",
        "find . -user $USER -name -delete",
        "find . -not -user $USER -not -name -exec cat {} +",
        "find . -name $USER -name -not -exec cat {} +",
        "$USER",
    ] {
        asks(command);
    }
}
