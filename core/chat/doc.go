// Package chat is one exchange with a model, vendor-neutral: message fragments, request bodies assembled from shared
// fragments without encoding the history again, parameters, salts, and assembled answers.
//
// Messages are those of chat completions everywhere. Where a target is asked by another API, API.Translate gives them that
// API's form, once, and a Shell of that API surrounds them; docs/apis.md has the rules.
package chat
