//! Error numbers.

/// The error numbers of Linux (asm-generic/errno-base.h and errno.h).
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u16)]
pub enum Errno {
    Eperm = 1,
    Enoent = 2,
    Esrch = 3,
    Ebadf = 9,
    Eagain = 11,
    Enomem = 12,
    Eacces = 13,
    Efault = 14,
    Ebusy = 16,
    Eexist = 17,
    Enodev = 19,
    Enotdir = 20,
    Eisdir = 21,
    Einval = 22,
    Emfile = 24,
    Enotty = 25,
    Espipe = 29,
    Epipe = 32,
    Erange = 34,
    Enametoolong = 36,
    Enosys = 38,
    Enotempty = 39,
    Eloop = 40,
    Eopnotsupp = 95,
}
