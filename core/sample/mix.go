package sample

// Qualified is the id of a trajectory's conversations in salts and routing headers: the trajectory's own, and in a run of
// several workloads with the workload's name before it, since two workloads may use the same ids.
func Qualified(workload, trajectory string, several bool) string {
	if several {
		return workload + "/" + trajectory
	}
	return trajectory
}
