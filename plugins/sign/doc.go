// Package sign makes and checks signatures of plugins: ed25519 over a DSSE envelope with an in-toto statement, whose subject
// is the digest of the plugin's file (of a native plugin: of its manifest, which has the digests of all executables).
//
// A signer's name is the public key itself, so a signature can be checked with nothing but the file and the envelope. Whether
// the signer is to be trusted is another question: a policy or a lock answers it.
package sign
