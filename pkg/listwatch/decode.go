// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// maxObjectBytes bounds one object of a list and one frame of a watch, as
	// client-go bounds a frame.
	maxObjectBytes = 16 << 20

	// maxListBytes bounds one answer to a list. etcd holds 8 GiB at the most.
	maxListBytes = 8 << 30
)

// ErrTooLarge is the error of an object or a list that is larger than any that
// an API server sends: 16 MiB and 8 GiB. Test for it with errors.Is.
var ErrTooLarge = errors.New("too large")

// decodeOptions make the decoder do what client-go's does (sigs.k8s.io/json):
// the semantics of encoding/json, but names are case-sensitive.
func decodeOptions(keepManagedFields bool) json.Options {
	unmarshalers := []*json.Unmarshalers{json.UnmarshalFromFunc(unmarshalTime), json.UnmarshalFromFunc(unmarshalAny)}
	if !keepManagedFields {
		unmarshalers = append(unmarshalers, json.UnmarshalFromFunc(skipManagedFields))
	}
	return json.JoinOptions(
		jsonv1.DefaultOptionsV1(),
		// It holds each value in memory and reads it twice, to find a mistake in
		// its syntax before one in its meaning.
		jsonv1.ReportErrorsWithLegacySemantics(false),
		json.MatchCaseInsensitiveNames(false),
		json.WithUnmarshalers(json.JoinUnmarshalers(unmarshalers...)),
	)
}

// skipManagedFields passes over the field without looking at what is in it. To
// read it as one value is faster than SkipValue token by token, and takes no more
// memory than the decoder's buffer, but for fields of many kilobytes.
func skipManagedFields(d *jsontext.Decoder, _ *[]metav1.ManagedFieldsEntry) error {
	_, err := d.ReadValue()
	return err
}

// unmarshalTime is metav1.Time's UnmarshalJSON without its second pass over the
// text. What is no string it leaves to that method.
func unmarshalTime(d *jsontext.Decoder, t *metav1.Time) error {
	if d.PeekKind() != jsontext.KindString {
		return errors.ErrUnsupported
	}
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	parsed, err := time.Parse(time.RFC3339, token.String())
	if err != nil {
		return err
	}
	t.Time = parsed.Local()
	return nil
}

// unmarshalAny makes whole numbers int64 where the Go type does not say what
// they are.
func unmarshalAny(d *jsontext.Decoder, v *any) error {
	if d.PeekKind() != jsontext.KindNumber {
		return errors.ErrUnsupported
	}
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	number := token.String()
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		*v = n
		return nil
	}
	*v, err = strconv.ParseFloat(number, 64)
	return err
}

// decoder reads JSON values of bounded size from a stream.
type decoder struct {
	*jsontext.Decoder
	limit *limitedReader
}

func (w *ListerWatcher[T, P]) newDecoder(r io.Reader) *decoder {
	limit := &limitedReader{reader: r, max: w.maxObjectBytes}
	return &decoder{Decoder: jsontext.NewDecoder(limit, w.options), limit: limit}
}

// bound lets what comes next have as many bytes as an object may have. What has
// been read ahead does not count: the reader is asked for more only when all of
// that belongs to the same object.
func (d *decoder) bound() { d.limit.end = d.InputOffset() + d.limit.max }

// into decodes the next value of the stream. A value that is JSON but does not
// fit v is passed over, so that the stream can be read on: the error is an
// undecodableError then, and else one of the stream.
func (d *decoder) into(v any) error {
	depth := d.StackDepth()
	_, before := d.StackIndex(depth)
	err := json.UnmarshalDecode(d.Decoder, v)
	if err == nil {
		return nil
	}
	// Whose error it is shows here: a stream that is at fault fails again.
	if err := d.leave(depth); err != nil {
		return err
	}
	if _, after := d.StackIndex(depth); after == before {
		if err := d.SkipValue(); err != nil {
			return err
		}
	}
	return &undecodableError{err}
}

// leave reads until all that is deeper than depth has ended.
func (d *decoder) leave(depth int) error {
	for d.StackDepth() > depth {
		if _, err := d.ReadToken(); err != nil {
			return err
		}
	}
	return nil
}

// plain strips what the decoder wraps around an error of the stream: client-go
// tells the ways in which a stream ends by comparing.
func (d *decoder) plain(err error) error {
	switch {
	case isUndecodable(err):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	case d.limit.err != nil && errors.Is(err, d.limit.err):
		return d.limit.err
	}
	return err
}

// undecodableError is the error of a value that is JSON, but does not fit its Go
// type.
type undecodableError struct{ error }

func (e *undecodableError) Unwrap() error { return e.error }

func isUndecodable(err error) bool {
	_, ok := errors.AsType[*undecodableError](err)
	return ok
}

// token reads a token of the given kind.
func (d *decoder) token(kind jsontext.Kind) (jsontext.Token, error) {
	token, err := d.ReadToken()
	if err != nil {
		return token, err
	}
	if token.Kind() != kind {
		return token, fmt.Errorf("unexpected JSON %s, want %s", describe(token.Kind()), describe(kind))
	}
	return token, nil
}

func describe(kind jsontext.Kind) string {
	switch kind {
	case jsontext.KindBeginObject:
		return "object"
	case jsontext.KindBeginArray:
		return "array"
	default:
		return strings.ToLower(kind.String())
	}
}

// limitedReader fails when it is asked for more than end bytes in all.
type limitedReader struct {
	reader io.Reader
	max    int64 // bytes of an object
	read   int64
	end    int64
	err    error // sticky
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	left := l.end - l.read
	if left <= 0 {
		l.err = fmt.Errorf("an object is %w: more than %d bytes", ErrTooLarge, l.max)
		return 0, l.err
	}
	if int64(len(p)) > left {
		p = p[:left]
	}
	n, err := l.reader.Read(p)
	l.read += int64(n)
	l.err = err
	return n, err
}
