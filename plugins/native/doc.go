// Package native starts plugins that are executables, through hashicorp/go-plugin, and calls them by gRPC.
//
// A [Process] is one started executable. Its bytes are written into a private folder and started from there, so that what
// was digested is what runs. It gets an environment of four variables, an empty working folder, a unix socket in a folder
// that only this user may enter, and no standard input. What it prints is cut to a rate.
//
// Between runner and plugin stands a guard: the same program as the runner, started with [Command]. The guard makes the
// private folder and starts the plugin. When its pipe to the runner ends, for whatever reason, or when the plugin has
// ended, it kills every process that comes from the plugin, removes the folder and ends. On Linux it also gets those that
// left their group or their session, since it is their subreaper. On other systems it ends the plugin's process group, so
// a process that left the group may stay.
//
// A native plugin is not sandboxed: it may do whatever its user may. Its memory and CPU time are not bound; a call is bound
// by the wall clock.
package native
