// The page as `flametap serve` hands it out: the address says what it shows.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { FailurePage } from "../view/notices";
import { Api } from "./api";
import { ListPage } from "./list_page";
import { routeOf } from "./route";
import { ServedDiff } from "./served_diff";
import { ServedProfile } from "./served_profile";
import { TokenDialog } from "./token_dialog";
import { DropTarget, Uploads } from "./uploads";

export function ServerApp() {
  const api = useMemo(() => new Api(), []);
  const changes = useSignal(0);
  const route = useMemo(() => routeOf(window.location.pathname), []);
  const isList = route.page === "list";
  // From a profile's page there is no list to see the upload in: the profile itself is opened.
  const uploads = useMemo(() => new Uploads(api, (id) => (isList ? changes.value++ : window.location.assign(`/p/${id}`))), []);
  return (
    <>
      {route.page === "list" && <ListPage api={api} uploads={uploads} changes={changes.value} />}
      {route.page === "profile" && <ServedProfile api={api} id={route.id} />}
      {route.page === "diff" && <ServedDiff api={api} before={route.before} after={route.after} />}
      {route.page === "none" && <FailurePage failure={{ error: "There is no such page.", remedy: "" }} />}
      <DropTarget uploads={uploads} />
      {api.tokenWanted.value !== null && <TokenDialog onToken={api.tokenWanted.value} />}
    </>
  );
}
