// Package filler makes prompts out of lengths: text, or token ids, of a wanted number of tokens, for trajectories that say
// how long their messages are and not what stands in them.
//
// All filler of a run is slices of one seeded run of words (or of token ids), so that ten thousand histories of a hundred
// thousand tokens share a few megabytes. A piece of filler is a mark that its scope and key alone decide, and then a slice
// of the shared run: equal keys of one scope give equal filler, at different lengths the common prefix of it, and different
// keys differ within the mark, which is shorter than any engine's cache block. The same seed, lengths and plan give the same
// bytes anywhere, so that journals keep the recipe and never the filler.
//
// # Text
//
// Words are 64 common English ones of three letters with the blank before them, four bytes each. They come in permutations
// of all 64, so that every 64 words have the same number of tokens in any tokenizer that splits at blanks, whatever that
// number is: Calibrate measures it, together with what a chat template adds around messages. What rounding
// to whole words leaves over, and what the template adds, is made up for by the messages that follow, so that the error of a
// context does not grow with the number of its messages. Where live answers come back in other lengths than they had, a Script
// learns by how much, and takes the count of the target's own tokenizer where somebody asks it.
//
// # Token ids
//
// Where a target takes prompts of token ids, lengths are exact. The ids are from FirstID on and below LastID, which are
// ordinary tokens in every vocabulary in use: control tokens lie below or far above.
package filler
