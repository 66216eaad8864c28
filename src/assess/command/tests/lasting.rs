//! What no claim of low lifts: what serves and stays, sends, administers or opens secrets.

use super::judged;

#[test]
fn what_serves_sends_administers_or_opens_secrets_is_never_eligible() {
    for command in [
        "php-fpm",
        "gunicorn app:app",
        "uvicorn app:app --reload",
        "flask run",
        "php -S localhost:8000",
        "php -Slocalhost:8000 -t public",
        "php --server localhost:8000",
        "jupyter lab",
        "dnsmasq",
        "ssh-agent",
        "celery -A app worker",
        "cpanm Foo",
        "nuget restore",
        "nix-shell -p hello",
        "tea pr create",
        "salt '*' test.ping",
        "nsupdate a.txt",
        "hydra -l a host",
        "fetchmail",
        "ldapmodify -f a.ldif",
        "dbt run",
        "drush cr",
        "dpkg-reconfigure tzdata",
        "a2ensite web",
        "iptables-restore < a.txt",
        "setsebool x on",
        "smbpasswd bob",
        "lpadmin -p x",
        "edquota bob",
        "vacuumdb shop",
        "grub-mkconfig -o /boot/grub/grub.cfg",
        "sops -d a.yaml",
        "ansible-vault view a.yml",
        "security find-generic-password -s x",
        "docker-credential-pass get",
        "chamber exec x -- ls",
        "git-crypt unlock",
    ] {
        assert!(!judged(command).claim_eligible, "{command}");
    }
    for command in ["frobnicate a.txt", "php a.php", "php -d x=1 a.php"] {
        assert!(judged(command).claim_eligible, "{command}");
    }
}
