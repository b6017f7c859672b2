// The functions as a table.

import type { ProfileStore } from "../state/profile_store";
import { NothingSelected } from "./flame_view";
import { FunctionTable } from "./function_table";

export function TopView({ store }: { store: ProfileStore }) {
  if (store.tree.value.total[0] <= 0) return <NothingSelected store={store} />;
  return (
    <FunctionTable
      store={store}
      label="Functions. Enter shows callers and callees."
      active={store.state.value.function ?? store.functionOf(store.selected.value)}
      narrow={false}
      onActive={(number) => store.change({ function: number }, "same")}
      onOpen={(number) => store.change({ view: "sandwich", function: number })}
    />
  );
}
