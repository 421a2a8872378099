// Package provision does the arithmetic of MLPerf Endpoints' provisioned power: the parts of a system with their sources in,
// kilowatts of the system and of a point that uses some of its nodes out. It fills in no default: what has no figure has to
// be given one, with where it stands in public.
package provision
