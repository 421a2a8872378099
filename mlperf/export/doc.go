// Package export turns one finished run folder into the files of one point of an MLPerf Endpoints submission: what was
// measured by the reference client's definitions, from the journal, with the counts of a counter; and what the submitter
// tells of the system.
//
// It names Paceline as the client everywhere. Official results of the scenario CoP must come from the unmodified reference
// client, and nothing here may read as if it did.
package export
