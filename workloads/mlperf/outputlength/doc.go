// Package outputlength is the validator of MLPerf Endpoints' bounds on the mean number of output tokens per turn: a
// server that cuts answers short, or an engine that rambles, cannot be compared with others.
package outputlength
