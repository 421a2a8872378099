package viz

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxEntries bounds how much of a folder is looked through.
const maxEntries = 200_000

var (
	pointName = regexp.MustCompile(`^r[0-9]{1,9}$`)
	unsafeID  = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
)

// curve is a folder results/<system>/<model> with points.
type curve struct {
	dir    string   // from the root
	points []string // r<N>, by N
}

func (c curve) system() string { return path.Dir(c.dir) }

// short is the folder without the steps named results, as the visualizer tells it.
func (c curve) short() string {
	steps := slices.DeleteFunc(strings.Split(c.dir, "/"), func(s string) bool { return s == "results" })
	return strings.Join(steps, "/")
}

// id is the curve's name in addresses of the page. It comes from the path, since what files say is often not unique.
func (c curve) id() string {
	return strings.Trim(unsafeID.ReplaceAllString(strings.ReplaceAll(c.short(), "/", "-"), "-"), "-")
}

// discover finds all curves below the root, by path.
func discover(files fs.FS) ([]curve, error) {
	found := map[string]*curve{}
	entries := 0
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > maxEntries {
			return fmt.Errorf("more than %d files and folders: this is no package", maxEntries)
		}
		if err != nil || !d.IsDir() || !pointName.MatchString(d.Name()) {
			return err
		}
		dir := path.Dir(name)
		if path.Base(path.Dir(path.Dir(dir))) != "results" {
			return nil
		}
		if found[dir] == nil {
			found[dir] = &curve{dir: dir}
		}
		found[dir].points = append(found[dir].points, d.Name())
		return fs.SkipDir
	})
	if err != nil {
		return nil, fmt.Errorf("look for results: %w", err)
	}
	var curves []curve
	for _, c := range found {
		slices.SortFunc(c.points, func(a, b string) int {
			return cmp.Or(cmp.Compare(concurrency(a), concurrency(b)), strings.Compare(a, b))
		})
		curves = append(curves, *c)
	}
	slices.SortFunc(curves, func(a, b curve) int { return strings.Compare(a.dir, b.dir) })
	return curves, nil
}

// concurrency is N of r<N>.
func concurrency(point string) int {
	n, _ := strconv.Atoi(point[1:]) // nine digits fit
	return n
}
