//! The messages of the plugin contract, version 1, with their codec: plain structs that follow
//! `schemas/plugin/v1/plugin.proto` one to one and are generated from it.
//!
//! - An enum is a number with named values, so that a number that this side does not know is kept.
//! - A scalar that the contract calls optional is an `Option`, and so is a message within a message.
//! - A oneof is an `Option` of an enum: [`MessageBody`] of a [`Message`], [`PieceKind`] of a [`Piece`].
//!
//! [`Codec::encode`] writes the canonical bytes: fields by rising number, zero values left out, numeric lists packed.
//! Equal messages have equal bytes. [`Codec::decode`] accepts what any protobuf encoder writes, skips fields that it
//! does not know, and returns an error for anything malformed; it never panics. Messages do not hold themselves, and
//! unknown groups may be nested 100 deep, so that no input makes it recurse without bound.

#[rustfmt::skip]
pub(crate) mod authors;
#[rustfmt::skip]
mod codec;
mod field;
mod sink;
#[cfg(test)]
mod tests;
#[rustfmt::skip]
mod types;
mod wire;

pub use field::Field;
pub use sink::Sink;
pub use types::*;
pub use wire::{Codec, DecodeError, DecodeFault};

/// Version of the contract that this crate speaks.
pub const VERSION: u32 = 1;
