// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	v1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
	starwarsclient "github.com/okontajneroch/starwars/pkg/generated/clientset/versioned/typed/starwars/v1"
)

// What the page shows, as JavaScript.
const (
	pilotsShown = `[...document.querySelectorAll("#factions .pilot")].map((e) => e.textContent).sort()`
	// Of each column the faction, the number and the names of the ships.
	columnsShown = `[...document.querySelectorAll("#factions .faction")].map((e) => [
		e.querySelector("h2").textContent, e.querySelector(".count").textContent,
		...[...e.querySelectorAll(".name")].map((e) => e.textContent.split("/")[1]),
	].join(" "))`
	// What has the focus, and how it shows that.
	focusShown = `(() => {
		const e = document.activeElement, style = getComputedStyle(e);
		return (e.id || e.className || e.textContent) + (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 ? "" : " without an outline");
	})()`
)

func shows(pilot string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#factions .pilot")].some((e) => e.textContent === %q)`, pilot)
}

// pageTest is a board of a namespace that nobody else uses, and a browser.
type pageTest struct {
	*board
	browser   *browser
	ships     starwarsclient.StarfighterInterface
	namespace string
}

func newPageTest(t *testing.T) *pageTest {
	t.Helper()
	browser := openBrowser(t)
	ships, namespace := sharedShips(t)
	create(t, ships, boardFleet()...)
	b := launchBoard(t, "--kubeconfig", sharedServer(t).Kubeconfig, "--namespace", namespace)
	return &pageTest{b, browser, ships, namespace}
}

func (p *pageTest) open(t *testing.T) *tab {
	t.Helper()
	page := p.browser.tab(t, 1280, 800)
	page.open(p.url)
	return page
}

func wantShown(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the page shows\n%q\nwant\n%q", got, want)
	}
}

func TestFleetBoardPage(t *testing.T) {
	t.Parallel()
	p := newPageTest(t)
	t.Run("shows the fleet", func(t *testing.T) {
		page := p.open(t)
		wantShown(t, eval[[]string](page, columnsShown), "rebellion 4 snowspeeder-1 x-wing-1 x-wing-2 x-wing-3", "empire 3 defector tie-1 tie-2", "bounty-hunters 1 slave-1")
		if got := eval[string](page, `document.getElementById("found").textContent`); got != "8 ships" {
			t.Errorf("it counts %q", got)
		}
		if got := eval[string](page, `document.getElementById("ships-now").textContent`); got != "8" {
			t.Errorf("beside the chart it counts %s", got)
		}
		if got := eval[int](page, `document.querySelectorAll("#fleet .series").length`); got != 3 {
			t.Errorf("the chart has %d lines", got)
		}
	})
	t.Run("follows kubectl", func(t *testing.T) {
		page := p.open(t)
		page.do(chromedp.Evaluate[chromedp.Void](`window.sameDocument = true`))
		kubectl := openTerminal(t, sharedServer(t).Kubeconfig)
		kubectl.exits(0, manifest("x-wing-9", "pilot: Jek Porkins\n  type: X-Wing"), "apply", "-n", p.namespace, "-f", "-")
		page.until(shows("Jek Porkins"))
		kubectl.run("patch", "sf", "x-wing-9", "-n", p.namespace, "--type=merge", "-p", `{"spec":{"faction":"empire"}}`)
		page.until(columnsShown + `.includes("empire 4 defector tie-1 tie-2 x-wing-9")`)
		kubectl.run("delete", "sf", "x-wing-9", "-n", p.namespace)
		page.until(columnsShown + `.includes("empire 3 defector tie-1 tie-2")`)
		wantShown(t, eval[[]string](page, `[...document.querySelectorAll("#log .what")].map((e) => e.textContent)`),
			"Jek Porkins in x-wing-9 was lost", "Jek Porkins in x-wing-9: rebellion → empire", "Jek Porkins in x-wing-9 joined rebellion")
		if !eval[bool](page, `window.sameDocument === true`) {
			t.Error("the page was loaded again")
		}
	})
	t.Run("text stays text", func(t *testing.T) {
		page := p.open(t)
		const trap = `<img src=x onerror="window.trapped = true"><b>'"&amp;`
		create(t, p.ships, ship("trap", flownBy(trap), flyingFor("<i>sith</i>"), func(s *v1.Starfighter) { s.Spec.Type = `</li><script>window.trapped = true</script>` }))
		defer remove(t, p.ships, "trap")
		check := func() {
			t.Helper()
			page.until(shows(trap))
			if n := eval[int](page, `document.querySelectorAll("#factions img, #factions b, #factions i, #factions script, #log img").length`); n != 0 || eval[bool](page, `"trapped" in window`) {
				t.Errorf("text has become %d elements", n)
			}
			if got := eval[[]string](page, columnsShown); !slices.Contains(got, "<i>sith</i> 1 trap") {
				t.Errorf("the columns are %q", got)
			}
		}
		check() // as the script made it
		page.do(chromedp.Reload())
		check() // as the server did
		page.do(chromedp.Navigate(p.url + `/?pilot=%22%3E%3Cimg%20src%3Dx%20onerror%3Dwindow.trapped%3D1%3E`))
		if got := eval[string](page, `document.getElementById("pilot").value + ("trapped" in window)`); got != `"><img src=x onerror=window.trapped=1>false` {
			t.Errorf("the search is for %s", got)
		}
	})
	t.Run("is used by keyboard", func(t *testing.T) { pageByKeyboard(t, p) })
	t.Run("does not jump", func(t *testing.T) {
		page := p.open(t)
		page.do(chromedp.Evaluate[chromedp.Void](`window.shift = 0;
			new PerformanceObserver((list) => { for (const e of list.getEntries()) window.shift += e.value; }).observe({ type: "layout-shift" });`))
		for i := range 12 { // counters and charts change, the columns do not
			change(t, p.ships, "tie-1", flownBy(fmt.Sprint("Darth Vader ", i)))
			page.until(shows(fmt.Sprint("Darth Vader ", i)))
		}
		page.until(`document.querySelectorAll("#log li").length === 5`)
		if shift := eval[float64](page, "window.shift"); shift > 0.001 {
			t.Errorf("what is on the page moved; layout shift %v", shift)
		}
		change(t, p.ships, "tie-1", flownBy("Darth Vader"))
	})
}

// pageByKeyboard searches and goes through the page without a mouse.
func pageByKeyboard(t *testing.T, p *pageTest) {
	t.Helper()
	page := p.open(t)
	page.press("/sky")
	page.until(pilotsShown + `.join() === "Luke Skywalker,Luke Skywalker,Luke Skywalker"`)
	if got := eval[string](page, `document.getElementById("found").textContent + location.search`); got != "3 of 8 ships?pilot=sky" {
		t.Errorf("it says %q", got)
	}
	page.do(chromedp.Reload())
	page.until(pilotsShown + `.join() === "Luke Skywalker,Luke Skywalker,Luke Skywalker"`)
	page.until(`document.getElementById("status").dataset.state === "live"`)
	page.press("/")
	page.press("nobody")
	page.until(pilotsShown + `.length === 0`)
	wantShown(t, eval[[]string](page, columnsShown), "rebellion 0", "empire 0", "bounty-hunters 0")
	page.press(kb.Escape)
	page.until(pilotsShown + `.length === 8`)
	if got := eval[string](page, `document.getElementById("pilot").value + location.search`); got != "" {
		t.Errorf("after Escape there is %q", got)
	}

	// All that can be used is reached, in order, and seen.
	page = p.open(t)
	var stops []string
	for range 6 {
		page.press(kb.Tab)
		stops = append(stops, eval[string](page, focusShown))
	}
	wantShown(t, stops, "skip", "pilot", "pause", "JSON", "Metrics", "Readiness")

	// Paused, the page stays as it is; then it has caught up.
	page.do(chromedp.Focus(chromedp.CSS("#pause")))
	page.press(kb.Enter)
	page.until(`document.getElementById("status-text").textContent === "Paused"`)
	change(t, p.ships, "tie-2", flownBy("Juno Eclipse"))
	eventually(timeLimited(t), t, "the board knows", func() bool { return strings.Contains(p.page(t), "Juno Eclipse") })
	if got := eval[string](page, `document.activeElement.textContent`); got != "Continue" || eval[bool](page, shows("Juno Eclipse")) {
		t.Errorf("a paused page changes; the button says %q", got)
	}
	page.press(" ")
	page.until(shows("Juno Eclipse"))
	change(t, p.ships, "tie-2", flownBy("Soontir Fel"))
	page.until(shows("Soontir Fel"))
}

// page returns the page as the server makes it.
func (b *board) page(t *testing.T) string {
	t.Helper()
	_, text := b.get(t, "/")
	return text
}
