// Package chat is one exchange with a model, vendor-neutral: message fragments, request bodies assembled from shared
// fragments without encoding the history again, parameters, salts, and assembled answers.
package chat
