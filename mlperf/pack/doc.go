// Package pack makes a submission's package out of runs: of Paceline, or of the reference client, never of both. A package is
//
//	<organization>/<submission>/README.md
//	                           src/<implementation>/README.md
//	                           docs/evidence/...
//	                           results/<system>/<model>/r<concurrency>/...
//
// What may not be packed is refused with every reason at once. Packages of Paceline's runs name Paceline as their client in
// each file: official results of the scenario CoP must come from the unmodified reference client. Data sets and the texts of
// trajectories stay out, and so do content stores; the journals of the runs are there, so that anyone who has the data set
// can compute everything again.
package pack
