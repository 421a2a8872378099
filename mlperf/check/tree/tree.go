// Package tree reads the layout of a submission: which folders and files are where the rules want them, and what the files say. It
// judges nothing but whether a file can be read. Files are strangers': what is no regular file is not opened, and sizes, entries of a
// folder and numbers of points are limited.
package tree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"paceline/mlperf/lax"
)

// Names of files.
const (
	PointFile    = "point.yaml"
	ConfigFile   = "config.yaml"
	SummaryFile  = "result_summary.json"
	SystemFile   = "system_desc.json"
	AccuracyFile = "accuracy_results.json"
	ResultsFile  = "results.json"
	PowerFile    = "system_power.json"
)

// Limits.
const (
	maxFile    = 16 << 20
	maxResults = 64 << 20 // results.json holds answers
	maxEntries = 10_000   // of a folder
	maxPoints  = 1_000    // of a submission
	maxValues  = 2_000_000
)

// File is one file of the package. Doc is nil where it is missing or unreadable.
type File struct {
	Path string // below the root of the submission, with slashes
	Here bool   // something of that name exists
	Dir  bool   // and is a folder
	Err  error  // why it cannot be read
	Doc  *lax.Value
}

// Submission is the layout below a submission's root.
type Submission struct {
	Results, Docs, Src bool
	Implementations    []Implementation
	Systems            []System
}

// Implementation is a folder of src.
type Implementation struct {
	Name   string
	Readme bool
}

// System is a folder of results.
type System struct {
	Name   string
	Path   string
	Power  File
	Models []Model
}

// Model is a folder of a system.
type Model struct {
	Name   string
	Path   string
	Points []Point
}

// Point is a folder r<N>.
type Point struct {
	Dir                                               string
	Path                                              string
	N                                                 int // of its name
	Point, Config, Summary, System, Accuracy, Results File
}

// Root finds the submission at or below dir: dir itself where it holds results/, else the one folder in it that does.
func Root(fsys fs.FS, dir string) string {
	if isDir(fsys, path.Join(dir, "results")) {
		return dir
	}
	names, _ := folders(fsys, dir)
	var found []string
	for _, n := range names {
		if isDir(fsys, path.Join(dir, n, "results")) {
			found = append(found, n)
		}
	}
	if len(found) == 1 {
		return path.Join(dir, found[0])
	}
	return dir
}

// Read reads the submission whose root fsys is.
func Read(fsys fs.FS) (*Submission, error) {
	s := &Submission{Results: isDir(fsys, "results"), Docs: isDir(fsys, "docs"), Src: isDir(fsys, "src")}
	impls, err := folders(fsys, "src")
	if err != nil {
		return nil, err
	}
	for _, n := range impls {
		s.Implementations = append(s.Implementations, Implementation{n, hasReadme(fsys, path.Join("src", n))})
	}
	systems, err := folders(fsys, "results")
	if err != nil {
		return nil, err
	}
	r := &reader{fsys: fsys}
	for _, n := range systems {
		sys, err := r.system(n)
		if err != nil {
			return nil, err
		}
		s.Systems = append(s.Systems, sys)
	}
	return s, nil
}

type reader struct {
	fsys   fs.FS
	points int
	values int // of all documents that are kept
}

func (r *reader) system(name string) (System, error) {
	s := System{Name: name, Path: path.Join("results", name)}
	s.Power = r.file(path.Join(s.Path, PowerFile), maxFile, lax.JSON)
	models, err := folders(r.fsys, s.Path)
	for _, n := range models {
		if err != nil {
			break
		}
		var m Model
		m, err = r.model(n, path.Join(s.Path, n))
		s.Models = append(s.Models, m)
	}
	return s, err
}

var pointName = regexp.MustCompile(`^r([0-9]{1,9})$`)

func (r *reader) model(name, at string) (Model, error) {
	m := Model{Name: name, Path: at}
	dirs, err := folders(r.fsys, at)
	if err != nil {
		return m, err
	}
	for _, d := range dirs {
		match := pointName.FindStringSubmatch(d)
		if match == nil {
			continue
		}
		if r.points++; r.points > maxPoints {
			return m, fmt.Errorf("%s: more than %d points", at, maxPoints)
		}
		n, _ := strconv.Atoi(match[1])
		m.Points = append(m.Points, r.point(d, path.Join(at, d), n))
	}
	slices.SortStableFunc(m.Points, func(a, b Point) int { return a.N - b.N })
	return m, nil
}

func (r *reader) point(dir, at string, n int) Point {
	file := func(name string, read func([]byte) (*lax.Value, error)) File {
		return r.file(path.Join(at, name), maxFile, read)
	}
	p := Point{Dir: dir, Path: at, N: n,
		Point: file(PointFile, lax.YAML), Config: file(ConfigFile, lax.YAML), Summary: file(SummaryFile, lax.JSON),
		System: file(SystemFile, lax.JSON), Accuracy: file(AccuracyFile, lax.JSON)}
	if !p.Accuracy.Here { // only a fallback, and it may be large
		p.Results = r.file(path.Join(at, ResultsFile), maxResults, onlyScores)
	}
	return p
}

// onlyScores keeps of results.json what is read.
func onlyScores(data []byte) (*lax.Value, error) {
	v, err := lax.JSON(data)
	if scores := v.Get("accuracy_scores"); scores != nil {
		return &lax.Value{Kind: lax.Map, Fields: []lax.Field{{Key: "accuracy_scores", Value: scores}}}, err
	}
	return &lax.Value{Kind: lax.Map}, err
}

func (r *reader) file(name string, limit int64, read func([]byte) (*lax.Value, error)) File {
	f := File{Path: name}
	info, err := fs.Stat(r.fsys, name)
	if err != nil {
		if _, err := fs.ReadLink(r.fsys, name); err == nil {
			f.Here, f.Err = true, errors.New("it is a link that leads nowhere in the package")
		}
		return f
	}
	f.Here, f.Dir = true, info.IsDir()
	switch {
	case !info.Mode().IsRegular():
		f.Err = errors.New("it is no regular file")
	case info.Size() > limit:
		f.Err = fmt.Errorf("it has %d bytes, more than the %d that are read", info.Size(), limit)
	default:
		f.Doc, f.Err = r.load(name, limit, read)
	}
	return f
}

func (r *reader) load(name string, limit int64, read func([]byte) (*lax.Value, error)) (*lax.Value, error) {
	h, err := r.fsys.Open(name)
	if err != nil {
		return nil, errors.New("it cannot be opened")
	}
	defer func() { _ = h.Close() }()
	data, err := io.ReadAll(io.LimitReader(h, limit+1))
	if err != nil || int64(len(data)) > limit {
		return nil, errors.New("it cannot be read whole")
	}
	v, err := read(data)
	if err != nil {
		return nil, err
	}
	if r.values += v.Size(); r.values > maxValues {
		return nil, fmt.Errorf("the package's files hold more than %d values", maxValues)
	}
	return v, nil
}

// IsDir says whether a folder of that name is in the package. Links out of it lead nowhere.
func IsDir(fsys fs.FS, name string) bool { return isDir(fsys, name) }

func isDir(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.IsDir()
}

// folders are the names of the folders in dir, sorted; none where there is no dir.
func folders(fsys fs.FS, dir string) ([]string, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if errors.Is(err, fs.ErrNotExist) || err != nil && !isDir(fsys, dir) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be listed", dir)
	}
	if len(entries) > maxEntries {
		return nil, fmt.Errorf("%s has %d entries, more than the %d that are looked at", dir, len(entries), maxEntries)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 && isDir(fsys, path.Join(dir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func hasReadme(fsys fs.FS, dir string) bool {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name(), "README.md") {
			info, err := fs.Stat(fsys, path.Join(dir, e.Name()))
			if err == nil && info.Mode().IsRegular() {
				return true
			}
		}
	}
	return false
}
