//! System calls that a contained program may not make, whatever else it may: those that reach other machines and
//! other programs, change what a mount can't protect, or put up or take down walls.
//!
//! A list of refusals, so that ordinary programs run; calls that are newer than the list are refused whole.

use std::collections::BTreeMap;

use nix::libc::{self, c_long};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter, sock_filter,
};

use super::super::plan::{Need, Plan};

/// The newest call that the list knows, `mseal`. Later ones, and all of x32, don't exist for a contained program.
const NEWEST: u32 = 462;

/// Refused whatever their arguments are.
const REFUSED: &[c_long] = &[
    // other processes
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    // mounts, roots and namespaces
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_fanotify_init,
    // keys
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // the kernel's own machinery
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    // memory and queues that other programs of this person can reach by a number or a name: what is there needs no
    // `get` to be read, changed or removed by its number
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// What changes a file without writing to it. A read-only mount refuses most of these, Landlock none. Allowed where there
/// is a layer: builds and tests need them, nothing but the layer and private folders is mounted so that they work, and
/// nothing else is held open (see `enter`).
const METADATA: &[c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_utimensat,
];

/// Attributes beside a file's content. Hardly anything needs them, and the layer's own marks are such.
const ATTRIBUTES: &[c_long] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// Requests to a terminal that put words into somebody's mouth: `TIOCSTI`, `TIOCLINUX`, `TIOCCONS`, `TIOCSETD`.
const REQUESTS: [u64; 4] = [0x5412, 0x541c, 0x541d, 0x5423];

/// Sorts of requests to a file system, by the letter that they share: those that write what it keeps beside a file's
/// content (its flags, project, version, whether it is sealed or encrypted), which an open to read is enough for. Of
/// ext4 and most others, of XFS and most others, of versions, of FAT, of F2FS.
const KEPT_BESIDE: [u64; 5] = [0x6600, 0x5800, 0x7600, 0x7200, 0xf500];

/// How many bits of a request say that it only writes, and of which sort it is.
const WRITES: u64 = 0xc000_ff00;
/// That it only writes.
const WRITE: u64 = 0x4000_0000;

/// Requests of the same kind that also read, or say nothing of it: freezing, thawing and trimming a whole disk, shutting
/// it down, keys and encryption, ext4's own.
const KEPT_OTHERWISE: [u64; 11] = [
    0xc004_5877,
    0xc004_5878,
    0xc018_5879,
    0x8004_587d,
    0xc050_6617,
    0xc040_6618,
    0xc040_6619,
    0x800c_6613,
    0x6609,
    0x660c,
    0x6611,
];

/// The sort of requests to Btrfs: volumes are made and deleted by them in folders that are open to read, and no file is
/// opened for it that Landlock could see. A layer's copies need one of the sort, and read-only mounts refuse the rest.
const BTRFS: u64 = 0x9400;

/// Signals to others. Refused where no process namespace keeps them at home; the newer versions of Landlock alone could.
const SIGNALS: &[c_long] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal,
];

/// What steers the process whose number is the first argument (of the last two the second): refused unless that is the
/// caller itself, but in a layer, whose tests steer processes of their own and see no others.
const STEERING: [(c_long, u8); 9] = [
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_migrate_pages, 0),
    (libc::SYS_move_pages, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
];

/// Those of them that steer everything of a person, where the first argument says so: whose number is 0, too.
const OF_A_PERSON: [(c_long, u64); 2] = [(libc::SYS_setpriority, 2), (libc::SYS_ioprio_set, 3)];

/// What makes a file send signals to others: `F_SETSIG`, `F_SETOWN`, `F_SETOWN_EX`, and the same as requests. Refused
/// where signals are.
const OWNING: [u64; 3] = [8, 10, 15];
const OWNING_REQUESTS: [u64; 2] = [0x8901, 0x8902];

/// `CLONE_NEW…`: of time, mounts, control groups, names, queues, users, processes, networks.
const NAMESPACES: [u64; 7] =
    [0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];

/// The part of a socket's type that says which sort it is; the rest are flags.
const SORT: u64 = 0xf;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Puts the filters up; they hold for everything that this process becomes or starts.
///
/// # Errors
/// The kernel takes no filter, or not on this kind of processor.
pub fn refuse(plan: &Plan) -> Result<(), String> {
    let told = |error: &dyn std::fmt::Display| format!("system calls can't be refused: {error}");
    let rules = rules(plan).map_err(|error| told(&error))?;
    let denied = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into().map_err(|error| told(&error))?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, denied, arch).map_err(|error| told(&error))?;
    let program: BpfProgram = filter.try_into().map_err(|error| told(&error))?;
    let whole = whole(plan).ok_or_else(|| told(&"the list is too long"))?;
    apply_filter(&whole).map_err(|error| told(&error))?;
    apply_filter(&program).map_err(|error| told(&error))
}

/// The filter by number alone, one instruction a call: the kernel goes through it for every call that there is when it
/// is put up. Whatever is newer than the list doesn't exist, nor does `clone3`, whose flags a filter can't see:
/// programs go back to the older call. (The numbers of x32 begin far above.) The other filter sees to architectures.
fn whole(plan: &Plan) -> Option<BpfProgram> {
    const LOAD: u16 = 0x20;
    const JUMP_ABOVE: u16 = 0x25;
    const JUMP_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    const ALLOW: u32 = 0x7fff_0000;
    const ERROR: u32 = 0x0005_0000;
    let refused = refused(plan);
    let instruction = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    let count = u8::try_from(refused.len()).ok().filter(|count| *count < u8::MAX - 2)?;
    // Behind the comparisons stand three ends: allowed, refused, not there.
    let mut program = vec![
        instruction(LOAD, 0, 0, 0),
        instruction(JUMP_ABOVE, count + 3, 0, NEWEST),
        instruction(JUMP_EQUAL, count + 2, 0, u32::try_from(libc::SYS_clone3).ok()?),
    ];
    for (call, left) in refused.into_iter().zip((0..count).rev()) {
        program.push(instruction(JUMP_EQUAL, left + 1, 0, u32::try_from(call).ok()?));
    }
    program.extend([
        instruction(RETURN, 0, 0, ALLOW),
        instruction(RETURN, 0, 0, ERROR | libc::EPERM.unsigned_abs()),
        instruction(RETURN, 0, 0, ERROR | libc::ENOSYS.unsigned_abs()),
    ]);
    Some(program)
}

/// What is refused by number alone.
fn refused(plan: &Plan) -> Vec<c_long> {
    let signals = if plan.layers.namespaces { &[][..] } else { SIGNALS };
    let metadata = if plan.layer.is_some() { &[][..] } else { METADATA };
    REFUSED.iter().chain(ATTRIBUTES).chain(metadata).chain(signals).copied().collect()
}

fn rules(plan: &Plan) -> Result<Rules, seccompiler::BackendError> {
    let mut rules = Rules::new();
    if !plan.layers.namespaces || plan.layer.is_none() {
        for (call, argument) in STEERING {
            rules.insert(call, vec![one(is(argument, SeccompCmpOp::Ne, 0)?)?]);
        }
        for (call, person) in OF_A_PERSON {
            rules.entry(call).or_default().push(one(is(0, SeccompCmpOp::Eq, person)?)?);
        }
    }
    if !plan.layers.namespaces {
        let owning = OWNING.iter().map(|command| one(is(1, SeccompCmpOp::Eq, *command)?));
        rules.insert(libc::SYS_fcntl, owning.collect::<Result<_, _>>()?);
    }
    let masked = |argument, mask, value| is(argument, SeccompCmpOp::MaskedEq(mask), value);
    let spaces = NAMESPACES.iter().map(|flag| one(masked(0, *flag, *flag)?));
    rules.insert(libc::SYS_clone, spaces.collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_ioctl, requests(plan)?);
    // Opened to read and emptied all the same: old Landlock doesn't see it.
    let emptied = u64::from((libc::O_ACCMODE | libc::O_TRUNC).unsigned_abs());
    let emptying = |argument| one(masked(argument, emptied, u64::from(libc::O_TRUNC.unsigned_abs()))?);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, vec![emptying(1)?]);
    rules.insert(libc::SYS_openat, vec![emptying(2)?]);
    rules.insert(libc::SYS_socket, sockets(plan)?);
    rules.insert(libc::SYS_socketpair, pairs()?);
    Ok(rules)
}

/// Requests to terminals and to file systems.
fn requests(plan: &Plan) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let owning = if plan.layers.namespaces { &[][..] } else { &OWNING_REQUESTS };
    let exact = REQUESTS.iter().chain(&KEPT_OTHERWISE).chain(owning);
    let mut refused = exact.map(|request| one(is(1, SeccompCmpOp::Eq, *request)?)).collect::<Result<Vec<_>, _>>()?;
    for sort in KEPT_BESIDE {
        refused.push(one(is(1, SeccompCmpOp::MaskedEq(WRITES), WRITE | sort)?)?);
    }
    if plan.layer.is_none() {
        refused.push(one(is(1, SeccompCmpOp::MaskedEq(WRITE | 0xff00), WRITE | BTRFS)?)?);
    }
    Ok(refused)
}

/// Every pair of sockets but a local one whose ends can speak to each other alone: from a pair of datagrams, letters go
/// to any socket that has a path.
fn pairs() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let other = |sort: i32| is(1, SeccompCmpOp::MaskedEq(SORT), number(sort));
    let mut refused = vec![one(is(0, SeccompCmpOp::Ne, number(libc::AF_UNIX))?)?];
    for sort in (0..=10).filter(|sort| ![libc::SOCK_STREAM, libc::SOCK_SEQPACKET].contains(sort)) {
        refused.push(one(other(sort)?)?);
    }
    Ok(refused)
}

/// Every family of sockets but those that are needed.
fn sockets(plan: &Plan) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    if plan.door.is_some() {
        return streams();
    }
    let mut families = Vec::new();
    for need in &plan.needs {
        match need {
            Need::Network => families.extend([libc::AF_INET, libc::AF_INET6]),
            Need::Socket(_) => families.push(libc::AF_UNIX),
            Need::Interfaces => families.push(libc::AF_NETLINK),
            // Without a proxy there is no way to them.
            Need::Web | Need::Processes => {}
        }
    }
    if families.is_empty() {
        return Ok(Vec::new());
    }
    let others = families.into_iter().map(|family| is(0, SeccompCmpOp::Ne, number(family)));
    Ok(vec![SeccompRule::new(others.collect::<Result<_, _>>()?)?])
}

/// Every socket but a TCP connection, which is all that a proxy needs: no datagrams, so no names are looked up; nothing
/// raw; none of the protocols that Landlock doesn't know for TCP.
fn streams() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let not = |argument, values: [i32; 2]| {
        let conditions = values.map(|value| is(argument, SeccompCmpOp::Ne, number(value)));
        SeccompRule::new(conditions.into_iter().collect::<Result<_, _>>()?)
    };
    let mut refused = vec![not(0, [libc::AF_INET, libc::AF_INET6])?, not(2, [0, libc::IPPROTO_TCP])?];
    for sort in (0..=SORT).filter(|sort| *sort != number(libc::SOCK_STREAM)) {
        refused.push(one(is(1, SeccompCmpOp::MaskedEq(SORT), sort)?)?);
    }
    Ok(refused)
}

/// One condition on an argument. The kernel reads all of those here as 32 bits, and so does the filter.
fn is(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}

fn one(condition: SeccompCondition) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![condition])
}

fn number(family: libc::c_int) -> u64 {
    u64::from(family.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contain::{Layer, Layers};

    /// What the filter by number says of a call.
    fn verdict(program: &[sock_filter], call: u32) -> u32 {
        let mut at = 1;
        loop {
            let step = &program[at];
            at += 1 + match step.code {
                0x25 if call > step.k => usize::from(step.jt),
                0x15 if call == step.k => usize::from(step.jt),
                0x25 | 0x15 => usize::from(step.jf),
                _ => return step.k,
            };
        }
    }

    #[test]
    fn every_jump_ends_where_it_should() {
        let layer = Layer { workspace: "/w".into(), folder: "/l".into() };
        for (namespaces, layer) in [(true, None), (false, None), (true, Some(layer))] {
            let layers = Layers { namespaces, landlock: true, syscalls: true };
            let plan = Plan { layers, layer, ..Plan::default() };
            let (program, refused) = (whole(&plan).unwrap(), refused(&plan));
            assert_eq!(refused.contains(&libc::SYS_fchmodat), plan.layer.is_none());
            assert!(refused.contains(&libc::SYS_setxattr));
            for call in 0..=NEWEST + 100 {
                let error = |number: i32| 0x0005_0000 | number.unsigned_abs();
                let expected = match c_long::from(call) {
                    number if call > NEWEST || number == libc::SYS_clone3 => error(libc::ENOSYS),
                    number if refused.contains(&number) => error(libc::EPERM),
                    _ => 0x7fff_0000,
                };
                assert_eq!(verdict(&program, call), expected, "{call}");
            }
            assert_eq!(verdict(&program, 0x4000_0027), 0x0005_0000 | libc::ENOSYS.unsigned_abs());
        }
    }

    #[test]
    fn what_a_file_keeps_beside_its_content_and_how_others_run_are_refused_and_ones_own_are_not() {
        use super::super::raw;
        let file = tempfile::tempfile().unwrap();
        let others = std::os::unix::process::parent_id().cast_signed();
        let layer = Layer { workspace: "/w".into(), folder: "/l".into() };
        for (namespaces, layer) in [(false, None), (true, None), (true, Some(layer))] {
            let (file, layered) = (file.try_clone().unwrap(), layer.is_some());
            let layers = Layers { namespaces, landlock: true, syscalls: true };
            let plan = Plan { layers, layer, ..Plan::default() };
            // A filter holds for the thread that puts it up.
            let tried = std::thread::spawn(move || {
                refuse(&plan).unwrap();
                (raw::mark(&file), raw::rank(others), raw::schedule(others), raw::rank(0), raw::schedule(0))
            });
            let (mark, rank, schedule, own_rank, own_schedule) = tried.join().unwrap();
            assert_eq!(mark.unwrap_err().raw_os_error(), Some(libc::EPERM));
            for result in [rank, schedule] {
                assert_eq!(result.is_err_and(|error| error.raw_os_error() == Some(libc::EPERM)), !layered);
            }
            assert!(own_rank.is_ok() && own_schedule.is_ok());
        }
    }
}
