// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// screenshots is where to write images of the page, as docs/images has them.
var screenshots = flag.String("screenshots", "", "write images of fleet-board's page to this `DIR`, which takes two minutes")

// lowContrast lists texts whose colour is too close to what is behind them, by the
// measure of WCAG 2 at level AA. Large text is not treated better.
const lowContrast = `(() => {
	const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
	const rgba = (colour) => {
		context.clearRect(0, 0, 1, 1);
		context.fillStyle = colour;
		context.fillRect(0, 0, 1, 1);
		return context.getImageData(0, 0, 1, 1).data;
	};
	const luminance = (colour) => {
		const [r, g, b] = [...rgba(colour)].slice(0, 3).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const colour = getComputedStyle(e).backgroundColor;
			if (rgba(colour)[3] === 255) return colour;
		}
		return "white";
	};
	const bad = new Set();
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const e = texts.currentNode.parentElement;
		if (!texts.currentNode.data.trim() || !e.checkVisibility() || e.closest("noscript")) continue;
		const [light, dark] = [luminance(getComputedStyle(e).color), luminance(behind(e))].sort((a, b) => b - a);
		const ratio = (light + 0.05) / (dark + 0.05);
		if (ratio < 4.5) bad.add(texts.currentNode.data.trim() + " " + ratio.toFixed(2));
	}
	return [...bad];
})()`

func TestFleetBoardLooks(t *testing.T) {
	t.Parallel()
	p := newPageTest(t)
	long := strings.Repeat("Wilhuff", 140)
	create(t, p.ships, ship("long", flownBy(long), flyingFor("holonet")))

	grounds := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			page := p.browser.tab(t, 1280, 800)
			page.prefer(scheme)
			page.open(p.url)
			wantShown(t, eval[[]string](page, lowContrast))
			grounds[scheme] = eval[string](page, "getComputedStyle(document.body).backgroundColor")
			page.press("/nobody")
			page.until(pilotsShown + ".length === 0")
			wantShown(t, eval[[]string](page, lowContrast))
		})
	}
	if grounds["light"] == grounds["dark"] {
		t.Errorf("dark and light are both %s", grounds["dark"])
	}
	for name, width := range map[string]int64{"phone": 360, "small phone": 320, "tablet": 768, "wide": 1920} {
		t.Run(name, func(t *testing.T) {
			page := p.browser.tab(t, width, 740, chromedp.EmulateMobile, chromedp.EmulateTouch)
			page.open(p.url)
			page.until(shows(long))
			if got := eval[int64](page, "document.documentElement.scrollWidth"); got > width {
				t.Errorf("the page is %d pixels wide, the screen %d", got, width)
			}
			if small := eval[[]string](page, `[...document.querySelectorAll("a, button, input")].filter((e) => e.checkVisibility() && !e.matches(".skip"))
				.filter((e) => e.getBoundingClientRect().height < 24).map((e) => e.textContent || e.id)`); len(small) > 0 {
				t.Errorf("too small for a finger: %q", small)
			}
		})
	}
}

// TestFleetBoardScreenshots makes the images in docs/images.
func TestFleetBoardScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("without -screenshots")
	}
	browser := openBrowser(t)
	b := launchBoard(t, "--rate", "4")
	for name, test := range map[string]struct {
		scheme        string
		width, height int64
		options       []chromedp.EmulateViewportOption
	}{
		"light": {"light", 1280, 860, nil},
		"dark":  {"dark", 1280, 860, nil},
		"phone": {"light", 390, 844, []chromedp.EmulateViewportOption{chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(2)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := browser.tab(t, test.width, test.height, test.options...)
			page.prefer(test.scheme)
			page.open(b.url)
			page.within(4*time.Minute, `document.querySelectorAll("#log time").length === 5 && document.querySelector("#fleet .series").points.length >= 118`)
			noError(t, os.WriteFile(filepath.Join(*screenshots, "fleet-board-"+name+".png"), page.picture(), 0o644))
		})
	}
}
