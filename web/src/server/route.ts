// What an address of the server shows.

export type Route =
  | { readonly page: "list" | "none" }
  | { readonly page: "profile"; readonly id: string }
  | { readonly page: "diff"; readonly before: string; readonly after: string };

const id = "[a-z2-7]{16}";
const profile = new RegExp(`^/p/(${id})/?$`);
const diff = new RegExp(`^/diff/(${id})/(${id})/?$`);

export function routeOf(path: string): Route {
  if (path === "/" || path === "/upload") return { page: "list" };
  const one = profile.exec(path);
  if (one !== null) return { page: "profile", id: one[1] };
  const two = diff.exec(path);
  if (two !== null) return { page: "diff", before: two[1], after: two[2] };
  return { page: "none" };
}
