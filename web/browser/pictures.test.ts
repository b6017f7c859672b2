// Pictures of the page, light and dark. `npm run picture` keeps the light one for the README.
import { copyFileSync } from "node:fs";
import { expect, test } from "vitest";
import { useBrowser, useFolder } from "./fixtures";
import { flametap } from "./flametap";

const folder = useFolder();
const browser = useBrowser();

/** How many pixels of the canvas have each colour. */
function colours(): Map<string, number> {
  const canvas = document.querySelector("canvas")!;
  const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
  const found = new Map<string, number>();
  for (let i = 0; i < data.length; i += 4) {
    const colour = `${data[i]},${data[i + 1]},${data[i + 2]}`;
    found.set(colour, (found.get(colour) ?? 0) + 1);
  }
  return found;
}

test("a picture of a real profile, light and dark", async () => {
  const file = folder.file("shop.html");
  flametap("record", "-o", file, "--", "/usr/bin/python3", "examples/shop.py");
  const background = new Set<string>();
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.openFile(file, "", { colorScheme, viewport: { width: 1280, height: 640 } });
    await page.getByRole("application").first().waitFor();
    const picture = folder.file(`${colorScheme}.png`);
    await page.screenshot({ path: picture });
    const seen = [...(await page.evaluate(`[...(${colours})()]`) as [string, number][])].sort((a, b) => b[1] - a[1]);
    background.add(seen[0][0]);
    expect(seen.filter(([, count]) => count > 500).length, "colours of frames").toBeGreaterThan(4);
    if (colorScheme === "light" && process.env.FLAMETAP_PICTURE) copyFileSync(picture, process.env.FLAMETAP_PICTURE);
  }
  expect(background.size, "backgrounds").toBe(2);
});
