use std::cell::RefCell;

use crate::host::{Host, Level};

/// A host with its inputs in memory.
#[derive(Default)]
pub(super) struct Memory {
    pub inputs: Vec<Vec<u8>>,
    pub lines: RefCell<Vec<String>>,
}

/// The most that a host copies in one call.
const MAX_READ: usize = 16 << 20;

impl Host for Memory {
    fn log(&self, level: Level, text: &str) {
        self.lines.borrow_mut().push(format!("{} {}", level as u32, text));
    }

    fn input_read(&self, handle: u32, offset: u64, to: &mut [u8]) -> i64 {
        let bytes = match self.inputs.get(handle as usize) {
            Some(bytes) => bytes,
            None => return -1,
        };
        if offset > i64::MAX as u64 {
            return -3;
        }
        let from = bytes.len().min(usize::try_from(offset).unwrap_or(usize::MAX));
        let n = to.len().min(bytes.len() - from).min(MAX_READ);
        to[..n].copy_from_slice(&bytes[from..from + n]);
        n as i64
    }
}
