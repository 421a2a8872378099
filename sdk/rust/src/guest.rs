//! The exports and imports of a wasm module. `serve!` puts the exports into the plugin's own crate; what they do is here.

use std::alloc::{alloc as allocate, dealloc, Layout};
use std::cell::RefCell;
use std::rc::Rc;

use crate::contract::Method;
use crate::host::{Host, Level};
use crate::instance::Instance;
use crate::plugin::Plugin;

thread_local! {
    /// The one instance of this module: the ABI's exports are functions without a receiver.
    static INSTANCE: RefCell<Option<Instance>> = RefCell::new(None);
}

/// Blocks have the layout of a boxed slice of bytes, so that requests and replies are freed alike. An empty one has a
/// byte, since its address must not be 0.
fn layout(n: u32) -> Option<Layout> {
    Layout::array::<u8>(n.max(1) as usize).ok()
}

/// Reserves a block; 0 where there is no memory for it.
pub fn alloc(n: u32) -> u32 {
    match layout(n) {
        // Safety: the layout's size is not 0.
        Some(layout) => unsafe { allocate(layout) as usize as u32 },
        None => 0,
    }
}

/// Takes back a block.
///
/// # Safety
/// `ptr` and `n` are those of `alloc`, or of a reply.
pub unsafe fn free(ptr: u32, n: u32) {
    if let (Some(layout), true) = (layout(n), ptr != 0) {
        // Safety: the caller's.
        unsafe { dealloc(ptr as usize as *mut u8, layout) }
    }
}

/// Answers one request.
///
/// # Safety
/// `ptr` and `n` are a block of `alloc` that the host filled, or both are 0.
pub unsafe fn invoke(plugin: fn() -> Plugin, method: u32, ptr: u32, n: u32) -> u64 {
    let request = match n {
        0 => &[],
        // Safety: the caller's.
        _ => unsafe { std::slice::from_raw_parts(ptr as usize as *const u8, n as usize) },
    };
    let reply = INSTANCE.with(|slot| {
        let mut slot = slot.borrow_mut();
        let instance = slot.get_or_insert_with(|| {
            tell_of_panics();
            Instance::new(plugin(), Rc::new(Imports))
        });
        instance.invoke(Method(method as i32), request)
    });
    let reply = Box::leak(reply.into_boxed_slice());
    (reply.as_ptr() as usize as u64) << 32 | reply.len() as u64
}

/// Logs a panic before the module traps: a trap has no text of its own.
fn tell_of_panics() {
    std::panic::set_hook(Box::new(|panic| Imports.log(Level::Error, &panic.to_string())));
}

/// The host as this module's imports reach it.
struct Imports;

impl Host for Imports {
    fn log(&self, level: Level, text: &str) {
        // Safety: the block is readable for the whole call.
        unsafe { log(level as u32, text.as_ptr(), text.len()) }
    }

    fn input_read(&self, handle: u32, offset: u64, to: &mut [u8]) -> i64 {
        // Safety: the block is writable for the whole call, and the host writes no further than its length.
        unsafe { input_read(handle, offset, to.as_mut_ptr(), to.len()) }
    }
}

#[link(wasm_import_module = "paceline_v1")]
extern "C" {
    fn log(level: u32, ptr: *const u8, n: usize);
    fn input_read(input: u32, offset: u64, ptr: *mut u8, n: usize) -> i64;
}
