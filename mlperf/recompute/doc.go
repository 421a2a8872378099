// Package recompute checks a package of Paceline's runs as an auditor would: that every file has the digest of the manifest,
// that journals are whole and belong to their configuration and lock, that the data set gives the trajectories that were
// played, and that judgements, reports and every file below results/ come out of the journals again, bit for bit.
package recompute
