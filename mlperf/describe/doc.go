// Package describe reads what only the submitter can tell of a system and of a submission: one YAML file, made from a
// template that explains every field. Several files may be laid over each other, so that what a machine was asked about
// itself can be the lower one.
package describe
