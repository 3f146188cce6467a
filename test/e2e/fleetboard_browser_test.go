// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/okontajneroch/starwars/test/e2e/internal/process"
	"github.com/okontajneroch/starwars/test/e2e/internal/repo"
)

// findBrowser returns the path of a browser. The error is a line that says what
// is left out without one.
var findBrowser = sync.OnceValues(func() (string, error) {
	root, err := repo.Root()
	if err != nil {
		return "", err
	}
	out, err := exec.Command(filepath.Join(root, "hack", "chromium.sh"), "--installed").Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && len(failed.Stderr) > 0 {
		return "", errors.New(strings.TrimSpace(string(failed.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
})

// browser is one that runs.
type browser struct{ ctx context.Context }

// openBrowser starts a browser for a test. Where there is none the test is
// skipped, but not in CI.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	path, err := findBrowser()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path))
	if os.Geteuid() == 0 { // Chromium's sandbox is not for root
		options = append(options, chromedp.NoSandbox)
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(end)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return &browser{ctx}
}

// tab is a tab of a browser, with storage and settings of its own.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	messages []string // in the console
	expected string   // is in messages that are no fault of the page
}

// tab opens a tab of a size. What the page writes to the console, as it does
// when something is refused by its content policy, fails the test.
func (w *browser) tab(t *testing.T, width, height int64, options ...chromedp.EmulateViewportOption) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(w.ctx, chromedp.WithNewBrowserContext())
	b := &tab{t: t, ctx: ctx}
	var reading sync.WaitGroup
	t.Cleanup(func() {
		cancel()
		reading.Wait()
		for _, message := range b.messages {
			if b.expected == "" || !strings.Contains(message, b.expected) {
				t.Errorf("the page says in the console: %s", message)
			}
		}
	})
	console := chromedp.Console(ctx)
	reading.Go(func() {
		for message, err := range console {
			if err == nil {
				b.mu.Lock()
				b.messages = append(b.messages, message.String())
				b.mu.Unlock()
			}
		}
	})
	b.do(chromedp.EmulateViewport(width, height, options...))
	return b
}

// expect says that messages with a text in them are no fault of the page.
func (b *tab) expect(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = text
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, process.Timeout)
	defer cancel()
	noError(b.t, chromedp.Do(ctx, steps...))
}

// open opens a page and waits until it follows the fleet.
func (b *tab) open(address string) {
	b.t.Helper()
	b.do(chromedp.Navigate(address))
	b.until(`document.getElementById("status").dataset.state === "live"`)
	b.until(`document.querySelector("#rate .bars")`) // and the charts are there
}

// press presses keys, one after the other. A key types its character unless the
// page does something else at it, as on a keyboard.
func (b *tab) press(keys string) {
	b.t.Helper()
	for _, key := range keys {
		events := kb.Encode(key)
		if down := events[0]; len(events) == 3 {
			down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
			events = slices.Delete(events, 1, 2)
		}
		for _, event := range events {
			b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
				_, err := cdp.Call(ctx, target, input.DispatchKeyEvent, *event)
				return err
			}))
		}
	}
}

// eval returns the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, process.Timeout)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// until waits until an expression is true.
func (b *tab) until(expression string) {
	b.t.Helper()
	b.within(process.Timeout, expression)
}

// within is until for what takes longer.
func (b *tab) within(patience time.Duration, expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeoutCause(b.ctx, patience, fmt.Errorf("not within %s", patience))
	defer cancel()
	defer func() {
		if b.t.Failed() {
			b.t.Logf("the page shows:\n%s", eval[string](b, "document.body.innerText"))
		}
	}()
	eventually(ctx, b.t, expression, func() bool { return eval[bool](b, "Boolean("+expression+")") })
}

// prefer makes the page dark or light.
func (b *tab) prefer(scheme string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

// picture returns what is seen of the page, as PNG.
func (b *tab) picture() []byte {
	b.t.Helper()
	image, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	noError(b.t, err)
	return image
}
