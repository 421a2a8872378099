// Package configschema completes and checks the configuration of a component by the JSON Schema that the component tells. A
// schema comes from a stranger: it is bound in size, and one check in steps. It knows the subset of draft 2020-12 that
// workloads/checks/schema has; what is beyond that is left to the component.
package configschema
