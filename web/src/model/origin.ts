// Where a function comes from, told by its kind and its file alone: the recording may come from another machine. The
// rules are those of src/profile/origin.cc, so that the page and the other formats agree; an inlined function counts as
// native here, as it is one place in the program with a native one.
import { FrameKind, type Recording } from "../recording/recording";
import { Origin, type OriginNumber } from "./selection";

// As in "lib/python3.11/", "lib64/python3.13t/" or "lib/python311.zip/".
const versionFolder = /(?:^|\/)lib(?:64)?\/python[0-9][0-9.]*t?(?:\.zip)?\//;

export function originOfFile(file: string): OriginNumber {
  if (file.includes("/site-packages/") || file.includes("/dist-packages/")) return Origin.library;
  if (file.startsWith("<frozen ") || versionFolder.test(file)) return Origin.standardLibrary;
  return Origin.own;
}

/** The origin of each function, by its number. */
export function originsOf(recording: Recording): Uint8Array {
  const { count, file, kind } = recording.functions;
  const byFile = new Map<number, OriginNumber>(); // many functions share a file
  const origins = new Uint8Array(count);
  for (let i = 0; i < count; ++i) origins[i] = originOf(kind[i], file[i]);
  return origins;

  function originOf(functionKind: number, path: number): OriginNumber {
    if (functionKind === FrameKind.marker) return Origin.marker;
    if (functionKind === FrameKind.native || functionKind === FrameKind.inlined) return Origin.native;
    if (functionKind === FrameKind.kernel) return Origin.kernel;
    let origin = byFile.get(path);
    if (origin === undefined) byFile.set(path, (origin = originOfFile(recording.strings[path])));
    return origin;
  }
}
