// Package frame is what all importers share: it finds the records of a trace file, groups them into traces through an
// index, reads the records of one trace by their places, and turns a Format into a workload component.
//
// A format says where in a document its records lie and reads single records; the frame does the rest. One pass over the
// file, in Open, calls Reader.Scan for each record. What comes of it, for each record its trace, time, offset and length,
// is the Index, which the host keeps as the component's prepared data. Plan reads the records of one trace, wherever
// they lie, and has Reader.Build make the trajectory. So traces may be interleaved, and memory is bound by the index and
// one trace.
package frame
