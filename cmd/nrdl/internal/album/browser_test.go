package album

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// The pages of 10,000 photographs open from the disk, light and dark, on a telephone and a
// screen: nothing is wider than the window, pictures are there, and the keyboard reaches a
// photograph. NRDL_PICTURES=DIR keeps pictures of them.
func TestPagesInBrowser(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG starts Chromium")
	}
	program, err := exec.LookPath("chromium")
	if err != nil {
		lacking.Skip(t, "there is no Chromium: apt-get install chromium")
	}
	a := drawn(t, many())
	if _, err := a.Write(t.Context(), "m.nrdl", nil); err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.Flag("headless", "new"), chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); cancel() })
	ctx, cancel = context.WithTimeout(ctx, 20*time.Minute)
	t.Cleanup(cancel)
	for _, scheme := range []string{"light", "dark"} {
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
		for _, width := range []int64{390, 1280} {
			for _, name := range []string{"index.html", "people/Ann/index.html"} {
				if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate("file://"+filepath.Join(a.dir, name))); err != nil {
					t.Fatal(err)
				}
				if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
					t.Fatal(err)
				}
				look(t, ctx, fmt.Sprintf("%s %s %d", name, scheme, width))
			}
		}
	}
}

// look checks the page that is shown.
func look(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	for range 9 {
		if err := chromedp.Do(ctx, chromedp.KeyEvent(kb.Tab)); err != nil {
			t.Fatal(err)
		}
	}
	const script = `(async () => {
		for (let i = 0; i < 50 && ![...document.images].some(m => m.complete && m.naturalWidth); i++) await new Promise(r => setTimeout(r, 100));
		const r = document.activeElement.querySelector('img');
		return [document.documentElement.scrollWidth > innerWidth ? 'too wide' : '',
			[...document.images].some(m => m.complete && m.currentSrc && !m.naturalWidth) ? 'a picture is missing' : '',
			[...document.images].some(m => m.naturalWidth) ? '' : 'no picture', r ? '' : 'the keyboard reaches no picture'].filter(Boolean).join(', ')
	})()`
	faults, err := chromedp.Run(ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
	if err != nil || faults != "" {
		t.Errorf("%s: %s %v", name, faults, err)
	}
	if dir := os.Getenv("NRDL_PICTURES"); dir != "" {
		data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, "/", " ")+".png"), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
