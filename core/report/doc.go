// Package report makes the two reports of a run, report.json and report.txt,
// out of what its files hold: journal, run configuration and judgements. It is
// pure and loads no plugin, so that anyone who has the files gets the same
// bytes, whenever and wherever.
//
// schemas/result/v1 describes report.json; the metrics in it are those of
// schemas/metrics/v1.
package report
