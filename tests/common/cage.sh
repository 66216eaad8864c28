# Puts a cage around a command: everything may be written and nothing of it lands. What is mounted here lies in a
# namespace of its own and goes with it.
#
#   cage.sh BASE FOLDER... -- COMMAND...
#
# The root folder is a new one. Each folder of the real one stands in it as the lower layer of an overlay, whose upper
# layer (BASE/cage/upper) therefore holds exactly what was touched. FOLDERs are shown too, wherever they lie. No socket
# and no device of this machine is in it but those that hold nothing.
set -eu
base=$1
shift
mount -t tmpfs cage "$base/cage"
new=$base/cage/new
mkdir "$new" "$base/cage/upper" "$base/cage/work"
mount --bind "$new" "$new"
number=0
over() {
  number=$((number + 1))
  mkdir -p "$new$1" "$base/cage/upper/$number$1" "$base/cage/work/$number"
  mount -t overlay cage -o "lowerdir=$1,upperdir=$base/cage/upper/$number$1,workdir=$base/cage/work/$number,userxattr" "$new$1"
}
for folder in /*; do
  case $folder in
    /proc | /sys | /dev | /tmp | /run | /mnt | /media | /lost+found) mkdir -p "$new$folder" ;;
    *)
      if [ -L "$folder" ]; then
        cp -P "$folder" "$new/"
      elif [ -d "$folder" ]; then
        over "$folder" 2>/dev/null || :
      fi
      ;;
  esac
done
chmod 1777 "$new/tmp"
while [ "$1" != -- ]; do
  over "$1"
  shift
done
shift
mount -t proc -o ro proc "$new/proc"
mount -t sysfs -o ro sysfs "$new/sys" 2>/dev/null || :
for device in null zero full random urandom tty; do
  : >"$new/dev/$device"
  mount --bind "/dev/$device" "$new/dev/$device"
  mount -o bind,remount,ro "$new/dev/$device"
done
mkdir "$new/dev/mapper" "$new/dev/shm"
ln -s /proc/self/fd "$new/dev/fd"
ln -s fd/0 "$new/dev/stdin"
ln -s fd/1 "$new/dev/stdout"
ln -s fd/2 "$new/dev/stderr"
: >"$new/.caged"
mkdir -p "$new$base/cage"
mount --bind "$base/cage" "$new$base/cage"
cd "$new"
pivot_root . .
umount -l .
cd /
# Nothing but what an owner may do to their files: no mount, no other device, no program with more rights.
exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,+chown,+dac_override,+fowner "$@"
