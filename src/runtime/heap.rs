//! How much the allocator keeps of what was given back. By itself glibc opens a heap for every few threads, each with
//! rests of its own, and keeps more the larger the blocks were that it ever saw: at rest that is a third of a session's
//! own memory, after a long answer a fifth. `mallopt(3)` says what the numbers mean.

/// Bytes at the end of the heap that may stay unused.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const SPARE: nix::libc::c_int = 128 * 1024;

/// One heap for all threads, which gives back what is no longer used. To be called before there are threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn keep_little() {
    // SAFETY: the calls only set numbers of the allocator, which takes any.
    #[allow(unsafe_code)]
    unsafe {
        nix::libc::mallopt(nix::libc::M_ARENA_MAX, 1);
        nix::libc::mallopt(nix::libc::M_TRIM_THRESHOLD, SPARE);
    }
}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn keep_little() {}
