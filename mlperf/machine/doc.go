// Package machine asks the machine that it runs on for what a description of a system wants of a node: processors, memory,
// accelerators, network, storage, software. It reads files of the kernel and asks a few tools where they are installed; it
// guesses nothing, and says of each field that it leaves empty why. Names of hosts, addresses and serial numbers are not read.
package machine
