// Makes gotemplate.cases.json: what Go's own text/template, with functions out of
// the packages of github.com/hairyhenderson/gomplate/v3 3.11.8 and of Go's library,
// makes of the templates in cases.txt with context.json. Run it where Go is:
//
//	go mod init goldens && go get github.com/hairyhenderson/gomplate/v3/{conv,coll,strings,data,math}@v3.11.8
//	go run . > ../gotemplate.cases.json
package main

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	gmath "math"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/Masterminds/goutils"
	"github.com/gosimple/slug"
	"github.com/hairyhenderson/gomplate/v3/coll"
	"github.com/hairyhenderson/gomplate/v3/conv"
	"github.com/hairyhenderson/gomplate/v3/data"
	"github.com/hairyhenderson/gomplate/v3/math"
	gstrings "github.com/hairyhenderson/gomplate/v3/strings"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

type failure struct {
	Line    int    `json:"line"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

type result struct {
	Template   string   `json:"template"`
	Delimiters []string `json:"delimiters,omitempty"`
	Output     *string  `json:"output,omitempty"`
	Error      *failure `json:"error,omitempty"`
}

type group struct {
	Name  string   `json:"name"`
	Cases []result `json:"cases"`
}

// Integers of the context are integers, which is how the program takes them.
func integers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.Atoi(v.String()); err == nil {
			return i
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = integers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = integers(v[k])
		}
	}
	return v
}

var place = regexp.MustCompile(`^template: t:(\d+)(?::(\d+))?: (.*)`)

func main() {
	contextText, _ := os.ReadFile("context.json")
	decoder := json.NewDecoder(bytes.NewReader(contextText))
	decoder.UseNumber()
	var context map[string]any
	if err := decoder.Decode(&context); err != nil {
		panic(err)
	}
	integers(context)
	text, _ := os.ReadFile("cases.txt")
	var groups []*group
	delimiters := []string{"{{", "}}"}
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			delimiters = []string{"{{", "}}"}
			if d, ok := strings.CutPrefix(name, "delimiters:"); ok {
				delimiters = strings.Split(d, ",")
			}
			groups = append(groups, &group{Name: name})
			continue
		}
		source := strings.ReplaceAll(line, "⏎", "\n")
		r := result{Template: source}
		if delimiters[0] != "{{" {
			r.Delimiters = delimiters
		}
		output, err := run(source, delimiters, context)
		if err != nil {
			r.Error = &failure{Message: err.Error()}
			if m := place.FindStringSubmatch(err.Error()); m != nil {
				r.Error.Line, _ = strconv.Atoi(m[1])
				if m[2] != "" {
					column, _ := strconv.Atoi(m[2])
					r.Error.Column = column + 1
				}
				r.Error.Message = m[3]
			}
		} else {
			output = strings.TrimSpace(output)
			r.Output = &output
		}
		g := groups[len(groups)-1]
		g.Cases = append(g.Cases, r)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	encoder.Encode(map[string]any{"context": json.RawMessage(contextText), "groups": groups})
}

func run(source string, delimiters []string, context map[string]any) (string, error) {
	funcs := functions()
	for k, v := range context {
		funcs[k] = func() any { return v }
	}
	t, err := template.New("t").Delims(delimiters[0], delimiters[1]).Funcs(funcs).Parse(source)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = t.Execute(&out, context)
	return out.String(), err
}

type Strings struct{}

func (Strings) Abbrev(args ...any) (string, error) {
	offset, width := 0, conv.ToInt(args[0])
	s := conv.ToString(args[len(args)-1])
	if len(args) == 3 {
		offset, width = width, conv.ToInt(args[1])
	}
	if len(s) <= width {
		return s, nil
	}
	return goutils.AbbreviateFull(s, offset, width)
}
func (Strings) ReplaceAll(old, by string, s any) string {
	return strings.ReplaceAll(conv.ToString(s), old, by)
}
func (Strings) Contains(part string, s any) bool  { return strings.Contains(conv.ToString(s), part) }
func (Strings) HasPrefix(part string, s any) bool { return strings.HasPrefix(conv.ToString(s), part) }
func (Strings) HasSuffix(part string, s any) bool { return strings.HasSuffix(conv.ToString(s), part) }
func (Strings) Repeat(n int, s any) (string, error) {
	if n < 0 {
		return "", fmt.Errorf("negative count %d", n)
	}
	return strings.Repeat(conv.ToString(s), n), nil
}
func (Strings) Split(sep string, s any) []string { return strings.Split(conv.ToString(s), sep) }
func (Strings) SplitN(sep string, n int, s any) []string {
	return strings.SplitN(conv.ToString(s), sep, n)
}
func (Strings) Trim(cut string, s any) string       { return strings.Trim(conv.ToString(s), cut) }
func (Strings) TrimPrefix(cut string, s any) string { return strings.TrimPrefix(conv.ToString(s), cut) }
func (Strings) TrimSuffix(cut string, s any) string { return strings.TrimSuffix(conv.ToString(s), cut) }
func (Strings) Title(s any) string                  { return cases.Title(language.Und).String(conv.ToString(s)) }
func (Strings) ToUpper(s any) string                { return cases.Upper(language.Und).String(conv.ToString(s)) }
func (Strings) ToLower(s any) string                { return cases.Lower(language.Und).String(conv.ToString(s)) }
func (Strings) TrimSpace(s any) string              { return strings.TrimSpace(conv.ToString(s)) }
func (Strings) Trunc(n int, s any) string           { return gstrings.Trunc(n, conv.ToString(s)) }
func (Strings) Indent(args ...any) string {
	by, width := " ", 1
	switch first := args[0].(type) {
	case string:
		if len(args) > 1 {
			by = first
		}
	case int:
		width = first
	}
	if len(args) == 3 {
		by = args[1].(string)
	}
	return gstrings.Indent(width, by, conv.ToString(args[len(args)-1]))
}
func (Strings) Slug(s any) string  { return slug.Make(conv.ToString(s)) }
func (Strings) Quote(s any) string { return fmt.Sprintf("%q", conv.ToString(s)) }
func (Strings) ShellQuote(s any) string {
	if list, ok := s.([]any); ok {
		var words []string
		for _, word := range list {
			words = append(words, gstrings.ShellQuote(conv.ToString(word)))
		}
		return strings.Join(words, " ")
	}
	return gstrings.ShellQuote(conv.ToString(s))
}
func (Strings) Squote(s any) string {
	return "'" + strings.ReplaceAll(conv.ToString(s), "'", "''") + "'"
}
func (Strings) SnakeCase(s any) string { return gstrings.SnakeCase(conv.ToString(s)) }
func (Strings) CamelCase(s any) string { return gstrings.CamelCase(conv.ToString(s)) }
func (Strings) KebabCase(s any) string { return gstrings.KebabCase(conv.ToString(s)) }
func (Strings) WordWrap(args ...any) string {
	o := gstrings.WordWrapOpts{}
	if len(args) > 1 {
		if s, ok := args[0].(string); ok {
			o.LBSeq = s
		} else {
			o.Width = uint(conv.ToInt(args[0]))
		}
	}
	if len(args) == 3 {
		o.LBSeq = conv.ToString(args[1])
	}
	return gstrings.WordWrap(conv.ToString(args[len(args)-1]), o)
}
func (Strings) RuneCount(args ...any) int {
	n := 0
	for _, a := range args {
		n += utf8.RuneCountInString(conv.ToString(a))
	}
	return n
}

type Conv struct{}

func (Conv) ToBool(v any) bool                      { return conv.ToBool(v) }
func (Conv) ToBools(v ...any) []bool                { return conv.ToBools(v...) }
func (Conv) Join(v any, sep string) (string, error) { return conv.Join(v, sep) }
func (Conv) ParseInt(s any, base, bits int) int64 {
	return conv.MustParseInt(conv.ToString(s), base, bits)
}
func (Conv) ParseFloat(s any, bits int) float64 { return conv.MustParseFloat(conv.ToString(s), bits) }
func (Conv) ParseUint(s any, base, bits int) uint64 {
	return conv.MustParseUint(conv.ToString(s), base, bits)
}
func (Conv) Atoi(s any) int                { return conv.MustAtoi(conv.ToString(s)) }
func (Conv) URL(s any) (*url.URL, error)   { return url.Parse(conv.ToString(s)) }
func (Conv) ToInt64(v any) int64           { return conv.ToInt64(v) }
func (Conv) ToInt(v any) int               { return conv.ToInt(v) }
func (Conv) ToInt64s(v ...any) []int64     { return conv.ToInt64s(v...) }
func (Conv) ToInts(v ...any) []int         { return conv.ToInts(v...) }
func (Conv) ToFloat64(v any) float64       { return conv.ToFloat64(v) }
func (Conv) ToFloat64s(v ...any) []float64 { return conv.ToFloat64s(v...) }
func (Conv) ToString(v any) string         { return conv.ToString(v) }
func (Conv) ToStrings(v ...any) []string   { return conv.ToStrings(v...) }
func (Conv) Default(d, v any) any {
	if truth, ok := template.IsTrue(v); truth && ok {
		return v
	}
	return d
}

type Coll struct{}

func (Coll) Slice(v ...any) []any                    { return v }
func (Coll) Has(in any, key string) bool             { return coll.Has(in, key) }
func (Coll) Dict(v ...any) (map[string]any, error)   { return coll.Dict(v...) }
func (Coll) Keys(m map[string]any) ([]string, error) { return coll.Keys(m) }
func (Coll) Values(m map[string]any) ([]any, error)  { return coll.Values(m) }
func (Coll) Append(v, list any) ([]any, error) {
	l, err := coll.Flatten(list, 0)
	if err != nil {
		return nil, err
	}
	return append(append([]any{}, l...), v), nil
}
func (Coll) Prepend(v, list any) ([]any, error) { return coll.Prepend(v, list) }
func (Coll) Uniq(list any) ([]any, error)       { return coll.Uniq(list) }
func (Coll) Reverse(list any) ([]any, error)    { return coll.Reverse(list) }
func (Coll) Merge(m map[string]any, others ...map[string]any) (map[string]any, error) {
	return coll.Merge(m, others...)
}
func (Coll) Sort(args ...any) ([]any, error) {
	if len(args) == 2 {
		return coll.Sort(conv.ToString(args[0]), args[1])
	}
	return coll.Sort("", args[0])
}
func (Coll) Flatten(args ...any) ([]any, error) {
	if len(args) == 2 {
		return coll.Flatten(args[1], conv.ToInt(args[0]))
	}
	return coll.Flatten(args[0], -1)
}
func keysAndMap(args []any) ([]string, map[string]any, error) {
	if len(args) < 2 {
		return nil, nil, errors.New("wrong number of args: wanted 2 or more")
	}
	var keys []string
	for _, k := range args[:len(args)-1] {
		keys = append(keys, k.(string))
	}
	return keys, args[len(args)-1].(map[string]any), nil
}
func (Coll) Pick(args ...any) (map[string]any, error) {
	keys, m, err := keysAndMap(args)
	if err != nil {
		return nil, err
	}
	return coll.Pick(m, keys...), nil
}
func (Coll) Omit(args ...any) (map[string]any, error) {
	keys, m, err := keysAndMap(args)
	if err != nil {
		return nil, err
	}
	return coll.Omit(m, keys...), nil
}

type Data struct{}

func (Data) JSON(s any) (map[string]any, error)                   { return data.JSON(conv.ToString(s)) }
func (Data) JSONArray(s any) ([]any, error)                       { return data.JSONArray(conv.ToString(s)) }
func (Data) YAML(s any) (map[string]any, error)                   { return data.YAML(conv.ToString(s)) }
func (Data) YAMLArray(s any) ([]any, error)                       { return data.YAMLArray(conv.ToString(s)) }
func (Data) TOML(s any) (any, error)                              { return data.TOML(conv.ToString(s)) }
func (Data) CSV(s ...string) ([][]string, error)                  { return data.CSV(s...) }
func (Data) CSVByRow(s ...string) ([]map[string]string, error)    { return data.CSVByRow(s...) }
func (Data) CSVByColumn(s ...string) (map[string][]string, error) { return data.CSVByColumn(s...) }
func (Data) ToJSON(v any) (string, error)                         { return data.ToJSON(v) }
func (Data) ToJSONPretty(indent string, v any) (string, error)    { return data.ToJSONPretty(indent, v) }
func (Data) ToYAML(v any) (string, error)                         { return data.ToYAML(v) }
func (Data) ToTOML(v any) (string, error)                         { return data.ToTOML(v) }
func (Data) ToCSV(v ...any) (string, error)                       { return data.ToCSV(v...) }

type Path struct{}

func (Path) Base(s any) string            { return path.Base(conv.ToString(s)) }
func (Path) Clean(s any) string           { return path.Clean(conv.ToString(s)) }
func (Path) Dir(s any) string             { return path.Dir(conv.ToString(s)) }
func (Path) Ext(s any) string             { return path.Ext(conv.ToString(s)) }
func (Path) IsAbs(s any) bool             { return path.IsAbs(conv.ToString(s)) }
func (Path) Join(s ...any) string         { return path.Join(conv.ToStrings(s...)...) }
func (Path) Match(p, s any) (bool, error) { return path.Match(conv.ToString(p), conv.ToString(s)) }
func (Path) Split(s any) []string         { d, f := path.Split(conv.ToString(s)); return []string{d, f} }

type FilePath struct{}

func (FilePath) Base(s any) string    { return filepath.Base(conv.ToString(s)) }
func (FilePath) Clean(s any) string   { return filepath.Clean(conv.ToString(s)) }
func (FilePath) Dir(s any) string     { return filepath.Dir(conv.ToString(s)) }
func (FilePath) Ext(s any) string     { return filepath.Ext(conv.ToString(s)) }
func (FilePath) IsAbs(s any) bool     { return filepath.IsAbs(conv.ToString(s)) }
func (FilePath) Join(s ...any) string { return filepath.Join(conv.ToStrings(s...)...) }
func (FilePath) Match(p, s any) (bool, error) {
	return filepath.Match(conv.ToString(p), conv.ToString(s))
}
func (FilePath) Split(s any) []string {
	d, f := filepath.Split(conv.ToString(s))
	return []string{d, f}
}
func (FilePath) Rel(a, b any) (string, error) {
	return filepath.Rel(conv.ToString(a), conv.ToString(b))
}
func (FilePath) ToSlash(s any) string    { return filepath.ToSlash(conv.ToString(s)) }
func (FilePath) FromSlash(s any) string  { return filepath.FromSlash(conv.ToString(s)) }
func (FilePath) VolumeName(s any) string { return filepath.VolumeName(conv.ToString(s)) }

type Regexp struct{}

func compile(v any) (*regexp.Regexp, error) { return regexp.Compile(conv.ToString(v)) }
func limit(args []any) int {
	if len(args) == 3 {
		return conv.ToInt(args[1])
	}
	return -1
}
func (Regexp) Find(e, s any) (string, error) {
	r, err := compile(e)
	if err != nil {
		return "", err
	}
	return r.FindString(conv.ToString(s)), nil
}
func (Regexp) FindAll(args ...any) ([]string, error) {
	r, err := compile(args[0])
	if err != nil {
		return nil, err
	}
	return r.FindAllString(conv.ToString(args[len(args)-1]), limit(args)), nil
}
func (Regexp) Match(e, s any) (bool, error) {
	r, err := compile(e)
	if err != nil {
		return false, err
	}
	return r.MatchString(conv.ToString(s)), nil
}
func (Regexp) QuoteMeta(s any) string { return regexp.QuoteMeta(conv.ToString(s)) }
func (Regexp) Replace(e, by, s any) (string, error) {
	r, err := compile(e)
	if err != nil {
		return "", err
	}
	return r.ReplaceAllString(conv.ToString(s), conv.ToString(by)), nil
}
func (Regexp) ReplaceLiteral(e, by, s any) (string, error) {
	r, err := compile(e)
	if err != nil {
		return "", err
	}
	return r.ReplaceAllLiteralString(conv.ToString(s), conv.ToString(by)), nil
}
func (Regexp) Split(args ...any) ([]string, error) {
	r, err := compile(args[0])
	if err != nil {
		return nil, err
	}
	return r.Split(conv.ToString(args[len(args)-1]), limit(args)), nil
}

type Math struct{}

func (Math) IsInt(n any) bool {
	if s, ok := n.(string); ok {
		_, err := strconv.ParseInt(s, 0, 64)
		return err == nil
	}
	k := reflect.ValueOf(n).Kind()
	return k >= reflect.Int && k <= reflect.Uint64
}
func (m Math) IsFloat(n any) bool {
	if s, ok := n.(string); ok {
		_, err := strconv.ParseFloat(s, 64)
		return err == nil && !m.IsInt(s)
	}
	_, ok := n.(float64)
	return ok
}
func (m Math) IsNum(n any) bool { return m.IsInt(n) || m.IsFloat(n) }
func (m Math) floats(n []any) bool {
	for _, v := range n {
		if m.IsFloat(v) {
			return true
		}
	}
	return false
}
func (m Math) fold(n []any, i func(a, b int64) int64, f func(a, b float64) float64) any {
	if m.floats(n) {
		fs := conv.ToFloat64s(n...)
		x := fs[0]
		for _, v := range fs[1:] {
			x = f(x, v)
		}
		return x
	}
	is := conv.ToInt64s(n...)
	x := is[0]
	for _, v := range is[1:] {
		x = i(x, v)
	}
	return x
}
func (m Math) Add(n ...any) any {
	return m.fold(append([]any{0}, n...), func(a, b int64) int64 { return a + b }, func(a, b float64) float64 { return a + b })
}
func (m Math) Mul(n ...any) any {
	return m.fold(append([]any{1}, n...), func(a, b int64) int64 { return a * b }, func(a, b float64) float64 { return a * b })
}
func (m Math) Sub(a, b any) any {
	return m.fold([]any{a, b}, func(a, b int64) int64 { return a - b }, func(a, b float64) float64 { return a - b })
}
func (m Math) Max(n ...any) any {
	return m.fold(n, func(a, b int64) int64 { return max(a, b) }, gmath.Max)
}
func (m Math) Min(n ...any) any {
	return m.fold(n, func(a, b int64) int64 { return min(a, b) }, gmath.Min)
}
func (Math) Div(a, b any) (any, error) {
	if conv.ToFloat64(b) == 0 {
		return 0, errors.New("error: division by 0")
	}
	return conv.ToFloat64(a) / conv.ToFloat64(b), nil
}
func (Math) Rem(a, b any) any { return conv.ToInt64(a) % conv.ToInt64(b) }
func (m Math) Pow(a, b any) any {
	r := gmath.Pow(conv.ToFloat64(a), conv.ToFloat64(b))
	if m.IsFloat(a) {
		return r
	}
	return conv.ToInt64(r)
}
func (m Math) Abs(n any) any {
	if m.IsInt(n) {
		return conv.ToInt64(gmath.Abs(conv.ToFloat64(n)))
	}
	return gmath.Abs(conv.ToFloat64(n))
}
func (Math) Ceil(n any) any  { return gmath.Ceil(conv.ToFloat64(n)) }
func (Math) Floor(n any) any { return gmath.Floor(conv.ToFloat64(n)) }
func (Math) Round(n any) any { return gmath.Round(conv.ToFloat64(n)) }
func (Math) Seq(n ...any) []int64 {
	i := conv.ToInt64s(n...)
	switch len(i) {
	case 1:
		return math.Seq(1, i[0], 1)
	case 2:
		return math.Seq(i[0], i[1], 1)
	}
	return math.Seq(i[0], i[1], i[2])
}

type Crypto struct{}

func (Crypto) SHA1(s any) string   { return fmt.Sprintf("%x", sha1.Sum([]byte(conv.ToString(s)))) }
func (Crypto) SHA256(s any) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(conv.ToString(s)))) }
func (Crypto) SHA384(s any) string { return fmt.Sprintf("%x", sha512.Sum384([]byte(conv.ToString(s)))) }
func (Crypto) SHA512(s any) string { return fmt.Sprintf("%x", sha512.Sum512([]byte(conv.ToString(s)))) }

type Base64 struct{}

func (Base64) Encode(s any) string {
	return base64.StdEncoding.EncodeToString([]byte(conv.ToString(s)))
}
func (Base64) Decode(s any) (string, error) {
	out, err := base64.StdEncoding.DecodeString(conv.ToString(s))
	if err != nil {
		out, err = base64.URLEncoding.DecodeString(conv.ToString(s))
	}
	return string(out), err
}

type Test struct{}

func (Test) Assert(args ...any) (string, error) {
	if conv.ToBool(args[len(args)-1]) {
		return "", nil
	}
	if len(args) == 2 {
		return "", fmt.Errorf("assertion failed: %s", args[0])
	}
	return "", errors.New("assertion failed")
}
func (Test) Fail(args ...any) (string, error) {
	if len(args) == 1 {
		return "", fmt.Errorf("template generation failed: %s", conv.ToString(args[0]))
	}
	return "", errors.New("template generation failed")
}
func (Test) Required(args ...any) (any, error) {
	message := "can not render template: a required value was not set"
	if len(args) == 2 {
		message = args[0].(string)
	}
	v := args[len(args)-1]
	if v == nil || v == "" {
		return nil, errors.New(message)
	}
	return v, nil
}
func (Test) Ternary(a, b, c any) any {
	if conv.ToBool(c) {
		return a
	}
	return b
}
func (Test) Kind(v any) string { return reflect.ValueOf(v).Kind().String() }
func (t Test) IsKind(kind string, v any) bool {
	k := t.Kind(v)
	if kind == "number" && (k == "int" || k == "float64" || k == "int64") {
		return true
	}
	return k == kind
}

func humanSize(v any) string {
	size, err := strconv.ParseUint(fmt.Sprint(v), 10, 64)
	if err != nil {
		return "NaN"
	}
	if size == 0 {
		return "0B"
	}
	value, unit := float64(size), 0
	for value >= 1024 {
		value /= 1024
		unit++
	}
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0") + "BKMGTPE"[unit:unit+1]
}

func mapToKeyVal(m map[string]any) string {
	var pairs []string
	for k, v := range m {
		pairs = append(pairs, fmt.Sprintf("%s=%v", k, v))
	}
	sort.Strings(pairs)
	return strings.Join(pairs, ",")
}

func keyValToMap(s string) (map[string]string, error) {
	m := map[string]string{}
	for _, pair := range strings.Split(s, ",") {
		k, v, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok {
			return nil, errors.New("invalid input string")
		}
		m[k] = v
	}
	return m, nil
}

func functions() template.FuncMap {
	s, c, l, d, m, t := Strings{}, Conv{}, Coll{}, Data{}, Math{}, Test{}
	family := func(v any) func() any { return func() any { return v } }
	return template.FuncMap{
		"strings": family(s), "conv": family(c), "coll": family(l), "data": family(d), "math": family(m),
		"test": family(t), "path": family(Path{}), "filepath": family(FilePath{}), "regexp": family(Regexp{}),
		"crypto": family(Crypto{}), "base64": family(Base64{}),
		"replaceAll": s.ReplaceAll, "title": s.Title, "toUpper": s.ToUpper, "toLower": s.ToLower, "indent": s.Indent,
		"quote": s.Quote, "shellQuote": s.ShellQuote, "squote": s.Squote, "contains": strings.Contains,
		"hasPrefix": strings.HasPrefix, "hasSuffix": strings.HasSuffix, "split": strings.Split, "splitN": strings.SplitN,
		"trim": strings.Trim, "urlParse": c.URL, "bool": func(v any) bool { b, _ := strconv.ParseBool(conv.ToString(v)); return b },
		"join": c.Join, "default": c.Default, "json": d.JSON, "jsonArray": d.JSONArray, "yaml": d.YAML,
		"yamlArray": d.YAMLArray, "toml": d.TOML, "csv": d.CSV, "csvByRow": d.CSVByRow, "csvByColumn": d.CSVByColumn,
		"toJSON": d.ToJSON, "toJSONPretty": d.ToJSONPretty, "toYAML": d.ToYAML, "toTOML": d.ToTOML, "toCSV": d.ToCSV,
		"has": l.Has, "slice": l.Slice, "dict": l.Dict, "keys": l.Keys, "values": l.Values, "append": l.Append,
		"prepend": l.Prepend, "uniq": l.Uniq, "reverse": l.Reverse, "merge": l.Merge, "sort": l.Sort,
		"flatten": l.Flatten, "mapToKeyVal": mapToKeyVal, "keyValToMap": keyValToMap,
		"add": m.Add, "sub": m.Sub, "mul": m.Mul, "div": m.Div, "rem": m.Rem, "pow": m.Pow, "seq": m.Seq,
		"assert": t.Assert, "fail": t.Fail, "required": t.Required, "ternary": t.Ternary, "kind": t.Kind, "isKind": t.IsKind,
		"humanSize": humanSize,
	}
}
