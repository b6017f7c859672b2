// Labels that fit into a box: measured by the widths of their characters, and cut in the middle, for the beginning of a
// name tells the module or class, and its end tells the function.

export type Measure = (text: string) => number;

const shortest = 3; // characters: less says nothing

export class LabelCutter {
  private readonly widths = new Map<string, number>();
  private readonly ellipsis: number;

  constructor(private readonly measure: Measure) {
    this.ellipsis = measure("…");
  }

  /** The text, or its beginning and its end, or nothing if not even these fit. */
  cut(text: string, room: number): string {
    // Most boxes are narrow: these are settled without looking at the text.
    if (room < this.ellipsis * 2) return "";
    const characters = text.length > 400 ? [...text.slice(0, 200), ...text.slice(-200)] : [...text];
    let width = 0;
    for (const character of characters) width += this.widthOf(character);
    if (width <= room) return text.length > 400 ? characters.join("") : text;
    return this.cutMiddle(characters, room - this.ellipsis);
  }

  private cutMiddle(characters: readonly string[], room: number): string {
    let head = 0;
    let tail = characters.length;
    let used = 0;
    for (let takeHead = true; head < tail; takeHead = !takeHead) {
      const width = this.widthOf(takeHead ? characters[head] : characters[tail - 1]);
      if (used + width > room) break;
      used += width;
      if (takeHead) head++;
      else tail--;
    }
    if (head + characters.length - tail < shortest) return "";
    return `${characters.slice(0, head).join("")}…${characters.slice(tail).join("")}`;
  }

  private widthOf(character: string): number {
    let width = this.widths.get(character);
    if (width === undefined) {
      width = this.measure(character);
      this.widths.set(character, width);
    }
    return width;
  }
}
