package scenarios

import (
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scenario is one acceptance scenario as a script.
type scenario struct {
	name   string
	script string
	// setup is run before the script, in the world's first session.
	setup func(w *world)
}

func runScenarios(t *testing.T, all []scenario) {
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if s.setup != nil {
				s.setup(w)
			}
			w.run(s.script)
			w.finish()
		})
	}
}

// step is one line of a script.
type step struct {
	session string
	text    string
	expect  byte // '=', '~', '!', '#', or 0
	want    string
}

var (
	sessionPart = regexp.MustCompile(`^@(\w+)\s+`)
	expectPart  = regexp.MustCompile(`(?s)\s*--([=~!#])[ \t]*(.*)$`)
)

// parse takes a script apart.
func parse(script string) []step {
	var steps []step
	for _, line := range strings.Split(script, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			last := &steps[len(steps)-1]
			last.text += "\n" + strings.TrimSpace(line)
			continue
		}
		steps = append(steps, step{text: line})
	}
	for i := range steps {
		s := &steps[i]
		if m := sessionPart.FindStringSubmatch(s.text); m != nil {
			s.session, s.text = m[1], s.text[len(m[0]):]
		}
		if m := expectPart.FindStringSubmatchIndex(s.text); m != nil {
			s.expect, s.want = s.text[m[2]], strings.TrimSpace(s.text[m[4]:m[5]])
			s.text = s.text[:m[0]]
		}
	}
	return steps
}

// run runs a script.
func (w *world) run(script string) {
	w.t.Helper()
	for _, s := range parse(script) {
		switch s.text {
		case ".reopen":
			w.reopen()
		case ".kill":
			w.kill()
		case ".check":
			w.check()
		default:
			w.step(s)
		}
	}
}

func (w *world) step(s step) {
	w.t.Helper()
	c := w.session(s.session)
	r, err := c.try(s.text)
	if s.expect == '!' {
		want, convErr := strconv.Atoi(s.want)
		require.NoError(w.t, convErr, "script: %s", s.want)
		require.Error(w.t, err, s.text)
		require.Equal(w.t, want, errorNumber(err), "%s\n%v", s.text, err)
		return
	}
	if err != nil {
		require.Fail(w.t, err.Error(), s.text)
	}
	switch s.expect {
	case '=':
		require.Equal(w.t, s.want, strings.Join(r.rows, "; "), s.text)
	case '~':
		require.Equal(w.t, sorted(strings.Split(s.want, "; ")), sorted(r.rows), s.text)
	case '#':
		require.Equal(w.t, s.want, strconv.FormatUint(r.affected, 10), s.text)
	}
}

func sorted(rows []string) []string {
	rows = append([]string(nil), rows...)
	sort.Strings(rows)
	return rows
}
