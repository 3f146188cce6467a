// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

// shipsPath is the path of the ships of all namespaces.
var shipsPath = "/apis/" + starwarsv1.GroupVersion.String() + "/starfighters"

// handler answers the requests of a reflector. Others are errors.
type handler struct {
	config   Config
	json     *encoded
	cbor     *encoded      // or nil
	bookmark string        // the resourceVersion of lists
	updates  chan struct{} // one value for each watch that gets updates
}

// NewHandler prepares all answers.
func NewHandler(config Config) (http.Handler, error) {
	h := &handler{
		config:   config,
		bookmark: strconv.Itoa(config.Fleet.ResourceVersion()),
		updates:  make(chan struct{}),
	}
	var err error
	if h.json, err = encode(config, jsonEncoding{}); err != nil {
		return nil, err
	}
	if config.CBOR {
		if h.cbor, err = encode(config, newCBOREncoding()); err != nil {
			return nil, err
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+shipsPath, func(w http.ResponseWriter, r *http.Request) { h.ships(w, r, false) })
	mux.HandleFunc("GET "+PagedPath+shipsPath, func(w http.ResponseWriter, r *http.Request) { h.ships(w, r, true) })
	mux.HandleFunc("POST "+UpdatesPath, h.startUpdates)
	return mux, nil
}

func (h *handler) startUpdates(_ http.ResponseWriter, r *http.Request) {
	select {
	case h.updates <- struct{}{}:
	case <-r.Context().Done():
	}
}

// ships answers a LIST or a WATCH.
func (h *handler) ships(w http.ResponseWriter, r *http.Request, paged bool) {
	query := r.URL.Query()
	if query.Has("labelSelector") || query.Has("fieldSelector") {
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "selectors are not served")
		return
	}
	body := h.json
	if h.cbor != nil && strings.Contains(r.Header.Get("Accept"), runtime.ContentTypeCBOR) {
		body = h.cbor
	}
	if isTrue(query, "watch") {
		h.watch(w, r, query, body)
		return
	}
	h.list(w, r, query, body, paged)
}

func isTrue(query url.Values, key string) bool {
	value, err := strconv.ParseBool(query.Get(key))
	return err == nil && value
}

// list answers with all ships or, when a limit holds, with as many from where
// the continue token says. The token is the index of the first ship.
func (h *handler) list(w http.ResponseWriter, r *http.Request, query url.Values, body *encoded, paged bool) {
	from, limit := 0, 0
	if token := query.Get("continue"); token != "" {
		var err error
		if from, err = strconv.Atoi(token); err != nil || from < 0 || from > len(body.ships) {
			refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "continue token "+token)
			return
		}
	}
	// The watch cache of an API server has no limits at resourceVersion 0.
	if text := query.Get("limit"); text != "" && (paged || query.Get("resourceVersion") != "0") {
		var err error
		if limit, err = strconv.Atoi(text); err != nil || limit < 0 {
			refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "limit "+text)
			return
		}
	}
	ships := body.ships[from:]
	meta := metav1.ListMeta{ResourceVersion: h.bookmark}
	if limit > 0 && limit < len(ships) {
		ships = ships[:limit]
		meta.Continue = strconv.Itoa(from + limit)
		remaining := int64(len(body.ships) - from - limit)
		meta.RemainingItemCount = &remaining
	}
	before, between, after, err := body.encoding.list(len(ships), meta)
	if err != nil {
		refuse(w, http.StatusInternalServerError, metav1.StatusReasonInternalError, err.Error())
		return
	}

	w.Header().Set("Content-Type", body.encoding.listType())
	var to io.Writer = w
	if h.config.Gzip && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		compressor, err := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level of API servers
		if err != nil {
			panic(err) // there is such a level
		}
		defer func() { _ = compressor.Close() }()
		to = compressor
	}
	buffer := bufio.NewWriterSize(to, bufferSize)
	_, _ = buffer.Write(before)
	for i, ship := range ships {
		if i > 0 {
			_, _ = buffer.Write(between)
		}
		_, _ = buffer.Write(ship)
	}
	_, _ = buffer.Write(after)
	_ = buffer.Flush() // who asked may have gone
}

// bufferSize keeps the number of system calls low.
const bufferSize = 256 << 10

// watch answers with the initial events, if they are asked for, and then waits
// for its updates and for the end of the request.
func (h *handler) watch(w http.ResponseWriter, r *http.Request, query url.Values, body *encoded) {
	initial := isTrue(query, "sendInitialEvents")
	version := query.Get("resourceVersion")
	if !initial && (version == "" || version == "0") {
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "a watch from nowhere")
		return
	}
	end, err := body.encoding.object(bookmark(h.bookmark))
	if err == nil {
		end, err = body.encoding.frame("BOOKMARK", end)
	}
	if err != nil {
		refuse(w, http.StatusInternalServerError, metav1.StatusReasonInternalError, err.Error())
		return
	}
	w.Header().Set("Content-Type", body.encoding.watchType())
	w.WriteHeader(http.StatusOK)
	stream := &frames{buffer: bufio.NewWriterSize(w, bufferSize), flusher: http.NewResponseController(w)}
	if initial {
		stream.write(body.added...)
		stream.write(end)
	}
	stream.flush()
	ctx := r.Context()
	if stream.err == nil && h.mayUpdate(ctx) {
		stream.write(body.updates...)
		stream.flush()
	}
	if stream.err == nil {
		<-ctx.Done()
	}
}

// mayUpdate waits until this watch may have the updates, or until it ends.
func (h *handler) mayUpdate(ctx context.Context) bool {
	select {
	case <-h.updates:
		return true
	case <-ctx.Done():
		return false
	}
}

// frames writes watch events until the first error, which is that the other
// side has gone.
type frames struct {
	buffer  *bufio.Writer
	flusher *http.ResponseController
	err     error
}

func (f *frames) write(events ...[]byte) {
	for _, event := range events {
		if f.err != nil {
			return
		}
		_, f.err = f.buffer.Write(event)
	}
}

func (f *frames) flush() {
	if f.err == nil {
		f.err = f.buffer.Flush()
	}
	if f.err == nil {
		f.err = f.flusher.Flush()
	}
}

// refuse answers with an error as API servers do.
func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	text, err := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure,
		Reason:   reason,
		Message:  "bench: " + message,
		Code:     int32(code),
	})
	if err != nil {
		panic(err) // a status has JSON
	}
	w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	w.WriteHeader(code)
	fmt.Fprintln(w, string(text))
}
