// Command derive fits the model of package strata to a file of traces (one JSON object per line, the six keys of the
// published files) and writes it as builtin/coding.model.json does:
//
//	go run ./workloads/profiles/derive -out workloads/profiles/builtin/coding.model.json FILE
//
// What it writes are quantiles, counts, regression coefficients and standard deviations: no row of the file. Every table is
// of at least minTable turns. After the fit it draws from the model, with fixed seeds, and
// corrects what it sees: the weights of the urn, so that kinds of turns come as often as they do in the file; the places of
// the latent variables, so that tables come out as they were measured; the coefficients of a variable on its own past, so
// that its autocorrelation does. Last it tells what both have at the same rank of a band, to which drawn values are moved.
//
// The same file gives the same model on one architecture; elsewhere the last binary place of a coefficient may differ, which
// is why the model is checked in and drawing from it knows integers only.
package main
