// Package rules is what the rules of MLPerf Endpoints, Agentic Inference, say in numbers: models with their settings and
// thresholds, published seed sets and cohorts, approved drafters, the regions of a curve and the least durations of its points.
// Models, seed sets and drafters are data (data/*.json), so that a newer round is a newer file.
//
// Sources: the technical rules v1.0 and the official checker 1.5.3.0. Where they differ, the checker is newer.
package rules

// Agentic Inference as the checker of this version sees it.
const (
	CheckerVersion = "1.5.3.0"

	MinPoints     = 7  // of a curve
	MaxPoints     = 32 // of a curve
	MaxUltraLow   = 32 // the highest concurrency of Ultra Low, and the highest C_min
	AccuracyRuns  = 4  // SWE-bench results of a curve, one per band
	MaxWarmup     = 86400
	Trajectories  = 613   // of the data set: 113 coding, 500 workflow
	ClientTurns   = 30335 // of the data set
	SWEInstances  = 200
	DatasetSHA256 = "1beb24c882122df96571cf11b390acbea388944038bc55c78b891475459014ae"
)
