// Sources: the texts of source files that a recording brings along, found by the path as functions name it.
import type { Cursor } from "./cursor";

export class Sources {
  private readonly byPath = new Map<string, string>();
  private found = new Map<number, string>(); // among the strings that were looked at
  private lookedAt = 0;
  private foundOf: readonly string[] | null = null;

  /** False if it cannot be true. The first text of a path counts. */
  read(cursor: Cursor): boolean {
    const count = cursor.u32();
    const paths = cursor.texts(count);
    const texts = cursor.texts(count);
    if (!cursor.ok) return false;
    paths.forEach((path, i) => {
      if (!this.byPath.has(path)) this.byPath.set(path, texts[i]);
    });
    if (count > 0) this.foundOf = null; // strings that are there already may be paths of these
    return true;
  }

  /** By the number of the path. Of a table that has only grown, only what is new is looked at. */
  byString(strings: readonly string[]): ReadonlyMap<number, string> {
    if (this.byPath.size === 0) return this.found;
    if (strings !== this.foundOf) {
      this.found = new Map();
      this.lookedAt = 0;
      this.foundOf = strings;
    }
    if (this.lookedAt < strings.length) this.found = new Map(this.found);
    for (; this.lookedAt < strings.length; ++this.lookedAt) {
      const text = this.byPath.get(strings[this.lookedAt]);
      if (text !== undefined) this.found.set(this.lookedAt, text);
    }
    return this.found;
  }
}
