//! What the author of a Paceline plugin in Rust imports: one trait a component ([`Workload`], [`LiveWorkload`],
//! [`Validator`], [`Scorer`], [`Counter`]), a [`Plugin`] that lists the components, and [`serve!`].
//!
//! ```
//! use paceline::{Component, Message, Plugin, Result, Trajectory, Turn, Workload, WorkloadInfo};
//!
//! fn plugin() -> Plugin {
//!     Plugin::new("hello", "0.1.0").with(Component::workload("greet", "asks for a greeting", |_| Ok(Greet)))
//! }
//! paceline::serve!(plugin);
//!
//! struct Greet;
//!
//! impl Workload for Greet {
//!     fn info(&self) -> WorkloadInfo {
//!         WorkloadInfo { provenance: "exact".into(), ..Default::default() } // as many as asked for
//!     }
//!     fn plan(&self, index: u64, _repeat: u32, _seed: &[u8]) -> Result<Trajectory> {
//!         let ask = Message::json(r#"{"role":"user","content":"Say hello."}"#);
//!         let turn = Turn { append: vec![ask], ..Default::default() };
//!         Ok(Trajectory { id: format!("hello-{}", index), turns: vec![turn], ..Default::default() })
//!     }
//! }
//! # let opened = paceline::testing::open(plugin(), "greet", Default::default()).unwrap();
//! # assert_eq!(opened.plan(0, 0, &[]).unwrap().id, "hello-0");
//! ```
//!
//! Built as a `cdylib` for `wasm32-unknown-unknown`, that is a plugin. For any other target the same crate is ordinary
//! Rust: [`testing`] drives a component through the very bytes that a host would send.
//!
//! An answer depends on the arguments, the configuration, the inputs and the seed, and on nothing else: the host repeats
//! calls in other instances and on other machines and compares. So there is no state to keep between calls, no clock to
//! read, and no `HashMap` to iterate over on the way to an answer.
//!
//! An [`Error`] that a method returns becomes a status: the instance goes on. A panic ends the instance, and the host
//! starts a fresh one; its message is logged.

#![warn(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

pub mod contract;
mod dispatch;
mod error;
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod guest;
mod host;
mod instance;
pub mod json;
pub mod lines;
mod plugin;
mod roles;
pub mod testing;

pub use contract::authors::*;
pub use error::{Code, Error, Result};
pub use host::{Host, Input, InputReader, Level, Logger, Opening};
pub use instance::Instance;
pub use lines::ReadAt;
pub use plugin::{Component, Plugin, SDK};
pub use roles::{Counter, LiveWorkload, Scorer, Validator, Workload};

impl Message {
    /// One chat message, kept byte for byte.
    pub fn json(message: impl Into<Vec<u8>>) -> Message {
        Message { body: Some(MessageBody::Json(message.into())) }
    }

    /// Text that the host makes.
    pub fn composed(message: Composed) -> Message {
        Message { body: Some(MessageBody::Composed(message)) }
    }
}

/// Makes the plugin that a function returns what this module offers. Use it once, in the crate that is built as a
/// `cdylib`. For other targets than wasm32 it only checks the function's type.
#[macro_export]
macro_rules! serve {
    ($plugin:path) => {
        const _: fn() -> $crate::Plugin = $plugin;

        #[cfg(target_arch = "wasm32")]
        #[no_mangle]
        extern "C" fn paceline_v1_alloc(n: u32) -> u32 {
            $crate::guest::alloc(n)
        }

        #[cfg(target_arch = "wasm32")]
        #[no_mangle]
        unsafe extern "C" fn paceline_v1_free(ptr: u32, n: u32) {
            unsafe { $crate::guest::free(ptr, n) }
        }

        #[cfg(target_arch = "wasm32")]
        #[no_mangle]
        unsafe extern "C" fn paceline_v1_invoke(method: u32, ptr: u32, n: u32) -> u64 {
            unsafe { $crate::guest::invoke($plugin, method, ptr, n) }
        }
    };
}
