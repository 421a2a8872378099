// Package coretest holds what the tests of the core share: an in-memory
// network, a scripted HTTP/1.1 endpoint and golden files. Only tests import it.
//
// The network ([NewNetwork]) carries net.Conn values whose waits are durably
// blocking in a testing/synctest bubble, so a whole client and server can run in
// virtual time with exact instants. Make the network inside the bubble.
//
// The endpoint ([Start]) plays a [Script]: replies that are chosen by request
// number or by content, bodies cut into steps with given instants, and ends that
// real servers show (clean close, kept connection, reset, hang, cut body). It
// speaks HTTP over plain connections, so that each byte and each close is the
// script's own, over the in-memory network as well as over a loopback socket.
//
// [LoadEngine] gives the replies of real serving engines under testdata/engines.
//
// [LoadCase] gives the folders under testdata/cases, which are embedded, so that
// any package of the module finds them.
package coretest
