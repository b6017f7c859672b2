// The fill of each function, by its number: computed once for a recording, looked up for every box.

import type { Recording } from "../recording/recording";
import { fillOf } from "./palette";

export function functionFills(recording: Recording, origins: Uint8Array): Uint8Array {
  const { functions, strings } = recording;
  return Uint8Array.from({ length: functions.count }, (_, i) => fillOf(origins[i], strings[functions.name[i]]));
}
