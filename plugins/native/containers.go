package native

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// containerCommands are the commands that containers are looked for with, where they are there.
func containerCommands() []string { return []string{"docker", "podman"} }

// searchPath is where a plugin finds programs, and the guard the container commands.
const searchPath = "/usr/local/bin:/usr/bin:/bin"

// findCommands gives those of the commands that are in the search path, by their paths. A path stands for itself.
func findCommands(names []string) (found []string) {
	for _, name := range names {
		if strings.Contains(name, "/") {
			found = append(found, name)
			continue
		}
		for dir := range strings.SplitSeq(searchPath, ":") {
			if path, err := exec.LookPath(dir + "/" + name); err == nil {
				found = append(found, path)
				break
			}
		}
	}
	return found
}

// removeContainers removes the containers with that label, also those that still run. Only a plugin that was granted
// containers has commands here. A command that does not answer is given up.
func removeContainers(commands []string, label string) {
	if label == "" {
		return
	}
	for _, command := range commands {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		out, err := exec.CommandContext(ctx, command, "ps", "-aq", "--filter", "label="+label).Output()
		if ids := strings.Fields(string(out)); err == nil && len(ids) > 0 {
			_ = exec.CommandContext(ctx, command, append([]string{"rm", "-f"}, ids...)...).Run()
		}
		cancel()
	}
}
