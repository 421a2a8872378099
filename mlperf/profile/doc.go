// Package profile holds a data set against what the rules say of the one of MLPerf Agentic Inference: how many conversations
// of each domain, client turns and answers it has, that each conversation has a system prompt, and its digest. It counts rows;
// whether they are right is the workload's to check.
package profile
