// Package strata draws traces from a model whose tables are stratified by the length of the trace and by position in it,
// with the dependence inside a trace that such tables alone lack.
//
// A trace is drawn in four steps.
//
//  1. Its class: an eighth of all traces by the number of turns. Then its character, which the class's table has jointly:
//     whether it explores (one long tool call with a large output, typically the first), how often it waits long, how often
//     it reads much. Turns, edits and the length of the input follow, each given what was drawn before.
//  2. The kind of each turn. The character says how many turns of each kind there are; they are laid out like balls from an
//     urn, without putting back, whose weights depend on class group, position and the kind before.
//  3. The lengths and the wait of each turn, from the table of its kind, class and band of positions. Where in its table a
//     value lies is a latent normal variable. It is a regression on the latent variables of the two turns before, on their
//     mean since the trace began, on those drawn in the same turn, and on the trace's character: this makes autocorrelation,
//     an effect per trace and dependence between output and wait.
//  4. Each value is moved to what the file has at the same rank among all turns of its band of positions.
//
// All of it is integer arithmetic. The command derive fits a model to a file of traces.
package strata
