package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/freshetdb/freshet/integration/process"
)

// settings are the flags.
type settings struct {
	run    *regexp.Regexp
	rows   int           // of the large tables
	rounds int           // medians are over so many
	each   time.Duration // one measurement of a rate
	dir    string        // where the data goes; its disk is what is measured
	// against is the DSN of a MySQL server to compare with, empty for none.
	against string
}

// part is a group of measurements.
type part struct {
	name string
	run  func(ctx context.Context, s settings, r *report) error
}

var parts = []part{
	{"select", benchSelect},
	{"insert", benchInsert},
	{"hotrow", benchHotRow},
	{"readwrite", benchReadWrite},
	{"load", benchLoad},
	{"scan", benchScan},
}

// gcPercent is what "freshet serve" sets: in-process figures are those of the
// server without the wire.
const gcPercent = 200

func main() {
	process.BeCommand()
	if err := benchmarks(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func benchmarks(ctx context.Context) error {
	var s settings
	run := flag.String("run", ".", "regular expression of the parts to run: select, insert, hotrow, readwrite, load, scan")
	flag.IntVar(&s.rows, "rows", 1_000_000, "rows of the large tables")
	flag.IntVar(&s.rounds, "rounds", 5, "rounds that medians are taken over")
	flag.DurationVar(&s.each, "each", 2*time.Second, "length of one measurement of a rate")
	flag.StringVar(&s.dir, "dir", "", "folder on the disk to measure; the default is the system's for temporary files")
	flag.StringVar(&s.against, "against", "", "DSN of a MySQL server to compare hotrow and readwrite with, as user@tcp(127.0.0.1:3306)/")
	profile := flag.String("cpuprofile", "", "file for a profile of this process, without the servers it starts")
	flag.Parse()
	debug.SetGCPercent(gcPercent)
	if *profile != "" {
		file, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var err error
	if s.run, err = regexp.Compile(*run); err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp(s.dir, "freshet-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(s.dir)
	r := &report{}
	fmt.Printf("%s %s/%s, %d processors, %d rows, medians of %d\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), s.rows, s.rounds)
	for _, p := range parts {
		if !s.run.MatchString(p.name) {
			continue
		}
		if err := p.run(ctx, s, r); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// report prints one line per figure.
type report struct{}

// figure prints a value with its floor and the share or multiple of it; ratio
// "" prints none.
func (*report) figure(what, value, floor, ratio string) {
	fmt.Printf("%-58s %16s", what, value)
	if floor != "" {
		fmt.Printf("   floor %14s   %s", floor, ratio)
	}
	fmt.Println()
}

// duration prints a time per operation against a floor.
func (r *report) duration(what string, took, floor time.Duration) {
	if floor == 0 {
		r.figure(what, took.String(), "", "")
		return
	}
	r.figure(what, took.String(), floor.String(), fmt.Sprintf("%.2f x", float64(took)/float64(floor)))
}

// rate prints operations per second against a floor.
func (r *report) rate(what string, perSecond, floor float64) {
	if floor == 0 {
		r.figure(what, fmt.Sprintf("%.0f/s", perSecond), "", "")
		return
	}
	r.figure(what, fmt.Sprintf("%.0f/s", perSecond), fmt.Sprintf("%.0f/s", floor), fmt.Sprintf("%.0f %%", 100*perSecond/floor))
}

// median runs f so many times and returns the middle result.
func median[T int | int64 | float64 | time.Duration](rounds int, f func() (T, error)) (T, error) {
	var all []T
	for range rounds {
		v, err := f()
		if err != nil {
			return 0, err
		}
		all = append(all, v)
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}

// timed returns how long f takes.
func timed(f func() error) (time.Duration, error) {
	runtime.GC()
	began := time.Now()
	err := f()
	return time.Since(began), err
}

// perOperation runs f for about as long as asked for and returns the time per call.
func perOperation(each time.Duration, f func() error) (time.Duration, error) {
	const warm = 200
	for range warm {
		if err := f(); err != nil {
			return 0, err
		}
	}
	runtime.GC()
	n := 0
	began := time.Now()
	for time.Since(began) < each {
		for range 50 {
			if err := f(); err != nil {
				return 0, err
			}
			n++
		}
	}
	return time.Since(began) / time.Duration(n), nil
}
