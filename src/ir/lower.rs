//! LLVM bitcode to [`Module`](super::Module); the only user of LLVM.
