package enc

import (
	"encoding/binary"
	"math"

	"github.com/dolthub/go-mysql-server/sql/types"
)

// Geometry is stored in the engine's own serialized form, which is MySQL's:
// SRID (4 bytes, little endian), then well-known binary. The engine's parser
// trusts its input, so reading is done here.

// geometryDepthMax bounds the nesting of geometry collections.
const geometryDepthMax = 64

func appendGeometry(dst []byte, v any) ([]byte, bool, error) {
	g, ok := v.(types.GeometryValue)
	if !ok {
		return dst, false, nil
	}
	if !shallow(g, 0) {
		return dst, false, &ValueError{Type: types.GeometryType{}, Value: v, Cause: ErrOutOfRange}
	}
	return append(dst, g.Serialize()...), true, nil
}

func shallow(g types.GeometryValue, depth int) bool {
	coll, ok := g.(types.GeomColl)
	if !ok {
		return true
	}
	if depth == geometryDepthMax {
		return false
	}
	for _, member := range coll.Geoms {
		if !shallow(member, depth+1) {
			return false
		}
	}
	return true
}

// wkbReader reads well-known binary. The first fault sticks: further reads give
// zeros.
type wkbReader struct {
	src  []byte
	srid uint32
	bad  bool
}

// readGeometry reads a geometry; all of src belongs to it.
func readGeometry(src []byte) (types.GeometryValue, error) {
	if len(src) < types.EWKBHeaderSize {
		return nil, corrupt("geometry is cut off")
	}
	r := &wkbReader{src: src[types.SRIDSize:], srid: binary.LittleEndian.Uint32(src)}
	g := r.geometry(0)
	if r.bad || len(r.src) != 0 {
		return nil, corrupt("geometry is malformed")
	}
	return g, nil
}

func (r *wkbReader) take(n int) []byte {
	if r.bad || len(r.src) < n {
		r.bad = true
		return make([]byte, n)
	}
	b := r.src[:n]
	r.src = r.src[n:]
	return b
}

// header reads byte order (only little endian is written) and type.
func (r *wkbReader) header() uint32 {
	b := r.take(types.WKBHeaderSize)
	if b[0] != 1 {
		r.bad = true
	}
	return binary.LittleEndian.Uint32(b[1:])
}

// count reads a number of elements of at least size bytes each.
func (r *wkbReader) count(size int) int {
	n := binary.LittleEndian.Uint32(r.take(types.CountSize))
	if uint64(n)*uint64(size) > uint64(len(r.src)) {
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *wkbReader) geometry(depth int) types.GeometryValue {
	if depth > geometryDepthMax {
		r.bad = true
	}
	typ := r.header()
	if r.bad {
		return nil
	}
	switch typ {
	case types.WKBPointID:
		return r.point()
	case types.WKBLineID:
		return r.line()
	case types.WKBPolyID:
		return r.polygon()
	case types.WKBMultiPointID:
		g := types.MultiPoint{SRID: r.srid, Points: make([]types.Point, r.count(types.WKBHeaderSize+types.PointSize))}
		for i := range g.Points {
			r.expect(types.WKBPointID)
			g.Points[i] = r.point()
		}
		return g
	case types.WKBMultiLineID:
		g := types.MultiLineString{SRID: r.srid, Lines: make([]types.LineString, r.count(types.WKBHeaderSize+types.CountSize))}
		for i := range g.Lines {
			r.expect(types.WKBLineID)
			g.Lines[i] = r.line()
		}
		return g
	case types.WKBMultiPolyID:
		g := types.MultiPolygon{SRID: r.srid, Polygons: make([]types.Polygon, r.count(types.WKBHeaderSize+types.CountSize))}
		for i := range g.Polygons {
			r.expect(types.WKBPolyID)
			g.Polygons[i] = r.polygon()
		}
		return g
	case types.WKBGeomCollID:
		g := types.GeomColl{SRID: r.srid, Geoms: make([]types.GeometryValue, r.count(types.WKBHeaderSize))}
		for i := range g.Geoms {
			g.Geoms[i] = r.geometry(depth + 1)
		}
		return g
	}
	r.bad = true
	return nil
}

func (r *wkbReader) expect(typ uint32) {
	if r.header() != typ {
		r.bad = true
	}
}

func (r *wkbReader) point() types.Point {
	b := r.take(types.PointSize)
	return types.Point{
		SRID: r.srid,
		X:    math.Float64frombits(binary.LittleEndian.Uint64(b)),
		Y:    math.Float64frombits(binary.LittleEndian.Uint64(b[8:])),
	}
}

func (r *wkbReader) line() types.LineString {
	l := types.LineString{SRID: r.srid, Points: make([]types.Point, r.count(types.PointSize))}
	for i := range l.Points {
		l.Points[i] = r.point()
	}
	return l
}

func (r *wkbReader) polygon() types.Polygon {
	p := types.Polygon{SRID: r.srid, Lines: make([]types.LineString, r.count(types.CountSize))}
	for i := range p.Lines {
		p.Lines[i] = r.line()
	}
	return p
}
