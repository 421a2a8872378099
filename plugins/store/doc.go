// Package store finds plugins and inputs: it turns a plugin's name into the bytes of its module and a path into an open
// input, each read or digested once, so that what was digested is what is used.
package store
