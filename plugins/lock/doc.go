// Package lock reads and writes what a plugin says of itself (the manifest) and what a run is held to (the lock).
//
// A manifest lies in the module's custom section paceline.manifest; a lock is the file paceline.lock beside a run file or
// in a run's folder. Both are JSON with a schema name and version, read strictly: unknown fields, a second document and
// an unknown version are errors. What is written is sorted and byte-stable. schemas/manifest/v1 and schemas/lock/v1
// describe the formats.
package lock
