//! How much symbolic input a subject may have.

use super::{
    SubjectConfig,
    config::{ArgConfig, InputsConfig},
    config_file::ConfigFile,
    error::SubjectError,
};

/// The greatest size of a symbolic input in bytes, and the greatest number of elements of a buffer.
pub const MOST_BYTES: u32 = 1 << 16;

/// Refuses symbolic inputs that are too large, and ranges that hold nothing.
pub(super) fn check(file: &ConfigFile<'_>, config: &SubjectConfig) -> Result<(), SubjectError> {
    let InputsConfig { stdin, args, env, sym_files, params, .. } = &config.inputs;
    let texts = args.iter().chain(env.values()).filter_map(|text| match text {
        ArgConfig::Symbolic { string, .. } => Some(("string", *string)),
        ArgConfig::Text(_) | ArgConfig::OneOf { .. } => None,
    });
    let buffers = params.values().flat_map(|param| {
        let string = param.string.map(|size| ("string", size));
        string.into_iter().chain(param.elements.map(|size| ("elements", size)))
    });
    let files = sym_files.values().map(|size| ("sym_files", *size));
    let bytes = stdin.bytes.map(|size| ("bytes", size)).into_iter();
    let mut sizes = bytes.chain(texts).chain(files).chain(buffers);
    if let Some((key, size)) = sizes.find(|(_, size)| *size > MOST_BYTES) {
        let message = format!(
            "{size} are too many symbolic {}: at most {MOST_BYTES}",
            match key {
                "elements" => key,
                _ => "bytes",
            }
        );
        return Err(file.fault_of_number(size.into(), key, message));
    }
    for (name, param) in params {
        if let (Some(min), Some(max)) = (param.min, param.max)
            && min > max
        {
            let message = format!("{name}: min = {min} is greater than max = {max}");
            return Err(file.fault_of_number(min, "params", message));
        }
    }
    Ok(())
}
