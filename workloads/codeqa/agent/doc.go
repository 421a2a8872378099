// Package agent is the workload tasks: each question is one live conversation, whose tool calls are carried out over the
// bundled tree. A conversation's state goes with the messages, so any instance can take its next step.
package agent
