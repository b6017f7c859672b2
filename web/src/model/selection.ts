// Selection: which samples are looked at, and how their stacks are shown. All of it is in the URL.

export type Mode = "wall" | "cpu" | "gil" | "ready";

/** Where a function comes from: as src/profile/origin.h tells it. */
export const Origin = { own: 0, library: 1, standardLibrary: 2, marker: 3, native: 4, kernel: 5 } as const;
export type OriginNumber = (typeof Origin)[keyof typeof Origin];

export interface Selection {
  readonly mode: Mode;
  readonly threads: readonly number[] | null; // null: all
  readonly processes: readonly number[] | null;
  readonly time: readonly [fromNs: number, toNs: number] | null; // null: all of it
  readonly hidden: readonly OriginNumber[]; // their frames are left out; their time belongs to who called them
  readonly byThread: boolean; // a root for each thread (and process, if there are several)
  readonly byLine: boolean; // calls from different lines of a function are apart
  readonly inverted: boolean; // who is called at the root
  readonly focus: number | null; // only stacks with this function, from its first call on
}

export const everything: Selection = {
  mode: "wall",
  threads: null,
  processes: null,
  time: null,
  hidden: [],
  byThread: false,
  byLine: false,
  inverted: false,
  focus: null,
};
